import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import styles from "./Actions.module.css";
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
  const [newName, setNewName] = useState("");
  const [retain, setRetain] = useState("");
  const { tagNames, snapshotChoices, inFull } = useTargets();
  const to = inFull(search.to ?? "");
  const hasSnapshot = action === "create" || action === "replace";
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onPlan({
          action,
          name: name.trim(),
          ...(action === "rename" && { new_name: newName.trim() }),
          ...(hasSnapshot && { snapshot: to || null, retain: retain.trim() || null }),
        });
      }}
    >
      <SelectField
        label={actionPage.what}
        value={action}
        options={ACTIONS.map((known) => [known, actionPage.tagActions[known]] as const)}
        onChange={(value) => setSearch({ "f.action": value }, true)}
      />
      {action === "create" ? (
        <TextField
          label={fields.name}
          error={fieldError(error, "name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      ) : (
        <SelectField
          label={actionPage.ofTag}
          error={fieldError(error, "name")}
          value={tagNames.includes(name) ? name : ""}
          options={[["", actionPage.choose], ...tagNames.map((tag) => [tag, `⚑ ${tag}`] as const)]}
          onChange={setName}
        />
      )}
      {action === "rename" && (
        <TextField
          label={actionPage.newName}
          error={fieldError(error, "new_name")}
          value={newName}
          onChange={(event) => setNewName(event.target.value)}
        />
      )}
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
      <div>
        <Button
          type="submit"
          look="primary"
          disabled={busy || name.trim() === "" || (action === "rename" && newName.trim() === "")}
        >
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}
