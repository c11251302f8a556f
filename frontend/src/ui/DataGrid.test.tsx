import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { en } from "../i18n/en";
import { LanguageProvider } from "../i18n";
import { DataGrid, type GridColumn } from "./DataGrid";

interface Row {
  readonly id: number;
  readonly name: string;
}

const columns: GridColumn<Row>[] = [
  {
    id: "name",
    header: "Name",
    width: 100,
    sortable: true,
    cell: (row) => row.name,
    text: (row) => row.name,
  },
  { id: "id", header: "Id", width: 60, align: "end", cell: (row) => row.id },
];
const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `file-${id}` }));

beforeEach(() => {
  // happy-dom has no layout: the virtual grid needs a height to know what is in view.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(600);
});

function show(props: Partial<Parameters<typeof DataGrid<Row>>[0]> = {}) {
  return render(
    <LanguageProvider initial={{ locale: "en", messages: en }}>
      <DataGrid label="Files" columns={columns} rows={rows} rowKey={(row) => String(row.id)} {...props} />
    </LanguageProvider>,
  );
}

const cell = (text: string) => screen.getByText(text).closest<HTMLElement>("[data-cell]");

test("a hundred thousand rows need few in the page", () => {
  show();
  const drawn = screen.getAllByRole("row").length;
  expect(drawn).toBeGreaterThan(10);
  expect(drawn).toBeLessThan(60);
});

test("the grid tells its whole length, header included", () => {
  show({ total: 250_000 });
  expect(screen.getByRole("grid", { name: "Files" }).getAttribute("aria-rowcount")).toBe("250001");
});

test("scrolling shows other rows in the same elements, and leaves the row with the focus alone", () => {
  show();
  const drawn = new Set(screen.getAllByRole("row"));
  act(() => cell("file-0")?.focus());
  const grid = screen.getByRole("grid");
  grid.scrollTop = 28_000;
  fireEvent.scroll(grid);
  const kept = screen.getAllByRole("row").filter((row) => drawn.has(row));
  expect(cell("file-1000")?.parentElement).toSatisfy((row: HTMLElement) => drawn.has(row));
  expect(kept.length).toBeGreaterThan(drawn.size - 3);
  expect(document.activeElement).toBe(cell("file-0"));
});

test("an unknown length is told as such", () => {
  show({ more: true });
  expect(screen.getByRole("grid").getAttribute("aria-rowcount")).toBe("-1");
});

test("exactly one cell is reachable by Tab", () => {
  show();
  expect(screen.getByRole("grid").querySelectorAll('[data-cell][tabindex="0"]')).toHaveLength(1);
});

test("the arrow keys move the focus", () => {
  show();
  act(() => cell("file-0")?.focus());
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "ArrowDown" });
  expect(document.activeElement).toBe(cell("file-1"));
});

test("Enter opens the row in focus", () => {
  const onOpen = vi.fn<(row: Row) => void>();
  show({ onOpen });
  act(() => cell("file-2")?.focus());
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Enter" });
  expect(onOpen).toHaveBeenCalledWith(rows[2]);
});

test("a header says how the list is sorted, and asks for the next way on a click", () => {
  const onSort = vi.fn<(sort: string | undefined) => void>();
  show({ sort: "name", onSort });
  const header = screen.getByRole("columnheader", { name: /Name/ });
  expect(header.getAttribute("aria-sort")).toBe("ascending");
  fireEvent.click(header);
  expect(onSort).toHaveBeenCalledWith("-name");
});

test("more rows are asked for when the end comes into view", () => {
  const onEnd = vi.fn<() => void>();
  show({ rows: rows.slice(0, 20), more: true, onEnd });
  expect(onEnd).toHaveBeenCalled();
});

test("rows are chosen by keys and by Shift with a click, and copied together", () => {
  show();
  act(() => cell("file-1")?.focus());
  fireEvent.keyDown(document.activeElement ?? document.body, { key: " ", shiftKey: true });
  fireEvent.click(cell("file-3") ?? document.body, { shiftKey: true });
  expect(screen.getByText("3 rows chosen")).toBeTruthy();
  const setData = vi.fn<(type: string, text: string) => void>();
  fireEvent.copy(cell("file-3") ?? document.body, { clipboardData: { setData } });
  expect(setData).toHaveBeenCalledWith("text/plain", "Name\r\nfile-1\r\nfile-2\r\nfile-3");
});

test("Shift with an arrow on a header changes the width of its column", () => {
  show();
  const header = screen.getByRole("columnheader", { name: /Name/ });
  act(() => header.focus());
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(120);
  fireEvent.keyDown(header, { key: "ArrowRight", shiftKey: true });
  expect(header.closest<HTMLElement>("[style]")?.style.getPropertyValue("--columns")).toMatch(/^136px /);
});
