import { useMemo, type ReactNode } from "react";
import { useMessages } from "../i18n";
import styles from "./Grid.module.css";
import type { GridColumn } from "./gridColumns";
import { Icon } from "./Icon";
import { flattenTree, type TreeRow, type TreeShape } from "./treeRows";
import { VirtualGrid, type RowTraits } from "./VirtualGrid";

interface TreeGridProps<Node> {
  readonly label: string;
  readonly roots: readonly Node[];
  readonly shape: TreeShape<Node>;
  readonly expanded: ReadonlySet<string>;
  readonly onToggle: (id: string, node: Node) => void;
  /** The first column is indented and holds the toggles. */
  readonly columns: readonly GridColumn<Node>[];
  readonly onOpen?: (node: Node) => void;
  readonly tone?: (node: Node) => RowTraits["tone"];
  readonly height?: string;
  readonly footer?: ReactNode;
}

const INDENT = 18;

/** A tree with columns: right opens, left closes or goes to the parent, the rest as in a grid. */
export function TreeGrid<Node>(props: TreeGridProps<Node>) {
  const { roots, shape, expanded, onToggle, columns, onOpen, tone } = props;
  const rows = useMemo(() => flattenTree(roots, shape, expanded), [roots, shape, expanded]);
  const treeColumns = columns.map((column, at) => treeColumn(column, at === 0 ? onToggle : null));
  const onRowKey = (key: string, row: TreeRow<Node>): boolean => {
    const opens = key === "ArrowRight" && row.expandable && !row.expanded;
    const closes = key === "ArrowLeft" && row.expanded;
    if (opens || closes) onToggle(row.id, row.node);
    return opens || closes;
  };
  return (
    <VirtualGrid
      role="treegrid"
      label={props.label}
      columns={treeColumns}
      rows={rows}
      rowKey={(row) => row.id}
      onOpen={(row) => (row.expandable ? onToggle(row.id, row.node) : onOpen?.(row.node))}
      onRowKey={onRowKey}
      traits={(row) => ({
        level: row.depth + 1,
        ...(row.expandable && { expanded: row.expanded }),
        tone: tone?.(row.node),
      })}
      {...(props.height !== undefined && { height: props.height })}
      footer={props.footer}
    />
  );
}

/** A column of nodes as a column of tree rows; the first one carries indent and toggle. */
function treeColumn<Node>(
  { text, cell, ...column }: GridColumn<Node>,
  onToggle: TreeGridProps<Node>["onToggle"] | null,
): GridColumn<TreeRow<Node>> {
  return {
    ...column,
    cell: (row) => (
      <>
        {onToggle && <Toggle row={row} onToggle={() => onToggle(row.id, row.node)} />}
        {cell(row.node)}
      </>
    ),
    ...(text && { text: (row: TreeRow<Node>) => text(row.node) }),
  };
}

function Toggle<Node>({ row, onToggle }: { row: TreeRow<Node>; onToggle: () => void }) {
  const { ui } = useMessages();
  return (
    <>
      <span style={{ width: row.depth * INDENT, flex: "none" }} />
      <button
        type="button"
        className={styles["toggle"]}
        tabIndex={-1}
        data-secondary
        aria-hidden={!row.expandable}
        aria-label={row.expanded ? ui.collapse : ui.expand}
        onClick={onToggle}
      >
        <Icon name={row.expanded ? "chevronDown" : "chevronRight"} />
      </button>
    </>
  );
}
