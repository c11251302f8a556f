import type { ReactNode } from "react";
import { tablesQuery } from "../../api/warehouses";
import { ListGrid } from "../../app/ListGrid";
import { Page } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { byName, useTableColumns, useTableFilters } from "../../app/tableColumns";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { watchAll } from "../../app/Watching";
import { useMessages } from "../../i18n";

/** Tables of all warehouses that match a text. */
export function SearchPage(): ReactNode {
  const { tablesPage, shell } = useMessages();
  const { sort, q } = usePageSearch();
  const [filters] = useFilters();
  return (
    <Page title={q === undefined ? shell.search : tablesPage.searchFor(q)}>
      <ListGrid
        label={tablesPage.tables}
        query={tablesQuery({ q, sort, ...toApiFilters(byName(filters)) })}
        columns={useTableColumns(true)}
        rowKey={(row) => `${row.warehouse}/${row.database}/${row.name}`}
        filters={useTableFilters()}
        empty={{ title: shell.nothingFound, detail: tablesPage.noMatchDetail }}
        hidden={["partition_keys", "snapshots", "owner", "measured_at", "comment"]}
        withChosen={watchAll}
        note={<span>{tablesPage.rowsNote}</span>}
      />
    </Page>
  );
}
