import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { listQuery } from "../api/client";

export type ListQuery<Item> = ReturnType<typeof listQuery<Item>>;

/** A list of the API as far as it was asked for; `onEnd` asks for the page after that. */
export function usePages<Item>(query: ListQuery<Item>) {
  const answer = useInfiniteQuery({ ...query, placeholderData: (before) => before });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { answer, rows, more: hasNextPage, total: data?.pages[0]?.total, onEnd };
}
