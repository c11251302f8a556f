import type { ReactNode } from "react";
import type { Plan, PlanEffects } from "../../api/jobs";
import { useColumnMakers } from "../../app/columns";
import { DiffSummary, useDiffRows } from "../../app/schemaDiff";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Badge, type Tone } from "../../ui/Badge";
import { Bytes, BytesDelta } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { Card } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { DiffView } from "../../ui/DiffView";
import { KeyValue } from "../../ui/KeyValue";
import { PlanSummary, type PlanBlock } from "../../ui/PlanSummary";
import { Timestamp } from "../../ui/Timestamp";
import { Added, Expired, Freed, KeptThings, Moved, Named, Rules, SnapshotList } from "./HistoryEffects";

/** What a plan would do, in the words of its kind. */
export function PlanView({ plan }: { plan: Plan }) {
  const { actionPage } = useMessages();
  const { effects, undo } = plan;
  return (
    <>
      <PlanSummary
        blocks={useBlocks(plan)}
        blockers={plan.blockers.map((blocker) => blocker.detail)}
        warnings={plan.warnings.map((warning) => warning.detail)}
        {...(undo !== null && {
          undo: actionPage.undos[undo.kind](undo.detail, undo.branch ?? undo.tag ?? ""),
        })}
      />
      <Rows effects={effects} />
    </>
  );
}

type Rollback = Extract<PlanEffects, { kind: "rollback" }>;
type Compact = Extract<PlanEffects, { kind: "compact" }>;
type Write = Extract<PlanEffects, { kind: "write" }>;
type Refresh = Extract<PlanEffects, { kind: "refresh" }>;
type Restore = Extract<PlanEffects, { kind: "restore" }>;

function useBlocks(plan: Plan): PlanBlock[] {
  const { actionPage } = useMessages();
  const { effects } = plan;
  const block = (title: string, content: ReactNode): PlanBlock => ({ title, content });
  switch (effects.kind) {
    case "rollback":
      return [
        block(actionPage.historyRemoved, <RemovedHistory effects={effects} />),
        block(actionPage.dataChange, <DataChange effects={effects} />),
        block(actionPage.stays, <Stays effects={effects} kept={plan.kept} />),
      ];
    case "compact":
      return [block(actionPage.rewritten, <Rewritten effects={effects} />)];
    case "write":
      return [
        block(actionPage.written, <Written effects={effects} />),
        block(actionPage.stays, <Untouched effects={effects} kept={plan.kept} />),
        block(actionPage.affected, <Concerned effects={effects} />),
      ];
    case "refresh":
      return [
        block(actionPage.refreshed, <Refreshed effects={effects} />),
        block(actionPage.stays, <KeptThings kept={plan.kept} />),
        block(actionPage.affected, <Concerned effects={effects} />),
      ];
    case "restore":
      return [
        block(actionPage.dataChange, <DataChange effects={effects} />),
        block(actionPage.stays, <Added effects={effects} kept={plan.kept} />),
      ];
    case "expire":
      return [
        block(actionPage.snapshotsRemoved, <Expired effects={effects} />),
        block(actionPage.freed, <Freed files={effects.files_freed} />),
        block(actionPage.rules, <Rules effects={effects} />),
      ];
    case "tag":
      return [
        block(actionPage.ofTag, <Named effects={effects} />),
        ...(effects.files_freed.count === 0
          ? []
          : [block(actionPage.freed, <Freed files={effects.files_freed} />)]),
      ];
    case "consumer":
      return [block(actionPage.ofConsumer, <Moved effects={effects} />)];
    case "branch":
      return [
        block(actionPage.ofBranch, <Named effects={effects} />),
        ...(effects.snapshots_removed.length === 0
          ? []
          : [block(actionPage.snapshotsRemoved, <SnapshotList snapshots={effects.snapshots_removed} />)]),
        ...(effects.snapshots_added.length === 0
          ? []
          : [block(actionPage.snapshotsAdded, <SnapshotList snapshots={effects.snapshots_added} />)]),
      ];
  }
}

