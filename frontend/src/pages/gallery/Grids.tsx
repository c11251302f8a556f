import { useState } from "react";
import { DataGrid, type GridColumn } from "../../ui/DataGrid";
import { LevelMark } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { TreeGrid } from "../../ui/TreeGrid";

interface Row {
  readonly id: number;
  readonly name: string;
  readonly level: number;
  readonly bytes: number;
}

const ROWS: readonly Row[] = Array.from({ length: 100_000 }, (_, id) => ({
  id,
  name: `data-${(id * 2_654_435_761) % 4_294_967_296}-${id}.parquet`,
  level: id % 6,
  bytes: ((id * 7919) % 1000) * 2 ** 18,
}));

interface Node {
  readonly id: string;
  readonly size: number;
  readonly children: readonly Node[];
}

const leaf = (id: string, size: number): Node => ({ id, size, children: [] });
const TREE: readonly Node[] = [
  { id: "base list", size: 9800, children: [leaf("manifest-a1", 7_900_000), leaf("manifest-b7", 12_100)] },
  { id: "delta list", size: 1100, children: [leaf("manifest-c3", 4100)] },
];

/** A grid of 100,000 rows and a tree-grid. */
export function Grids() {
  const make = useColumnMakers();
  const [sort, setSort] = useState<string | undefined>("name");
  const [open, setOpen] = useState<number | null>(3);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set(["base list"]));
  const columns: GridColumn<Row>[] = [
    make.identifier("name", "file", (row) => row.name, { sortable: true }),
    make.text("level", "level", (row) => `L${row.level}`, {
      sortable: true,
      cell: (row) => <LevelMark level={row.level} />,
    }),
    make.bytes("bytes", "size", (row) => row.bytes, { sortable: true }),
  ];
  const treeColumns: GridColumn<Node>[] = [
    make.text("name", "name", (node) => node.id, { width: 240 }),
    make.bytes("size", "size", (node) => node.size),
  ];
  return (
    <>
      <DataGrid
        label="Files"
        columns={columns}
        rows={ROWS}
        rowKey={(row) => String(row.id)}
        sort={sort}
        onSort={setSort}
        onOpen={(row) => setOpen(row.id)}
        isOpen={(row) => row.id === open}
        tone={(row) => (row.id === 5 ? "danger" : row.id === 6 ? "warn" : undefined)}
        height="320px"
      />
      <TreeGrid
        label="Manifests"
        roots={TREE}
        shape={{
          idOf: (node) => node.id,
          expandable: (node) => node.children.length > 0,
          childrenOf: (node) => node.children,
        }}
        expanded={expanded}
        onToggle={(id) =>
          setExpanded(
            expanded.has(id)
              ? new Set([...expanded].filter((other) => other !== id))
              : new Set([...expanded, id]),
          )
        }
        columns={treeColumns}
      />
    </>
  );
}
