import type { ReactNode } from "react";
import { DataGrid, type GridColumn } from "../ui/DataGrid";
import { useMessages } from "../i18n";
import { cellText } from "./cellText";
import { ValueCell } from "./ValueCell";

interface RowsColumn {
  readonly name: string;
  readonly type: string;
  /** How its values are masked; null or nothing: they are told as they are. */
  readonly masked?: "hide" | "hash" | "partial" | "sensitive" | null;
}

interface RowsGridProps {
  readonly label: string;
  readonly columns: readonly RowsColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly note: string;
  /** What a cell shows instead of its text; undefined: the text. */
  readonly cell?: (column: string, text: string) => ReactNode;
}

interface Row {
  readonly at: number;
  readonly values: readonly unknown[];
}

const NUMERIC = /^(TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE|DECIMAL)/;

/** Rows of data, as arrays in the order of columns, whose names may come twice. */
export function RowsGrid({ label, columns, rows, note, cell }: RowsGridProps): ReactNode {
  const { masking } = useMessages();
  const shown = columns.map((column, at): GridColumn<Row> => ({
    id:
      columns.findIndex((other) => other.name === column.name) === at ? column.name : `${column.name} ${at}`,
    header: column.masked
      ? `${column.name} · ${column.type} · ${masking.masked}`
      : `${column.name} · ${column.type}`,
    width: Math.min(320, Math.max(110, (column.name.length + column.type.length) * 8 + 40)),
    grow: NUMERIC.test(column.type) ? 0.2 : 1,
    align: NUMERIC.test(column.type) ? "end" : "start",
    cell: (row) =>
      cell?.(column.name, cellText(row.values[at])) ?? (
        <ValueCell name={column.name} type={column.type} value={row.values[at]} />
      ),
    text: (row) => cellText(row.values[at]),
  }));
  return (
    <DataGrid
      label={label}
      columns={shown}
      rows={rows.map((values, at) => ({ at, values }))}
      rowKey={(row) => String(row.at)}
      note={<span>{note}</span>}
    />
  );
}
