import { useEffect, useRef, useState } from "react";
import { jobEvents, jobLog, type JobEvent } from "../../api/jobs";

const POLL_MILLIS = 1000;
const RETRY_MILLIS = 4000;

interface Step<State> {
  readonly state: State;
  /** More is there already, so the next step need not wait. */
  readonly more: boolean;
}

/**
 * A state that `next` carries on from itself, until the job has ended and no more is there.
 *
 * A lost connection loses nothing: the next step goes on from the same state. To follow another job, remount.
 */
function useFollowed<State>(
  initial: State,
  next: (state: State) => Promise<Step<State>>,
  ended: boolean,
): State {
  const [state, setState] = useState(initial);
  const held = useRef(initial);
  const step = useRef(next);
  useEffect(() => {
    step.current = next;
  }, [next]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const turn = async () => {
      const found = await step.current(held.current).catch(() => null);
      if (stopped) return;
      if (found !== null) {
        held.current = found.state;
        setState(found.state);
        if (ended && !found.more) return;
      }
      timer = setTimeout(() => void turn(), found === null ? RETRY_MILLIS : found.more ? 0 : POLL_MILLIS);
    };
    void turn();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [ended]);
  return state;
}

const NO_EVENTS: readonly JobEvent[] = [];
const NO_LOG = { text: "", offset: 0 };

/** All events of a job so far, followed until it has ended. */
export function useJobEvents(job: string, ended: boolean): readonly JobEvent[] {
  return useFollowed(
    NO_EVENTS,
    async (events) => {
      const page = await jobEvents(job, events.at(-1)?.seq ?? 0);
      return {
        state: page.items.length === 0 ? events : [...events, ...page.items],
        more: page.next !== null,
      };
    },
    ended,
  );
}

/** The text of a job's log so far, read on by byte offset until its end. */
export function useJobLog(job: string, ended: boolean): string {
  const log = useFollowed(
    NO_LOG,
    async ({ text, offset }) => {
      const chunk = await jobLog(job, offset);
      const state =
        chunk.text === ""
          ? { text, offset: chunk.next_offset }
          : { text: text + chunk.text, offset: chunk.next_offset };
      return { state, more: chunk.next_offset < chunk.size };
    },
    ended,
  );
  return log.text;
}
