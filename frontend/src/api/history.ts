import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "./client";
import { tableKeys, type TableRef } from "./tables";

// What is known of refs and options beyond their lists: it takes longer, so a page asks for it beside them.

export type Held = Schemas["Held"];
export type OptionHistory = Schemas["OptionHistory"];

const T = "/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}";

/** What each tag of a branch, and each branch, keeps alone, and how far branches are from main. */
export function heldQuery(table: TableRef, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "held", branch),
    queryFn: ({ signal }) =>
      answer(api.GET(`${T}/held`, { params: { path: { ...table }, query: { branch } }, signal })),
    staleTime: 60_000,
  });
}

/** One option across all schemas. */
export function optionHistoryQuery(table: TableRef, branch: string | undefined, option: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "option-history", option, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/options/{option}/history`, {
          params: { path: { ...table, option }, query: { branch } },
          signal,
        }),
      ),
  });
}
