import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField } from "../../ui/Field";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { targetOf, useTargets, type Choice } from "./useTargets";

/** Which old state to commit again: of a snapshot, a tag, or the branch that guards a rollback. */
export function RestoreForm({ busy, error, onPlan }: FormProps) {
  const { actionPage } = useMessages();
  const { to = "" } = usePageSearch();
  const setSearch = useSetSearch();
  const { tagChoices, branchChoices, snapshotChoices, inFull, latest } = useTargets();
  const chosen = inFull(to);
  const options: readonly Choice[] = [
    ["", actionPage.choose],
    ...branchChoices,
    ...tagChoices,
    ...snapshotChoices.filter(([ref]) => ref !== latest),
  ];
  return (
    <PlanForm disabled={busy || chosen === ""} onSubmit={() => onPlan({ to: targetOf(chosen) })}>
      <SelectField
        label={actionPage.target}
        hint={actionPage.restoreTargetHint}
        error={fieldError(error, "to") ?? fieldError(error, "snapshot")}
        value={options.some(([value]) => value === chosen) ? chosen : ""}
        options={options}
        onChange={(value) => setSearch({ to: value || undefined }, true)}
      />
    </PlanForm>
  );
}
