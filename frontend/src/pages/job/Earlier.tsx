import { useInfiniteQuery } from "@tanstack/react-query";
import { hasEnded, jobsQuery, type Job } from "../../api/jobs";
import { useFormat, useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import { DurationBox } from "../../viz/DurationBox";

const RUNS = 10;

/** How long the previous ten runs of the same kind on the same table took, and where this one stands. */
export function Earlier({ job }: { job: Job }) {
  const { durations } = useMessages();
  const format = useFormat();
  const { data } = useInfiniteQuery({
    ...jobsQuery({
      kind: job.kind,
      warehouse: job.warehouse,
      database: job.database,
      table: job.table,
      branch: job.branch,
      state: "succeeded",
      "created_at[lt]": job.created_at,
      sort: "-number",
      limit: RUNS,
    }),
    refetchInterval: false,
  });
  const runs = (data?.pages[0]?.items ?? []).flatMap((run) =>
    run.started_at === null || run.ended_at === null || run.id === job.id
      ? []
      : [{ id: run.id, millis: spent(run.started_at, run.ended_at), ended: format.time(run.ended_at) }],
  );
  const now =
    hasEnded(job) && job.started_at !== null && job.ended_at !== null
      ? spent(job.started_at, job.ended_at)
      : null;
  return (
    <Card title={durations.earlier(RUNS)}>
      <DurationBox title={durations.earlier(RUNS)} runs={runs} now={now} />
    </Card>
  );
}

function spent(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
