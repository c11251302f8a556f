import { expect, test } from "vitest";
import { foldUnchanged, type DiffRow } from "./DiffView";

function row(id: string, changed = false): DiffRow {
  const side = { name: id, type: "INT" };
  return {
    id,
    depth: 0,
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
