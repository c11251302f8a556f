// Compares the gzipped size of what a browser loads with the budgets of the design (section 13).
// The initial script is the entry with everything it imports statically; a lazy chunk counts what it adds to that and
// to the chunks that ask for it.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KB = { initial: 220, page: 60 };
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));

const gzipped = (file) => gzipSync(readFileSync(new URL(file, dist))).length;

/** The keys of a chunk and of everything that it imports statically. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const kilobytes = (keys) => [...keys].reduce((sum, key) => sum + gzipped(manifest[key].file), 0) / 1000;

const initial = closure("src/main.tsx");
const rows = [{ name: "initial", size: kilobytes(initial), budget: BUDGET_KB.initial }];
for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry) continue;
  const askers = Object.keys(manifest).filter((other) => manifest[other].dynamicImports?.includes(key));
  const there = askers.map((asker) => closure(asker)); // all of them are loaded before this one, whoever asks
  const added = [...closure(key)].filter((k) => !initial.has(k) && !there.every((loaded) => loaded.has(k)));
  rows.push({ name: key, size: kilobytes(added), budget: BUDGET_KB.page });
}

let failed = false;
for (const { name, size, budget } of rows.toSorted((a, b) => b.size - a.size)) {
  const over = size > budget;
  failed ||= over;
  process.stdout.write(`${over ? "OVER" : "  ok"} ${size.toFixed(1).padStart(7)} kB of ${budget}  ${name}\n`);
}
process.exit(failed ? 1 : 0);
