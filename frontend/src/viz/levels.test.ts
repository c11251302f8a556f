import { describe, expect, test } from "vitest";
import {
  compareSequence,
  depthSummary,
  fileHeight,
  layoutLevels,
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
