import { answer, api, listQuery, validator, type Schemas } from "./client";
import type { TableRef } from "./tables";

export type Watch = Schemas["Watch"];

export const watchKeys = { all: ["watches"] as const };

/** What the person watches; all of it, as nobody watches more than fits a page. */
export const watchesQuery = listQuery({
  key: watchKeys.all,
  ask: (how) => api.GET("/api/v1/watches", how),
  query: { limit: 200 },
});

export function watchTable({ warehouse, database, table }: TableRef): Promise<Watch> {
  return answer(api.POST("/api/v1/watches", { body: { warehouse, database, name: table } }));
}

export async function unwatch(watch: number): Promise<void> {
  const params = { path: { watch } };
  const header = await validator(api.GET("/api/v1/watches/{watch}", { params }));
  await answer(api.DELETE("/api/v1/watches/{watch}", { params: { ...params, header } }));
}
