import { useState, type ReactNode } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  cancelJob,
  hasEnded,
  jobKeys,
  jobQuery,
  planQuery,
  retryJob,
  type Job,
  type Plan,
} from "../../api/jobs";
import { Answer, Failed } from "../../app/Answer";
import { JobLink, JobStateBadge, JobTableLink, KindBadge } from "../../app/cells";
import { askedBy, JobDuration } from "../../app/jobColumns";
import { clonedSearch } from "../../app/cloned";
import { Page } from "../../app/Page";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Card, Cards } from "../../ui/Card";
import { ConfirmByName, type Confirmation } from "../../ui/ConfirmByName";
import { CopyableId } from "../../ui/CopyableId";
import { Dialog } from "../../ui/Dialog";
import { EventList } from "../../ui/EventList";
import { KeyValue } from "../../ui/KeyValue";
import { Progress } from "../../ui/Progress";
import { Notice } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Timestamp } from "../../ui/Timestamp";
import { Earlier } from "./Earlier";
import { JobLog } from "./JobLog";
import { TimeLeft } from "./TimeLeft";
import { eventText } from "./eventText";
import styles from "./JobPage.module.css";
import { usePageParams } from "../../app/useSearch";
import { useJobStream } from "./useJobStream";

/** A job while it runs and after: phases, progress, effect, events, log. */
export function JobPage(): ReactNode {
  const { jobs } = useMessages();
  const { job = "" } = usePageParams();
  const answer = useQuery(jobQuery(job));
  return (
    <Page
      title={answer.data ? `${job} · ${jobs.job}` : job}
      heading={answer.data ? <Heading job={answer.data} /> : job}
      actions={answer.data && <Actions job={answer.data} />}
    >
      <Answer query={answer}>
        {(data) => <Detail key={data.id} job={data} lost={answer.error !== null} />}
      </Answer>
    </Page>
  );
}

function Heading({ job }: { job: Job }) {
  const { jobKinds } = useMessages();
  return (
    <span className={styles["heading"]}>
      {job.id} <span className="muted">{jobKinds[job.kind]}</span> <JobTableLink job={job} />
      <span role="status">
        <JobStateBadge state={job.state} />
      </span>
    </span>
  );
}

function Actions({ job }: { job: Job }) {
  const { jobs, jobKinds } = useMessages();
  const [confirming, setConfirming] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSuccess: (next) => client.setQueryData(jobKeys.one(job.id), next),
  });
  const plan = useQuery({ ...planQuery(job.plan_id ?? ""), enabled: job.plan_id !== null });
  const retry = useMutation({
    mutationFn: (given: Partial<Confirmation>) =>
      retryJob(job.id, { plan_id: job.plan_id ?? "", reason: job.reason, ...given }),
    onSuccess: (next) => void navigate({ to: "/jobs/$job", params: { job: next.id } }),
  });
  const failure = cancel.error ?? plan.error ?? retry.error;
  // What is destructive is confirmed anew by whoever asks for it, not by the words of the first time.
  const toType = plan.data?.confirmation ?? null;
  return (
    <span className={styles["actions"]}>
      {job.actions.includes("cancel") && (
        <Button look="danger" icon="stop" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {jobs.cancel}
        </Button>
      )}
      {job.actions.includes("retry") && (
        <Button
          icon="refresh"
          disabled={retry.isPending || plan.isPending}
          onClick={() => (toType === null ? retry.mutate({}) : setConfirming(true))}
        >
          {jobs.retry}
        </Button>
      )}
      {plan.data !== undefined && (
        <Button icon="copy" onClick={() => void navigate(cloneOf(job, plan.data))}>
          {jobs.clone}
        </Button>
      )}
      {failure && !confirming && <Failed error={failure} />}
      {toType !== null && (
        <Dialog
          title={jobs.retryOfKind(jobKinds[job.kind])}
          open={confirming}
          onClose={() => setConfirming(false)}
        >
          <p>{jobs.retryAgain}</p>
          <ConfirmByName
            name={toType}
            action={jobs.retry}
            busy={retry.isPending}
            onConfirm={(given) => retry.mutate(given)}
          />
          {retry.error && <Failed error={retry.error} />}
        </Dialog>
      )}
    </span>
  );
}

