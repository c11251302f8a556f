import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keepOpenNodes, openNodesQuery } from "../api/warehouses";
import { preferences, setPreferences, usePreferences } from "../preferences";
import { usePageParams } from "./useSearch";

const MOST_NODES = 500; // that the server keeps
const QUIET_MILLIS = 1500; // without a change, before it is told

/**
 * What of the tree is open: as the person left it in any browser, and the way to the table in view. A way is opened
 * when it is navigated to; what is closed after that stays closed.
 */
export function useOpenNodes(): readonly string[] {
  const { wh, db } = usePageParams();
  const { expanded } = usePreferences();
  const { data } = useQuery(openNodesQuery);
  const told = useRef<string | null>(null); // what the server has
  const kept = data?.open;
  const isKnown = kept !== undefined;
  useEffect(() => {
    if (kept === undefined || told.current !== null) return;
    told.current = textOf(kept);
    if (kept.length > 0) setPreferences({ expanded: withWay(kept, wh, db) }); // none: nowhere yet
  }, [kept, wh, db]);
  useEffect(() => {
    const open = preferences().expanded;
    const now = withWay(open, wh, db);
    if (now.length > open.length) setPreferences({ expanded: now });
  }, [wh, db]);
  useEffect(() => {
    const now = expanded.slice(-MOST_NODES);
    if (!isKnown || told.current === textOf(now)) return;
    const timer = setTimeout(() => {
      told.current = textOf(now);
      // A server that does not take it is asked again with the next change; this browser knows it anyway.
      keepOpenNodes(now).catch(() => undefined);
    }, QUIET_MILLIS);
    return () => clearTimeout(timer);
  }, [expanded, isKnown]);
  return expanded;
}

function withWay(open: readonly string[], wh: string | undefined, db: string | undefined): readonly string[] {
  if (wh === undefined) return open;
  const way = db === undefined ? [wh] : [wh, `${wh}/${db}`];
  return [...open, ...way.filter((path) => !open.includes(path))];
}

function textOf(nodes: readonly string[]): string {
  return nodes.join("\n");
}
