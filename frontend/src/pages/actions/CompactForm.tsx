import { useState } from "react";
import { fieldError } from "../../api/problem";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { CodeField, SelectField, TextField } from "../../ui/Field";
import styles from "./Actions.module.css";
import type { FormProps } from "./PlanFlow";

type Strategy = "full" | "minor";

/** Which partitions and buckets to compact, and how far. */
export function CompactForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, fields } = useMessages();
  const { summary } = useOpenTable();
  const search = usePageSearch();
  const [strategy, setStrategy] = useState<Strategy>("full");
  const [partitions, setPartitions] = useState(
    search["f.partition"] === "-" ? "" : (search["f.partition"] ?? ""),
  );
  const [buckets, setBuckets] = useState(search["f.bucket"] ?? "");
  const partitionList = partitions
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const bucketList = buckets.split(/[\s,]+/).filter(Boolean);
  const wrongBucket = bucketList.find((text) => !/^\d+$/.test(text));
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onPlan({
          strategy,
          partitions: partitionList.length === 0 ? null : partitionList,
          buckets: bucketList.length === 0 ? null : bucketList.map(Number),
        });
      }}
    >
      <SelectField
        label={actionPage.strategy}
        hint={actionPage.strategyHints[strategy]}
        value={strategy}
        options={[
          ["full", actionPage.strategies.full],
          ["minor", actionPage.strategies.minor],
        ]}
        onChange={(value) => setStrategy(value === "minor" ? "minor" : "full")}
      />
      {summary.partition_keys.length > 0 && (
        <CodeField
          label={fields.partitions}
          hint={actionPage.partitionsHint(summary.partition_keys.map((key) => `${key}=…`).join(","))}
          error={fieldError(error, "partitions")}
          rows={3}
          value={partitions}
          onChange={(event) => setPartitions(event.target.value)}
        />
      )}
      <TextField
        label={fields.buckets}
        hint={actionPage.bucketsHint}
        error={wrongBucket === undefined ? fieldError(error, "buckets") : actionPage.notABucket(wrongBucket)}
        value={buckets}
        onChange={(event) => setBuckets(event.target.value)}
      />
      <div>
        <Button type="submit" look="primary" disabled={busy || wrongBucket !== undefined}>
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}
