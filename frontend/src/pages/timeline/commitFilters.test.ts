import { expect, test } from "vitest";
import type { Snapshot } from "../../api/tables";
import { idsOf, matches } from "./commitFilters";

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
