import { Link } from "@tanstack/react-router";
import { useMessages } from "../i18n";
import { pinOf } from "./search";
import styles from "./Shell.module.css";
import { useTableRef } from "./table";
import { usePageParams, usePageSearch } from "./useSearch";

/** The pages of one snapshot, below the tabs of its table. */
export function SnapshotTabs() {
  const { snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { warehouse, database, table } = useTableRef();
  const link = { params: { wh: warehouse, db: database, table, snapshot }, search: pinOf(usePageSearch()) };
  const exact = { activeOptions: { exact: true, includeSearch: false } };
  return (
    <nav className={styles["tabs"]} aria-label={snapshotPage.pages}>
      <Link to="/w/$wh/$db/$table/snapshots/$snapshot" {...link} {...exact}>
        {snapshotPage.summary(snapshot.split("~")[0] ?? "")}
      </Link>
      <Link to="/w/$wh/$db/$table/snapshots/$snapshot/changes" {...link} {...exact}>
        {snapshotPage.changes}
      </Link>
      <Link to="/w/$wh/$db/$table/snapshots/$snapshot/manifests" {...link} {...exact}>
        {snapshotPage.manifests}
      </Link>
    </nav>
  );
}