function RemovedHistory({ effects }: { effects: Rollback }) {
  const { actionPage, fields, refs } = useMessages();
  return (
    <>
      <KeyValue
        items={[
          [fields.snapshots, <Count key="v" value={effects.snapshots_removed.length} />],
          [refs.views.tags, effects.tags_removed.join(", ") || null],
          effects.changelogs_removed.length > 0 && [
            actionPage.changelogs,
            <Count key="v" value={effects.changelogs_removed.length} />,
          ],
          [actionPage.consumersAffected, effects.consumers_affected.join(", ") || null],
          [actionPage.branchesAffected, effects.branches_affected.join(", ") || null],
        ]}
      />
      <SnapshotList snapshots={effects.snapshots_removed} />
    </>
  );
}

/** What a damaged latest snapshot keeps from being known. */
function OrUnknown({ known, children }: { known: boolean; children: ReactNode }) {
  const { actionPage } = useMessages();
  return known ? children : <span className="muted">{actionPage.unknown(null)}</span>;
}

function Files({ amount }: { amount: Rollback["files_leaving"] }) {
  const { counts } = useMessages();
  const format = useFormat();
  return (
    <OrUnknown known={amount.count !== null}>
      {counts.files(format.count(amount.count ?? 0))} · <Bytes value={amount.bytes} />
    </OrUnknown>
  );
}

function DataChange({ effects }: { effects: Rollback | Restore }) {
  const { actionPage, fields } = useMessages();
  const { isPartitioned } = useOpenTable();
  const isKnown = effects.rows_delta !== null;
  return (
    <KeyValue
      items={[
        [actionPage.leaves, <Files key="v" amount={effects.files_leaving} />],
        [
          actionPage.returns,
          <span key="v">
            <Files amount={effects.files_returning} />{" "}
            {effects.files_returning.missing === 0 ? (
              <Badge tone="ok" glyph="✓">
                {actionPage.allPresent}
              </Badge>
            ) : (
              <Badge tone="danger" glyph="✕">
                {actionPage.missing(effects.files_returning.missing)}
              </Badge>
            )}
          </span>,
        ],
        [
          fields.rows,
          <OrUnknown key="v" known={isKnown}>
            <Count value={effects.rows_delta} signed />
          </OrUnknown>,
        ],
        [
          fields.bytes,
          <OrUnknown key="v" known={isKnown}>
            <BytesDelta value={effects.bytes_delta} />
          </OrUnknown>,
        ],
        isPartitioned && [
          fields.partitions,
          <OrUnknown key="v" known={isKnown}>
            <Count value={effects.partitions.length} />
          </OrUnknown>,
        ],
      ]}
    />
  );
}

function Stays({ effects, kept }: { effects: Rollback; kept: readonly string[] }) {
  const { actionPage, fields } = useMessages();
  return (
    <KeyValue
      items={[
        [fields.schema, `#${effects.schema_stays}`],
        [actionPage.kept, kept.length === 0 ? null : <KeptThings key="v" kept={kept} />],
        [
          actionPage.unreferenced,
          <OrUnknown key="v" known={effects.unreferenced_bytes !== null}>
            <Bytes value={effects.unreferenced_bytes} />
          </OrUnknown>,
        ],
        [actionPage.nextId, `#${effects.next_id}`],
      ]}
    />
  );
}

function Rewritten({ effects }: { effects: Compact }) {
  const { actionPage, fields } = useMessages();
  const format = useFormat();
  return (
    <KeyValue
      items={[
        [fields.buckets, actionPage.ofBuckets(effects.buckets.length, effects.buckets_in_scope)],
        [
          fields.files,
          `${format.count(effects.files_before)} → ${effects.files_after === null ? "?" : format.count(effects.files_after)}`,
        ],
        [actionPage.bytesRewritten, <Bytes key="v" value={effects.bytes_rewritten} />],
        [
          actionPage.estimate,
          effects.est_seconds === null
            ? actionPage.unknown(effects.est_reason)
            : format.duration(effects.est_seconds * 1000),
        ],
      ]}
    />
  );
}

