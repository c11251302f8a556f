import { expect, test } from "vitest";
import { en } from "../../i18n/en";
import { makeFormat } from "../../i18n/format";
import { zhCN } from "../../i18n/zh-CN";
import { eventText } from "./eventText";

const english = (type: "state" | "progress" | "metric" | "log" | "commit", data: Record<string, unknown>) =>
  eventText({ type, data }, en, makeFormat("en", "utc"));
const chinese = (data: Record<string, unknown>) =>
  eventText({ type: "progress", data }, zhCN, makeFormat("zh-CN", "utc"));

test("an event is one line, without what is not known", () => {
  expect(english("progress", { phase: "rewrite", done: 1200, total: null, unit: "buckets" })).toBe(
    "phase rewrite · done 1,200 · buckets",
  );
  expect(english("state", { state: "running", before: "starting" })).toBe("running · before starting");
  expect(english("commit", { snapshot: "8~9f3c" })).toBe("snapshot #8");
  expect(english("log", { size: 2048 })).toBe("size 2 KiB");
  expect(english("metric", { files_after: 3, odd_one: ["a"] })).toBe('files after 3 · odd one ["a"]');
});

test("an event is in the reader's language, names and values", () => {
  expect(chinese({ phase: "rewrite", done: 2, total: 3, unit: "buckets" })).toBe(
    "阶段 重写 · 已完成 2 · 共 3 · 个分桶",
  );
  expect(chinese({ state: "lost", before: "running", level: "warning" })).not.toMatch(/[a-z]/);
});
