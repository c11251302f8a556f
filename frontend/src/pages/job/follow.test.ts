import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobStreamHandlers } from "../../api/jobStream";
import { JobFollower, type Followed } from "./follow";

const { streams, asked } = vi.hoisted(() => ({
  streams: [] as { after: number; handlers: JobStreamHandlers; closed: boolean }[],
  asked: {
    events: vi.fn<(job: string, after: number) => Promise<unknown>>(),
    log: vi.fn<(job: string, offset: number) => Promise<unknown>>(),
  },
}));
vi.mock("../../api/jobStream", () => ({
  openJobStream: (_: string, after: number, handlers: JobStreamHandlers) => {
    const stream = { after, handlers, closed: false };
    streams.push(stream);
    return () => (stream.closed = true);
  },
}));
vi.mock("../../api/jobs", () => ({ jobEvents: asked.events, jobLog: asked.log }));

const event = (seq: number) => ({ seq, at: "", type: "warning" as const, data: {} });
const page = (...seqs: number[]) => ({ items: seqs.map(event), next: null });
const log = (text: string, size: number) => ({ text, offset: 0, next_offset: size, size, end: false });

let now: Followed | undefined;
let follower: JobFollower;
const onJob = vi.fn<(now: unknown) => void>();
const seqs = () => now?.events.map(({ seq }) => seq);
const latest = () => {
  const stream = streams.at(-1);
  if (stream === undefined) throw new Error("no stream was opened");
  return stream;
};

beforeEach(() => {
  vi.useFakeTimers();
  asked.events.mockResolvedValue(page());
  asked.log.mockResolvedValue(log("", 0));
  follower = new JobFollower("j-1", false, (followed) => (now = followed), onJob);
  follower.start();
});

afterEach(() => {
  follower.stop();
  streams.length = 0;
  now = undefined;
  vi.resetAllMocks();
  vi.useRealTimers();
});

test("what is told twice is there once, and nothing is asked while the stream lives", () => {
  for (const seq of [1, 2, 2, 1, 3]) latest().handlers.onEvent(event(seq));
  expect(seqs()).toEqual([1, 2, 3]);
  expect(asked.events).not.toHaveBeenCalled();
});

test("a stream that breaks is said to be lost after a while, and no longer once it is there again", () => {
  latest().handlers.onOpen();
  latest().handlers.onBreak(false);
  expect(now?.link ?? "stream").toBe("stream");
  vi.advanceTimersByTime(3000);
  expect(now?.link).toBe("lost");
  latest().handlers.onOpen();
  expect(now?.link).toBe("stream");
});

test("where the stream is refused it is asked from the last event on, and later streamed again", async () => {
  latest().handlers.onEvent(event(1));
  asked.events.mockResolvedValueOnce(page(2, 3)).mockResolvedValueOnce(page(3, 4));
  latest().handlers.onBreak(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked.events.mock.calls.map(([, after]) => after)).toEqual([1, 3]);
  expect([seqs(), now?.link]).toEqual([[1, 2, 3, 4], "asking"]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([streams.length, latest().after]).toEqual([2, 4]);
  const calls = asked.events.mock.calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.events).toHaveBeenCalledTimes(calls);
});

test("a stream that says nothing is no stream", async () => {
  await vi.advanceTimersByTimeAsync(25_000);
  expect(latest().closed).toBe(true);
  expect(asked.events).toHaveBeenCalledWith("j-1", 0);
});

test("a server that does not answer is lost, and asked again", async () => {
  asked.events.mockRejectedValueOnce(new Error("gone")).mockResolvedValue(page(1));
  latest().handlers.onBreak(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(now?.link).toBe("lost");
  await vi.advanceTimersByTimeAsync(4000);
  expect([seqs(), now?.link]).toEqual([[1], "asking"]);
});

test("at the end the rest is read once, and no more is asked", async () => {
  asked.log.mockResolvedValueOnce(log("all of it\n", 10)).mockResolvedValue(log("", 10));
  latest().handlers.onEvent(event(1));
  latest().handlers.onEnd();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([seqs(), now?.log]).toEqual([[1], "all of it\n"]);
  expect([asked.events.mock.calls.length, asked.log.mock.calls.length, streams.length]).toEqual([1, 1, 1]);
  expect(onJob).toHaveBeenCalledWith(null);
});

test("the log is read on when it has grown", async () => {
  asked.log.mockResolvedValueOnce(log("one\n", 4)).mockResolvedValue(log("", 4));
  for (let times = 0; times < 3; times++)
    latest().handlers.onNow({ state: "running", progress: null, log_size: 4 });
  await vi.advanceTimersByTimeAsync(0);
  expect(now?.log).toBe("one\n");
});

test("a window that nobody sees holds no stream", () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(latest().closed).toBe(true);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  expect([streams.length, latest().closed]).toEqual([2, false]);
  hidden.mockRestore();
});
