import { expect, test } from "vitest";
import { splitLog } from "./LogViewer";

test("lines are numbered from one, and the last line break makes no line", () => {
  expect(splitLog("a\nb\n").map((line) => [line.number, line.text])).toEqual([
    [1, "a"],
    [2, "b"],
  ]);
});

test.each([
  ["10:31:02 WARN  TaskSetManager: lost task", "warn"],
  ["java.io.IOException: Exception in thread", "error"],
  ["10:31:02 INFO  rewriting bucket 4", "info"],
])("%s is of level %s", (text, level) => {
  expect(splitLog(text)[0]?.level).toBe(level);
});
