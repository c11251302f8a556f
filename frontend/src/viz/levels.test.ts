import { describe, expect, test } from "vitest";
import { spread } from "./DepthStrip";
import {
  compareSequence,
  depthSummary,
  fileHeight,
  keyAxis,
  keysBetween,
  layoutLevels,
  levelSums,
  mergeDepth,
  neighbour,
  overlapping,
  sortedRuns,
  type LevelFile,
} from "./levels";

function file(
  name: string,
  level: number,
  lo: number,
  hi: number,
  change: Partial<LevelFile> = {},
): LevelFile {
  return {
    name,
    level,
    lo,
    hi,
    bytes: 2 ** 20,
    rows: 10,
    deletes: 0,
    seq: ["0", "0"],
    source: "append",
    index: [],
    dv: false,
    created: null,
    ...change,
  };
}

const older = file("older", 0, 0, 4, { seq: ["0", "9"] });
const newer = file("newer", 0, 2, 6, { seq: ["10", "19"] });
const settled = file("settled", 3, 0, 9);
const bucket = [older, settled, newer];

test("the newest level-0 file has the first lane", () => {
  const { lanes } = layoutLevels(bucket, 10, 100);
  expect(lanes.map((lane) => lane.files[0]?.name)).toEqual([
    "newer",
    "older",
    undefined,
    undefined,
    "settled",
  ]);
});

test("empty levels are drawn thin", () => {
  const { lanes } = layoutLevels(bucket, 10, 100);
  expect(lanes.map((lane) => lane.height)).toEqual([20, 20, 14, 14, 20]);
});

test("sequence numbers are compared as 64-bit integers", () => {
  expect(compareSequence("9223372036854775807", "9223372036854775806")).toBe(1);
});

test("a file spans its keys, one pixel short of the next", () => {
  const { rects } = layoutLevels([newer], 10, 100);
  expect(rects[0]).toMatchObject({ x: 20, width: 49 });
});

test("a file of one key among thousands is still three pixels wide", () => {
  expect(layoutLevels([file("dot", 1, 5, 5)], 10_000, 100).rects[0]?.width).toBe(3);
});

test("what lies outside the window is not drawn", () => {
  expect(layoutLevels([file("left", 1, 0, 1)], 100, 100, [50, 99]).rects).toEqual([]);
});

test("more than forty level-0 files become one band until it is expanded", () => {
  const many = Array.from({ length: 41 }, (_, at) =>
    file(`f${at}`, 0, at, at + 1, { seq: ["0", String(at)] }),
  );
  expect(layoutLevels(many, 50, 100).banded).toBe(41);
  expect(layoutLevels(many, 50, 100, [0, 49], true).lanes).toHaveLength(41);
});

describe("merge depth", () => {
  test("counts the files over each stretch of keys", () => {
    expect(mergeDepth(bucket)).toEqual([
      { key: 0, depth: 2 },
      { key: 2, depth: 3 },
      { key: 5, depth: 2 },
      { key: 7, depth: 1 },
      { key: 10, depth: 0 },
    ]);
  });

  test("its mean is weighted by width", () => {
    expect(depthSummary(mergeDepth(bucket), 10)).toEqual({ mean: 2, max: 3 });
  });

  test("an empty bucket has none", () => expect(depthSummary([], 0)).toEqual({ mean: 0, max: 0 }));
});

test("each level-0 file and each deeper level that holds files is a run", () => {
  expect(sortedRuns([...bucket, file("beside", 3, 10, 12)])).toBe(3);
});

test("files that touch at a key overlap", () => {
  expect(overlapping(older, bucket)).toEqual([settled, newer]);
  expect(overlapping(file("apart", 1, 20, 30), bucket)).toEqual([]);
});

test("height grows with the logarithm of the size and stops at both ends", () => {
  expect([fileHeight(1), fileHeight(2 ** 26), fileHeight(2 ** 40)]).toEqual([6, 12, 18]);
});

test("arrow down goes to the nearest file of the next lane that has one", () => {
  const { rects } = layoutLevels(bucket, 10, 100);
  const from = rects.find((rect) => rect.file === older);
  expect(from && neighbour(rects, from, "ArrowDown")?.file.name).toBe("settled");
});

test("on the scale of values a file lies where its keys do, and a key takes no room", () => {
  const places = [0, 0.1, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
  const { rects } = layoutLevels(bucket, 10, 1000, undefined, false, places);
  const at = (name: string) => rects.find((rect) => rect.file.name === name);
  expect(at("newer")).toMatchObject({ x: 200, width: 600 });
  expect(at("settled")).toMatchObject({ x: 0, width: 1000 });
});

test("a window of the scale of values spans the whole width", () => {
  const axis = keyAxis([1, 3], 400, [0, 0.1, 0.2, 0.5, 1]);
  expect([axis.start(1), axis.start(2), axis.start(3)].map(Math.round)).toEqual([0, 100, 400]);
});

test("a brush takes the keys that lie under it", () => {
  expect(keysBetween([0, 9], keyAxis([0, 9], 1000), [250, 610])).toEqual([2, 6]);
  expect(keysBetween([0, 3], keyAxis([0, 3], 1000, [0, 0.1, 0.2, 1]), [50, 300])).toEqual([1, 2]);
});

test("a level sums its files, and knows its deletes only where all of them tell", () => {
  const sums = levelSums([
    file("a", 0, 0, 1, { deletes: null, created: "2026-11-20T10:00:00Z" }),
    file("b", 0, 0, 1, { deletes: 3, created: "2026-11-19T10:00:00Z" }),
    file("c", 5, 0, 1, { deletes: 2 }),
  ]);
  expect(sums.get(0)).toMatchObject({ files: 2, rows: 20, deletes: null, oldest: "2026-11-19T10:00:00Z" });
  expect(sums.get(5)).toMatchObject({ files: 1, deletes: 2, oldest: null });
});

test("the names of thresholds stand clear of each other and of the floor", () => {
  expect(spread([55, 54], 56, 14)).toEqual([42, 28]);
  expect(spread([30, 5], 56, 14)).toEqual([30, 5]);
});
