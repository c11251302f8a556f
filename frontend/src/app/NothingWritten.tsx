import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMessages } from "../i18n";
import { buttonClass } from "../ui/Button";
import { Empty } from "../ui/States";
import { pinOf } from "./search";
import { useOpenTable } from "./table";
import { usePageSearch } from "./useSearch";

/** What stands for the history of a table without snapshots, with the way to its first rows for who may write them. */
export function NothingWritten(): ReactNode {
  const { overview, actions } = useMessages();
  const { ref, summary } = useOpenTable();
  const { branch } = pinOf(usePageSearch());
  const mayWrite = summary.permissions.includes("table:operate");
  return (
    <Empty
      title={overview.noSnapshots}
      action={
        mayWrite && (
          <Link
            to="/w/$wh/$db/$table/actions/$kind"
            params={{ wh: ref.warehouse, db: ref.database, table: ref.table, kind: "write" }}
            search={{ branch }}
            className={buttonClass()}
          >
            {actions.write}
          </Link>
        )
      }
    >
      {overview.noSnapshotsDetail}
    </Empty>
  );
}
