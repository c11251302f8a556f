import { expect, test } from "vitest";
import type { Job } from "../../api/jobs";
import { rankOf } from "./HomePage";

test("running jobs come before failed ones, and of each one's own first", () => {
  const jobs = [
    ["succeeded", "ada"],
    ["failed", "bob"],
    ["failed_committed", "ada"],
    ["running", "bob"],
    ["running", "ada"],
  ].map(([state, requested_by]) => ({ state, requested_by }) as Pick<Job, "state" | "requested_by">);
  const sorted = jobs.toSorted((a, b) => rankOf(a, "ada") - rankOf(b, "ada"));
  expect(sorted.map((job) => `${job.state} ${job.requested_by ?? ""}`)).toEqual([
    "running ada",
    "running bob",
    "failed_committed ada",
    "failed bob",
    "succeeded ada",
  ]);
});
