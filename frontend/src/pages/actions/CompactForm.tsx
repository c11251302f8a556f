import { useState } from "react";
import { fieldError } from "../../api/problem";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField, TextField } from "../../ui/Field";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { useScope } from "./ScopeFields";

const STRATEGIES = ["full", "minor", "order", "zorder", "hilbert"] as const;
type Strategy = (typeof STRATEGIES)[number];
const SORTS: ReadonlySet<Strategy> = new Set(["order", "zorder", "hilbert"] as const);

/** Which partitions and buckets to compact, how far, and with which options. */
export function CompactForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, fields } = useMessages();
  const { summary } = useOpenTable();
  const search = usePageSearch();
  const scope = useScope(error);
  const [strategy, setStrategy] = useState<Strategy>(
    STRATEGIES.find((known) => known === search["f.strategy"]) ?? "full",
  );
  const [order, setOrder] = useState(search["f.order_by"]?.replaceAll("\n", ", ") ?? "");
  const sorts = SORTS.has(strategy);
  const columns = order.split(",").flatMap((name) => name.trim() || []);
  // Tables with a key or buckets have an order already.
  const sortable = summary.kind === "append" && summary.bucket_mode === "unaware";
  const isAppend = summary.kind === "append";
  const words = { ...actionPage.strategies, ...(isAppend && actionPage.appendStrategies) };
  const hints = { ...actionPage.strategyHints, ...(isAppend && actionPage.appendHints) };
  const shown = STRATEGIES.filter((known) => sortable || known === strategy || !SORTS.has(known));
  const [buckets, setBuckets] = useState(search["f.bucket"]?.replaceAll("\n", ", ") ?? "");
  const bucketList = buckets.split(/[\s,]+/).filter(Boolean);
  const wrongBucket = bucketList.find((text) => !/^\d+$/.test(text));
  return (
    <PlanForm
      disabled={busy || (sorts ? columns.length === 0 : wrongBucket !== undefined)}
      onSubmit={() =>
        onPlan({
          strategy,
          ...scope.params,
          ...(sorts
            ? { order_by: columns }
            : { buckets: bucketList.length === 0 ? null : bucketList.map(Number) }),
        })
      }
    >
      <SelectField
        label={actionPage.strategy}
        hint={hints[strategy]}
        value={strategy}
        options={shown.map((known) => [known, words[known]] as const)}
        onChange={(value) => setStrategy(STRATEGIES.find((known) => known === value) ?? "full")}
      />
      {sorts && (
        <TextField
          label={actionPage.orderBy}
          hint={actionPage.orderByHint}
          error={fieldError(error, "order_by")}
          value={order}
          onChange={(event) => setOrder(event.target.value)}
        />
      )}
      {scope.partitionFields}
      {!sorts && !sortable && (
        <TextField
          label={fields.buckets}
          hint={actionPage.bucketsHint}
          error={
            wrongBucket === undefined ? fieldError(error, "buckets") : actionPage.notABucket(wrongBucket)
          }
          value={buckets}
          onChange={(event) => setBuckets(event.target.value)}
        />
      )}
      {scope.optionField}
    </PlanForm>
  );
}

/** Where deletion vectors are materialised. */
export function VectorsForm({ busy, error, onPlan }: FormProps) {
  const scope = useScope(error);
  return (
    <PlanForm disabled={busy} onSubmit={() => onPlan(scope.params)}>
      {scope.partitionFields}
      {scope.optionField}
    </PlanForm>
  );
}
