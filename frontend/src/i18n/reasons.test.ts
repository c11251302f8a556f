// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { zhCN } from "./zh-CN";

const core = (file: string) => readFileSync(`../core/compact/${file}.py`, "utf8");
const members = (text: string, name: string) => {
  const body = text.split(`class ${name}(StrEnum):`)[1]?.split("\n\n\n")[0] ?? "";
  return [...body.matchAll(/^ {4}[A-Z_]+ = "(.+?)"/gm)].map((found) => found[1] ?? "");
};
const reasons = [...members(core("universal"), "PickReason"), ...members(core("plan"), "Strategy")];

test("core names its reasons where this test looks for them", () => {
  expect(reasons).toContain("size ratio");
  expect(reasons).toContain("minor");
});

test.each([...reasons, "full: small files", "minor: deleted rows", "clustering by zorder: file number"])(
  "the reason %s is told in Chinese",
  (reason) => expect(zhCN.lsm.reasons(reason)).toMatch(/^[^a-z]*(zorder[^a-z]*)?$/),
);
