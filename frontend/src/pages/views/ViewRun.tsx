import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { runView, viewRowsQuery, viewRunQuery, type View } from "../../api/databaseObjects";
import { cancelJob, hasEnded, jobKeys, type Job } from "../../api/jobs";
import { Answer, Failed } from "../../app/Answer";
import { JobLink, JobStateBadge } from "../../app/cells";
import { RowsGrid } from "../../app/RowsGrid";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { SelectField } from "../../ui/Field";
import { Empty, Forbidden, Loading, Notice } from "../../ui/States";
import styles from "./Views.module.css";

const LIMITS = ["100", "500", "1000"] as const;

/** Runs the view by a job, and shows the rows of the caller's last run. */
export function ViewRun({ view }: { view: View }): ReactNode {
  const { viewPage, data } = useMessages();
  return (
    <Card title={data.rows}>
      {view.permissions.includes("data:read") ? (
        <Runs view={view} />
      ) : (
        <Forbidden permission="data:read" detail={viewPage.needsDataRead} />
      )}
    </Card>
  );
}

function Runs({ view }: { view: View }) {
  const { viewPage, data, fields, jobs } = useMessages();
  const at = { warehouse: view.warehouse, database: view.database, view: view.name };
  const [limit, setLimit] = useState("100");
  const client = useQueryClient();
  const query = viewRunQuery(view.warehouse, view.database, view.name);
  const last = useQuery(query);
  const keep = (run: Job) => {
    client.setQueryData(query.queryKey, { run });
    void client.invalidateQueries({ queryKey: jobKeys.all });
  };
  const start = useMutation({ mutationFn: () => runView(at, Number(limit)), onSuccess: keep });
  const cancel = useMutation({ mutationFn: (job: string) => cancelJob(job), onSuccess: keep });
  const run = last.data?.run ?? null;
  const isRunning = run !== null && !hasEnded(run);
  return (
    <div className={styles["runs"]}>
      <form
        className={styles["run"]}
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate();
        }}
      >
        <SelectField
          label={fields.rows}
          value={limit}
          options={LIMITS.map((n) => [n, n] as const)}
          onChange={setLimit}
        />
        <Button type="submit" look="primary" icon="play" disabled={start.isPending || isRunning}>
          {data.run}
        </Button>
        {isRunning && run.actions.includes("cancel") && (
          <Button look="danger" icon="stop" disabled={cancel.isPending} onClick={() => cancel.mutate(run.id)}>
            {jobs.cancel}
          </Button>
        )}
        {run !== null && (
          <span className={styles["state"]} role="status">
            <JobLink job={run.id} /> <JobStateBadge state={run.state} />
          </span>
        )}
      </form>
      <Notice>{viewPage.runHow}</Notice>
      {start.error !== null && <Failed error={start.error} />}
      {cancel.error !== null && <Failed error={cancel.error} />}
      {run === null ? (
        <Empty title={data.ready}>{viewPage.readyDetail}</Empty>
      ) : run.state === "succeeded" ? (
        <Rows view={view} job={run.id} />
      ) : isRunning ? (
        <Loading rows={3} />
      ) : (
        <Notice tone="danger">
          {run.problem === null || run.state === "cancelled" ? viewPage.noRows : run.problem.message}
        </Notice>
      )}
    </div>
  );
}

function Rows({ view, job }: { view: View; job: string }) {
  const { viewPage, data } = useMessages();
  const format = useFormat();
  const rows = useQuery(viewRowsQuery(view.warehouse, view.database, view.name, job));
  return (
    <Answer query={rows}>
      {(found) =>
        found.rows.length === 0 ? (
          <Empty title={viewPage.none}>{viewPage.noneDetail}</Empty>
        ) : (
          <div className={styles["runs"]}>
            <RowsGrid
              label={data.rows}
              columns={found.columns}
              rows={found.rows}
              note={`${data.took(format.duration(found.millis))}${found.truncated ? ` · ${data.truncated}` : ""}`}
            />
            <p className="muted">{viewPage.readFrom(found.tables.join(", "))}</p>
          </div>
        )
      }
    </Answer>
  );
}
