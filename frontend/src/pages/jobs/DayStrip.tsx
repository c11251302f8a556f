import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasEnded, jobsQuery, type Job, type JobState } from "../../api/jobs";
import { useMessages } from "../../i18n";
import { FlowStrip, type FlowTone } from "../../viz/FlowStrip";
import { useNow } from "../../ui/Timestamp";

const DAY = 86_400_000;
const MOST = 1000;

const TONES: Partial<Record<JobState, FlowTone>> = {
  succeeded: "ok",
  failed: "failed",
  failed_committed: "failed",
  cancelled: "stopped",
  cancelled_committed: "stopped",
};

/** The jobs of the last 24 hours, one bar each. */
export function DayStrip() {
  const { durations, jobKinds, jobStates } = useMessages();
  const navigate = useNavigate();
  const now = useNow(60_000);
  // Jobs that began before midnight of the day before are asked for once, not at each tick.
  const [since] = useState(() => new Date(Date.now() - 2 * DAY).toISOString());
  const { data } = useInfiniteQuery(jobsQuery({ "created_at[ge]": since, sort: "-number", limit: MOST }));
  const runs = (data?.pages[0]?.items ?? []).map((job) => ({
    id: job.id,
    from: Date.parse(job.started_at ?? job.created_at),
    to: endOf(job, now),
    tone: TONES[job.state] ?? "running",
    state: jobStates[job.state],
    what: `${jobKinds[job.kind]} ${job.table === "" ? job.warehouse : `${job.database}.${job.table}`}`,
  }));
  return (
    <FlowStrip
      title={durations.day}
      runs={runs}
      now={now}
      onOpen={(id) => void navigate({ to: "/jobs/$job", params: { job: id } })}
    />
  );
}

function endOf(job: Job, now: number): number {
  return hasEnded(job) && job.ended_at !== null ? Date.parse(job.ended_at) : now;
}
