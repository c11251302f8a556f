import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField } from "../../ui/Field";
import { NamedFields } from "./NamedFields";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { useTargets } from "./useTargets";

const ACTIONS = ["create", "rename", "delete", "fast_forward"] as const;

function startOf(chosen: string): { tag: string } | { snapshot: string } {
  return chosen.startsWith("tag:") ? { tag: chosen.slice("tag:".length) } : { snapshot: chosen };
}

/** What becomes of which branch. */
export function BranchForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, jobs } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const action = ACTIONS.find((known) => known === search["f.action"]) ?? "create";
  const [name, setName] = useState(search["f.name"] ?? "");
  const [newName, setNewName] = useState(search["f.new_name"] ?? "");
  const { branchNames, tagChoices, snapshotChoices, inFull } = useTargets();
  const start = inFull(search.to ?? "");
  return (
    <PlanForm
      disabled={busy || name.trim() === "" || (action === "rename" && newName.trim() === "")}
      onSubmit={() => {
        onPlan({
          action,
          name: name.trim(),
          ...(action === "rename" && { new_name: newName.trim() }),
          ...(action === "create" && start !== "" && { start: startOf(start) }),
        });
      }}
    >
      <NamedFields
        action={action}
        actions={ACTIONS.map((known) => [known, actionPage.branchActions[known]] as const)}
        onAction={(value) => setSearch({ "f.action": value }, true)}
        label={jobs.branch}
        names={branchNames.map((branch) => [branch, branch] as const)}
        name={name}
        onName={setName}
        newName={newName}
        onNewName={setNewName}
        error={error}
      />
      {action === "create" && (
        <SelectField
          label={actionPage.start}
          hint={actionPage.startHint}
          error={fieldError(error, "snapshot") ?? fieldError(error, "tag")}
          value={[...tagChoices, ...snapshotChoices].some(([value]) => value === start) ? start : ""}
          options={[["", actionPage.emptyBranch], ...tagChoices, ...snapshotChoices]}
          onChange={(value) => setSearch({ to: value || undefined }, true)}
        />
      )}
    </PlanForm>
  );
}