function Written({ effects }: { effects: Write }) {
  const { actionPage, fields, writeModes } = useMessages();
  const { isPartitioned, summary } = useOpenTable();
  const isUpsert = effects.mode === "append" && summary.kind === "primary_key";
  return (
    <KeyValue
      items={[
        [actionPage.mode, writeModes[isUpsert ? "upsert" : effects.mode]],
        [actionPage.sourceFiles, <Count key="v" value={effects.source_files} />],
        [actionPage.sourceRows, <Count key="v" value={effects.source_rows} />],
        [actionPage.sourceBytes, <Bytes key="v" value={effects.source_bytes} />],
        isPartitioned && [fields.partitions, effects.partitions?.join(", ") || null],
        effects.mode === "overwrite" && [
          actionPage.filesRemoved,
          <Count key="v" value={effects.files_removed} />,
        ],
        effects.mode === "overwrite" && [
          actionPage.bytesRemoved,
          <Bytes key="v" value={effects.bytes_removed} />,
        ],
        effects.mode === "overwrite" && [
          actionPage.rowsRemoved,
          <Count key="v" value={effects.rows_removed} />,
        ],
      ]}
    />
  );
}

/** How a materialized table gets its rows. */
function Refreshed({ effects }: { effects: Refresh }) {
  const { actionPage, typePage } = useMessages();
  const isFull = effects.mode === "full";
  return (
    <KeyValue
      items={[
        [actionPage.mode, actionPage.refreshModes[effects.mode]],
        [typePage.freshness, effects.freshness],
        [actionPage.lastCommit, <Timestamp key="v" value={effects.last_commit_at} />],
        isFull && [actionPage.filesRemoved, <Count key="v" value={effects.files_removed} />],
        isFull && [actionPage.bytesRemoved, <Bytes key="v" value={effects.bytes_removed} />],
        isFull && [actionPage.rowsRemoved, <Count key="v" value={effects.rows_removed} />],
      ]}
    />
  );
}

/** What a write leaves as it is, and what its undo leaves. */
function Untouched({ effects, kept }: { effects: Write; kept: readonly string[] }) {
  const { actionPage } = useMessages();
  const change = effects.schema_change;
  return (
    <KeyValue
      items={[
        [actionPage.kept, <KeptThings key="v" kept={kept} />],
        change !== null && [actionPage.notUndone, actionPage.schemaStays(String(change.to))],
      ]}
    />
  );
}

/** Who reads the branch and who else writes it. */
function Concerned({ effects }: { effects: Write | Refresh }) {
  const { actionPage } = useMessages();
  const [consumers, writers] = [effects.consumers_affected, effects.writers_affected];
  if (consumers.length + writers.length === 0) return <p className="muted">{actionPage.nobodyAffected}</p>;
  return (
    <KeyValue
      items={[
        consumers.length > 0 && [actionPage.consumersAffected, consumers.join(", ")],
        writers.length > 0 && [actionPage.writersAffected, writers.join(", ")],
      ]}
    />
  );
}

function Rows({ effects }: { effects: PlanEffects }) {
  switch (effects.kind) {
    case "rollback":
    case "restore":
      return effects.partitions.length > 1 ? <PartitionRows effects={effects} /> : null;
    case "compact":
      return effects.buckets.length > 0 ? <BucketRows effects={effects} /> : null;
    case "write":
      return (
        <>
          {effects.schema_change !== null && <SchemaRows change={effects.schema_change} />}
          {effects.schema_fit.length > 0 && <FitRows effects={effects} />}
        </>
      );
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
