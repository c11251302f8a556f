import type { ReactNode } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasEnded, jobsQuery, type Job } from "../../api/jobs";
import { meQuery } from "../../api/session";
import { tablesQuery, warehousesQuery, type TableRow, type Warehouse } from "../../api/warehouses";
import { Answer } from "../../app/Answer";
import { JobLink, JobStateBadge, JobTableLink, TableLink } from "../../app/cells";
import { JobDuration, JobProgress } from "../../app/jobColumns";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { preferences } from "../../preferences";
import { Badge } from "../../ui/Badge";
import { buttonClass } from "../../ui/Button";
import { Bytes } from "../../ui/Bytes";
import { Card } from "../../ui/Card";
import { Count } from "../../ui/Count";
import { Empty } from "../../ui/States";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./HomePage.module.css";

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
              </div>
              <Tables />
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

function FirstRun() {
  const { home } = useMessages();
  const { data: me } = useQuery(meQuery);
  const may = me?.permissions_anywhere.includes("warehouse:manage") ?? false;
  return (
    <Empty
      title={home.firstRun}
      action={
        may && (
          <Link to="/admin/warehouses" className={buttonClass("primary")}>
            {home.addWarehouse}
          </Link>
        )
      }
    >
      {may ? home.firstRunSteps : home.firstRunAsk}
    </Empty>
  );
}

const SHOWN_JOBS = 8;

function Jobs() {
  const { home } = useMessages();
  const jobs = useInfiniteQuery(jobsQuery({ limit: 30 }));
  return (
    <Card title={home.jobs} side={<Link to="/jobs">{home.all}</Link>}>
      <Answer query={jobs}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          const running = items.filter((job) => !hasEnded(job));
          const shown = [...running, ...items.filter(hasEnded)].slice(0, SHOWN_JOBS);
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
  const { home } = useMessages();
  const tables = useInfiniteQuery(tablesQuery({ sort: "-last_commit_at", limit: 50 }));
  const recent = preferences().recent;
  return (
    <Card title={recent.length > 0 ? home.recentTables : home.tables}>
      <Answer query={tables}>
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
            .slice(0, 10);
          if (rows.length === 0) return <p className="muted">{home.noTables}</p>;
          return (
            <ul className={styles["list"]}>
              {rows.map((row) => (
                <li key={`${row.warehouse}.${row.database}.${row.name}`} className={styles["line"]}>
                  <TableLink at={row} full />
                  <span className="muted">{row.warehouse}</span>
                  <span className={styles["end"]}>
                    <Bytes value={row.bytes} /> · <Timestamp value={row.last_commit_at} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Card>
  );
}

function Warehouses({ items }: { items: readonly Warehouse[] }) {
  const { home, warehouseStates, fields } = useMessages();
  const tones = { up: "ok", down: "danger", unknown: "neutral" } as const;
  const glyphs = { up: "●", down: "✕", unknown: "○" } as const;
  return (
    <Card title={home.warehouses} side={<Link to="/w">{home.all}</Link>}>
      <ul className={styles["list"]}>
        {items.map((warehouse) => (
          <li key={warehouse.name} className={styles["line"]}>
            <Link to="/w/$wh" params={{ wh: warehouse.name }}>
              {warehouse.name}
            </Link>
            <Badge tone={tones[warehouse.state]} glyph={glyphs[warehouse.state]}>
              {warehouseStates[warehouse.state]}
            </Badge>
            <span className={styles["end"]}>
              <Count value={warehouse.tables} /> {fields.tables} · <Bytes value={warehouse.bytes} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
