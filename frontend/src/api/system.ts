import { infiniteQueryOptions } from "@tanstack/react-query";
import { answer, api, listQuery, queryText, type Query, type Schemas } from "./client";
import { tableKeys, type Pin, type TableRef } from "./tables";

export type SystemTable = Schemas["SystemTable"];
export type SystemRows = Schemas["SystemRows"];

const T = "/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/system";
const SYS = "/api/v1/warehouses/{warehouse}/system";
const PAGE_ROWS = 200;

/** Rows of one system table, page by page. */
function rowsQuery(key: readonly unknown[], ask: (query: Query, signal: AbortSignal) => Promise<SystemRows>) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask({ limit: PAGE_ROWS, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

export function systemTablesQuery(table: TableRef, pin: Pin) {
  return listQuery({
    key: tableKeys.of(table, "system", pin),
    ask: (how) => api.GET(T, { params: { path: { ...table } }, ...how }),
    query: { branch: pin.branch },
  });
}

export function systemRowsQuery(table: TableRef, pin: Pin, system: string, filter: string) {
  return rowsQuery(tableKeys.of(table, "system-rows", pin, system, filter), (page, signal) =>
    answer(
      api.GET(`${T}/{system}`, {
        params: { path: { ...table, system } },
        querySerializer: () => queryText({ ...page, ...pin, filter }),
        signal,
      }),
    ),
  );
}

export function warehouseTablesQuery(warehouse: string) {
  return listQuery({
    key: ["sys", warehouse],
    ask: (how) => api.GET(SYS, { params: { path: { warehouse } }, ...how }),
  });
}

export function warehouseRowsQuery(warehouse: string, system: string, filter: string) {
  return rowsQuery(["sys", warehouse, system, filter], (page, signal) =>
    answer(
      api.GET(`${SYS}/{system}`, {
        params: { path: { warehouse, system } },
        querySerializer: () => queryText({ ...page, filter }),
        signal,
      }),
    ),
  );
}

/** All rows as a sheet, as the server exports them. */
export async function systemSheet(address: string): Promise<Blob> {
  const response = await fetch(address, { headers: { Accept: "text/csv" } });
  if (!response.ok) await answer(Promise.resolve({ error: await response.json(), response }));
  return response.blob();
}

export function systemAddress(table: TableRef, pin: Pin, system: string, filter: string): string {
  const { warehouse, database, table: name } = table;
  const [w, d, t] = [warehouse, database, name].map(encodeURIComponent);
  return `/api/v1/warehouses/${w}/databases/${d}/tables/${t}/system/${system}?${queryText({ ...pin, filter })}`;
}

export function warehouseAddress(warehouse: string, system: string, filter: string): string {
  return `/api/v1/warehouses/${encodeURIComponent(warehouse)}/system/${system}?${queryText({ filter })}`;
}
