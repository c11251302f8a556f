import { queryOptions } from "@tanstack/react-query";
import { answer, api, idempotency, type Schemas } from "./client";
import { hasEnded, type Job } from "./jobs";
import type { TableRef } from "./tables";

export type View = Schemas["View"];
export type CatalogFunction = Schemas["Function"];
export type ViewRows = Schemas["ViewRows"];
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

const RUN_POLL_MILLIS = 1000;

/** The caller's last run of a view, asked again every second until it has ended. */
export function viewRunQuery(warehouse: string, database: string, view: string) {
  return queryOptions({
    queryKey: ["views", warehouse, database, view, "run"] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/views/{view}/runs", {
          params: { path: { warehouse, database, view } },
          signal,
        }),
      ),
    refetchInterval: (query) => {
      const run = query.state.data?.run;
      return run && !hasEnded(run) ? RUN_POLL_MILLIS : false;
    },
  });
}

/** Starts a job that reads the first rows of a view. */
export function runView(
  at: { warehouse: string; database: string; view: string },
  limit: number,
): Promise<Job> {
  return answer(
    api.POST("/api/v1/warehouses/{warehouse}/databases/{database}/views/{view}/runs", {
      params: { path: at, header: idempotency() },
      body: { limit },
    }),
  );
}

export function viewRowsQuery(warehouse: string, database: string, view: string, job: string) {
  return queryOptions({
    queryKey: ["views", warehouse, database, view, "rows", job] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/views/{view}/runs/{job}", {
          params: { path: { warehouse, database, view, job } },
          signal,
        }),
      ),
  });
}

export type TableType = Schemas["TableType"];

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

export type Schedule = Schemas["Schedule"];

const SCHEDULE_POLL_MILLIS = 10_000;

function schedulePath(at: TableRef) {
  return { path: { warehouse: at.warehouse, database: at.database, table: at.table } };
}

/** Whether a materialized table is refreshed by a schedule, asked again while that is so. */
export function scheduleQuery(at: TableRef) {
  return queryOptions({
    queryKey: ["refresh-schedules", at.warehouse, at.database, at.table] as const,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/refresh-schedule", {
          params: schedulePath(at),
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data?.enabled === true ? SCHEDULE_POLL_MILLIS : false),
  });
}

/** Switches the schedule on or off; the last word counts, whoever changed it meanwhile. */
export function setSchedule(at: TableRef, enabled: boolean): Promise<Schedule> {
  return answer(
    api.PATCH("/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/refresh-schedule", {
      params: { ...schedulePath(at), header: { "If-Match": "*" } },
      body: { enabled },
    }),
  );
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
