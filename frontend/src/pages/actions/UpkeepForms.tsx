import { useState } from "react";
import { fieldError } from "../../api/problem";
import { parseOptions } from "../../app/parseOptions";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Checkbox, CodeField } from "../../ui/Field";
import { PartitionsField } from "./PartitionsField";
import { lines, PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";

/** Options that are set and removed. */
export function OptionsForm({ busy, error, onPlan }: FormProps) {
  const { upkeep } = useMessages();
  const search = usePageSearch();
  const [given, setGiven] = useState(search["f.set"] ?? "");
  const [removed, setRemoved] = useState(search["f.remove"] ?? "");
  const set = parseOptions(given);
  const remove = lines(removed);
  return (
    <PlanForm
      disabled={busy || (Object.keys(set).length === 0 && remove.length === 0)}
      onSubmit={() => onPlan({ set, remove })}
    >
      <CodeField
        label={upkeep.setOptions}
        hint={upkeep.setOptionsHint}
        error={fieldError(error, "set")}
        rows={4}
        value={given}
        onChange={(event) => setGiven(event.target.value)}
      />
      <CodeField
        label={upkeep.removeOptions}
        hint={upkeep.removeOptionsHint}
        error={fieldError(error, "remove")}
        rows={2}
        value={removed}
        onChange={(event) => setRemoved(event.target.value)}
      />
    </PlanForm>
  );
}

/** The partitions whose files get the indexes that the options ask for. */
export function FileIndexForm({ busy, error, onPlan }: FormProps) {
  const search = usePageSearch();
  const [partitions, setPartitions] = useState(search["f.partition"] ?? "");
  const named = lines(partitions);
  return (
    <PlanForm disabled={busy} onSubmit={() => onPlan({ partitions: named.length === 0 ? null : named })}>
      <PartitionsField value={partitions} onChange={setPartitions} error={error} />
    </PlanForm>
  );
}

/** It is asked nothing: what the plan shows is all there is to know. */
export function ManifestsForm({ busy, onPlan }: FormProps) {
  return <PlanForm disabled={busy} onSubmit={() => onPlan({})} />;
}

/** The columns that get statistics. */
export function AnalyzeForm({ busy, error, onPlan }: FormProps) {
  const { upkeep } = useMessages();
  const search = usePageSearch();
  const [columns, setColumns] = useState(search["f.columns"] ?? "");
  const [rowsOnly, setRowsOnly] = useState(false);
  const named = columns.split(/[\n,]/).flatMap((name) => name.trim() || []);
  return (
    <PlanForm
      disabled={busy}
      onSubmit={() => onPlan({ columns: rowsOnly ? [] : named.length === 0 ? null : named })}
    >
      <Checkbox label={upkeep.rowsOnly} checked={rowsOnly} onChange={setRowsOnly} />
      {!rowsOnly && (
        <CodeField
          label={upkeep.columns}
          hint={upkeep.columnsHint}
          error={fieldError(error, "columns")}
          rows={2}
          value={columns}
          onChange={(event) => setColumns(event.target.value)}
        />
      )}
    </PlanForm>
  );
}
