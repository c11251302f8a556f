import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "./client";
import type { TableRef } from "./tables";

export type ObjectSearch = Schemas["ObjectSearch"];
export type ObjectPlace = Schemas["ObjectPlace"];
export type Verdict = ObjectSearch["verdict"];

/** Where a file of data or metadata is named; the open table is looked in first. */
export function objectQuery(name: string, open: TableRef | null) {
  const table = open === null ? undefined : `${open.warehouse}/${open.database}/${open.table}`;
  return queryOptions({
    queryKey: ["objects", name, table],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/objects", { params: { query: { name, table } }, signal })),
    staleTime: 30_000,
  });
}

/** Where the content of an object of an object table is asked for; slashes of its path stay slashes. */
export function objectAddress(table: TableRef, path: string): string {
  const [wh, db, name] = [table.warehouse, table.database, table.table].map(encodeURIComponent);
  const object = path.split("/").map(encodeURIComponent).join("/");
  return `/api/v1/warehouses/${wh}/databases/${db}/tables/${name}/objects/${object}`;
}
