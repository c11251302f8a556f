import { openJobStream, type JobNow } from "../../api/jobStream";
import { jobEvents, jobLog, type JobEvent } from "../../api/jobs";

/**
 * How what happens reaches the page: by the stream, by asking again and again where the stream is refused or silent, or
 * not at all for the moment.
 */
export type Link = "stream" | "asking" | "lost";

export interface Followed {
  readonly events: readonly JobEvent[];
  readonly log: string;
  readonly link: Link;
}

export const NOTHING_YET: Followed = { events: [], log: "", link: "stream" };

const ASK_MILLIS = 2000;
const RETRY_MILLIS = 4000;
const STREAM_AGAIN_MILLIS = 30_000;
// Each minute a stream ends and is there again after a second.
const PATIENCE_MILLIS = 3000;
// The server is heard each ten seconds: what is silent for longer is dead, or held back by a proxy.
const SILENCE_MILLIS = 25_000;

/**
 * Follows a job until it has ended: all its events, each once and in order, and its log.
 *
 * The last event's number and the log's byte offset are all that is remembered, so neither a lost connection nor a
 * change from the stream to asking loses or doubles anything.
 */
export class JobFollower {
  private readonly job: string;
  private readonly readsLog: boolean;
  private readonly tell: (followed: Followed) => void;
  private readonly onJob: (now: JobNow | null) => void;
  private followed: Followed = NOTHING_YET;
  private offset = 0;
  private ended: boolean;
  private stopped = false;
  private closeStream: (() => void) | undefined;
  private readonly timers: Partial<Record<"turn" | "patience" | "silence" | "again", number>> = {};
  private readonly pullLog = oneAtATime(() => this.readLog());

  /** `onJob` is told what the job is now, or null where it is to be asked for. Not everybody reads logs. */
  constructor(
    job: string,
    ended: boolean,
    tell: (followed: Followed) => void,
    onJob: (now: JobNow | null) => void,
    readsLog = true,
  ) {
    this.job = job;
    this.readsLog = readsLog;
    this.ended = ended;
    this.tell = tell;
    this.onJob = onJob;
  }

  start(): void {
    document.addEventListener("visibilitychange", this.onVisibility);
    if (this.ended || document.hidden) this.ask();
    else this.open();
  }

  stop(): void {
    this.stopped = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.close();
    for (const name of Object.keys(this.timers) as (keyof typeof this.timers)[]) this.clear(name);
  }

  /** Somebody has seen that the job has ended: what is asked from now on is the last. */
  end(): void {
    this.ended = true;
  }

  /** Nobody looks: the server need not hold a stream, of which a browser has few. */
  private readonly onVisibility = () => {
    if (this.ended) return;
    if (document.hidden) {
      this.close();
      this.clear("turn", "again");
    } else if (this.closeStream === undefined) {
      this.clear("turn");
      this.open();
    }
  };

  // --- the stream --------------------------------------------------------------------------------
  private open(): void {
    this.hear();
    this.closeStream = openJobStream(this.job, this.last, {
      onOpen: () => this.hear(),
      onEvent: (event) => {
        this.hear();
        this.take([event]);
      },
      onNow: (now) => {
        this.hear();
        this.onJob(now);
        if (now.log_size > this.offset) this.pullLog();
      },
      onEnd: () => {
        this.close();
        this.ended = true;
        this.onJob(null);
        this.ask();
      },
      onBreak: (refused) => {
        if (refused) this.askInstead();
        else this.timers.patience ??= window.setTimeout(() => this.say("lost"), PATIENCE_MILLIS);
      },
    });
  }

  private hear(): void {
    this.clear("patience", "silence");
    this.say("stream");
    this.timers.silence = window.setTimeout(() => this.askInstead(), SILENCE_MILLIS);
  }

  private close(): void {
    this.closeStream?.();
    this.closeStream = undefined;
    this.clear("patience", "silence");
  }

  // --- asking ------------------------------------------------------------------------------------
  private askInstead(): void {
    this.close();
    this.ask();
    this.timers.again = window.setTimeout(() => {
      this.clear("turn");
      if (!this.ended && !document.hidden) this.open();
    }, STREAM_AGAIN_MILLIS);
  }

  /** Ask for what is new, again and again, until all of a job that has ended is there. */
  private ask(): void {
    this.clear("turn");
    const turn = async () => {
      const { ended } = this; // before asking: what is asked for then is the last
      const isThere = await Promise.all([this.readEvents(), this.readLog()]).then(
        () => true,
        () => false,
      );
      if (this.stopped || (this.closeStream !== undefined && !ended)) return;
      this.say(isThere ? "asking" : "lost");
      if (!ended) this.onJob(null);
      if (isThere && ended) return;
      this.timers.turn = window.setTimeout(() => void turn(), isThere ? ASK_MILLIS : RETRY_MILLIS);
    };
    void turn();
  }

  private async readEvents(): Promise<void> {
    for (let more = true; more && !this.stopped;) {
      const page = await jobEvents(this.job, this.last);
      this.take(page.items);
      more = page.next !== null;
    }
  }

  private async readLog(): Promise<void> {
    for (let more = this.readsLog; more && !this.stopped;) {
      const from = this.offset;
      const chunk = await jobLog(this.job, from);
      if (from !== this.offset) return; // somebody else has read on meanwhile
      this.offset = chunk.next_offset;
      if (chunk.text !== "") this.update({ log: this.followed.log + chunk.text });
      more = chunk.next_offset < chunk.size && chunk.next_offset > from;
    }
  }

  // --- what is known -----------------------------------------------------------------------------
  private get last(): number {
    return this.followed.events.at(-1)?.seq ?? 0;
  }

  private take(events: readonly JobEvent[]): void {
    const { last } = this;
    const more = events.filter((event) => event.seq > last);
    if (more.length > 0) this.update({ events: [...this.followed.events, ...more] });
  }

  private say(link: Link): void {
    if (link !== this.followed.link) this.update({ link });
  }

  private update(change: Partial<Followed>): void {
    if (this.stopped) return;
    this.followed = { ...this.followed, ...change };
    this.tell(this.followed);
  }

  private clear(...names: (keyof typeof this.timers)[]): void {
    for (const name of names) {
      clearTimeout(this.timers[name]);
      delete this.timers[name];
    }
  }
}

/** Does `work`, and once more if it was asked for meanwhile; never twice at once. What fails is asked for again. */
export function oneAtATime(work: () => Promise<unknown>): () => void {
  let busy = false;
  let again = false;
  const run = async () => {
    busy = true;
    do {
      again = false;
      await work().catch(() => undefined);
    } while (again as boolean);
    busy = false;
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}
