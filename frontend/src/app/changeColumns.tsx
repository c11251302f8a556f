import type { FileChange, IndexChange } from "../api/tables";
import { useMessages } from "../i18n";
import { Badge } from "../ui/Badge";
import type { FilterField } from "../ui/FilterBar";
import type { GridColumn } from "../ui/gridColumns";
import { LevelMark } from "./cells";
import { useColumnMakers } from "./columns";
import { useOpenTable } from "./table";

/** The columns of manifest entries: which file came or went, and what is in it. */
export function useChangeColumns(): GridColumn<FileChange>[] {
  const { fields, changes } = useMessages();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  return [
    make.text("change", fields.change, (c) => c.change, {
      width: 110,
      sortable: true,
      cell: (c) => <ChangeMark change={c} />,
    }),
    ...(isPartitioned
      ? [
          make.text<FileChange>("partition", fields.partition, (c) => c.partition, {
            width: 150,
            sortable: true,
          }),
        ]
      : []),
    make.count("bucket", fields.bucket, (c) => c.bucket, { width: 70, sortable: true }),
    make.text("level", fields.level, (c) => `L${c.level}`, {
      width: 70,
      sortable: true,
      cell: (c) => <LevelMark level={c.level} />,
    }),
    make.identifier("file", fields.file, (c) => c.file, { sortable: true }),
    make.bytes("bytes", fields.size, (c) => c.bytes, { sortable: true }),
    make.count("rows", fields.rows, (c) => c.rows, { sortable: true }),
    make.count("deletes", fields.deletes, (c) => c.deletes, { sortable: true }),
    make.text("min_key", fields.minKey, (c) => c.min_key),
    make.text("max_key", fields.maxKey, (c) => c.max_key),
    make.text("source", fields.source, (c) => (c.source ? changes.sources[c.source] : null), {
      width: 100,
      sortable: true,
    }),
    make.count("schema_id", fields.schema, (c) => c.schema_id, { width: 80, sortable: true }),
    make.time("created_at", fields.created, (c) => c.created_at, { sortable: true }),
    make.text("index", fields.index, (c) => c.index.join(", ")),
  ];
}

/** The columns of index files that came or went. */
export function useIndexChangeColumns(): GridColumn<IndexChange>[] {
  const { fields, changes, indexKinds } = useMessages();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  return [
    make.text("change", fields.change, (c) => c.change, {
      width: 110,
      sortable: true,
      cell: (c) => <Mark isAdded={c.change === "added"} />,
    }),
    make.text("kind", fields.kind, (c) => indexKinds(c.kind), { width: 150, sortable: true }),
    ...(isPartitioned
      ? [
          make.text<IndexChange>("partition", fields.partition, (c) => c.partition, {
            width: 150,
            sortable: true,
          }),
        ]
      : []),
    make.text("bucket", fields.bucket, (c) => String(c.bucket), { width: 70, sortable: true }),
    make.identifier("name", fields.file, (c) => c.name, { sortable: true }),
    make.bytes("bytes", fields.size, (c) => c.bytes, { sortable: true }),
    make.count("rows", changes.entries, (c) => c.rows, { sortable: true }),
  ];
}

function ChangeMark({ change }: { change: FileChange }) {
  const { changes } = useMessages();
  if (change.change === "moved") {
    return (
      <Badge tone="moved" glyph="↕">
        {changes.moved(change.moved_from_level ?? 0, change.level)}
      </Badge>
    );
  }
  return <Mark isAdded={change.change === "added"} />;
}

function Mark({ isAdded }: { isAdded: boolean }) {
  const { changes } = useMessages();
  return isAdded ? (
    <Badge tone="ok" glyph="+">
      {changes.added}
    </Badge>
  ) : (
    <Badge tone="danger" glyph="−">
      {changes.deleted}
    </Badge>
  );
}

export function useIndexChangeFilters(): FilterField[] {
  const { fields, changes, files } = useMessages();
  return [
    ...useCommonFilters(),
    { id: "kind", label: fields.kind },
    { id: "name", label: fields.file, placeholder: files.nameHint, extra: true },
    { id: "bytes", label: fields.size, placeholder: files.sizeHint, extra: true },
    { id: "rows", label: changes.entries, extra: true },
  ];
}

export function useChangeFilters(): FilterField[] {
  const { fields, changes, files } = useMessages();
  return [
    ...useCommonFilters(),
    { id: "level", label: fields.level },
    { id: "source", label: fields.source, options: Object.entries(changes.sources) },
    { id: "file", label: fields.file, placeholder: files.nameHint, extra: true },
    { id: "bytes", label: fields.size, placeholder: files.sizeHint, extra: true },
    { id: "rows", label: fields.rows, extra: true },
    { id: "deletes", label: fields.deletes, extra: true },
    { id: "schema_id", label: fields.schema, extra: true },
    { id: "created_at", label: fields.created, placeholder: changes.createdHint, extra: true },
  ];
}

/** What index files and data files are both filtered by. */
function useCommonFilters(): FilterField[] {
  const { fields, changes } = useMessages();
  const { isPartitioned } = useOpenTable();
  return [
    ...(isPartitioned ? [{ id: "partition", label: fields.partition }] : []),
    { id: "bucket", label: fields.bucket },
    {
      id: "change",
      label: fields.change,
      options: [
        ["added", changes.added],
        ["deleted", changes.deleted],
        ["moved", changes.movedWord],
      ],
    },
  ];
}
