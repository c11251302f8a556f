import { expect, test } from "vitest";
import type { ObjectPlace } from "../api/objects";
import { namesFile, targetOf } from "./objectHits";

const place: ObjectPlace = {
  warehouse: "lake",
  database: "db",
  table: "t",
  branch: "main",
  name: "data-1.parquet",
  role: "live",
  snapshot: "6~ab12",
  tag: null,
};

test.each([
  "snapshot-42",
  "s3://bucket/db.db/t/manifest/manifest-list-1f-0",
  "'data-8be3b09a-1d2e-4d2f-9d0a-b1e0c4a1f8a1-0.orc'",
  "index-manifest-7c-3",
])("%s is the name of a file", (text) => expect(namesFile(text)).toBe(true));

test.each(["orders", "sales.orders", "snapshot", "#42", "my table"])("%s is none", (text) =>
  expect(namesFile(text)).toBe(false),
);

test("a live file opens in its drawer, as of the snapshot", () => {
  expect(targetOf("file", place)).toEqual({
    page: "files",
    search: { at: "6~ab12", open: "file:data-1.parquet" },
  });
});

test("what only a tag keeps is opened by the tag, and on its branch", () => {
  const found = targetOf("file", { ...place, role: "tagged", tag: "v1", branch: "dev" });
  expect(found.search).toEqual({ branch: "dev", at: "tag:v1", open: "file:data-1.parquet" });
});

test("a removed file leads to the commit that removed it", () => {
  const found = targetOf("file", { ...place, role: "removed" });
  expect(found).toMatchObject({
    page: "changes",
    snapshot: "6~ab12",
    search: { "f.file": "data-1.parquet" },
  });
});

test.each([
  ["manifest", "base", "manifests"],
  ["manifest_list", "changelog", "manifests"],
  ["file", "changelog", "changes"],
  ["index_file", "index", "manifests"],
  ["snapshot", "itself", "snapshot"],
] as const)("a %s as %s leads to %s", (kind, role, page) => {
  expect(targetOf(kind, { ...place, role }).page).toBe(page);
});
