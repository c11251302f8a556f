import type { ReactNode } from "react";

export interface GridColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** Least width in pixels; the rest of the room is shared by `grow`. */
  readonly width: number;
  readonly grow?: number;
  readonly align?: "start" | "end";
  /** The server can sort by this column. */
  readonly sortable?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** The cell as plain text, for copying. */
  readonly text?: (row: Row) => string;
}

/** Widths in pixels that the person gave to columns, by id. */
export type ColumnWidths = Readonly<Record<string, number>>;

const LEAST_WIDTH = 48;

/** The `grid-template-columns` of a row, and the least width of the whole. */
export function columnTemplate<Row>(
  columns: readonly GridColumn<Row>[],
  widths: ColumnWidths = {},
): {
  template: string;
  width: number;
} {
  const given = (column: GridColumn<Row>) => widths[column.id];
  const template = columns
    .map((c) => (given(c) === undefined ? `minmax(${c.width}px, ${c.grow ?? 1}fr)` : `${given(c)}px`))
    .join(" ");
  return { template, width: columns.reduce((sum, c) => sum + (given(c) ?? c.width), 0) };
}

/** The widths after one column was made wider, or narrower by a negative number. */
export function resized(widths: ColumnWidths, column: string, width: number): ColumnWidths {
  return { ...widths, [column]: Math.max(LEAST_WIDTH, Math.round(width)) };
}

/** The chosen rows after a click on one: alone toggled, or all from `anchor` to it. */
export function chosen(
  before: ReadonlySet<string>,
  keys: readonly string[],
  at: number,
  anchor: number | null,
): ReadonlySet<string> {
  if (anchor !== null) {
    const [first, last] = [Math.min(anchor, at), Math.max(anchor, at)];
    return new Set([...before, ...keys.slice(first, last + 1)]);
  }
  const key = keys[at] ?? "";
  return before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key]);
}

/** The sort parameter after a click on a header: ascending, descending, none. */
export function nextSort(current: string | undefined, column: string): string | undefined {
  if (current === column) return `-${column}`;
  return current === `-${column}` ? undefined : column;
}

export function sortState(current: string | undefined, column: string): "ascending" | "descending" | "none" {
  if (current === column) return "ascending";
  return current === `-${column}` ? "descending" : "none";
}

/** Rows as comma-separated values with a header line (RFC 4180). */
export function toCsv<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  const quoted = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const written = columns.filter((column) => column.text !== undefined);
  const lines = [
    written.map((column) => quoted(column.header)),
    ...rows.map((row) => written.map((column) => quoted(column.text?.(row) ?? ""))),
  ];
  return lines.map((line) => line.join(",")).join("\r\n");
}

export interface CellPosition {
  readonly row: number; // -1 is the header
  readonly column: number;
}

/** Where the focus goes from `at` on a key, or null when the key does not move it. */
export function moveFocus(
  at: CellPosition,
  key: string,
  size: { rows: number; columns: number; page: number },
  control: boolean,
): CellPosition | null {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const row = (value: number) => ({ ...at, row: Math.max(-1, Math.min(last.row, value)) });
  const column = (value: number) => ({ ...at, column: Math.max(0, Math.min(last.column, value)) });
  switch (key) {
    case "ArrowDown":
    case "j":
      return row(at.row + 1);
    case "ArrowUp":
    case "k":
      return row(at.row - 1);
    case "ArrowRight":
      return column(at.column + 1);
    case "ArrowLeft":
      return column(at.column - 1);
    case "PageDown":
      return row(at.row + size.page);
    case "PageUp":
      return row(Math.max(0, at.row - size.page));
    case "Home":
      return control ? { row: Math.min(0, last.row), column: 0 } : column(0);
    case "End":
      return control ? last : column(last.column);
    default:
      return null;
  }
}
