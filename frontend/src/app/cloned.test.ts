import { expect, test } from "vitest";
import { clonedSearch } from "./cloned";

const given = (search: object) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

test("a cloned compaction has its scope one a line", () => {
  const params = {
    strategy: "minor",
    partitions: ["dt=1", "dt=2"],
    buckets: [0, 3],
    idle_time: "1 d",
    order_by: null,
  };
  expect(given(clonedSearch("compact", params))).toEqual({
    "f.strategy": "minor",
    "f.partition": "dt=1\ndt=2",
    "f.bucket": "0\n3",
    "f.idle_time": "1 d",
  });
});

test("targets come back as the forms write them", () => {
  expect(given(clonedSearch("rollback", { to: { tag: "v2" }, guard: false }))).toEqual({
    to: "tag:v2",
    "f.guard": "no",
  });
  expect(given(clonedSearch("rollback", { to: { time: "2026-11-20T10:31:07Z" } }))).toEqual({
    to: "time:2026-11-20T10:31:07Z",
  });
  expect(given(clonedSearch("restore", { to: { branch: "guard-1" } }))).toEqual({ to: "branch:guard-1" });
  expect(given(clonedSearch("branch", { action: "create", name: "dev", start: { tag: "v2" } }))).toEqual({
    "f.action": "create",
    "f.name": "dev",
    to: "tag:v2",
  });
});

test("a cloned write has source, mode and how the schema is merged", () => {
  const params = {
    source: { kind: "path", path: "/up/a.csv", format: "csv", options: { header: "true" } },
    mode: "overwrite",
    partition: { dt: "1" },
    merge_schema: true,
    type_widening: true,
  };
  expect(given(clonedSearch("write", params))).toEqual({
    "f.path": "/up/a.csv",
    "f.format": "csv",
    "f.options": "header=true",
    "f.mode": "overwrite",
    "f.partition": "dt=1",
    "f.merge": "widen",
  });
});

test("options are told one a line", () => {
  const params = { set: { "write-only": "true", bucket: "4" }, remove: ["tag.num-retained-max"] };
  expect(given(clonedSearch("options", params))).toEqual({
    "f.set": "write-only=true\nbucket=4",
    "f.remove": "tag.num-retained-max",
  });
});
