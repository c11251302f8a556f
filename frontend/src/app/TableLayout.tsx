import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import {
  snapshotsQuery,
  tableQuery,
  type Pin,
  type Snapshot,
  type Table,
  type TableRef,
} from "../api/tables";
import { useFormat, useMessages } from "../i18n";
import { preferences, setPreferences } from "../preferences";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Menu } from "../ui/Menu";
import { Notice } from "../ui/States";
import { useNow } from "../ui/Timestamp";
import { Answer } from "./Answer";
import { TypeBadge } from "./cells";
import { ReplacedNotice } from "./GoneSnapshot";
import { pinOf } from "./search";
import styles from "./Shell.module.css";
import { useShortcuts } from "./shortcuts";
import { OpenTableContext, useTableRef } from "./table";
import { hasAction, hasSnapshots, hasTab } from "./tableTypes";
import { usePageParams, usePageSearch, useSetSearch } from "./useSearch";
import { WatchButton } from "./Watching";

/** The header, as-of control and tabs of a table, around each of its pages. */
export function TableLayout(): ReactNode {
  const ref = useTableRef();
  const address = [ref.warehouse, ref.database, ref.table].map(encodeURIComponent).join("/");
  useEffect(() => {
    const others = preferences().recent.filter((other) => other !== address);
    setPreferences({ recent: [address, ...others].slice(0, 12) });
  }, [address]);
  return <PinnedTable key={address} tableRef={ref} />;
}

function PinnedTable({ tableRef: ref }: { tableRef: TableRef }) {
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const { tablePage } = useMessages();
  const branch = search.branch;
  // Without `at` the page stays on the snapshot that was the latest when it was opened; see the pill below.
  const [held, setHeld] = useState<{ branch: string | undefined; ref: string } | null>(null);
  const newest = useQuery(tableQuery(ref, { branch }));
  const latest = newest.data?.latest?.ref;
  if (latest !== undefined && (held === null || held.branch !== branch)) setHeld({ branch, ref: latest });
  const at = search.at ?? (held?.branch === branch ? held?.ref : undefined);
  const pinned = useQuery({
    ...tableQuery(ref, { at, branch }),
    enabled: at !== undefined,
    refetchInterval: false,
    // What was shown before stays until the next snapshot is there: nothing on the page loses the focus.
    placeholderData: (before) => (before?.branch === (branch ?? "main") ? before : undefined),
    // The newest answer is that of its own snapshot: it is not asked for again before anything shows.
    ...(newest.data !== undefined &&
      newest.data.at?.ref === at && {
        initialData: newest.data,
        initialDataUpdatedAt: newest.dataUpdatedAt,
      }),
  });
  const answer = at === undefined ? newest : pinned;
  const shown = (
    <Answer
      query={answer}
      gone={<Button onClick={() => setSearch({ at: undefined })}>{tablePage.showLatest}</Button>}
    >
      {(summary) => (
        <Opened
          tableRef={ref}
          summary={summary}
          isBehind={answer.isPlaceholderData}
          latest={newest.data?.latest ?? null}
          onLatest={() => {
            if (latest !== undefined) setHeld({ branch, ref: latest });
            setSearch({ at: undefined });
          }}
        />
      )}
    </Answer>
  );
  if (answer.data !== undefined) return shown;
  return (
    <div className={styles["page"]}>
      <div className={styles["crumbs"]}>
        <Crumbs warehouse={ref.warehouse} database={ref.database} name={ref.table} />
      </div>
      {shown}
    </div>
  );
}

interface OpenedProps {
  readonly tableRef: TableRef;
  readonly summary: Table;
  readonly isBehind: boolean;
  readonly latest: Snapshot | null;
  readonly onLatest: () => void;
}

function Opened({ tableRef, summary, isBehind, latest, onLatest }: OpenedProps) {
  const { branch } = usePageSearch();
  const at = summary.at?.ref;
  const pin: Pin = useMemo(() => ({ at, branch }), [at, branch]);
  const open = useMemo(
    () => ({ ref: tableRef, summary, pin, isBehind, isPartitioned: summary.partition_keys.length > 0 }),
    [tableRef, summary, pin, isBehind],
  );
  return (
    <OpenTableContext value={open}>
      <div className={styles["tablehead"]}>
        <Heading summary={summary} />
        {hasSnapshots(summary.type) && (
          <>
            <AsOf summary={summary} latest={latest} onLatest={onLatest} />
            <ReplacedNotice summary={summary} latest={latest} onLatest={onLatest} />
          </>
        )}
        <TableTabs tableRef={tableRef} type={summary.type} />
      </div>
      <Outlet />
    </OpenTableContext>
  );
}

/** The way to the table, which is known before anything of it is. */
function Crumbs({ warehouse, database, name }: { warehouse: string; database: string; name: string }) {
  return (
    <>
      <Link to="/w/$wh" params={{ wh: warehouse }}>
        {warehouse}
      </Link>
      <span aria-hidden="true">/</span>
      <Link to="/w/$wh/$db" params={{ wh: warehouse, db: database }}>
        {database}
      </Link>
      <span aria-hidden="true">/</span>
      <h1>{name}</h1>
    </>
  );
}

