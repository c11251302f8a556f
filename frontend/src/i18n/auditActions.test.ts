import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { auditActionInChinese, auditActionInEnglish } from "./auditActions";

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
}

const { paths } = JSON.parse(readFileSync("../docs/openapi.json", "utf-8")) as OpenApi;
const operations = Object.values(paths).flatMap((methods) =>
  Object.values(methods).map((o) => o.operationId),
);

test("each operation of the API has Chinese words in the audit log", () => {
  expect(operations.length).toBeGreaterThan(80);
  expect(
    operations.filter((name) => !/^[一-鿿A-Za-z ]*[一-鿿]/.test(auditActionInChinese(name, {}))),
  ).toEqual([]);
});

test("what is no operation has words, too", () => {
  expect(auditActionInChinese("sign in", {})).toBe("登录");
  expect(auditActionInChinese("job lost", { lost: "失联" })).toBe("作业：失联");
  expect(auditActionInChinese("export_file_list", {})).toBe("导出文件列表");
  expect(auditActionInChinese("of tomorrow", {})).toBe("of tomorrow");
  expect(auditActionInEnglish("create_table_plan")).toBe("create table plan");
});