/** The form that the job came from, filled in as it was. */
function cloneOf(job: Job, plan: Plan) {
  const branch = job.branch === "main" ? undefined : job.branch;
  return {
    to: "/w/$wh/$db/$table/actions/$kind",
    params: { wh: job.warehouse, db: job.database, table: job.table, kind: plan.kind },
    search: { ...clonedSearch(plan.kind, plan.params), branch },
  } as const;
}

function Detail({ job, lost }: { job: Job; lost: boolean }) {
  const messages = useMessages();
  const { jobs } = messages;
  const format = useFormat();
  const ended = hasEnded(job);
  const { events, log, link } = useJobStream(job);
  return (
    <>
      {(lost || link === "lost") && <Notice tone="warn">{jobs.reconnecting}</Notice>}
      {job.problem !== null && (
        <Notice tone="danger">
          <strong>{job.problem.code}</strong>
          {job.problem.conflict === null ? (
            <>: {job.problem.redacted ? jobs.problemRedacted : job.problem.message}</>
          ) : (
            <Conflict job={job} conflict={job.problem.conflict} />
          )}
        </Notice>
      )}
      <Phases job={job} />
      <Cards>
        <ProgressCard job={job} />
        <EffectCard job={job} />
        <ContextCard job={job} />
        {job.engine !== null && <EngineCard engine={job.engine} running={!ended} />}
      </Cards>
      {job.table !== "" && job.kind !== "view" && <Earlier job={job} />}
      <Tabs
        label={jobs.job}
        items={[
          {
            id: "log",
            label: jobs.log,
            content: <JobLog job={job} text={log} />,
          },
          {
            id: "events",
            label: jobs.events(events.length),
            content:
              events.length === 0 ? (
                <p className="muted">{jobs.noEvents}</p>
              ) : (
                <EventList
                  items={events.map((event) => ({
                    id: String(event.seq),
                    at: event.at,
                    kind: jobs.eventTypes[event.type],
                    text: eventText(event, messages, format),
                  }))}
                />
              ),
          },
        ]}
      />
    </>
  );
}

type Lost = NonNullable<NonNullable<Job["problem"]>["conflict"]>;

/** The commit that the job lost: to whom, over what, and what to do about it. */
function Conflict({ job, conflict }: { job: Job; conflict: Lost }) {
  const { jobs, fields } = useMessages();
  const params = { wh: job.warehouse, db: job.database, table: job.table };
  const snapshot = (ref: string) => (
    <Link
      to="/w/$wh/$db/$table/snapshots/$snapshot"
      params={{ ...params, snapshot: ref }}
      search={{ branch: job.branch === "main" ? undefined : job.branch }}
    >
      #{ref}
    </Link>
  );
  return (
    <div className={styles["conflict"]}>
      <p>{jobs.sentence(conflict.detail)}</p>
      <KeyValue
        items={[
          conflict.base !== null && [jobs.conflictBase, snapshot(conflict.base)],
          conflict.winner !== null && [
            jobs.conflictWinner,
            <span key="v">
              {snapshot(conflict.winner)}{" "}
              {conflict.winner_kind !== null && <KindBadge kind={conflict.winner_kind} />}
            </span>,
          ],
          conflict.winner_user !== null && [
            fields.commitUser,
            conflict.winner_job === null ? (
              conflict.winner_user
            ) : (
              <JobLink key="v" job={conflict.winner_job} />
            ),
          ],
          conflict.file !== null && [jobs.conflictFile, <CopyableId key="v" value={conflict.file} />],
        ]}
      />
      <p>
        <strong>{jobs.conflictAdvice}</strong> {jobs.sentence(conflict.advice)}
      </p>
    </div>
  );
}

/** The states that the job went through, with the time spent in each. */
function Phases({ job }: { job: Job }) {
  const { jobStates } = useMessages();
  const format = useFormat();
  return (
    <ol className={styles["phases"]}>
      {job.phases.map((phase, at) => {
        const next = job.phases[at + 1];
        const spent = next === undefined ? null : Date.parse(next.at) - Date.parse(phase.at);
        return (
          <li key={`${phase.state}-${phase.at}`} aria-current={next === undefined ? "step" : undefined}>
            {jobStates[phase.state]}{" "}
            {spent !== null && <span className="muted">{format.duration(spent)}</span>}
          </li>
        );
      })}
    </ol>
  );
}

