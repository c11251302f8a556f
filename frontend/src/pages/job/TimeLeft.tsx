import { hasEnded, type Job } from "../../api/jobs";
import { useFormat, useMessages } from "../../i18n";
import { useNow } from "../../ui/Timestamp";
import { millisLeft } from "../../viz/durations";

/** How long the phase that runs still takes, if it goes on as it went. */
export function TimeLeft({ job }: { job: Job }) {
  const { durations } = useMessages();
  const format = useFormat();
  const now = useNow(hasEnded(job) ? null : 1000);
  const since = job.phases.findLast((phase) => phase.state === "running")?.at;
  const { progress } = job;
  const left =
    job.state !== "running" || progress === null || since === undefined
      ? null
      : millisLeft(progress.done, progress.total, now - Date.parse(since));
  return <span>{left === null ? durations.unknown : durations.left(format.duration(left))}</span>;
}
