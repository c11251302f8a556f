import type { ReactNode } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasEnded, jobsQuery, type Job } from "../../api/jobs";
import { meQuery } from "../../api/session";
import { tablesQuery, warehousesQuery, type TableRow, type Warehouse } from "../../api/warehouses";
import { Answer } from "../../app/Answer";
import {
  JobLink,
  JobStateBadge,
  JobTableLink,
  TableLink,
  WarehouseSize,
  WarehouseStateBadge,
} from "../../app/cells";
import { FirstRun } from "../../app/FirstRun";
import { JobDuration, JobProgress } from "../../app/jobColumns";
import { Page } from "../../app/Page";
import { hasSnapshots } from "../../app/tableTypes";
import { useMessages } from "../../i18n";
import { preferences } from "../../preferences";
import { Bytes } from "../../ui/Bytes";
import { Card } from "../../ui/Card";
import { Count } from "../../ui/Count";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./HomePage.module.css";
import { Watched } from "./Watched";

/** What needs the person now: jobs, recent tables, warehouses. */
export function HomePage(): ReactNode {
  const { home } = useMessages();
  const warehouses = useQuery(warehousesQuery);
  return (
    <Page title={home.title}>
      <Answer query={warehouses}>
        {({ items }) => (
          <>
            {items.length === 0 && <FirstRun />}
            <div className={styles["blocks"]}>
              <div className={styles["column"]}>
                <Jobs />
                <Warehouses items={items} />
                <Next />
              </div>
              <div className={styles["column"]}>
                <Watched />
                <Tables />
              </div>
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

const SHOWN_JOBS = 8;
const SHOWN_TABLES = 14;

function Jobs() {
  const { home } = useMessages();
  const jobs = useInfiniteQuery(jobsQuery({ limit: 30 }));
  const { data: me } = useQuery(meQuery);
  return (
    <Card title={home.jobs} side={<Link to="/jobs">{home.all}</Link>}>
      <Answer query={jobs} part={home.jobs}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          const shown = items.toSorted((a, b) => rankOf(a, me?.username) - rankOf(b, me?.username));
          shown.splice(SHOWN_JOBS);
          if (shown.length === 0) return <p className="muted">{home.noJobs}</p>;
          return (
            <ul className={styles["list"]}>
              {shown.map((job) => (
                <JobLine key={job.id} job={job} />
              ))}
            </ul>
          );
        }}
      </Answer>
    </Card>
  );
}

/** Running before failed before others, and of each the person's own first. */
export function rankOf(job: Pick<Job, "state" | "requested_by">, me: string | undefined): number {
  const urgency = !hasEnded(job) ? 0 : job.state.startsWith("failed") ? 1 : 2;
  return urgency * 2 + (me !== undefined && job.requested_by === me ? 0 : 1);
}

function JobLine({ job }: { job: Job }) {
  const { jobKinds } = useMessages();
  return (
    <li className={styles["line"]}>
      <JobStateBadge state={job.state} />
      <span>{jobKinds[job.kind]}</span>
      <JobTableLink job={job} />
      <JobProgress job={job} />
      <span className={styles["end"]}>
        <JobDuration job={job} /> · <JobLink job={job.id} />
      </span>
    </li>
  );
}

/** Tables of this browser's history, with what the console last measured; the most recent commits before any. */
function Tables() {
  const { home, fields, tableKinds, tableTypes } = useMessages();
  const tables = useInfiniteQuery(tablesQuery({ sort: "-last_commit_at", limit: 50 }));
  const recent = preferences().recent;
  return (
    <Card title={recent.length > 0 ? home.recentTables : home.tables} flush>
      <Answer query={tables} part={home.tables}>
        {({ pages }) => {
          const rank = (row: TableRow) => {
            const at = recent.indexOf(
              [row.warehouse, row.database, row.name].map(encodeURIComponent).join("/"),
            );
            return at < 0 ? recent.length : at;
          };
          const rows = pages
            .flatMap((page) => page.items)
            .toSorted((a, b) => rank(a) - rank(b))
            .slice(0, SHOWN_TABLES);
          if (rows.length === 0) return <p className={styles["none"]}>{home.noTables}</p>;
          return (
            <div className={styles["scroll"]}>
              <table className={styles["tables"]}>
                <thead>
                  <tr>
                    <th>{fields.table}</th>
                    <th>{fields.warehouse}</th>
                    <th>{fields.kind}</th>
                    <th className="number">{fields.files}</th>
                    <th className="number">{fields.bytes}</th>
                    <th>{fields.lastCommit}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={`${row.warehouse}.${row.database}.${row.name}`}>
                      <td>
                        <TableLink at={row} full />
                      </td>
                      <td>{row.warehouse}</td>
                      <td>
                        {row.type === null || hasSnapshots(row.type)
                          ? tableKinds(row.kind)
                          : tableTypes(row.type)}
                      </td>
                      <td className="number">
                        <Count value={row.files} />
                      </td>
                      <td className="number">
                        <Bytes value={row.bytes} />
                      </td>
                      <td>
                        <Timestamp value={row.last_commit_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Answer>
    </Card>
  );
}

/** What a person does next: the ways that no list here leads to. */
function Next() {
  const { home } = useMessages();
  const { data: me } = useQuery(meQuery);
  const manages = me?.permissions_anywhere.includes("warehouse:manage") ?? false;
  return (
    <Card title={home.next}>
      <ul className={styles["list"]}>
        {manages && (
          <li className={styles["line"]}>
            <Link to="/admin/warehouses">{home.addWarehouse}</Link>
            <span className="muted">{home.addWarehouseDetail}</span>
          </li>
        )}
        <li className={styles["line"]}>
          <Link to="/admin/tokens">{home.addToken}</Link>
          <span className="muted">{home.addTokenDetail}</span>
        </li>
        <li className={styles["line"]}>
          <a href="/api/v1/openapi.json">{home.api}</a>
          <span className="muted">{home.apiDetail}</span>
        </li>
      </ul>
    </Card>
  );
}

function Warehouses({ items }: { items: readonly Warehouse[] }) {
  const { home } = useMessages();
  return (
    <Card title={home.warehouses} side={<Link to="/w">{home.all}</Link>}>
      <ul className={styles["list"]}>
        {items.map((warehouse) => (
          <li key={warehouse.name} className={styles["line"]}>
            <Link to="/w/$wh" params={{ wh: warehouse.name }}>
              {warehouse.name}
            </Link>
            <WarehouseStateBadge state={warehouse.state} />
            <span className={styles["end"]}>
              <WarehouseSize warehouse={warehouse} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
