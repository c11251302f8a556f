import { expect, test } from "vitest";
import { flattenTree } from "./treeRows";

interface Node {
  id: string;
  children?: Node[];
}

const shape = {
  idOf: (node: Node) => node.id,
  expandable: (node: Node) => node.children !== undefined,
  childrenOf: (node: Node) => node.children,
};
const tree: Node[] = [{ id: "a", children: [{ id: "b", children: [{ id: "c" }] }] }, { id: "d" }];
const ids = (expanded: string[]) => flattenTree(tree, shape, new Set(expanded)).map((row) => row.id);

test("a closed tree shows its roots", () => expect(ids([])).toEqual(["a", "d"]));
test("children follow their parent", () => expect(ids(["a"])).toEqual(["a", "b", "d"]));
test("an open node below a closed one stays hidden", () => expect(ids(["b"])).toEqual(["a", "d"]));

test("rows know their depth and their parent's row", () => {
  const rows = flattenTree(tree, shape, new Set(["a", "b"]));
  expect(rows.map((row) => [row.depth, row.parent])).toEqual([
    [0, -1],
    [1, 0],
    [2, 1],
    [0, -1],
  ]);
});