function Heading({ summary }: { summary: Table }) {
  const { tablePage, tableKinds, bucketModes } = useMessages();
  const { warehouse, database, name } = summary;
  const search = pinOf(usePageSearch());
  const facts = [
    tableKinds(summary.kind),
    summary.buckets !== null && summary.buckets > 0
      ? tablePage.buckets(summary.buckets)
      : bucketModes(summary.bucket_mode),
    summary.format,
  ];
  return (
    <>
      <div className={styles["crumbs"]}>
        <Crumbs warehouse={warehouse} database={database} name={name} />
        <TypeBadge type={summary.type} />
        {hasSnapshots(summary.type) && <span className={styles["facts"]}>{facts.join(" · ")}</span>}
        {summary.active_job !== null && (
          <Link to="/jobs/$job" params={{ job: summary.active_job }}>
            <Badge tone="info" glyph="⟳">
              {tablePage.jobRunning}
            </Badge>
          </Link>
        )}
        <span className={styles["right"]}>
          <WatchButton table={{ warehouse, database, table: name }} />
          {ACTIONS.some(([id]) => hasAction(summary.type, id)) && (
            <ActionsMenu summary={summary} search={search} />
          )}
        </span>
      </div>
      {summary.unsupported !== null && hasSnapshots(summary.type) && (
        <Notice tone="warn">
          {tablePage.unsupported(summary.unsupported.feature, summary.unsupported.where)}
        </Notice>
      )}
    </>
  );
}

const ACTIONS = [
  ["refresh", "table:operate"],
  ["write", "table:operate"],
  ["compact", "table:operate"],
  ["vectors", "table:operate"],
  ["rollback", "table:destroy"],
  ["restore", "table:operate"],
  ["expire", "table:operate"],
  ["tag", "table:operate"],
  ["branch", "table:operate"],
  ["consumer", "table:operate"],
  ["partitions", "table:operate"],
  ["options", "table:operate"],
  ["file_index", "table:operate"],
  ["manifests", "table:operate"],
  ["analyze", "table:operate"],
] as const;

function ActionsMenu({ summary, search }: { summary: Table; search: ReturnType<typeof pinOf> }) {
  const { tablePage, actions } = useMessages();
  const navigate = useNavigate();
  return (
    <Menu
      label={tablePage.actions}
      trigger={tablePage.actions}
      caret
      items={ACTIONS.filter(([id]) => hasAction(summary.type, id)).map(([id, permission]) => {
        const missing = !summary.permissions.includes(permission);
        return { id, label: actions[id], ...(missing && { note: tablePage.needs(permission) }) };
      })}
      onAction={(kind) =>
        void navigate({
          to: "/w/$wh/$db/$table/actions/$kind",
          params: { wh: summary.warehouse, db: summary.database, table: summary.name, kind },
          search: { branch: search.branch },
        })
      }
    />
  );
}

function AsOf({ summary, latest, onLatest }: Omit<OpenedProps, "tableRef" | "isBehind">) {
  const { tablePage } = useMessages();
  const format = useFormat();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const [asking, setAsking] = useState(false);
  const { at } = summary;
  const isLatest = at !== null && at.ref === latest?.ref;
  const now = useNow(60_000);
  const newer = at !== null && latest !== null && !isLatest ? latest.id - at.id : 0;
  const neighbours = useNeighbours(summary);
  const ofSnapshot = usePageParams().snapshot !== undefined; // such a page says itself what it is of
  const text =
    at === null
      ? tablePage.noSnapshots
      : [
          `#${at.id}`,
          at.committed_at && format.moment(at.committed_at, now),
          isLatest ? tablePage.latest : null,
        ]
          .filter(Boolean)
          .join(" · ");
  return (
    <div className={styles["asof"]}>
      <span className="muted">{tablePage.branch}</span>
      <Menu
        label={tablePage.branch}
        trigger={summary.branch}
        caret
        single
        selected={new Set([summary.branch])}
        items={[...new Set(["main", ...summary.branches])].map((name) => ({ id: name, label: name }))}
        onSelect={([name]) => setSearch({ branch: name === "main" ? undefined : name, at: undefined })}
      />
      {!ofSnapshot && <span className="muted">{tablePage.asOf}</span>}
      {!ofSnapshot && (
        <Menu
          label={tablePage.asOf}
          trigger={text}
          caret
          items={[
            { id: "latest", label: tablePage.latest, ...(latest && { note: `#${latest.id}` }) },
            ...summary.tags.map((tag) => ({ id: `tag:${tag}`, label: `⚑ ${tag}` })),
            { id: "ask", label: tablePage.byIdOrTime },
          ]}
          onAction={(id) => {
            if (id === "latest") onLatest();
            else if (id === "ask") setAsking(true);
            else setSearch({ at: id });
          }}
        />
      )}
      {/* of the time in the menu, and of all others on the page */}
      {at?.committed_at && <span className="muted">{format.offset(Date.parse(at.committed_at))}</span>}
      {!ofSnapshot && (
        <>
          <Button
            look="quiet"
            icon="chevronLeft"
            disabled={neighbours.previous === null}
            onClick={() => setSearch({ at: neighbours.previous ?? undefined })}
          >
            {tablePage.previous}
          </Button>
          <Button
            look="quiet"
            icon="chevronRight"
            disabled={neighbours.next === null}
            onClick={() => setSearch({ at: neighbours.next ?? undefined })}
          >
            {tablePage.next}
          </Button>
        </>
      )}
      {!ofSnapshot && at !== null && neighbours.previous !== null && (
        <Link
          to="/w/$wh/$db/$table/timeline"
          params={{ wh: summary.warehouse, db: summary.database, table: summary.name }}
          search={{ branch: search.branch, from: neighbours.previous, at: at.ref }}
        >
          {tablePage.compare}
        </Link>
      )}
      {search.at === undefined && newer > 0 && (
        <button type="button" className={styles["pill"]} onClick={onLatest}>
          {tablePage.newerCommits(newer)}
        </button>
      )}
      {search.at === undefined && newer < 0 && (
        <button type="button" className={styles["pill"]} onClick={onLatest}>
          {tablePage.rolledBack}
        </button>
      )}
      <AskSnapshot
        open={asking}
        onClose={() => setAsking(false)}
        onPick={(value) => setSearch({ at: value })}
      />
    </div>
  );
}

