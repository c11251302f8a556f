import { expect, test } from "vitest";
import { foldUnchanged, type DiffRow } from "./diffRows";

function row(id: string, changed = false, depth = 0): DiffRow {
  const side = { name: id, type: "INT" };
  return {
    id,
    depth,
    from: side,
    to: side,
    marks: changed ? [{ tone: "ok", glyph: "+", text: "added" }] : [],
  };
}

test("unchanged rows between changes fold together", () => {
  const folded = foldUnchanged([row("a", true), row("b"), row("c"), row("d", true)]);
  expect(folded.map((part) => (part.kind === "fold" ? part.rows.map((r) => r.id) : part.row.id))).toEqual([
    "a",
    ["b", "c"],
    "d",
  ]);
});

test("one unchanged row alone is not worth a fold", () => {
  expect(foldUnchanged([row("a", true), row("b")]).map((part) => part.kind)).toEqual(["row", "row"]);
});

test("what a changed row is nested in stands beside it, its unchanged siblings fold", () => {
  const nested = [row("x", false, 1), row("y", false, 1), row("z", true, 1)];
  const folded = foldUnchanged([row("a"), row("b"), row("parent"), ...nested, row("c")]);
  expect(folded.map((part) => (part.kind === "fold" ? part.rows.map((r) => r.id) : part.row.id))).toEqual([
    ["a", "b"],
    "parent",
    ["x", "y"],
    "z",
    "c",
  ]);
});
