import { fieldError } from "../../api/problem";
import { useMessages } from "../../i18n";
import { SelectField, TextField } from "../../ui/Field";
import type { Choice } from "./useTargets";

interface NamedFieldsProps<Action extends string> {
  readonly action: Action;
  readonly actions: readonly (readonly [Action, string])[];
  readonly onAction: (action: string) => void;
  readonly label: string; // of the choice of one that is there
  readonly names: readonly Choice[];
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly newName?: string;
  readonly onNewName?: (name: string) => void;
  readonly error: Error | null;
}

/** What is done to something that has a name: a new one is typed, one that is there is chosen. */
export function NamedFields<Action extends string>(props: NamedFieldsProps<Action>) {
  const { action, actions, onAction, label, names, name, onName, newName = "", onNewName, error } = props;
  const { actionPage, fields } = useMessages();
  return (
    <>
      <SelectField label={actionPage.what} value={action} options={actions} onChange={onAction} />
      {action === "create" ? (
        <TextField
          label={fields.name}
          error={fieldError(error, "name")}
          value={name}
          onChange={(event) => onName(event.target.value)}
        />
      ) : (
        <SelectField
          label={label}
          error={fieldError(error, "name")}
          value={names.some(([known]) => known === name) ? name : ""}
          options={[["", actionPage.choose], ...names]}
          onChange={onName}
        />
      )}
      {action === "rename" && (
        <TextField
          label={actionPage.newName}
          error={fieldError(error, "new_name")}
          value={newName}
          onChange={(event) => onNewName?.(event.target.value)}
        />
      )}
    </>
  );
}
