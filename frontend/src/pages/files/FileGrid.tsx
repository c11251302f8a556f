import { filesQuery, type DataFile } from "../../api/tables";
import { BucketLink, LevelMark } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { toApiFilters } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import type { FilterField } from "../../ui/FilterBar";
import type { GridColumn } from "../../ui/gridColumns";

export function FileGrid() {
  const { files } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  return (
    <ListGrid
      label={files.live}
      query={filesQuery(ref, pin, { sort, ...toApiFilters(filters) })}
      columns={useFileColumns()}
      rowKey={(file) => file.name}
      filters={useFileFilters()}
      empty={{ title: files.none, detail: files.noneDetail }}
      opens="file"
      hidden={["format", "max_sequence_number"]}
    />
  );
}

function useFileColumns(): GridColumn<DataFile>[] {
  const { fields, changes, files } = useMessages();
  const format = useFormat();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  const deleted = (file: DataFile) =>
    file.deletes === null || file.rows === 0 ? null : format.percent(file.deletes / file.rows);
  return [
    make.identifier("name", fields.file, (f) => f.name, { sortable: true }),
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
    make.bytes("bytes", fields.size, (f) => f.bytes, { sortable: true }),
    make.count("rows", fields.rows, (f) => f.rows, { sortable: true }),
    make.text("deletes", files.deletedShare, deleted, { width: 80, align: "end", sortable: true }),
    make.text("min_key", fields.minKey, (f) => f.min_key),
    make.text("max_key", fields.maxKey, (f) => f.max_key),
    make.count("schema_id", fields.schema, (f) => f.schema_id, { width: 80, sortable: true }),
    make.text("source", fields.source, (f) => (f.source ? changes.sources[f.source] : null), {
      width: 110,
      sortable: true,
    }),
    make.text("index", fields.index, (f) => [...f.index, ...(f.dv ? ["dv"] : [])].join(", "), { width: 90 }),
    make.text("format", fields.format, (f) => f.format, { width: 80, sortable: true }),
    make.text("max_sequence_number", files.maxSequence, (f) => f.max_sequence_number, { sortable: true }),
    make.time("created_at", fields.created, (f) => f.created_at, { sortable: true }),
  ];
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
  ];
}
