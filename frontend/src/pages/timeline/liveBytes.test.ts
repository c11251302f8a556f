import { expect, test } from "vitest";
import { liveBytes } from "./liveBytes";

const commit = (id: number, added: number | null, deleted: number | null = 0) => ({
  id,
  ref: `${id}~x`,
  bytes_added: added,
  bytes_deleted: deleted,
});

test("bytes are carried forwards and backwards from where they are known", () => {
  const history = [commit(4, 7, 2), commit(3, 10), commit(2, 20, 5), commit(1, 5)];
  expect([...liveBytes(history, "3~x", 30)].toSorted()).toEqual([
    ["1~x", 5],
    ["2~x", 20],
    ["3~x", 30],
    ["4~x", 35],
  ]);
});

test("a missing id ends what is known", () => {
  expect([...liveBytes([commit(9, 1), commit(3, 10), commit(2, 20)], "3~x", 30).keys()]).toEqual([
    "3~x",
    "2~x",
  ]);
});

test("an unreadable commit ends what is known", () => {
  expect([...liveBytes([commit(4, null), commit(3, 10)], "3~x", 30).keys()]).toEqual(["3~x"]);
});

test("without a known snapshot nothing is known", () => {
  expect(liveBytes([commit(3, 10)], null, 30).size).toBe(0);
});
