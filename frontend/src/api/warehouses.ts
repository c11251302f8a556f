import { queryOptions } from "@tanstack/react-query";
import { answer, api, listQuery, validator, type Query, type Schemas } from "./client";

export type Warehouse = Schemas["Warehouse"];
export type Database = Schemas["Database"];
export type TableRow = Schemas["TableSummary"];
export type Check = Schemas["Check"];
export type CheckTarget = Schemas["CheckTargetRequest"];
export type Kinds = Schemas["Kinds"];
export type KindForm = Schemas["KindForm"];
export type KindField = Schemas["KindField"];

export const warehouseKeys = {
  all: ["warehouses"] as const,
  one: (warehouse: string) => [...warehouseKeys.all, warehouse] as const,
  databases: (warehouse: string) => [...warehouseKeys.one(warehouse), "databases"] as const,
  tables: (query: Query) => ["tables", query] as const,
};

const ALL = { limit: 1000 };

export const warehousesQuery = queryOptions({
  queryKey: warehouseKeys.all,
  queryFn: ({ signal }) => answer(api.GET("/api/v1/warehouses", { params: { query: ALL }, signal })),
});

/** What each kind of warehouse is asked for, in the reader's language. */
export function kindsQuery(language: string) {
  return queryOptions({
    queryKey: ["warehouse-kinds", language] as const,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/warehouse-kinds", { signal })),
    staleTime: Infinity,
  });
}

export function databasesQuery(warehouse: string) {
  return queryOptions({
    queryKey: warehouseKeys.databases(warehouse),
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases", {
          params: { path: { warehouse }, query: ALL },
          signal,
        }),
      ),
    refetchInterval: 30_000,
  });
}

/** Tables over all warehouses, from the console's own statistics: `warehouse`, `database`, `q`, `sort`, … */
export function tablesQuery(query: Query) {
  return listQuery({
    key: warehouseKeys.tables(query),
    ask: (how) => api.GET("/api/v1/tables", how),
    query,
  });
}

/** The tables of a database; registers new ones with the console's statistics on the way. */
export function databaseTablesQuery(warehouse: string, database: string, query: Query) {
  const list = listQuery({
    key: warehouseKeys.tables({ warehouse, database, ...query }),
    ask: (how) =>
      api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/tables", {
        params: { path: { warehouse, database } },
        ...how,
      }),
    query,
  });
  return {
    ...list,
    // Rows that nobody has measured yet are filled in as soon as that is done.
    refetchInterval: (asked: { state: { data?: { pages: readonly { items: readonly TableRow[] }[] } } }) =>
      asked.state.data?.pages.some((page) => page.items.some(isUnmeasured)) ? FILL_MILLIS : false,
  };
}

const FILL_MILLIS = 10_000;

function isUnmeasured(row: TableRow): boolean {
  return row.measured_at === null && row.type !== "view";
}

/** The names of a database's tables for the tree, the first thousand. */
export function treeTablesQuery(warehouse: string, database: string) {
  return queryOptions({
    queryKey: [...warehouseKeys.tables({ warehouse, database }), "tree"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/tables", {
          params: { path: { warehouse, database }, query: { ...ALL, sort: "name" } },
          signal,
        }),
      ),
    refetchInterval: 30_000,
  });
}

export function registerWarehouse(warehouse: Schemas["WarehouseRequest"]): Promise<Warehouse> {
  return answer(api.POST("/api/v1/warehouses", { body: warehouse }));
}

/** Credentials that are null stay as they are. */
export async function changeWarehouse(
  warehouse: string,
  change: Schemas["PatchedWarehouseRequest"],
): Promise<Warehouse> {
  const params = { path: { warehouse } };
  const header = await validator(api.GET("/api/v1/warehouses/{warehouse}", { params }));
  return answer(api.PATCH("/api/v1/warehouses/{warehouse}", { params: { ...params, header }, body: change }));
}

export async function removeWarehouse(warehouse: string): Promise<void> {
  const params = { path: { warehouse } };
  const header = await validator(api.GET("/api/v1/warehouses/{warehouse}", { params }));
  await answer(api.DELETE("/api/v1/warehouses/{warehouse}", { params: { ...params, header } }));
}

export function checkWarehouse(warehouse: string): Promise<Check> {
  return answer(api.POST("/api/v1/warehouses/{warehouse}/checks", { params: { path: { warehouse } } }));
}

/** Tests a warehouse before it is registered or changed; a test that takes long goes on and is asked for again. */
export function checkTarget(target: CheckTarget): Promise<Check> {
  return answer(api.POST("/api/v1/warehouse-checks", { body: target }));
}

/** What of the tree the person has left open, in whatever browser; asked for once a visit. */
export const openNodesQuery = queryOptions({
  queryKey: ["open nodes"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/me/tree", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

export function keepOpenNodes(open: readonly string[]): Promise<Schemas["Tree"]> {
  return answer(api.PUT("/api/v1/me/tree", { body: { open: [...open] } }));
}
