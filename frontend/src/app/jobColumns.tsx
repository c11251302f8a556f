import { hasEnded, type Job } from "../api/jobs";
import { useFormat, useMessages } from "../i18n";
import type { FilterField } from "../ui/FilterBar";
import type { GridColumn } from "../ui/gridColumns";
import { Progress } from "../ui/Progress";
import { useNow } from "../ui/Timestamp";
import { JobLink, JobStateBadge, JobTableLink } from "./cells";
import { useColumnMakers } from "./columns";

/** The columns of a list of jobs. */
export function useJobColumns(withTable: boolean): GridColumn<Job>[] {
  const { fields, jobs, jobKinds } = useMessages();
  const make = useColumnMakers();
  return [
    make.text("id", fields.job, (job) => job.id, { width: 120, cell: (job) => <JobLink job={job.id} /> }),
    make.text("kind", fields.kind, (job) => jobKinds[job.kind], { width: 100, sortable: true }),
    ...(withTable
      ? [
          make.text<Job>(
            "table",
            fields.table,
            (job) => (job.table === "" ? job.warehouse : `${job.database}.${job.table}`),
            {
              width: 180,
              cell: (job) => <JobTableLink job={job} />,
            },
          ),
        ]
      : []),
    make.text("state", fields.state, (job) => job.state, {
      width: 150,
      sortable: true,
      cell: (job) => <JobStateBadge state={job.state} />,
    }),
    make.text("progress", fields.progress, (job) => shareText(job), {
      width: 120,
      cell: (job) => <JobProgress job={job} />,
    }),
    make.text("user", fields.user, (job) => askedBy(job, jobs), {
      width: 150,
      sortable: true,
    }),
    make.time("created_at", fields.created, (job) => job.created_at, { sortable: true }),
    make.text("duration", fields.duration, (job) => job.ended_at, {
      width: 90,
      cell: (job) => <JobDuration job={job} />,
    }),
    make.text("reason", jobs.reason, (job) => job.reason, { width: 160, grow: 2 }),
  ];
}

/** The person, and by what: an API token or a schedule. */
export function askedBy(
  job: Pick<Job, "requested_by" | "token" | "scheduled">,
  words: { byConsole: string; bySchedule: string },
): string {
  const by = job.scheduled ? words.bySchedule : job.token;
  return [job.requested_by ?? words.byConsole, by].filter(Boolean).join(" · ");
}

function shareText(job: Job): string {
  const { progress } = job;
  return progress === null
    ? ""
    : `${progress.phase} ${progress.done}/${progress.total ?? "?"} ${progress.unit}`;
}

/** How far a job is in its phase, or nothing when it does not run. */
export function JobProgress({ job }: { job: Job }) {
  const { progress } = job;
  if (hasEnded(job) || progress === null) return null;
  const share = progress.total === null || progress.total === 0 ? null : progress.done / progress.total;
  return (
    <span style={{ flex: 1 }} title={shareText(job)}>
      <Progress label={shareText(job)} share={share} />
    </span>
  );
}

export function JobDuration({ job }: { job: Job }) {
  const format = useFormat();
  const now = useNow(hasEnded(job) ? null : 1000);
  if (job.started_at === null) return <span className="muted">–</span>;
  const end = job.ended_at === null ? now : Date.parse(job.ended_at);
  return <span>{format.duration(Math.max(0, end - Date.parse(job.started_at)))}</span>;
}

export function useJobFilters(): FilterField[] {
  const { fields, jobs, jobKinds, jobStates } = useMessages();
  return [
    { id: "state", label: fields.state, options: Object.entries(jobStates) },
    { id: "kind", label: fields.kind, options: Object.entries(jobKinds) },
    { id: "user", label: fields.user },
    { id: "duration", label: fields.duration, options: jobs.durations },
    {
      id: "scheduled",
      label: jobs.schedule,
      options: [
        ["true", jobs.bySchedule],
        ["false", jobs.notBySchedule],
      ],
    },
    { id: "token", label: jobs.token, extra: true },
    { id: "created_at", label: fields.created, placeholder: "ge:2026-11-20T10:00Z", extra: true },
  ];
}
