import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasAction, hasSnapshots, hasTab } from "./tableTypes";

/** What can be done with each type: the table that the tests of catalogs and of the console read, too. */
const section = readFileSync("../docs/catalogs.md", "utf-8").split("## Types of tables")[1] ?? "";
const [heads = [], , ...rows] = section
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").map((cell) => cell.trim()));
const TYPES = rows.slice(0, 6).map((cells) => {
  const type = (cells[1] ?? "").replaceAll("`", "");
  return { type, can: (operation: string) => cells[heads.indexOf(operation)] === "yes" };
});

test.each(TYPES)("tabs of a $type are about what it has", ({ type, can }) => {
  expect(hasSnapshots(type)).toBe(can("snapshots"));
  expect(hasTab(type, "timeline")).toBe(can("snapshots"));
  expect(hasTab(type, "data")).toBe(can("read"));
  expect(hasTab(type, "schemas")).toBe(can("listed and shown"));
});

test("every type is told", () => {
  expect(TYPES.map(({ type }) => type)).toContain("iceberg-table");
  expect(TYPES.filter(({ can }) => can("snapshots"))).toHaveLength(2);
});

test("an action stands at the types that it is for", () => {
  const types = ["table", "materialized-table", "format-table", "object-table"];
  expect(types.map((type) => hasAction(type, "refresh"))).toEqual([false, true, false, false]);
  expect(types.map((type) => hasAction(type, "write"))).toEqual([true, true, true, false]);
  expect(types.map((type) => hasAction(type, "rollback"))).toEqual([true, true, false, false]);
});
