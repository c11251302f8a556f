import { useState } from "react";
import { filesQuery, type DataFile } from "../../api/tables";
import { BucketLink, KindBadge, LevelMark, SnapshotLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { toApiFilters } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import type { FilterField } from "../../ui/FilterBar";
import type { GridColumn } from "../../ui/gridColumns";
import { useNow } from "../../ui/Timestamp";
import { useStatisticsColumns, withStatistics } from "./ColumnStatistics";

export function FileGrid() {
  const { files } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort, stats } = usePageSearch();
  const [filters] = useFilters();
  // Looked for in the history only where somebody wants to see it.
  const [born, setBorn] = useState<true | undefined>();
  return (
    <ListGrid
      label={files.live}
      query={filesQuery(ref, pin, { sort, born, stats, ...toApiFilters(filters) })}
      onColumns={(ids) => setBorn(ids.has("born") || undefined)}
      columns={withStatistics(useFileColumns(), useStatisticsColumns())}
      rowKey={(file) => file.name}
      filters={useFileFilters()}
      empty={{ title: files.none, detail: files.noneDetail }}
      opens="file"
      hidden={["path", "format", "max_sequence_number", "born", "created_at"]}
    />
  );
}

function useFileColumns(): GridColumn<DataFile>[] {
  const { fields, changes, files } = useMessages();
  const format = useFormat();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  const now = useNow(60_000);
  const deleted = (file: DataFile) =>
    file.deletes === null || file.rows === 0 ? null : format.percent(file.deletes / file.rows);
  return [
    make.identifier("name", fields.file, (f) => f.name, { sortable: true, width: 230 }),
    ...(isPartitioned
      ? [
          make.text<DataFile>("partition", fields.partition, (f) => f.partition, {
            width: 150,
            sortable: true,
          }),
        ]
      : []),
    make.text("bucket", fields.bucket, (f) => String(f.bucket), {
      width: 70,
      sortable: true,
      cell: (f) => <BucketLink partition={f.partition} bucket={f.bucket} />,
    }),
    make.text("level", fields.level, (f) => `L${f.level}`, {
      width: 70,
      sortable: true,
      cell: (f) => <LevelMark level={f.level} />,
    }),
    make.bytes("bytes", fields.size, (f) => f.bytes, { sortable: true, width: 84 }),
    make.count("rows", fields.rows, (f) => f.rows, { sortable: true, width: 76 }),
    make.text("deletes", files.deletedShare, deleted, { width: 72, align: "end", sortable: true }),
    make.text("min_key", fields.minKey, (f) => f.min_key, { width: 92 }),
    make.text("max_key", fields.maxKey, (f) => f.max_key, { width: 92 }),
    make.count("schema_id", fields.schema, (f) => f.schema_id, { width: 76, sortable: true }),
    make.text("source", fields.source, (f) => (f.source ? changes.sources[f.source] : null), {
      width: 102,
      sortable: true,
    }),
    make.text("index", fields.index, (f) => [...f.index, ...(f.dv ? ["dv"] : [])].join(", "), { width: 74 }),
    make.text("format", fields.format, (f) => f.format, { width: 80, sortable: true }),
    make.text("max_sequence_number", files.maxSequence, (f) => f.max_sequence_number, { sortable: true }),
    make.time("created_at", fields.created, (f) => f.created_at, { sortable: true, exact: true }),
    make.text(
      "age",
      fields.age,
      (f) => (f.created_at === null ? null : format.duration(Math.max(0, now - Date.parse(f.created_at)))),
      { width: 90, align: "end" },
    ),
    make.text<DataFile>("born", files.born, (f) => (f.born ? `#${f.born.id}` : null), {
      width: 150,
      cell: (f) => (f.born ? <Born commit={f.born} /> : "–"),
    }),
    make.identifier("path", fields.path, (f) => f.path),
  ];
}

function Born({ commit }: { commit: NonNullable<DataFile["born"]> }) {
  return (
    <>
      <SnapshotLink id={commit.id} identity={commit.ref} /> <KindBadge kind={commit.kind} />
    </>
  );
}

function useFileFilters(): FilterField[] {
  const { fields, changes, files } = useMessages();
  const { isPartitioned } = useOpenTable();
  return [
    ...(isPartitioned ? [{ id: "partition", label: fields.partition }] : []),
    { id: "bucket", label: fields.bucket },
    { id: "level", label: fields.level },
    { id: "bytes", label: fields.size, placeholder: files.sizeHint },
    { id: "source", label: fields.source, options: Object.entries(changes.sources) },
    { id: "schema_id", label: fields.schema, extra: true },
    { id: "created_at", label: fields.created, placeholder: changes.createdHint, extra: true },
    { id: "rows", label: fields.rows, extra: true },
    { id: "name", label: fields.file, placeholder: files.nameHint, extra: true },
  ];
}
