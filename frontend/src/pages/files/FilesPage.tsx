import type { ReactNode } from "react";
import { TablePage } from "../../app/Page";
import { SavedViews } from "../../app/SavedViews";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Segments } from "../../ui/Field";
import { Empty } from "../../ui/States";
import { StatisticsPicker } from "./ColumnStatistics";
import { FileDrawer } from "./FileDrawer";
import { FileGrid } from "./FileGrid";
import { BucketHeatmap, FileSizes } from "./FilePictures";
import { PartitionGrid } from "./PartitionGrid";

const VIEWS = ["grid", "heatmap", "sizes", "partitions"] as const;
type View = (typeof VIEWS)[number];

/** The live files of the pinned snapshot, in four views over the same set. */
export function FilesPage(): ReactNode {
  const { files, tabs } = useMessages();
  const { ref, summary } = useOpenTable();
  const { view, open } = usePageSearch();
  const setSearch = useSetSearch();
  const current: View = VIEWS.find((known) => known === view) ?? "grid";
  const opened = open?.startsWith("file:") ? open.slice("file:".length) : null;
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.files}`}>
      {summary.at === null ? (
        <Empty title={files.none}>{files.noneDetail}</Empty>
      ) : (
        <>
          <div>
            <Segments
              label={files.view}
              value={current}
              options={VIEWS.map((id) => [id, files.views[id]] as const)}
              onChange={(next) => setSearch({ view: next === "grid" ? undefined : next, sort: undefined })}
            />
          </div>
          <SavedViews page="files" />
          {current === "grid" && (
            <>
              <StatisticsPicker />
              <FileGrid />
            </>
          )}
          {current === "heatmap" && <BucketHeatmap />}
          {current === "sizes" && <FileSizes />}
          {current === "partitions" && <PartitionGrid />}
        </>
      )}
      {opened !== null && <FileDrawer name={opened} onClose={() => setSearch({ open: undefined })} />}
    </TablePage>
  );
}
