import type { ReactNode } from "react";
import { jobsQuery } from "../../api/jobs";
import { useJobColumns, useJobFilters } from "../../app/jobColumns";
import { ListGrid } from "../../app/ListGrid";
import { Page } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { DayStrip } from "./DayStrip";
import { SavedViews } from "../../app/SavedViews";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";

/** Jobs over all tables, newest first. */
export function JobsPage(): ReactNode {
  const { jobs, shell } = useMessages();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  return (
    <Page title={shell.jobs}>
      <DayStrip />
      <SavedViews page="jobs" />
      <ListGrid
        label={shell.jobs}
        query={jobsQuery({ sort, ...toApiFilters(filters) })}
        columns={useJobColumns(true)}
        rowKey={(job) => job.id}
        filters={useJobFilters()}
        empty={{ title: jobs.none, detail: jobs.noneDetail }}
      />
    </Page>
  );
}
