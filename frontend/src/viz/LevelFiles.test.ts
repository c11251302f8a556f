import { expect, test, vi } from "vitest";
import { drawFile, type FileLooks } from "./LevelFiles";
import type { FileRect, LevelFile } from "./levels";

const FILE: LevelFile = {
  name: "f",
  level: 0,
  lo: 0,
  hi: 1,
  bytes: 1,
  rows: 10,
  deletes: 5,
  seq: ["0", "0"],
  source: "compact",
  index: [],
  dv: false,
  created: null,
};
const RECT: FileRect = { file: FILE, x: 10, y: 0, width: 40, height: 20 };
const PLAIN: FileLooks = {
  picked: new Set(),
  added: new Set(),
  gone: new Set(),
  active: null,
  overlaps: null,
};

function drawn(looks: Partial<FileLooks>) {
  const strokes: unknown[] = [];
  const pen = {
    fillRect: vi.fn<(...given: unknown[]) => void>(),
    fillText: vi.fn<(...given: unknown[]) => void>(),
    strokeRect: vi.fn<(...given: unknown[]) => void>(() => void strokes.push(pen.strokeStyle)),
    setLineDash: vi.fn<(...given: unknown[]) => void>(),
    fillStyle: "",
    strokeStyle: "",
    globalAlpha: 1,
    lineWidth: 1,
  };
  drawFile(pen, RECT, { ...PLAIN, ...looks }, (token) => token);
  return { pen, strokes };
}

test("on a canvas, too, a file that is gone is a shadow", () => {
  const { pen, strokes } = drawn({ gone: new Set([FILE]) });
  expect(strokes).toEqual(["--text-muted"]);
  expect(pen.fillRect).not.toHaveBeenCalled();
});

test("on a canvas, too, deletes fill the lower part of a file, and a plus marks one that came", () => {
  const { pen } = drawn({ added: new Set(["f"]) });
  expect(pen.fillRect).toHaveBeenLastCalledWith(10, 10, 40, 10);
  expect(pen.fillText).toHaveBeenCalledWith("+", expect.anything(), expect.anything());
});

test("on a canvas, too, the file in view, what it overlaps and what compaction takes are outlined", () => {
  const other = { ...FILE, name: "other" };
  expect(drawn({ active: FILE }).strokes).toEqual(["--text"]);
  expect(drawn({ overlaps: new Set([FILE, other]) }).strokes).toEqual(["--text"]);
  expect(drawn({ picked: new Set(["f"]) }).strokes).toEqual(["--analyze"]);
});
