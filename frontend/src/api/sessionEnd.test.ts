import { afterEach, expect, test, vi } from "vitest";
import { answer, api } from "./client";
import { noteSession, sessionEnd } from "./sessionEnd";

const fetched = vi.fn<(request: Request) => Promise<Response>>();
vi.stubGlobal("fetch", fetched);
afterEach(() => {
  fetched.mockReset();
  vi.useRealTimers();
});

const reply = (status: number, headers: Record<string, string> = {}) =>
  new Response("{}", { status, headers: { "Content-Type": "application/json", ...headers } });

test("what a page asks that nobody has touched for a minute says so", async () => {
  vi.useFakeTimers();
  fetched.mockImplementation(() => Promise.resolve(reply(200)));
  const isMarked = async () => {
    await answer(api.GET("/api/v1/meta"));
    return fetched.mock.lastCall?.[0].headers.get("Unattended") ?? null;
  };
  dispatchEvent(new Event("keydown"));
  expect(await isMarked()).toBe(null);
  vi.advanceTimersByTime(61_000);
  expect(await isMarked()).toBe("?1");
  dispatchEvent(new Event("pointermove"));
  expect(await isMarked()).toBe(null);
});

test("a reply tells when the session ends, and one without a session that it has", async () => {
  vi.useFakeTimers({ now: 1000 });
  fetched.mockResolvedValueOnce(reply(200, { Session: "idle=60, last=7200" }));
  await answer(api.GET("/api/v1/meta"));
  expect(sessionEnd()).toEqual({ idleAt: 61_000, lastAt: 7_201_000, ended: false });
  noteSession(null); // an API token has none
  expect(sessionEnd()?.ended).toBe(false);
  fetched.mockResolvedValueOnce(reply(401));
  await expect(answer(api.GET("/api/v1/meta"))).rejects.toMatchObject({ problem: { status: 401 } });
  expect(sessionEnd()?.ended).toBe(true);
});
