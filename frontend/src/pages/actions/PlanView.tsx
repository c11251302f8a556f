import type { ReactNode } from "react";
import type { Plan, PlanEffects } from "../../api/jobs";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Bytes, BytesDelta } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { KeyValue } from "../../ui/KeyValue";
import { PlanSummary, type PlanBlock } from "../../ui/PlanSummary";
import { Timestamp } from "../../ui/Timestamp";
import { Concerned } from "./Concerned";
import { Added, Expired, Freed, KeptThings, Moved, Named, Rules, SnapshotList } from "./HistoryEffects";
import { PlanRows } from "./PlanRows";
import { useUpkeepBlocks } from "./UpkeepEffects";

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
      <PlanRows effects={effects} />
    </>
  );
}

type Rollback = Extract<PlanEffects, { kind: "rollback" }>;
type Compact = Extract<PlanEffects, { kind: "compact" | "vectors" }>;
type Write = Extract<PlanEffects, { kind: "write" }>;
type Refresh = Extract<PlanEffects, { kind: "refresh" }>;
type Restore = Extract<PlanEffects, { kind: "restore" }>;

function useBlocks(plan: Plan): PlanBlock[] {
  const { actionPage } = useMessages();
  const { effects } = plan;
  const upkeepBlocks = useUpkeepBlocks();
  const block = (title: string, content: ReactNode): PlanBlock => ({ title, content });
  switch (effects.kind) {
    case "rollback":
      return [
        block(actionPage.historyRemoved, <RemovedHistory effects={effects} />),
        block(actionPage.dataChange, <DataChange effects={effects} />),
        block(actionPage.stays, <Stays effects={effects} kept={plan.kept} />),
      ];
    case "compact":
    case "vectors":
      return [
        block(actionPage.rewritten, <Rewritten effects={effects} />),
        block(actionPage.stays, <KeptThings kept={plan.kept} />),
        block(actionPage.affected, <Rivals effects={effects} />),
      ];
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
    default:
      return upkeepBlocks(plan, effects);
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
        [actionPage.peakBytes, actionPage.atMost(format.bytes(effects.peak_bytes))],
        effects.marked_files > 0 && [
          actionPage.materialised,
          actionPage.marked(format.count(effects.marked_rows), format.count(effects.marked_files)),
        ],
        [
          actionPage.estimate,
          effects.est_seconds === null
            ? actionPage.unknown(effects.est_reason)
            : effects.est_seconds_low === null || effects.est_seconds_high === null
              ? format.duration(effects.est_seconds * 1000)
              : actionPage.estimated(
                  format.duration(effects.est_seconds * 1000),
                  format.duration(effects.est_seconds_low * 1000),
                  format.duration(effects.est_seconds_high * 1000),
                ),
        ],
      ]}
    />
  );
}

const RISKS = { none: ["ok", "✓"], low: ["ok", "✓"], high: ["warn", "⚠"] } as const;

/** Whom a compaction may meet. */
function Rivals({ effects }: { effects: Compact }) {
  const { actionPage } = useMessages();
  const [tone, glyph] = RISKS[effects.conflict_risk];
  return (
    <KeyValue
      items={[
        [actionPage.commitsLastHour, <Count key="v" value={effects.commits_last_hour} />],
        [
          actionPage.conflictRisk,
          <Badge key="v" tone={tone} glyph={glyph}>
            {actionPage.conflictRisks[effects.conflict_risk]}
          </Badge>,
        ],
        effects.rivals.length > 0 && [actionPage.rivals, effects.rivals.join(", ")],
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
        effects.views.length > 0 && [
          typePage.viewsRead,
          effects.views.map((view) => (
            <details key={view.name}>
              <summary>
                <code>{view.name}</code>
              </summary>
              <pre style={{ whiteSpace: "pre-wrap" }}>{view.query}</pre>
            </details>
          )),
        ],
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
