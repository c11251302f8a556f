import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tableTypeQuery } from "../../api/databaseObjects";
import { useOpenTable } from "../../app/table";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Checkbox } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import styles from "./Actions.module.css";
import type { FormProps } from "./PlanFlow";

/** How a materialized table is refreshed: as its definition says, or as a whole. */
export function RefreshForm({ busy, onPlan }: FormProps) {
  const { actionPage, typePage } = useMessages();
  const { ref } = useOpenTable();
  const [full, setFull] = useState(false);
  const { data } = useQuery(tableTypeQuery(ref.warehouse, ref.database, ref.table));
  const made = data?.materialized;
  const isContinuous = made?.refresh_mode === "CONTINUOUS";
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onPlan(full ? { full } : {});
      }}
    >
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
      <div>
        <Button type="submit" look="primary" disabled={busy}>
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}
