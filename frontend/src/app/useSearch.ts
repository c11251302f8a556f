import { useNavigate, useParams, useSearch as useRouterSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { filtersOf, type Search } from "./search";

/** The named parts of the open page's address, decoded; which of them are there depends on the route. */
export interface PageParams {
  readonly wh?: string;
  readonly db?: string;
  readonly table?: string;
  readonly snapshot?: string;
  readonly partition?: string;
  readonly bucket?: string;
  readonly schema?: string;
  readonly kind?: string;
  readonly job?: string;
}

export function usePageParams(): PageParams {
  return useParams({ strict: false });
}

/** The query string of the open page. */
export function usePageSearch(): Search {
  return useRouterSearch({ strict: false });
}

/** Changes some parameters of the open page's query string; undefined takes one away. What follows # stays. */
export function useSetSearch(): (change: Search, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (change: Search, replace = false) => {
      const search = (before: Search) => ({ ...before, ...change });
      void navigate({ to: ".", search, replace, hash: true, hashScrollIntoView: false });
    },
    [navigate],
  );
}

/** Filters of the open page, and how to change one. */
export function useFilters(): [Record<string, string>, (id: string, value: string | undefined) => void] {
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const set = useCallback(
    (id: string, value: string | undefined) => setSearch({ [`f.${id}`]: value }, true),
    [setSearch],
  );
  return [filtersOf(search), set];
}
