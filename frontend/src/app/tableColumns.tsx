import type { TableRow } from "../api/warehouses";
import { useFormat, useMessages } from "../i18n";
import type { FilterField } from "../ui/FilterBar";
import type { GridColumn } from "../ui/gridColumns";
import { useNow } from "../ui/Timestamp";
import { Sparkline } from "../viz/Sparkline";
import { TableLink } from "./cells";
import { useColumnMakers } from "./columns";

const TYPES = [
  "table",
  "view",
  "format-table",
  "object-table",
  "materialized-table",
  "lance-table",
  "iceberg-table",
];

/** The columns of a list of tables; what was not measured yet is a dash. */
export function useTableColumns(everywhere: boolean): GridColumn<TableRow>[] {
  const { fields, tableKinds, tableTypes, bucketModes, tablesPage } = useMessages();
  const make = useColumnMakers();
  const format = useFormat();
  const now = useNow(60_000);
  const measured = (row: TableRow) =>
    row.measured_at === null
      ? tablesPage.notMeasured
      : tablesPage.measuredWhen(format.relative(row.measured_at, now));
  return [
    make.text("name", fields.name, (row) => row.name, {
      width: 168,
      grow: 2,
      sortable: true,
      cell: (row) => (
        <span title={measured(row)}>
          <TableLink at={row} full={everywhere} />
        </span>
      ),
    }),
    ...(everywhere
      ? [
          make.text<TableRow>("warehouse", fields.warehouse, (row) => row.warehouse, {
            sortable: true,
            width: 96,
          }),
        ]
      : []),
    make.text("type", tablesPage.type, (row) => tableTypes(row.type), { sortable: true, width: 130 }),
    make.text("kind", fields.kind, (row) => tableKinds(row.kind), { sortable: true, width: 104 }),
    make.text(
      "bucket_mode",
      fields.buckets,
      (row) => (row.buckets !== null && row.buckets > 0 ? String(row.buckets) : bucketModes(row.bucket_mode)),
      { width: 124 },
    ),
    make.text("partition_keys", tablesPage.partitionedBy, (row) => row.partition_keys?.join(", ")),
    make.count("rows", tablesPage.rows, (row) => row.rows, { sortable: true, width: 84 }),
    make.bytes("bytes", fields.bytes, (row) => row.bytes, { sortable: true, width: 78 }),
    make.count("files", fields.files, (row) => row.files, { sortable: true, width: 62 }),
    make.bytes(
      "avg",
      tablesPage.averageFile,
      (row) => (row.bytes === null || row.files === null || row.files === 0 ? null : row.bytes / row.files),
      { width: 78 },
    ),
    make.count("snapshots", fields.snapshots, (row) => row.snapshots),
    make.time("last_commit_at", fields.lastCommit, (row) => row.last_commit_at, {
      sortable: true,
      width: 106,
    }),
    make.text("commits_24h", tablesPage.commits24h, (row) => row.commits_24h?.join(" "), {
      width: 112,
      cell: (row) => <DayOfCommits counts={row.commits_24h} />,
    }),
    make.text("owner", tablesPage.owner, (row) => row.owner, { sortable: true }),
    make.time("measured_at", tablesPage.measured, (row) => row.measured_at, { sortable: true }),
    make.text("comment", fields.comment, (row) => row.error ?? row.comment, { width: 110 }),
  ];
}

/** The commits of the last day, an hour a point. */
export function DayOfCommits({ counts }: { counts: readonly number[] | null }) {
  const { tablesPage } = useMessages();
  const format = useFormat();
  if (counts === null) return <span className="muted">–</span>;
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return <span className="muted">0</span>;
  const most = format.count(Math.max(...counts));
  return <Sparkline label={tablesPage.commitsLabel(format.count(all), most)} values={counts} />;
}

export function useTableFilters(): FilterField[] {
  const { fields, tableKinds, tableTypes, tablesPage } = useMessages();
  return [
    { id: "name", label: fields.name, placeholder: tablesPage.filterName },
    {
      id: "type",
      label: tablesPage.type,
      options: TYPES.map((type) => [type, tableTypes(type)] as const),
    },
    {
      id: "kind",
      label: fields.kind,
      options: ["primary_key", "append", "other"].map((kind) => [kind, tableKinds(kind)] as const),
    },
    { id: "bytes", label: fields.size, placeholder: tablesPage.filterSize },
    { id: "last_commit_at", label: fields.lastCommit, placeholder: tablesPage.filterCommit },
  ];
}

/** A text filter on a name means "contains", unless it says otherwise. */
export function byName(filters: Record<string, string>): Record<string, string> {
  const { name, ...rest } = filters;
  return name === undefined || name.includes(":") ? filters : { ...rest, name: `contains:${name}` };
}
