import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField, TextField } from "../../ui/Field";
import { NamedFields } from "./NamedFields";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";
import { useTargets } from "./useTargets";

const ACTIONS = ["create", "replace", "rename", "delete"] as const;

/** What becomes of which tag. */
export function TagForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, fields } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const action = ACTIONS.find((known) => known === search["f.action"]) ?? "create";
  const [name, setName] = useState(search["f.name"] ?? "");
  const [newName, setNewName] = useState(search["f.new_name"] ?? "");
  const [retain, setRetain] = useState(search["f.retain"] ?? "");
  const { tagNames, snapshotChoices, inFull } = useTargets();
  const to = inFull(search.to ?? "");
  const hasSnapshot = action === "create" || action === "replace";
  return (
    <PlanForm
      disabled={busy || name.trim() === "" || (action === "rename" && newName.trim() === "")}
      onSubmit={() => {
        onPlan({
          action,
          name: name.trim(),
          ...(action === "rename" && { new_name: newName.trim() }),
          ...(hasSnapshot && { snapshot: to || null, retain: retain.trim() || null }),
        });
      }}
    >
      <NamedFields
        action={action}
        actions={ACTIONS.map((known) => [known, actionPage.tagActions[known]] as const)}
        onAction={(value) => setSearch({ "f.action": value }, true)}
        label={actionPage.ofTag}
        names={tagNames.map((tag) => [tag, `⚑ ${tag}`] as const)}
        name={name}
        onName={setName}
        newName={newName}
        onNewName={setNewName}
        error={error}
      />
      {hasSnapshot && (
        <SelectField
          label={fields.snapshot}
          error={fieldError(error, "snapshot")}
          value={snapshotChoices.some(([ref]) => ref === to) ? to : ""}
          options={[["", actionPage.latestSnapshot], ...snapshotChoices]}
          onChange={(value) => setSearch({ to: value || undefined }, true)}
        />
      )}
      {hasSnapshot && (
        <TextField
          label={actionPage.retain}
          hint={actionPage.retainHint}
          error={fieldError(error, "retain")}
          value={retain}
          onChange={(event) => setRetain(event.target.value)}
        />
      )}
    </PlanForm>
  );
}
