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

const LISTS = ["delta", "changelog", "index"] as const;
type List = (typeof LISTS)[number];

/** What one commit added and deleted: data files, files of the changelog, index files. */
export function ChangesPage(): ReactNode {
  const { changes, snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref } = useOpenTable();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const list: List = LISTS.find((known) => known === view) ?? "delta";
  return (
    <TablePage title={`${tableName(ref)} · #${snapshot.split("~")[0] ?? ""} · ${snapshotPage.changes}`}>
      <SnapshotTabs />
      <div>
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
            })
          }
        />
      </div>
      {list === "index" ? <IndexChanges /> : <FileChanges key={list} list={list} />}
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
      empty={{ title: changes.none[list] }}
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
      empty={{ title: changes.none.index }}
    />
  );
}