function ProgressCard({ job }: { job: Job }) {
  const { jobs, fields, durations, jobPhases, jobUnits } = useMessages();
  const format = useFormat();
  const { progress } = job;
  const amount = (value: number) => (progress?.unit === "bytes" ? format.bytes(value) : format.count(value));
  const share = progress === null || !progress.total ? null : progress.done / progress.total;
  return (
    <Card title={jobs.progress}>
      <div className={styles["progress"]}>
        {progress !== null && !hasEnded(job) && <Progress label={jobs.progress} share={share} />}
        <KeyValue
          items={[
            progress !== null && [
              jobPhases(progress.phase),
              `${amount(progress.done)} / ${progress.total === null ? "?" : amount(progress.total)} ${progress.unit === "bytes" ? "" : jobUnits(progress.unit)}`,
            ],
            !hasEnded(job) && [durations.remaining, <TimeLeft key="v" job={job} />],
            [fields.duration, <JobDuration key="v" job={job} />],
            [jobs.started, <Timestamp key="v" value={job.started_at} exact />],
            [jobs.ended, <Timestamp key="v" value={job.ended_at} exact />],
          ]}
        />
      </div>
    </Card>
  );
}

function EffectCard({ job }: { job: Job }) {
  const { jobs } = useMessages();
  const format = useFormat();
  const made = job.result?.snapshots ?? [];
  const params = { wh: job.warehouse, db: job.database, table: job.table };
  return (
    <Card title={jobs.effect}>
      <KeyValue
        items={[
          job.table !== "" &&
            job.kind !== "view" && [
              jobs.snapshotsMade,
              made.length === 0
                ? jobs.noSnapshots
                : made.map((ref) => (
                    <span key={ref}>
                      <Link to="/w/$wh/$db/$table/snapshots/$snapshot" params={{ ...params, snapshot: ref }}>
                        #{ref.split("~")[0]}
                      </Link>{" "}
                    </span>
                  )),
            ],
          job.result?.latest ? [jobs.latestNow, `#${job.result.latest.split("~")[0] ?? ""}`] : null,
          job.result?.detail ? [jobs.outcome, job.result.detail] : null,
          ...Object.entries(job.result?.metrics ?? {}).map(
            ([key, value]) =>
              [
                jobs.metrics[key as keyof typeof jobs.metrics] ?? key.replaceAll("_", " "),
                key.startsWith("bytes") ? format.bytes(value) : format.count(value),
              ] as const,
          ),
        ]}
      />
    </Card>
  );
}

function ContextCard({ job }: { job: Job }) {
  const { jobs, fields } = useMessages();
  return (
    <Card title={jobs.context}>
      <KeyValue
        items={[
          [jobs.requestedBy, askedBy(job, jobs)],
          job.reason !== "" && [jobs.reason, job.reason],
          job.plan_id !== null && [jobs.plan, job.plan_id],
          job.retry_of !== null && [jobs.retryOf, <JobLink key="v" job={job.retry_of} />],
          job.cancelled_by !== null && [jobs.cancelledBy, job.cancelled_by],
          job.table !== "" && job.kind !== "view" && [jobs.branch, job.branch],
          [fields.created, <Timestamp key="v" value={job.created_at} exact />],
        ]}
      />
    </Card>
  );
}

/** What runs the job; its own page is gone once it has ended. */
function EngineCard({ engine, running }: { engine: NonNullable<Job["engine"]>; running: boolean }) {
  const { jobs, fields } = useMessages();
  return (
    <Card title={jobs.engine}>
      <KeyValue
        items={[
          [fields.engine, `${engine.name} ${engine.version}`],
          [jobs.application, engine.application_id],
          engine.ui_url !== null &&
            running && [
              "UI",
              <a key="v" href={engine.ui_url} rel="noreferrer">
                {engine.ui_url}
              </a>,
            ],
        ]}
      />
    </Card>
  );
}
