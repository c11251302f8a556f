import { useState } from "react";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Checkbox } from "../../ui/Field";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { TargetField } from "./TargetField";
import { isTarget, targetOf, useTargets } from "./useTargets";

/** Which snapshot or tag to go back to. */
export function RollbackForm({ busy, error, onPlan }: FormProps) {
  const { actionPage } = useMessages();
  const { to = "", "f.guard": guarded, "f.reset": reset } = usePageSearch();
  const [guard, setGuard] = useState(guarded !== "no");
  const [resets, setResets] = useState(reset === "yes");
  const { tagChoices, snapshotChoices, inFull, latest } = useTargets();
  const chosen = inFull(to);
  return (
    <PlanForm
      disabled={busy || !isTarget(chosen)}
      onSubmit={() => onPlan({ to: targetOf(chosen), guard, reset_consumers: resets })}
    >
      <TargetField
        hint={actionPage.targetHint}
        error={error}
        chosen={chosen}
        choices={[...tagChoices, ...snapshotChoices.filter(([ref]) => ref !== latest)]}
      />
      <Checkbox label={actionPage.guard} checked={guard} onChange={setGuard} />
      <Checkbox label={actionPage.resetConsumers} checked={resets} onChange={setResets} />
    </PlanForm>
  );
}
