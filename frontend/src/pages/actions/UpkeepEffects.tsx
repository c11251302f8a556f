import type { ReactNode } from "react";
import type { Plan, PlanEffects } from "../../api/jobs";
import { useColumnMakers } from "../../app/columns";
import { useFormat, useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { DataGrid } from "../../ui/DataGrid";
import { KeyValue } from "../../ui/KeyValue";
import type { PlanBlock } from "../../ui/PlanSummary";
import { Concerned } from "./Concerned";
import { KeptThings } from "./HistoryEffects";

// What plans of partitions, options, file indexes, manifests and statistics do.

type Of<Kind extends PlanEffects["kind"]> = Extract<PlanEffects, { kind: Kind }>;
export type Upkeep = Of<"partitions"> | Of<"options"> | Of<"file_index"> | Of<"manifests"> | Of<"analyze">;

/** Effects, what stays, and who is affected: the parts of each of these plans. */
export function useUpkeepBlocks(): (plan: Plan, effects: Upkeep) => PlanBlock[] {
  const { actionPage, upkeep } = useMessages();
  return (plan, effects) => [
    { title: upkeep.effectsOf[effects.kind], content: effectsOf(effects) },
    {
      title: actionPage.stays,
      content: <Stays effects={effects} kept={plan.kept} />,
    },
    { title: actionPage.affected, content: <Concerned effects={effects} /> },
  ];
}

function effectsOf(effects: Upkeep): ReactNode {
  switch (effects.kind) {
    case "partitions":
      return <Partitions effects={effects} />;
    case "options":
      return <Options effects={effects} />;
    case "file_index":
      return <FileIndex effects={effects} />;
    case "manifests":
      return <Manifests effects={effects} />;
    case "analyze":
      return <Analyzed effects={effects} />;
  }
}

/** What is left as it is, and what coming back does not bring back. */
function Stays({ effects, kept }: { effects: Upkeep; kept: readonly string[] }) {
  const { actionPage, upkeep } = useMessages();
  const note = upkeep.notUndone[effects.kind === "partitions" ? effects.action : effects.kind];
  return (
    <KeyValue
      items={[
        [actionPage.kept, <KeptThings key="v" kept={kept} />],
        [actionPage.notUndone, note],
      ]}
    />
  );
}

function Partitions({ effects }: { effects: Of<"partitions"> }) {
  const { actionPage, fields, upkeep } = useMessages();
  const format = useFormat();
  const { rule } = effects;
  return (
    <KeyValue
      items={[
        [actionPage.what, upkeep.partitionActions[effects.action]],
        [
          fields.partitions,
          upkeep.partitionsOf(format.count(effects.count), format.count(effects.count + effects.others)),
        ],
        [fields.files, <Count key="v" value={effects.files} />],
        [fields.bytes, <Bytes key="v" value={effects.bytes} />],
        [upkeep.rowsInFiles, <Count key="v" value={effects.rows} />],
        rule !== null && [
          upkeep.olderThan,
          rule.age_seconds === null ? null : format.duration(rule.age_seconds * 1000),
        ],
        rule !== null && [upkeep.toldBy, upkeep.strategies[rule.strategy]],
      ]}
    />
  );
}

function Options({ effects }: { effects: Of<"options"> }) {
  const { fields, upkeep } = useMessages();
  return (
    <KeyValue
      items={[
        [upkeep.changes, <Count key="v" value={effects.changes.length} />],
        [fields.schema, `#${effects.schema} → #${effects.next_schema}`],
      ]}
    />
  );
}

function FileIndex({ effects }: { effects: Of<"file_index"> }) {
  const { fields, upkeep, counts } = useMessages();
  const format = useFormat();
  const told = (indexes: Of<"file_index">["added"]) =>
    indexes.map(({ index, files }) => `${index}: ${counts.files(format.count(files))}`).join(", ") || null;
  return (
    <KeyValue
      items={[
        [fields.files, upkeep.filesOf(format.count(effects.files), format.count(effects.files_in_scope))],
        [upkeep.indexesMade, told(effects.added)],
        [upkeep.indexesDropped, told(effects.dropped)],
        [upkeep.bytesRead, <Bytes key="v" value={effects.bytes_to_read} />],
      ]}
    />
  );
}

function Manifests({ effects }: { effects: Of<"manifests"> }) {
  const { upkeep } = useMessages();
  const format = useFormat();
  return (
    <KeyValue
      items={[
        [upkeep.manifests, `${format.count(effects.manifests)} → ${format.count(effects.manifests_after)}`],
        [upkeep.manifestsRewritten, <Count key="v" value={effects.rewritten} />],
        [
          upkeep.bytesRewritten,
          <span key="v">
            <Bytes value={effects.rewritten_bytes} /> / <Bytes value={effects.bytes} />
          </span>,
        ],
        [upkeep.deletedEntries, <Count key="v" value={effects.deleted_entries} />],
        [upkeep.targetSize, <Bytes key="v" value={effects.target_bytes} />],
      ]}
    />
  );
}

function Analyzed({ effects }: { effects: Of<"analyze"> }) {
  const { fields, upkeep, ui } = useMessages();
  return (
    <KeyValue
      items={[
        [upkeep.columns, effects.columns.join(", ") || upkeep.none],
        effects.left_out.length > 0 && [upkeep.withoutStatistics, effects.left_out.join(", ")],
        [fields.files, <Count key="v" value={effects.files} />],
        [upkeep.bytesRead, <Bytes key="v" value={effects.bytes} />],
        [upkeep.rowsInFiles, <Count key="v" value={effects.rows} />],
        effects.has_statistics && [upkeep.replacesStatistics, ui.yes],
      ]}
    />
  );
}

/** The partitions or options one by one. */
export function UpkeepRows({ effects }: { effects: Of<"partitions"> | Of<"options"> }) {
  if (effects.kind === "options") return <OptionRows effects={effects} />;
  return effects.partitions.length > 0 ? <PartitionRows effects={effects} /> : null;
}

function PartitionRows({ effects }: { effects: Of<"partitions"> }) {
  const { fields, upkeep } = useMessages();
  const make = useColumnMakers();
  type Row = Of<"partitions">["partitions"][number];
  const columns = [
    make.text<Row>("partition", fields.partition, (p) => p.partition, { width: 200, grow: 2 }),
    make.count<Row>("files", fields.files, (p) => p.files),
    make.bytes<Row>("bytes", fields.bytes, (p) => p.bytes),
    make.count<Row>("rows", upkeep.rowsInFiles, (p) => p.rows),
    make.text<Row>("updated", upkeep.lastFile, (p) => p.updated.replace("T", " "), { width: 170 }),
  ];
  return (
    <DataGrid
      label={fields.partitions}
      columns={columns}
      rows={effects.partitions}
      rowKey={(p) => p.partition}
      height="40vh"
      note={
        effects.count > effects.partitions.length ? upkeep.firstOnly(effects.partitions.length) : undefined
      }
    />
  );
}

function OptionRows({ effects }: { effects: Of<"options"> }) {
  const { actionPage, fields, upkeep } = useMessages();
  const make = useColumnMakers();
  type Row = Of<"options">["changes"][number];
  const columns = [
    make.text<Row>("key", fields.option, (o) => o.key, { width: 260, cell: (o) => <code>{o.key}</code> }),
    make.text<Row>("before", actionPage.before, (o) => o.before ?? upkeep.unset(o.default), {
      width: 170,
      cell: (o) => <Value value={o.before} or={o.default} />,
    }),
    make.text<Row>("after", actionPage.after, (o) => o.after ?? upkeep.unset(o.default), {
      width: 170,
      cell: (o) => <Value value={o.after} or={o.default} />,
    }),
    make.text<Row>("description", fields.description, (o) => o.description, { width: 280, grow: 3 }),
  ];
  return (
    <DataGrid
      label={upkeep.changes}
      columns={columns}
      rows={effects.changes}
      rowKey={(o) => o.key}
      height="40vh"
    />
  );
}

function Value({ value, or }: { value: string | null; or: string | null }) {
  const { upkeep } = useMessages();
  return value === null ? <span className="muted">{upkeep.unset(or)}</span> : <code>{value}</code>;
}
