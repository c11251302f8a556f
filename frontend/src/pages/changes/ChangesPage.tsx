import type { ReactNode } from "react";
import { changesQuery, indexChangesQuery } from "../../api/tables";
import {
  useChangeColumns,
  useChangeFilters,
  useIndexChangeColumns,
  useIndexChangeFilters,
} from "../../app/changeColumns";
import { ListGrid } from "../../app/ListGrid";
import { TablePage } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { SnapshotTabs } from "../../app/SnapshotTabs";
import { tableName, useOpenTable } from "../../app/table";
import { useFilters, usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Segments } from "../../ui/Field";
import { ChangeGroups } from "./ChangeGroups";

const LISTS = ["delta", "changelog", "index"] as const;
type List = (typeof LISTS)[number];
const GROUPS = ["partition", "bucket"] as const;

/** What one commit added and deleted: data files, files of the changelog, index files. */
export function ChangesPage(): ReactNode {
  const { changes, snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, isPartitioned } = useOpenTable();
  const { view, group } = usePageSearch();
  const setSearch = useSetSearch();
  const list: List = LISTS.find((known) => known === view) ?? "delta";
  const by = GROUPS.find((known) => known === group) ?? null;
  return (
    <TablePage title={`${tableName(ref)} · #${snapshot.split("~")[0] ?? ""} · ${snapshotPage.changes}`}>
      <SnapshotTabs />
      <div style={{ display: "flex", flexWrap: "wrap", gap: 12 }}>
        <Segments
          label={changes.list}
          value={list}
          options={LISTS.map((id) => [id, changes.lists[id]] as const)}
          onChange={(next) =>
            setSearch({
              view: next === "delta" ? undefined : next,
              // Only these columns are in every list.
              sort: undefined,
              "f.level": undefined,
              "f.source": undefined,
              "f.kind": undefined,
              group: next === "index" ? undefined : group,
            })
          }
        />
        {list !== "index" && (
          <Segments
            label={changes.groupBy}
            value={by ?? "files"}
            options={[
              ["files", changes.groups.files],
              ...(isPartitioned ? [["partition", changes.groups.partition] as const] : []),
              ["bucket", changes.groups.bucket],
            ]}
            onChange={(next) => setSearch({ group: next === "files" ? undefined : next, sort: undefined })}
          />
        )}
      </div>
      {list === "index" ? (
        <IndexChanges />
      ) : by === null ? (
        <FileChanges key={list} list={list} />
      ) : (
        <ChangeGroups key={`${list}/${by}`} list={list} by={by} />
      )}
    </TablePage>
  );
}

function FileChanges({ list }: { list: Exclude<List, "index"> }) {
  const { changes, snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  return (
    <ListGrid
      label={snapshotPage.changes}
      query={changesQuery(ref, snapshot, pin.branch, { list, sort, ...toApiFilters(filters) })}
      columns={useChangeColumns()}
      rowKey={(change) => `${change.change}:${change.partition}/${change.bucket}/${change.file}`}
      filters={useChangeFilters()}
      empty={{ title: changes.none[list], detail: changes.noneWhy[list] }}
      hidden={["created_at", "index"]}
    />
  );
}

function IndexChanges() {
  const { changes, snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  return (
    <ListGrid
      label={snapshotPage.changes}
      query={indexChangesQuery(ref, snapshot, pin.branch, { sort, ...toApiFilters(filters) })}
      columns={useIndexChangeColumns()}
      rowKey={(change) => `${change.change}:${change.name}`}
      filters={useIndexChangeFilters()}
      empty={{ title: changes.none.index, detail: changes.noneWhy.index }}
    />
  );
}
