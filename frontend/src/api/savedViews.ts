import { answer, api, listQuery, validator, type Schemas } from "./client";

export type SavedView = Schemas["SavedView"];

export const savedViewKeys = { of: (page: SavedView["page"]) => ["saved-views", page] as const };

export function savedViewsQuery(page: SavedView["page"]) {
  return listQuery({
    key: savedViewKeys.of(page),
    ask: (how) => api.GET("/api/v1/saved-views", how),
    query: { page, limit: 100 },
  });
}

export function saveView(view: Schemas["SavedViewRequest"]): Promise<SavedView> {
  return answer(api.POST("/api/v1/saved-views", { body: view }));
}

export async function removeSavedView(view: number): Promise<void> {
  const params = { path: { view } };
  const header = await validator(api.GET("/api/v1/saved-views/{view}", { params }));
  await answer(api.DELETE("/api/v1/saved-views/{view}", { params: { ...params, header } }));
}
