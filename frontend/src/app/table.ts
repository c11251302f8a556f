import { createContext, use } from "react";
import { usePageParams } from "./useSearch";
import type { Pin, Table, TableRef } from "../api/tables";

/** The table of the open page, as its header found it. */
export interface OpenTable {
  readonly ref: TableRef;
  readonly summary: Table;
  /** The snapshot that all tabs read, by identity; undefined at while the table has none. */
  readonly pin: Pin;
  /** Whether this is still the snapshot before: the one that the address asks for is on its way. */
  readonly isBehind: boolean;
  /** Whether rows fall into partitions; where they do not, pages leave the word out. */
  readonly isPartitioned: boolean;
}

export const OpenTableContext = createContext<OpenTable | null>(null);

export function useOpenTable(): OpenTable {
  const table = use(OpenTableContext);
  if (table === null) throw new Error("useOpenTable is used outside a table's page");
  return table;
}

/** The names in the address of a table's page. */
export function useTableRef(): TableRef {
  const { wh, db, table } = usePageParams();
  return { warehouse: wh ?? "", database: db ?? "", table: table ?? "" };
}

/** `sales.orders`, as Paimon writes it. */
export function tableName(table: TableRef): string {
  return `${table.database}.${table.table}`;
}

/** `prod.sales.orders`: what has to be typed before something is removed. */
export function fullName(table: TableRef): string {
  return `${table.warehouse}.${table.database}.${table.table}`;
}
