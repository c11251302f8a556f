import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Checkbox, SelectField } from "../../ui/Field";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { targetOf, useTargets, type Choice } from "./useTargets";

/** Which snapshot or tag to go back to. */
export function RollbackForm({ busy, error, onPlan }: FormProps) {
  const { actionPage } = useMessages();
  const { to = "", "f.guard": guarded } = usePageSearch();
  const setSearch = useSetSearch();
  const [guard, setGuard] = useState(guarded !== "no");
  const { tagChoices, snapshotChoices, inFull, latest } = useTargets();
  const chosen = inFull(to);
  const options: readonly Choice[] = [
    ["", actionPage.choose],
    ...tagChoices,
    ...snapshotChoices.filter(([ref]) => ref !== latest),
  ];
  return (
    <PlanForm disabled={busy || chosen === ""} onSubmit={() => onPlan({ to: targetOf(chosen), guard })}>
      <SelectField
        label={actionPage.target}
        hint={actionPage.targetHint}
        error={fieldError(error, "snapshot") ?? fieldError(error, "tag") ?? fieldError(error, "to")}
        value={options.some(([value]) => value === chosen) ? chosen : ""}
        options={options}
        onChange={(value) => setSearch({ to: value || undefined }, true)}
      />
      <Checkbox label={actionPage.guard} checked={guard} onChange={setGuard} />
    </PlanForm>
  );
}
