export interface TreeRow<Node> {
  readonly node: Node;
  readonly id: string;
  readonly depth: number; // 0 for roots
  readonly parent: number; // index of the parent row, -1 for roots
  readonly expandable: boolean;
  readonly expanded: boolean;
}

export interface TreeShape<Node> {
  readonly idOf: (node: Node) => string;
  readonly expandable: (node: Node) => boolean;
  /** The children, or undefined while they are not loaded. */
  readonly childrenOf: (node: Node) => readonly Node[] | undefined;
}

/** The rows of a tree in reading order, with only the expanded parts opened. */
export function flattenTree<Node>(
  roots: readonly Node[],
  shape: TreeShape<Node>,
  expanded: ReadonlySet<string>,
): TreeRow<Node>[] {
  const rows: TreeRow<Node>[] = [];
  const visit = (nodes: readonly Node[], depth: number, parent: number): void => {
    for (const node of nodes) {
      const id = shape.idOf(node);
      const expandable = shape.expandable(node);
      const open = expandable && expanded.has(id);
      const at = rows.push({ node, id, depth, parent, expandable, expanded: open }) - 1;
      if (open) visit(shape.childrenOf(node) ?? [], depth + 1, at);
    }
  };
  visit(roots, 0, -1);
  return rows;
}
