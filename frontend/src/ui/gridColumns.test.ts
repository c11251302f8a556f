import { describe, expect, test } from "vitest";
import {
  chosen,
  columnTemplate,
  moveFocus,
  nextSort,
  resized,
  sortState,
  toCsv,
  type GridColumn,
} from "./gridColumns";

interface Row {
  name: string;
  bytes: number;
}

const columns: GridColumn<Row>[] = [
  { id: "name", header: "Name", width: 100, cell: (r) => r.name, text: (r) => r.name },
  { id: "bytes", header: "Bytes", width: 60, grow: 0, cell: (r) => r.bytes, text: (r) => String(r.bytes) },
];

test("a click on a header sorts up, then down, then not at all", () => {
  expect(nextSort(undefined, "bytes")).toBe("bytes");
  expect(nextSort("bytes", "bytes")).toBe("-bytes");
  expect(nextSort("-bytes", "bytes")).toBeUndefined();
});

test("sorting by another column leaves this one unsorted", () => {
  expect(sortState("-name", "bytes")).toBe("none");
});

test("columns share the room that their least widths leave", () => {
  expect(columnTemplate(columns)).toEqual({ template: "minmax(100px, 100fr) minmax(60px, 0fr)", width: 160 });
});

test("no column is narrower than its header", () => {
  const named = (header: string) => columnTemplate([{ id: "a", header, width: 60, cell: () => null }]).width;
  expect(named("id")).toBe(60);
  expect(named("ahead / behind")).toBeGreaterThan(14 * 7);
  expect(named("仅由其保留的字节")).toBeGreaterThan(8 * 12);
});

test("values with commas and quotes are quoted in CSV", () => {
  expect(toCsv(columns, [{ name: 'a "b", c', bytes: 3 }])).toBe('Name,Bytes\r\n"a ""b"", c",3');
});

describe("moving the focus", () => {
  const size = { rows: 10, columns: 3, page: 4 };

  test.each([
    ["ArrowDown", { row: 6, column: 1 }],
    ["j", { row: 6, column: 1 }],
    ["ArrowUp", { row: 4, column: 1 }],
    ["PageDown", { row: 9, column: 1 }],
    ["Home", { row: 5, column: 0 }],
    ["End", { row: 5, column: 2 }],
  ])("%s", (key, to) => {
    expect(moveFocus({ row: 5, column: 1 }, key, size, false)).toEqual(to);
  });

  test("up from the first row reaches the header", () => {
    expect(moveFocus({ row: 0, column: 1 }, "ArrowUp", size, false)).toEqual({ row: -1, column: 1 });
  });

  test("control and End reach the last cell", () => {
    expect(moveFocus({ row: 0, column: 0 }, "End", size, true)).toEqual({ row: 9, column: 2 });
  });

  test("other keys do not move it", () => {
    expect(moveFocus({ row: 0, column: 0 }, "x", size, false)).toBeNull();
  });
});

test("a width that was given holds, and no column becomes too narrow to be seen", () => {
  const widths = resized(resized({}, "name", 180.4), "bytes", 3);
  expect(columnTemplate(columns, widths)).toEqual({ template: "180px 48px", width: 228 });
});

test("a row is chosen and let go, and a range is added to what is chosen", () => {
  const keys = ["a", "b", "c", "d", "e"];
  const one = chosen(new Set(), keys, 3, null);
  expect([...one]).toEqual(["d"]);
  expect([...chosen(one, keys, 1, 3)].toSorted()).toEqual(["b", "c", "d"]);
  expect([...chosen(one, keys, 3, null)]).toEqual([]);
});
