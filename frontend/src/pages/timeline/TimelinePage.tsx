import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, type ReactNode } from "react";
import { heldQuery } from "../../api/history";
import { compareQuery, retentionQuery, snapshotsQuery, type Compare, type Snapshot } from "../../api/tables";
import { Answer, Failed } from "../../app/Answer";
import { JobLink, KindBadge, SnapshotLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { NothingWritten } from "../../app/NothingWritten";
import { TablePage } from "../../app/Page";
import { SavedViews } from "../../app/SavedViews";
import { Part } from "../../app/Parts";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Bytes, BytesDelta } from "../../ui/Bytes";
import { Card } from "../../ui/Card";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { DataGrid } from "../../ui/DataGrid";
import { FilterBar } from "../../ui/FilterBar";
import { KeyValue } from "../../ui/KeyValue";
import { Timeline } from "../../viz/Timeline";
import type { TimelineCommit } from "../../viz/timeline";
import { deltaBytes, idsOf, matches, sortCommits } from "./commitFilters";
import { Expirable } from "./Expirable";
import { LevelsCompared } from "./LevelsCompared";
import styles from "./LevelsCompared.module.css";
import { liveBytes } from "./liveBytes";

const MOST_COMMITS = 5000;
const SHOWN_PARTITIONS = 8;
const MOST_MILLIS = 8.64e15; // the last instant of a calendar; the least 64-bit number stands for no watermark
const UNKNOWN_TIME = "1970-01-01T00:00:00Z"; // of a commit whose time no calendar reaches: left of all others

