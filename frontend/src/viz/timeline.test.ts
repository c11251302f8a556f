import { describe, expect, test } from "vitest";
import {
  fitWindow,
  layoutTimeline,
  pan,
  signedScale,
  stepPath,
  straightPath,
  zoom,
  type TimelineCommit,
} from "./timeline";
import { shortTime } from "./TimelineAxes";

function commit(id: number, change: Partial<TimelineCommit> = {}): TimelineCommit {
  return {
    id: String(id),
    ref: `${id}~ab12`,
    kind: "append",
    millis: id * 1000,
    filesAdded: 1,
    filesDeleted: 0,
    deltaRows: 10,
    totalRows: id * 10,
    bytesAdded: 100,
    liveBytes: null,
    watermarkMillis: null,
    tags: [],
    consumers: [],
    forks: [],
    byJob: false,
    expirable: null,
    ...change,
  };
}

const run = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => commit(from + at));

test("in commit order, commits stand at equal distances", () => {
  const { glyphs } = layoutTimeline([commit(1), commit(2, { millis: 9_000_000 }), commit(3)], "order", 300);
  expect(glyphs.map((glyph) => glyph.x)).toEqual([50, 150, 250]);
});

test("in time, a pause is a distance", () => {
  const { glyphs } = layoutTimeline([commit(1), commit(2), commit(10)], "time", 300);
  const [a, b, c] = glyphs.map((glyph) => glyph.x) as [number, number, number];
  expect((c - b) / (b - a)).toBeCloseTo(8);
});

test("what may expire ends between its last commit and the first that is kept", () => {
  const kept = (expirable: number) =>
    run(1, 4).map((at) => ({ ...at, expirable: Number(at.id) <= expirable }));
  expect(layoutTimeline(kept(2), "order", 400).retention).toEqual({ from: 200, to: 358, any: true });
  expect(layoutTimeline(kept(0), "order", 400).retention).toEqual({ from: 42, to: 358, any: false });
  expect(layoutTimeline(kept(2), "order", 400, [2.5, 3.5]).retention).toMatchObject({ from: 0, any: false });
  expect(layoutTimeline(run(1, 4), "order", 400).retention).toBeNull();
});

test("missing ids leave a gap mark between their neighbours", () => {
  expect(layoutTimeline([commit(1), commit(2), commit(5)], "order", 300).gaps).toEqual([200]);
});

test("commits denser than one per four pixels are binned by kind", () => {
  const { glyphs, bins } = layoutTimeline(run(1, 100), "order", 200);
  expect(glyphs).toEqual([]);
  expect(bins.reduce((sum, bin) => sum + bin.counts.append, 0)).toBe(100);
});

test("a bin adds up changes and keeps the last total", () => {
  const { points } = layoutTimeline(run(1, 100), "order", 200);
  expect(points.reduce((sum, point) => sum + (point.deltaRows ?? 0), 0)).toBe(1000);
  expect(points.at(-1)?.totalRows).toBe(1000);
});

test("lag is known only where there is a watermark", () => {
  const { points } = layoutTimeline([commit(1), commit(2, { watermarkMillis: 500 })], "order", 200);
  expect(points.map((point) => point.lagMillis)).toEqual([null, 1500]);
});

test("zooming in splits bins into glyphs again", () => {
  expect(layoutTimeline(run(1, 100), "order", 200, [0, 20]).glyphs).toHaveLength(21);
});

describe("the window", () => {
  const fit = fitWindow(run(1, 100), "order");

  test("zooming keeps the point under the cursor", () => {
    expect(zoom([0, 40], 0.5, 0.25, fit)).toEqual([5, 25]);
  });
  test("zooming out stops at everything", () => expect(zoom([10, 90], 10, 0.5, fit)).toEqual(fit));
  test("panning stops at the end", () => expect(pan([80, 99], 1, fit)).toEqual([80.5, 99.5]));
});

test("the zero line is in the middle only when something was lost", () => {
  expect(signedScale([5, -5], 40)(0)).toBe(20);
  expect(signedScale([5, 3], 40)(0)).toBe(40);
});

test("a step line keeps a value until the next and breaks where it is unknown", () => {
  const points = [
    { x: 0, y: 1 },
    { x: 5, y: 2 },
    { x: 6, y: null },
    { x: 9, y: 4 },
  ];
  expect(stepPath(points)).toBe("M0.0,1.0H5.0V2.0M9.0,4.0");
  expect(straightPath(points)).toBe("M0.0,1.0h0L5.0,2.0M9.0,4.0h0");
});

test.each([280, 750, 1056])("names of times never touch, nor are cut off: %i px", (width) => {
  for (let seconds = 2; seconds < 4000; seconds = Math.ceil(seconds * 1.3)) {
    const commits = [commit(0), commit(seconds)];
    const { ticks } = layoutTimeline(commits, "time", width);
    const named = ticks.filter((tick) => tick.named).map((tick) => tick.x);
    expect(named.length).toBeGreaterThan(0);
    expect(named.every((x, at) => x - (named[at - 1] ?? -Infinity) >= 100 && x <= width - 50)).toBe(true);
  }
});

test("names of ticks tell these apart, however close they are", () => {
  expect(shortTime("2026-11-20 10:31:00", null)).toBe("11-20 10:31");
  expect(shortTime("2026-11-20 10:31:07", null)).toBe("11-20 10:31:07");
  const at = Date.parse("2026-11-20T10:31:07.025Z");
  expect(shortTime("2026-11-20 10:31:07", at)).toBe("10:31:07.025");
});
