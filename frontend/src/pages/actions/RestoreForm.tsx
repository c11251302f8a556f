import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { TargetField } from "./TargetField";
import { isTarget, targetOf, useTargets } from "./useTargets";

/** Which old state to commit again: of a snapshot, a tag, or the branch that guards a rollback. */
export function RestoreForm({ busy, error, onPlan }: FormProps) {
  const { actionPage } = useMessages();
  const { to = "" } = usePageSearch();
  const { tagChoices, branchChoices, snapshotChoices, inFull, latest } = useTargets();
  const chosen = inFull(to);
  return (
    <PlanForm disabled={busy || !isTarget(chosen)} onSubmit={() => onPlan({ to: targetOf(chosen) })}>
      <TargetField
        hint={actionPage.restoreTargetHint}
        error={error}
        chosen={chosen}
        choices={[...branchChoices, ...tagChoices, ...snapshotChoices.filter(([ref]) => ref !== latest)]}
      />
    </PlanForm>
  );
}