/** The history of a branch: picture above, commits below, compare when a base is set. */
export function TimelinePage(): ReactNode {
  const { timeline, tabs } = useMessages();
  const { ref, pin, summary } = useOpenTable();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const [filters, setFilter] = useFilters();
  const answer = useInfiniteQuery(snapshotsQuery(ref, pin.branch, { limit: 1000 }));
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = answer;
  const all = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  useEffect(() => {
    // One that failed is asked for again by the reader alone, in the banner.
    const more = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
    if (more && all.length < MOST_COMMITS) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, all.length]);
  const touching = useTouching(filters["partition"]);
  const kept = useMemo(
    () => all.filter((snapshot) => matches(snapshot, filters) && (touching.refs?.has(snapshot.ref) ?? true)),
    [all, filters, touching.refs],
  );
  const live = useMemo(
    () => liveBytes(all, summary.at?.ref ?? null, summary.shape?.bytes ?? null),
    [all, summary.at, summary.shape],
  );
  const { forks, held } = useForks();
  const rules = useQuery(retentionQuery(ref, pin.branch));
  const retention = rules.data;
  const firstKept = retention?.first_kept ?? null;
  const commits = useMemo(
    () =>
      kept
        .map((snapshot) => ({
          ...toCommit(snapshot, live.get(snapshot.ref) ?? null, forks.get(snapshot.id) ?? []),
          expirable: firstKept === null ? null : snapshot.id < firstKept,
        }))
        .toReversed(),
    [kept, live, forks, firstKept],
  );
  const range = idsOf(filters["range"]);
  const shown =
    range === null ? kept : kept.filter((snapshot) => range[0] <= snapshot.id && snapshot.id <= range[1]);
  const ends = range === null ? undefined : [shown.at(-1)?.ref, shown[0]?.ref];
  const onRange = useCallback(
    (picked: readonly TimelineCommit[] | null) => {
      const [first, last] = [picked?.[0], picked?.at(-1)];
      setFilter("range", first === undefined || last === undefined ? undefined : `${first.id}-${last.id}`);
    },
    [setFilter],
  );
  const fromRef =
    all.find((snapshot) => snapshot.ref === search.from || String(snapshot.id) === search.from)?.ref ?? null;
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.timeline}`}>
      <Part
        name={timeline.commits}
        query={{
          data: isFetchNextPageError ? undefined : all,
          error: isFetchNextPageError ? answer.error : null,
          refetch: fetchNextPage,
        }}
      />
      <Part name={timeline.retention} query={rules} />
      <Part name={timeline.forks} query={held} />
      <Answer query={answer}>
        {() =>
          all.length === 0 ? (
            <NothingWritten />
          ) : (
            <>
              <SavedViews page="timeline" />
              <Filters values={filters} onChange={setFilter} />
              {touching.error !== null && <Failed error={touching.error} />}
              <Timeline
                title={tabs.timeline}
                commits={commits}
                at={summary.at?.ref ?? null}
                from={fromRef}
                range={ends?.[0] && ends[1] ? [ends[0], ends[1]] : null}
                mode={search.view === "order" ? "order" : "time"}
                onMode={(mode) => setSearch({ view: mode === "time" ? undefined : mode }, true)}
                onPick={(commit, asBase) => setSearch(asBase ? { from: commit.ref } : { at: commit.ref })}
                onRange={onRange}
              />
              {retention !== undefined && <Expirable retention={retention} />}
              {search.from !== undefined && summary.at !== null && <ComparePanel from={search.from} />}
              {range !== null && <Range snapshots={shown} onClear={() => setFilter("range", undefined)} />}
              <Commits snapshots={shown} />
            </>
          )
        }
      </Answer>
    </TablePage>
  );
}

/** The snapshots whose commits changed a partition: the server looks into their manifests. */
function useTouching(partition: string | undefined): {
  readonly refs: ReadonlySet<string> | null;
  readonly error: Error | null;
} {
  const { ref, pin } = useOpenTable();
  const { data, error } = useInfiniteQuery({
    ...snapshotsQuery(ref, pin.branch, { limit: 1000, partition }),
    enabled: partition !== undefined,
  });
  return useMemo(
    () => ({
      refs:
        partition === undefined || data === undefined
          ? null
          : new Set(data.pages.flatMap((page) => page.items.map((snapshot) => snapshot.ref))),
      error: partition === undefined ? null : error, // else it is of all commits
    }),
    [partition, data, error],
  );
}

const NO_FORKS: ReadonlyMap<number, readonly string[]> = new Map();

/** The branches that left main, by the snapshot that they last share with it; none on another branch. */
function useForks() {
  const { ref, summary, pin } = useOpenTable();
  const onMain = summary.branch === "main";
  const held = useQuery({
    ...heldQuery(ref, pin.branch),
    enabled: onMain && summary.branches.length > 1, // it looks through the histories
  });
  const { data } = held;
  const forks = useMemo(() => {
    if (data === undefined || !onMain) return NO_FORKS;
    const found = new Map<number, readonly string[]>();
    for (const { name, forked_at: at } of data.branches) {
      if (at !== null && name !== "main") found.set(at, [...(found.get(at) ?? []), name]);
    }
    return found;
  }, [data, onMain]);
  return { forks, held };
}

function toCommit(snapshot: Snapshot, bytes: number | null, forks: readonly string[]): TimelineCommit {
  const watermark = snapshot.watermark === null ? Number.NaN : Number(snapshot.watermark);
  return {
    id: String(snapshot.id),
    ref: snapshot.ref,
    kind: snapshot.kind,
    millis: Date.parse(snapshot.committed_at ?? UNKNOWN_TIME),
    filesAdded: snapshot.files_added,
    filesDeleted: snapshot.files_deleted,
    deltaRows: snapshot.delta_rows,
    totalRows: snapshot.total_rows,
    bytesAdded: snapshot.bytes_added,
    liveBytes: bytes,
    watermarkMillis: Math.abs(watermark) <= MOST_MILLIS ? watermark : null,
    tags: snapshot.tags,
    consumers: snapshot.consumers,
    forks,
    byJob: snapshot.job !== null,
    expirable: null,
  };
}

interface FiltersProps {
  readonly values: Record<string, string>;
  readonly onChange: (id: string, value: string | undefined) => void;
}

function Filters({ values, onChange }: FiltersProps) {
  const { fields, kinds, timeline } = useMessages();
  const { isPartitioned } = useOpenTable();
  return (
    <FilterBar
      values={values}
      onChange={onChange}
      fields={[
        { id: "user", label: fields.commitUser },
        { id: "kind", label: fields.kind, options: Object.entries(kinds) },
        { id: "operation", label: fields.operation, extra: true },
        { id: "schema", label: fields.schema },
        ...(isPartitioned ? [{ id: "partition", label: timeline.changedPartition }] : []),
        { id: "after", label: timeline.after, placeholder: timeline.afterHint, extra: true },
        { id: "before", label: timeline.before, placeholder: timeline.beforeHint, extra: true },
      ]}
    />
  );
}

function Range({ snapshots, onClear }: { snapshots: readonly Snapshot[]; onClear: () => void }) {
  const { timeline, ui } = useMessages();
  const format = useFormat();
  const sum = (value: (snapshot: Snapshot) => number | null) =>
    snapshots.reduce((total, snapshot) => total + (value(snapshot) ?? 0), 0);
  const [last, first] = [snapshots[0], snapshots.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <p>
      {timeline.range(
        `#${first.id} → #${last.id}`,
        format.count(snapshots.length),
        `${format.signed(sum((s) => s.files_added))} / ${format.signed(-sum((s) => s.files_deleted))}`,
        format.signed(sum((s) => s.delta_rows)),
      )}{" "}
      <Button look="quiet" icon="close" onClick={onClear}>
        {ui.clearFilters}
      </Button>
    </p>
  );
}

