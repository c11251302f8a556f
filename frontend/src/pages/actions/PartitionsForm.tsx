import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField, TextField } from "../../ui/Field";
import { PartitionsField } from "./PartitionsField";
import { lines, PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";

const ACTIONS = ["expire", "drop", "mark_done"] as const;

/** Which partitions are dropped, expire or are complete. */
export function PartitionsForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, upkeep } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const action = ACTIONS.find((known) => known === search["f.action"]) ?? "expire";
  const [partitions, setPartitions] = useState(search["f.partition"] ?? "");
  const [age, setAge] = useState(search["f.age"] ?? "");
  const named = lines(partitions);
  return (
    <PlanForm
      disabled={busy || (action !== "expire" && named.length === 0)}
      onSubmit={() =>
        onPlan(action === "expire" ? { action, age: age.trim() || null } : { action, partitions: named })
      }
    >
      <SelectField
        label={actionPage.what}
        hint={upkeep.partitionHints[action]}
        value={action}
        options={ACTIONS.map((known) => [known, upkeep.partitionActions[known]] as const)}
        onChange={(value) => setSearch({ "f.action": value }, true)}
      />
      {action === "expire" ? (
        <TextField
          label={upkeep.age}
          hint={upkeep.ageHint}
          error={fieldError(error, "age")}
          value={age}
          onChange={(event) => setAge(event.target.value)}
        />
      ) : (
        <PartitionsField value={partitions} onChange={setPartitions} error={error} needed />
      )}
    </PlanForm>
  );
}
