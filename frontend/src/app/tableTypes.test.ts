import { expect, test } from "vitest";
import { hasTab } from "./tableTypes";

test("tabs that need snapshots stand at tables that have some", () => {
  expect(hasTab("table", "timeline")).toBe(true);
  expect(hasTab("materialized-table", "timeline")).toBe(true);
  expect(hasTab("format-table", "timeline")).toBe(false);
});

test("rows are offered where they can be read, schemas always", () => {
  expect(hasTab("format-table", "data")).toBe(true);
  expect(hasTab("lance-table", "data")).toBe(false);
  expect(hasTab("lance-table", "schemas")).toBe(true);
});
