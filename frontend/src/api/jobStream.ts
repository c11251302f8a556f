import type { Job, JobEvent } from "./jobs";

/** What is so at a moment and is no event: it comes when it has changed, and every ten seconds. */
export interface JobNow {
  readonly state: Job["state"];
  readonly progress: Job["progress"];
  /** Bytes of the log so far. */
  readonly log_size: number;
}

export interface JobStreamHandlers {
  readonly onOpen: () => void;
  readonly onEvent: (event: JobEvent) => void;
  readonly onNow: (now: JobNow) => void;
  /** No event can follow; the stream is closed. */
  readonly onEnd: () => void;
  /** The stream has broken. The browser asks again from the last event on, unless the server refuses it. */
  readonly onBreak: (refused: boolean) => void;
}

const EVENT_TYPES: Record<JobEvent["type"], true> = {
  state: true,
  progress: true,
  metric: true,
  log: true,
  warning: true,
  commit: true,
};

/** Opens the live stream of a job's events after a number; gives back how to close it. */
export function openJobStream(job: string, after: number, handlers: JobStreamHandlers): () => void {
  const source = new EventSource(`/api/v1/jobs/${encodeURIComponent(job)}/events?after=${after}`);
  const on = (type: string, hear: (data: string) => void) =>
    source.addEventListener(type, (message: MessageEvent<string>) => hear(message.data));
  for (const type of Object.keys(EVENT_TYPES))
    on(type, (data) => handlers.onEvent(JSON.parse(data) as JobEvent));
  on("now", (data) => handlers.onNow(JSON.parse(data) as JobNow));
  on("end", () => {
    source.close();
    handlers.onEnd();
  });
  source.addEventListener("open", handlers.onOpen);
  source.addEventListener("error", () => handlers.onBreak(source.readyState === EventSource.CLOSED));
  return () => source.close();
}
