import type { ReactNode } from "react";

export interface GridColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** Least width in pixels, if its header needs no more. */
  readonly width: number;
  /** How many times its width it takes of the room that is left; 1 if nothing is said. */
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
const PADDING = 20;
const LETTER = 8; // bold, of 12 px, in a wide font
const IDEOGRAPH = 12.5;

/** The `grid-template-columns` of a row, and the least width of the whole. */
export function columnTemplate<Row>(
  columns: readonly GridColumn<Row>[],
  widths: ColumnWidths = {},
): {
  template: string;
  width: number;
} {
  const tracks = columns.map((column) => {
    const given = widths[column.id];
    if (given !== undefined) return { width: given, track: `${given}px` };
    const width = Math.max(column.width, headerWidth(column.header));
    return { width, track: `minmax(${width}px, ${(column.grow ?? 1) * width}fr)` };
  });
  return {
    template: tracks.map(({ track }) => track).join(" "),
    width: tracks.reduce((sum, { width }) => sum + width, 0),
  };
}

function headerWidth(header: string): number {
  const letters = [...header].map((letter) => (letter > "\u2e7f" ? IDEOGRAPH : LETTER));
  return Math.ceil(letters.reduce((sum, letter) => sum + letter, PADDING));
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
