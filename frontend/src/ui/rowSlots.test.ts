import { expect, test } from "vitest";
import { RowSlots } from "./rowSlots";

const LIST = ["a", "b", "c", "d", "e"];

test("a row that comes into view takes over the element of one that has left", () => {
  const slots = new RowSlots();
  expect(slots.of(LIST, ["a", "b", "c"])).toEqual([0, 1, 2]);
  expect(slots.of(LIST, ["b", "c", "d"])).toEqual([1, 2, 0]);
});

test("a row that stays in view keeps its element, wherever others go", () => {
  const slots = new RowSlots();
  const [first] = slots.of(LIST, ["a", "b"]);
  expect(slots.of(LIST, ["a", "d", "e"])[0]).toBe(first);
});

test("a row of another answer never takes over an element", () => {
  const slots = new RowSlots();
  slots.of(LIST, ["a", "b"]);
  expect(slots.of([...LIST], ["b", "c"])).toEqual([1, 2]);
});

test("to ask twice changes nothing", () => {
  const slots = new RowSlots();
  slots.of(LIST, ["a", "b", "c"]);
  expect(slots.of(LIST, ["c", "d"])).toEqual(slots.of(LIST, ["c", "d"]));
});
