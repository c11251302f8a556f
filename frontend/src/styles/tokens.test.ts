import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { contrast, luminance } from "./contrast";

const css = readFileSync(resolve("src/styles/tokens.css"), "utf8");

function coloursOf(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
}

const themes = { light: coloursOf(":root"), dark: coloursOf(':root[data-theme="dark"]') };
const SURFACES = ["bg", "surface", "raised"];
const KINDS = ["accent", "ok", "info", "overwrite", "analyze", "unknown", "danger", "warn", "moved"];
const LEVELS = ["level-0", "level-1", "level-2", "level-3", "level-4", "level-5"];
const RAMP = ["ramp-0", "ramp-1", "ramp-2", "ramp-3", "ramp-4", "ramp-5"];

describe.each(Object.entries(themes))("%s theme", (theme, colours) => {
  const colour = (token: string) => {
    const value = colours.get(token);
    if (value === undefined) throw new Error(`${theme} has no --${token}`);
    return value;
  };
  const lowest = (token: string) => Math.min(...SURFACES.map((s) => contrast(colour(token), colour(s))));

  test("body text has at least 7:1 on every surface", () => {
    expect(lowest("text")).toBeGreaterThanOrEqual(7);
  });

  test.each(["text-muted", ...KINDS])("%s is readable as text on every surface", (token) => {
    expect(lowest(token)).toBeGreaterThanOrEqual(4.5);
  });

  test("borders of controls have at least 3:1", () => {
    expect(lowest("border-strong")).toBeGreaterThanOrEqual(3);
  });

  test.each(LEVELS)("%s stands out from every surface and carries a label", (token) => {
    expect(lowest(token)).toBeGreaterThanOrEqual(3);
    expect(contrast(colour(token), colour("on-level"))).toBeGreaterThanOrEqual(4.5);
  });

  test("text on the accent is readable", () => {
    expect(contrast(colour("on-accent"), colour("accent"))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(RAMP)("a value stands readable on %s", (token) => {
    expect(contrast(colour(token), colour(`on-${token}`))).toBeGreaterThanOrEqual(4.5);
  });

  test("the sequential ramp is monotone in luminance", () => {
    const steps = RAMP.map((token) => luminance(colour(token)));
    const sorted = steps.toSorted((a, b) => (theme === "light" ? b - a : a - b));
    expect(steps).toEqual(sorted);
  });
});

test("both themes define the same colours", () => {
  expect([...themes.dark.keys()].toSorted()).toEqual([...themes.light.keys()].toSorted());
});
