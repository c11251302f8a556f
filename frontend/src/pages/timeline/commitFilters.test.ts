import { expect, test } from "vitest";
import type { Snapshot } from "../../api/tables";
import { idsOf, matches, sortCommits } from "./commitFilters";

const COMMIT = {
  kind: "append",
  commit_user: "flink-a",
  operation: "WRITE",
  schema_id: 3,
  committed_at: "2026-11-20T10:00:00.000Z",
} as Snapshot;

test("a range is two ids, and anything else is none", () => {
  expect(idsOf("12-40")).toEqual([12, 40]);
  expect([idsOf("12"), idsOf("a-b"), idsOf(undefined)]).toEqual([null, null, null]);
});

test("commits are found by their time, from one instant on and before another", () => {
  const passes = (filters: Record<string, string>) => matches(COMMIT, filters);
  expect(passes({ after: "2026-11-20T10:00Z", before: "2026-11-20T10:01Z" })).toBe(true);
  expect([passes({ after: "2026-11-20T10:01Z" }), passes({ before: "2026-11-20T10:00Z" })]).toEqual([
    false,
    false,
  ]);
  expect(passes({ after: "no time" })).toBe(true);
});

test("commits are found by operation, kind, user and schema", () => {
  expect(matches(COMMIT, { operation: "write", kind: "append", user: "flink", schema: "3" })).toBe(true);
  expect(matches(COMMIT, { operation: "compact" })).toBe(false);
});

test("commits are sorted by any column, what is not known last either way", () => {
  const rows = [4, null, 9].map((delta_rows, id) => ({ ...COMMIT, id, delta_rows }) as Snapshot);
  const ids = (sort: string | undefined) => sortCommits(rows, sort).map((row) => row.id);
  expect([ids("delta_rows"), ids("-delta_rows")]).toEqual([
    [0, 2, 1],
    [2, 0, 1],
  ]);
  expect([ids(undefined), ids("no such column")]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
});
