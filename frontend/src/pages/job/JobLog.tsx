import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { hasEnded, type Job } from "../../api/jobs";
import { metaQuery } from "../../api/session";
import { useFormat, useMessages } from "../../i18n";
import { LogViewer } from "../../ui/LogViewer";
import { Empty, Forbidden } from "../../ui/States";
import { useNow } from "../../ui/Timestamp";

/** What a job has printed; `#L12` in the address is a line of it. A log is kept for some time only. */
export function JobLog({ job, text }: { job: Job; text: string }) {
  const { jobs } = useMessages();
  const format = useFormat();
  const navigate = useNavigate();
  const now = useNow(null);
  const kept = useQuery(metaQuery).data?.limits.log_seconds;
  const line = Number(/^L(\d{1,9})$/.exec(useLocation({ select: ({ hash }) => hash }))?.[1] ?? 0);
  if (job.log_needs !== null) return <Forbidden permission={job.log_needs} detail={jobs.logRedacted} />;
  if (text === "" && kept !== undefined && endedBefore(job, now - kept * 1000)) {
    return <Empty title={jobs.logGone}>{jobs.logGoneDetail(format.duration(kept * 1000))}</Empty>;
  }
  return (
    <LogViewer
      text={text}
      live={!hasEnded(job)}
      name={`${job.id}.log`}
      line={line}
      onLine={(number) => void navigate({ to: ".", hash: `L${number}`, search: true, replace: true })}
    />
  );
}

function endedBefore(job: Job, millis: number): boolean {
  return job.ended_at !== null && Date.parse(job.ended_at) < millis;
}
