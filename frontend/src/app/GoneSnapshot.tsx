import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Problem } from "../api/problem";
import { snapshotsQuery, type Snapshot, type Table } from "../api/tables";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { Gone, Notice } from "../ui/States";
import { pinOf } from "./search";
import { useTableRef } from "./table";
import { usePageParams, usePageSearch, useSetSearch } from "./useSearch";

/** What stands in for a page of a snapshot that is gone: what has its id now, and what stands next to it. */
export function GoneSnapshot({ problem, children }: { problem: Problem; children?: ReactNode }): ReactNode {
  const { states } = useMessages();
  const { table } = usePageParams();
  const show = useShowSnapshot();
  const { current, neighbours, snapshot, removedBy } = membersOf(problem);
  const id = current?.split("~")[0] ?? snapshot;
  return (
    <Gone {...(current !== null && { title: states.replaced(id ?? "") })} detail={problem.detail}>
      {current !== null && <Button onClick={() => show(current)}>{states.showPresent(id ?? "")}</Button>}
      {neighbours.map((neighbour) => (
        <Button key={neighbour} onClick={() => show(neighbour)}>
          {states.showNeighbour(neighbour)}
        </Button>
      ))}
      {children}
      {removedBy !== null && <RemovedBy by={removedBy} />}
      {table !== undefined && <JobsLink />}
    </Gone>
  );
}

interface By {
  readonly job: string;
  readonly who: string;
  readonly at: string;
}

/** The job of this console that took it away. */
function RemovedBy({ by }: { by: By }) {
  const { states } = useMessages();
  const format = useFormat();
  return (
    <Link to="/jobs/$job" params={{ job: by.job }}>
      {states.removedBy(by.job, by.who, by.at === "" ? "–" : format.time(by.at))}
    </Link>
  );
}

/** The other jobs of the table. */
function JobsLink() {
  const { states } = useMessages();
  const { warehouse, database, table } = useTableRef();
  const search = pinOf({ branch: usePageSearch().branch });
  return (
    <Link to="/w/$wh/$db/$table/jobs" params={{ wh: warehouse, db: database, table }} search={search}>
      {states.jobsOfTable}
    </Link>
  );
}

interface Members {
  readonly current: string | null;
  readonly neighbours: readonly string[];
  readonly snapshot: string | null;
  readonly removedBy: By | null;
}

function membersOf({ extra }: Problem): Members {
  const { current, neighbours, snapshot, removed_by: removed } = extra;
  const by = (typeof removed === "object" && removed !== null ? removed : {}) as Record<string, unknown>;
  const near =
    typeof neighbours === "object" && neighbours !== null
      ? Object.values(neighbours).filter((id): id is number => typeof id === "number")
      : [];
  return {
    current: typeof current === "string" ? current : null,
    neighbours: near.map(String),
    snapshot: typeof snapshot === "string" ? snapshot : null,
    removedBy:
      typeof by["job"] === "string"
        ? { job: by["job"], who: String(by["requested_by"] ?? "–"), at: String(by["ended_at"] ?? "") }
        : null,
  };
}

/** Goes on with another snapshot: in the path of a snapshot's own pages, else as what the page is pinned to. */
function useShowSnapshot(): (reference: string) => void {
  const { snapshot } = usePageParams();
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  return (reference) => {
    if (snapshot === undefined) setSearch({ at: reference });
    else void navigate({ to: ".", params: (before) => ({ ...before, snapshot: reference }), search: true });
  };
}

interface ReplacedProps {
  readonly summary: Table;
  readonly latest: Snapshot | null;
  readonly onLatest: () => void;
}

/** Says of an open page that a rollback took its snapshot away, and that another commit has its id now. */
export function ReplacedNotice({ summary, latest, onLatest }: ReplacedProps): ReactNode {
  const { states, tablePage } = useMessages();
  const ref = useTableRef();
  const { branch } = usePageSearch();
  const setSearch = useSetSearch();
  const at = summary.at;
  // Asked again with each new latest snapshot: only then can the id have been used again.
  const holders = snapshotsQuery(ref, branch, { id: at?.id, limit: 1 });
  const found = useInfiniteQuery({
    ...holders,
    queryKey: [...holders.queryKey, latest?.ref],
    enabled: at !== null && latest !== null && latest.ref !== at.ref && latest.id >= at.id,
  });
  const holder = found.data?.pages[0]?.items[0]?.ref;
  if (at === null || holder === undefined || holder === at.ref) return null;
  return (
    <Notice tone="warn">
      <strong>{states.replaced(String(at.id))}</strong> {states.replacedDetail}{" "}
      <Button onClick={() => setSearch({ at: holder })}>{states.showPresent(String(at.id))}</Button>{" "}
      <Button onClick={onLatest}>{tablePage.showLatest}</Button>
    </Notice>
  );
}
