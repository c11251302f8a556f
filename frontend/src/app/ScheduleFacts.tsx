import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { scheduleQuery, setSchedule } from "../api/databaseObjects";
import type { TableRef } from "../api/tables";
import { useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { KeyValue } from "../ui/KeyValue";
import { Notice } from "../ui/States";
import { Timestamp } from "../ui/Timestamp";
import { Failed } from "./Answer";
import { JobLink, JobStateBadge } from "./cells";

interface ScheduleFactsProps {
  readonly tableRef: TableRef;
  /** What stands above it, in the same columns. */
  readonly facts: ComponentProps<typeof KeyValue>["items"];
}

/** Whether a materialized table is refreshed by a schedule, when it is next, and how the last one went. */
export function ScheduleFacts({ tableRef: at, facts }: ScheduleFactsProps): ReactNode {
  const { typePage } = useMessages();
  const client = useQueryClient();
  const query = scheduleQuery(at);
  const { data, error, refetch } = useQuery(query);
  const change = useMutation({
    mutationFn: (enabled: boolean) => setSchedule(at, enabled),
    onSuccess: (next) => client.setQueryData(query.queryKey, next),
  });
  if (data === undefined) {
    return (
      <>
        <KeyValue items={facts} />
        {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      </>
    );
  }
  return (
    <section aria-label={typePage.schedule} style={{ display: "grid", gap: "var(--space-3)" }}>
      <KeyValue
        items={[
          ...facts,
          [
            typePage.schedule,
            data.enabled ? typePage.scheduleOn(data.enabled_by ?? "") : typePage.scheduleOff,
          ],
          data.views.length > 0 && [typePage.viewsSeen, data.views.join(", ")],
          data.enabled && [typePage.nextDue, <Timestamp key="due" value={data.next_due} />],
          data.last_job !== null && [
            typePage.lastRefresh,
            <span key="job">
              <JobLink job={data.last_job.id} /> <JobStateBadge state={data.last_job.state} />{" "}
              <Timestamp value={data.last_job.ended_at} />
            </span>,
          ],
        ]}
      />
      {data.problem !== null && <Notice tone="warn">{data.problem.detail}</Notice>}
      {data.permitted && (
        <div>
          <Button disabled={change.isPending} onClick={() => change.mutate(!data.enabled)}>
            {data.enabled ? typePage.switchOff : typePage.switchOn}
          </Button>
        </div>
      )}
      {change.error !== null && <Failed error={change.error} />}
    </section>
  );
}