function Commits({ snapshots }: { snapshots: readonly Snapshot[] }) {
  const { fields, timeline } = useMessages();
  const { summary, isPartitioned } = useOpenTable();
  const { sort } = usePageSearch();
  const setSearch = useSetSearch();
  const make = useColumnMakers();
  const sorted = useMemo(() => sortCommits(snapshots, sort), [snapshots, sort]);
  const columns = [
    make.text<Snapshot>("id", fields.snapshot, (s) => String(s.id), {
      width: 84,
      sortable: true,
      cell: (s) => <SnapshotLink id={s.id} identity={s.ref} />,
    }),
    make.time<Snapshot>("committed_at", fields.committed, (s) => s.committed_at, {
      sortable: true,
      width: 104,
    }),
    make.text<Snapshot>("kind", fields.kind, (s) => s.kind, {
      width: 104,
      sortable: true,
      cell: (s) => <KindBadge kind={s.kind} />,
    }),
    make.signed<Snapshot>("delta_rows", fields.deltaRows, (s) => s.delta_rows, { sortable: true }),
    make.count<Snapshot>("files_added", fields.filesAdded, (s) => s.files_added, {
      width: 110,
      sortable: true,
    }),
    make.count<Snapshot>("files_deleted", fields.filesDeleted, (s) => s.files_deleted, {
      width: 110,
      sortable: true,
    }),
    make.text<Snapshot>("delta_bytes", timeline.deltaBytes, (s) => String(deltaBytes(s) ?? ""), {
      width: 96,
      align: "end",
      sortable: true,
      cell: (s) => <BytesDelta value={deltaBytes(s)} />,
    }),
    make.bytes<Snapshot>("bytes_added", fields.bytesAdded, (s) => s.bytes_added, {
      width: 110,
      sortable: true,
    }),
    ...(isPartitioned
      ? [
          make.count<Snapshot>("partitions", fields.partitions, (s) => s.partitions, {
            width: 84,
            sortable: true,
          }),
        ]
      : []),
    make.count<Snapshot>("total_rows", fields.totalRows, (s) => s.total_rows, { sortable: true }),
    make.text<Snapshot>("schema_id", fields.schema, (s) => String(s.schema_id), {
      width: 80,
      sortable: true,
    }),
    make.text<Snapshot>("refs", fields.refs, (s) => [...s.tags, ...s.consumers].join(", "), { width: 70 }),
    make.text<Snapshot>("commit_user", fields.writer, (s) => s.job ?? s.commit_user, {
      width: 168,
      cell: (s) =>
        s.job === null ? <CopyableId value={s.commit_user} most={22} /> : <JobLink job={s.job} />,
    }),
    make.text<Snapshot>("operation", fields.operation, (s) => s.operation),
    make.text<Snapshot>("watermark", fields.watermark, (s) => s.watermark),
  ];
  return (
    <DataGrid
      label={timeline.commits}
      columns={columns}
      rows={sorted}
      sort={sort}
      onSort={(next) => setSearch({ sort: next }, true)}
      rowKey={(s) => s.ref}
      hidden={["operation", "watermark", "bytes_added"]}
      isOpen={(s) => s.ref === summary.at?.ref}
      tone={(s) => (s.problem === null ? undefined : "warn")}
      height="46vh"
    />
  );
}

