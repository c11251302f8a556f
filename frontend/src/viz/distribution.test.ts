import { describe, expect, test } from "vitest";
import {
  binBuckets,
  gini,
  heatmap,
  layoutFlow,
  logThresholds,
  rampStep,
  sizeBins,
  skew,
} from "./distribution";

describe("size bins", () => {
  test("hold powers of two, with the empty ones between", () => {
    const bins = sizeBins([
      { level: 0, bytes: 5 },
      { level: 5, bytes: 7 },
      { level: 5, bytes: 64 },
    ]);
    expect(bins.map((bin) => [bin.log2, bin.files])).toEqual([
      [2, 2],
      [3, 0],
      [4, 0],
      [5, 0],
      [6, 1],
    ]);
  });

  test("are stacked by level", () => {
    const [bin] = sizeBins([
      { level: 0, bytes: 4 },
      { level: 5, bytes: 4 },
      { level: 5, bytes: 5 },
    ]);
    expect(bin && [...bin.byLevel]).toEqual([
      [0, 1],
      [5, 2],
    ]);
  });

  test("of nothing are none", () => expect(sizeBins([])).toEqual([]));
});

describe("heatmap", () => {
  const heat = heatmap([
    { partition: "dt=2", bucket: 0, value: 100 },
    { partition: "dt=2", bucket: 2, value: 300 },
    { partition: "dt=1", bucket: 1, value: 50 },
  ]);

  test("an empty bucket is null, not zero", () => {
    expect(heat.rows.map((row) => row.values)).toEqual([
      [100, null, 300],
      [null, 50, null],
    ]);
  });

  test("one bucket alone has no skew", () => expect(heat.rows[1]?.skew).toBeNull());
});

test("skew is the greatest over the median", () => {
  expect(skew([1, 1, 1, 9])).toBe(9);
  expect(skew([2, 4])).toBeCloseTo(4 / 3);
});

test("gini is zero for equal parts and near one when one holds all", () => {
  expect(gini([5, 5, 5])).toBeCloseTo(0);
  expect(gini([0, 0, 0, 8])).toBeCloseTo(0.75);
});

test("six steps cut the range evenly on a log scale", () => {
  const bounds = logThresholds([1, 10 ** 6]);
  expect(bounds.map(Math.round)).toEqual([10, 100, 1000, 10_000, 100_000]);
  expect([1, 500, 10 ** 6].map((value) => rampStep(value, bounds))).toEqual([0, 2, 5]);
});

test("a compaction that drops rows is narrower on the right", () => {
  const { sources, targets } = layoutFlow(
    [
      { level: 0, bytesRemoved: 60, bytesAdded: 0 },
      { level: 5, bytesRemoved: 40, bytesAdded: 50 },
    ],
    106,
  );
  expect(sources.map((band) => [band.level, band.top, band.height])).toEqual([
    [0, 0, 60],
    [5, 66, 40],
  ]);
  expect(targets).toEqual([{ level: 5, top: 0, height: 50, bytes: 50 }]);
});

test("every source fills its share of the target, without overlap", () => {
  const { ribbons } = layoutFlow(
    [
      { level: 0, bytesRemoved: 60, bytesAdded: 0 },
      { level: 5, bytesRemoved: 40, bytesAdded: 50 },
    ],
    106,
  );
  expect(ribbons.map((ribbon) => ribbon.right)).toEqual([
    [0, 30],
    [30, 50],
  ]);
});

test("columns of a heatmap have totals over all partitions", () => {
  const heat = heatmap([
    { partition: "a", bucket: 0, value: 1 },
    { partition: "b", bucket: 0, value: 2 },
    { partition: "b", bucket: 2, value: 5 },
  ]);
  expect([heat.buckets, heat.totals]).toEqual([
    [0, 2],
    [3, 5],
  ]);
});

test("too many buckets share columns, which show the greatest of them", () => {
  const cells = Array.from({ length: 600 }, (_, bucket) => ({ partition: "a", bucket, value: bucket % 7 }));
  const { cells: binned, size } = binBuckets(cells, 256);
  expect([size, binned.length, binned[1]]).toEqual([3, 200, { partition: "a", bucket: 3, value: 5 }]);
  expect(binBuckets(cells, Number.POSITIVE_INFINITY)).toEqual({ cells, size: 1 });
});
