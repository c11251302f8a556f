import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageParams, usePageSearch } from "./useSearch";

/** The address of a table leads to its overview. */
export function ToOverview(): ReactNode {
  const { wh = "", db = "", table = "" } = usePageParams();
  const search = usePageSearch();
  return <Navigate to="/w/$wh/$db/$table/overview" params={{ wh, db, table }} search={search} replace />;
}
