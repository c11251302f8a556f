import type { ReactNode } from "react";
import { jobsQuery } from "../../api/jobs";
import { useJobColumns, useJobFilters } from "../../app/jobColumns";
import { ListGrid } from "../../app/ListGrid";
import { TablePage } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";

/** The jobs of one table. */
export function TableJobsPage(): ReactNode {
  const { jobs, tabs } = useMessages();
  const { ref } = useOpenTable();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  const of = { warehouse: ref.warehouse, database: ref.database, table: ref.table };
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.jobs}`}>
      <ListGrid
        label={tabs.jobs}
        query={jobsQuery({ ...of, sort, ...toApiFilters(filters) })}
        columns={useJobColumns(false)}
        rowKey={(job) => job.id}
        filters={useJobFilters()}
        empty={{ title: jobs.none, detail: jobs.noneForTable }}
      />
    </TablePage>
  );
}
