import type { QueryClient } from "@tanstack/react-query";
import { tableQuery } from "../api/tables";
import { router } from "./routes";
import type { Search } from "./search";
import type { PageParams } from "./useSearch";

interface Match {
  readonly routeId: keyof typeof router.routesById;
  readonly params: PageParams;
  readonly search: Search;
}

/**
 * Asks at once for what the page at the address needs, before there are words to draw anything with: the code of the
 * page, and the header of its table, which every other question about the table waits for.
 */
export function askEarly(client: QueryClient): void {
  const matches: readonly Match[] = router.matchRoutes(router.latestLocation);
  for (const { routeId, params, search } of matches) {
    const { component } = router.routesById[routeId].options;
    if (component !== undefined && "preload" in component) void component.preload?.();
    const { wh, db, table } = params;
    if (routeId !== "/w/$wh/$db/$table" || wh === undefined || db === undefined || table === undefined)
      continue;
    void client.prefetchQuery(tableQuery({ warehouse: wh, database: db, table }, { branch: search.branch }));
  }
}
