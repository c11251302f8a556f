import type { PlanEffects } from "../../api/jobs";
import { useColumnMakers } from "../../app/columns";
import { DiffSummary, useDiffRows } from "../../app/schemaDiff";
import { useOpenTable } from "../../app/table";
import { useMessages } from "../../i18n";
import { Badge, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { DiffView } from "../../ui/DiffView";
import { UpkeepRows } from "./UpkeepEffects";

type Rollback = Extract<PlanEffects, { kind: "rollback" }>;
type Compact = Extract<PlanEffects, { kind: "compact" | "vectors" }>;
type Write = Extract<PlanEffects, { kind: "write" }>;
type Restore = Extract<PlanEffects, { kind: "restore" }>;

/** What a plan does row by row: partitions, buckets, columns. */
export function PlanRows({ effects }: { effects: PlanEffects }) {
  switch (effects.kind) {
    case "rollback":
    case "restore":
      return effects.partitions.length > 1 ? <PartitionRows effects={effects} /> : null;
    case "compact":
    case "vectors":
      return effects.buckets.length > 0 ? <BucketRows effects={effects} /> : null;
    case "write":
      return (
        <>
          {effects.schema_change !== null && <SchemaRows change={effects.schema_change} />}
          {effects.schema_fit.length > 0 && <FitRows effects={effects} />}
        </>
      );
    case "expire":
      return effects.partitions.length > 0 ? <FreedRows effects={effects} /> : null;
    case "partitions":
    case "options":
      return <UpkeepRows effects={effects} />;
    default:
      return null;
  }
}

function PartitionRows({ effects }: { effects: Rollback | Restore }) {
  const { fields } = useMessages();
  const make = useColumnMakers();
  type Row = Rollback["partitions"][number];
  const columns = [
    make.text<Row>("partition", fields.partition, (p) => p.partition, { grow: 2 }),
    make.signed<Row>("rows", fields.deltaRows, (p) => p.rows_delta),
    make.bytes<Row>("bytes", fields.bytes, (p) => p.bytes_delta),
  ];
  return (
    <DataGrid
      label={fields.partitions}
      columns={columns}
      rows={effects.partitions}
      rowKey={(p) => p.partition}
      height="40vh"
    />
  );
}

/** Where the files are that an expiry frees. */
function FreedRows({ effects }: { effects: Extract<PlanEffects, { kind: "expire" }> }) {
  const { fields, expiry } = useMessages();
  const make = useColumnMakers();
  type Row = (typeof effects)["partitions"][number];
  const columns = [
    make.text<Row>("partition", fields.partition, (p) => p.partition, { grow: 2 }),
    make.count<Row>("files", fields.files, (p) => p.files),
    make.bytes<Row>("bytes", fields.bytes, (p) => p.bytes),
  ];
  return (
    <DataGrid
      label={expiry.freedOf}
      columns={columns}
      rows={effects.partitions}
      rowKey={(p) => p.partition}
      height="40vh"
    />
  );
}

function BucketRows({ effects }: { effects: Compact }) {
  const { fields, actionPage, lsm } = useMessages();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  type Row = Compact["buckets"][number];
  const columns = [
    ...(isPartitioned
      ? [make.text<Row>("partition", fields.partition, (b) => b.partition, { width: 180 })]
      : []),
    make.count<Row>("bucket", fields.bucket, (b) => b.bucket, { width: 70 }),
    make.count<Row>("runs_before", actionPage.runsBefore, (b) => b.runs_before),
    make.count<Row>("runs_after", actionPage.runsAfter, (b) => b.runs_after),
    make.count<Row>("files_before", actionPage.filesBefore, (b) => b.files_before),
    make.count<Row>("files_after", actionPage.filesAfter, (b) => b.files_after),
    make.bytes<Row>("bytes", actionPage.bytesRewritten, (b) => b.bytes, { width: 130 }),
    make.text<Row>("reason", actionPage.why, (b) => lsm.reasons(b.reason), { width: 240, grow: 3 }),
  ];
  return (
    <DataGrid
      label={fields.buckets}
      columns={columns}
      rows={effects.buckets}
      rowKey={(b) => `${b.partition}/${b.bucket}`}
      height="40vh"
    />
  );
}

type Fit = Write["schema_fit"][number];

const FIT_LOOKS: Record<Fit["verdict"], readonly [Tone, string]> = {
  ok: ["ok", "✓"],
  cast: ["warn", "⇄"],
  missing: ["warn", "∅"],
  extra: ["danger", "+"],
  incompatible: ["danger", "✕"],
  unknown: ["neutral", "?"],
};

/** What the write makes of the table's schema first. */
function SchemaRows({ change }: { change: NonNullable<Write["schema_change"]> }) {
  const { actionPage, schemas } = useMessages();
  const [from, to] = [String(change.from), String(change.to)];
  const rows = useDiffRows(change.rows);
  return (
    <Card title={actionPage.schemaChange(from, to)} side={<DiffSummary summary={change.summary} />}>
      <DiffView
        label={actionPage.schemaChange(from, to)}
        fromTitle={schemas.schemaOf(from)}
        toTitle={schemas.schemaOf(to)}
        rows={rows}
        onlyChanges
      />
    </Card>
  );
}

/** Column by column, how the source fits the table. */
function FitRows({ effects }: { effects: Write }) {
  const { fields, actionPage } = useMessages();
  const make = useColumnMakers();
  const columns = [
    make.text<Fit>("column", fields.column, (f) => f.column, { width: 160 }),
    make.text<Fit>("source_type", actionPage.inSource, (f) => f.source_type, { width: 150 }),
    make.text<Fit>("table_type", actionPage.inTable, (f) => f.table_type, { width: 150 }),
    make.text<Fit>("verdict", actionPage.fit, (f) => f.verdict, {
      width: 150,
      cell: (f) => <Verdict verdict={f.verdict} />,
    }),
    make.text<Fit>("detail", fields.detail, (f) => f.detail, { width: 240, grow: 3 }),
  ];
  return (
    <DataGrid
      label={actionPage.fit}
      columns={columns}
      rows={effects.schema_fit}
      rowKey={(f) => f.column}
      height="46vh"
    />
  );
}

function Verdict({ verdict }: { verdict: Fit["verdict"] }) {
  const { fits } = useMessages();
  const [tone, glyph] = FIT_LOOKS[verdict];
  return (
    <Badge tone={tone} glyph={glyph}>
      {fits[verdict]}
    </Badge>
  );
}
