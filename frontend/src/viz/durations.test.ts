import { expect, test } from "vitest";
import { flowBars, millisLeft, quartilesOf } from "./durations";

test("a box has the quartiles, between neighbours where they fall there", () => {
  expect(quartilesOf([4, 1, 3, 2])).toEqual({ least: 1, low: 1.75, median: 2.5, high: 3.25, most: 4 });
  expect(quartilesOf([7])).toEqual({ least: 7, low: 7, median: 7, high: 7, most: 7 });
  expect(quartilesOf([])).toBeNull();
});

test("the rest takes as long as what is done took, and nothing is told before anything is done", () => {
  expect(millisLeft(1, 4, 1000)).toBe(3000);
  expect(millisLeft(4, 4, 1000)).toBe(0);
  expect(millisLeft(0, 4, 1000)).toBeNull();
  expect(millisLeft(1, null, 1000)).toBeNull();
});

test("runs at the same time lie in lanes, short ones can be seen, and old ones are left out", () => {
  const runs = [
    { id: "old", from: 0, to: 50 },
    { id: "a", from: 90, to: 150 },
    { id: "b", from: 120, to: 121 },
    { id: "c", from: 160, to: 200 },
  ];
  const bars = flowBars(runs, [100, 200], 100);
  expect(bars.map(({ run, x, width, lane }) => [run.id, x, width, lane])).toEqual([
    ["a", 0, 50, 0],
    ["b", 20, 3, 1],
    ["c", 60, 40, 0],
  ]);
});
