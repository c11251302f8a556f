import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "./client";

export type View = Schemas["View"];
export type CatalogFunction = Schemas["Function"];
export type ObjectColumn = Schemas["Column"];

export function viewQuery(warehouse: string, database: string, view: string) {
  return queryOptions({
    queryKey: ["views", warehouse, database, view] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/views/{view}", {
          params: { path: { warehouse, database, view } },
          signal,
        }),
      ),
  });
}

/** What only tables of its type have. */
export function tableTypeQuery(warehouse: string, database: string, table: string) {
  return queryOptions({
    queryKey: ["table-types", warehouse, database, table] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/type", {
          params: { path: { warehouse, database, table } },
          signal,
        }),
      ),
  });
}

export function functionsQuery(warehouse: string, database: string) {
  return queryOptions({
    queryKey: ["functions", warehouse, database] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/functions", {
          params: { path: { warehouse, database }, query: { limit: 1000 } },
          signal,
        }),
      ),
  });
}

export function functionQuery(warehouse: string, database: string, name: string) {
  return queryOptions({
    queryKey: ["functions", warehouse, database, name] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/functions/{function}", {
          params: { path: { warehouse, database, function: name } },
          signal,
        }),
      ),
  });
}