/** The snapshots before and after the one in view, expired ids left out; also on `[` and `]`. */
function useNeighbours(summary: Table): { previous: string | null; next: string | null } {
  const { branch } = usePageSearch();
  const setSearch = useSetSearch();
  const ref = useTableRef();
  const { data } = useInfiniteQuery(snapshotsQuery(ref, branch, { limit: 1000 }));
  const neighbours = useMemo(() => {
    const newestFirst = data?.pages.flatMap((page) => page.items) ?? [];
    const at = newestFirst.findIndex((snapshot) => snapshot.ref === summary.at?.ref);
    if (at < 0) return { previous: null, next: null };
    return { previous: newestFirst[at + 1]?.ref ?? null, next: newestFirst[at - 1]?.ref ?? null };
  }, [data, summary.at]);
  useShortcuts(
    useMemo(
      () => ({
        "[": () => neighbours.previous !== null && setSearch({ at: neighbours.previous }),
        "]": () => neighbours.next !== null && setSearch({ at: neighbours.next }),
      }),
      [neighbours, setSearch],
    ),
  );
  return neighbours;
}

function AskSnapshot(props: { open: boolean; onClose: () => void; onPick: (at: string) => void }) {
  const { tablePage, ui } = useMessages();
  const [text, setText] = useState("");
  const pick = () => {
    props.onPick(text.trim().replace(/^#/, ""));
    props.onClose();
  };
  return (
    <Dialog
      title={tablePage.byIdOrTime}
      open={props.open}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>{ui.cancel}</Button>
          <Button look="primary" disabled={text.trim() === ""} onClick={pick}>
            {tablePage.show}
          </Button>
        </>
      }
    >
      <TextField
        label={tablePage.snapshotOrTime}
        hint={tablePage.snapshotOrTimeHint}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && text.trim() !== "" && pick()}
      />
    </Dialog>
  );
}

const TABS = [
  ["overview", "o"],
  ["timeline", "t"],
  ["files", "f"],
  ["lsm", "l"],
  ["schemas", "s"],
  ["indexes", "i"],
  ["data", "d"],
  ["refs", "r"],
  ["options", "p"],
  ["system", "y"],
  ["jobs", "j"],
] as const;

function TableTabs({ tableRef, type }: { tableRef: TableRef; type: string }) {
  const { tabs, tablePage } = useMessages();
  const navigate = useNavigate();
  const search = pinOf(usePageSearch());
  const ofSnapshot = usePageParams().snapshot !== undefined; // reached from the timeline, so it belongs there
  const { at, branch } = search;
  const { warehouse, database, table } = tableRef;
  const params = useMemo(() => ({ wh: warehouse, db: database, table }), [warehouse, database, table]);
  useShortcuts(
    useMemo(
      () =>
        Object.fromEntries(
          TABS.filter(([tab]) => hasTab(type, tab)).map(([tab, key]) => [
            `g ${key}`,
            () =>
              void navigate({
                to: `/w/$wh/$db/$table/${tab}`,
                params,
                search: { ...(at !== undefined && { at }), ...(branch !== undefined && { branch }) },
              }),
          ]),
        ),
      [navigate, params, at, branch, type],
    ),
  );
  return (
    <nav className={styles["tabs"]} aria-label={tablePage.tabs}>
      {TABS.filter(([tab]) => hasTab(type, tab)).map(([tab]) => (
        <Link
          key={tab}
          to={`/w/$wh/$db/$table/${tab}`}
          params={params}
          search={search}
          activeOptions={{ includeSearch: false }}
          {...(tab === "timeline" && ofSnapshot && { "data-status": "active" })}
        >
          {tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}
