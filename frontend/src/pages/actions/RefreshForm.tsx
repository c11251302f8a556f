import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tableTypeQuery } from "../../api/databaseObjects";
import { Failed } from "../../app/Answer";
import { useOpenTable } from "../../app/table";
import { useMessages } from "../../i18n";
import { Checkbox } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";

/** How a materialized table is refreshed: as its definition says, or as a whole. */
export function RefreshForm({ busy, onPlan }: FormProps) {
  const { actionPage, typePage } = useMessages();
  const { ref } = useOpenTable();
  const [full, setFull] = useState(false);
  const { data, error, refetch } = useQuery(tableTypeQuery(ref.warehouse, ref.database, ref.table));
  const made = data?.materialized;
  const isContinuous = made?.refresh_mode === "CONTINUOUS";
  return (
    <PlanForm disabled={busy} onSubmit={() => onPlan(full ? { full } : {})}>
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {made && (
        <KeyValue
          items={[
            [
              typePage.query,
              <code key="query" style={{ whiteSpace: "pre-wrap" }}>
                {made.query}
              </code>,
            ],
            [typePage.refreshMode, made.refresh_mode],
            [typePage.freshness, made.freshness],
          ]}
        />
      )}
      {isContinuous && <Checkbox label={actionPage.refreshFull} checked={full} onChange={setFull} />}
    </PlanForm>
  );
}
