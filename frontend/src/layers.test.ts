// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve("src");
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.endsWith(".d.ts"),
);

/** Each import of one of our own files, as [importing file, imported file], both below src/. */
const imports = sources.flatMap((file) => {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(
    (found) => [file, relative(SRC, resolve(SRC, dirname(file), found[1] ?? ""))] as const,
  );
});

function offenders(
  from: RegExp,
  to: RegExp,
  allowed: (file: string, target: string) => boolean = () => false,
) {
  return imports.filter(([file, target]) => from.test(file) && to.test(target) && !allowed(file, target));
}

test("a page imports no other page", () => {
  const sameFolder = (file: string, target: string) => dirname(file) === dirname(target);
  expect(offenders(/^pages\//, /^pages\//, sameFolder)).toEqual([]);
});

test("pictures fetch nothing and know no address", () => {
  expect(offenders(/^viz\//, /^(api|app|pages)\//)).toEqual([]);
});

test("components know neither the API nor addresses", () => {
  expect(offenders(/^ui\//, /^(api|app|pages|viz)\//)).toEqual([]);
});

test("the API layer draws nothing", () => {
  expect(offenders(/^api\//, /^(app|pages|ui|viz)\//)).toEqual([]);
});

test("only the route table imports pages", () => {
  expect(offenders(/^(?!pages\/|app\/routes)/, /^pages\//)).toEqual([]);
});

test("layouts are pure: no React, no DOM", () => {
  const pure = ["viz/levels.ts", "viz/timeline.ts", "viz/distribution.ts"];
  const impure = pure.filter((file) =>
    /from "react|document\.|HTMLElement/.test(readFileSync(join(SRC, file), "utf8")),
  );
  expect(impure).toEqual([]);
});
