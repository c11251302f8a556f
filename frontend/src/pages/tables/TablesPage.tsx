import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { databaseTablesQuery } from "../../api/warehouses";
import { ListGrid } from "../../app/ListGrid";
import { Page } from "../../app/Page";
import { SavedViews } from "../../app/SavedViews";
import { toApiFilters } from "../../app/search";
import { byName, useTableColumns, useTableFilters } from "../../app/tableColumns";
import { useFilters, usePageParams, usePageSearch } from "../../app/useSearch";
import { watchAll } from "../../app/Watching";
import { useMessages } from "../../i18n";
import { Functions } from "./Functions";

/** The tables of a database. */
export function TablesPage(): ReactNode {
  const { tablesPage } = useMessages();
  const { wh = "", db = "" } = usePageParams();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  return (
    <Page
      title={`${wh} / ${db}`}
      heading={
        <>
          <Link to="/w/$wh" params={{ wh }}>
            {wh}
          </Link>{" "}
          / {db}
        </>
      }
    >
      <SavedViews page="tables" />
      <ListGrid
        label={tablesPage.tables}
        query={databaseTablesQuery(wh, db, { sort, ...toApiFilters(byName(filters)) })}
        columns={useTableColumns(false)}
        rowKey={(row) => row.name}
        filters={useTableFilters()}
        empty={{ title: tablesPage.noTables, detail: tablesPage.noTablesDetail }}
        hidden={["partition_keys", "snapshots", "owner", "measured_at"]}
        withChosen={watchAll}
        note={<span>{tablesPage.rowsNote}</span>}
      />
      <Functions warehouse={wh} database={db} />
    </Page>
  );
}