function ComparePanel({ from }: { from: string }) {
  const { timeline } = useMessages();
  const { ref, pin } = useOpenTable();
  const setSearch = useSetSearch();
  const compare = useQuery(compareQuery(ref, from, pin));
  return (
    <Card
      title={timeline.compare(shortRef(from), shortRef(pin.at ?? ""))}
      side={
        <Button look="quiet" icon="close" onClick={() => setSearch({ from: undefined })}>
          {timeline.endCompare}
        </Button>
      }
    >
      <Answer query={compare} part={timeline.comparison}>
        {(data) => <Compared compare={data} />}
      </Answer>
    </Card>
  );
}

/** `#12` of `12~7796114a`; a tag or a time stays as it is. */
function shortRef(ref: string): string {
  const id = ref.split("~")[0] ?? ref;
  return /^\d+$/.test(id) ? `#${id}` : ref;
}

function Compared({ compare }: { compare: Compare }) {
  const { timeline, kinds, fields } = useMessages();
  const format = useFormat();
  const { isPartitioned } = useOpenTable();
  return (
    <div className={styles["panel"]}>
      <table className={styles["levels"]}>
        <thead>
          <tr>
            <th>
              <span className="sr-only">{timeline.comparison}</span>
            </th>
            {[fields.files, fields.bytes, fields.rows].map((name) => (
              <th key={name} className={styles["number"]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Counts name={timeline.onlyBase} part={compare.only_base} />
          <Counts name={timeline.onlyAt} part={compare.only_at} />
          <Counts name={timeline.both} part={compare.both} />
          <Counts name={timeline.transient} part={compare.transient} />
        </tbody>
      </table>
      <KeyValue
        items={[
          [fields.commits, compare.commits.map((c) => `${c.commits} ${kinds[c.kind]}`).join(", ") || null],
          isPartitioned && [
            `${fields.partitions} (${format.count(compare.partitions.length)})`,
            compare.partitions.slice(0, SHOWN_PARTITIONS).join(", ") +
              (compare.partitions.length > SHOWN_PARTITIONS ? " …" : "") || null,
          ],
          [fields.schema, <SchemaChange key="v" compare={compare} />],
          ...compare.options.map((o) => [o.key, `${o.from ?? "–"} → ${o.to ?? "–"}`] as const),
        ]}
      />
      <LevelsCompared levels={compare.levels} />
    </div>
  );
}

/** What one part of a comparison holds; dashes where it is not known. */
function Counts({ name, part }: { name: string; part: Compare["both"] | null }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={styles["number"]}>
        <Count value={part?.files} />
      </td>
      <td className={styles["number"]}>
        <Bytes value={part?.bytes} />
      </td>
      <td className={styles["number"]}>
        <Count value={part?.rows} />
      </td>
    </tr>
  );
}

/** The two schemas, and the way to what differs between them. */
function SchemaChange({ compare }: { compare: Compare }) {
  const { timeline } = useMessages();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  const { base_schema_id: from, at_schema_id: to } = compare;
  if (from === to) return <span className="muted">{timeline.sameSchema(from)}</span>;
  return (
    <Link
      to="/w/$wh/$db/$table/schemas/diff"
      params={{ wh: ref.warehouse, db: ref.database, table: ref.table }}
      search={{ branch: search.branch, from: String(from), to: String(to) }}
    >
      {`#${from} → #${to}`}
    </Link>
  );
}
