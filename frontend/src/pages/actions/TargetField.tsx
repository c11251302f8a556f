import { fieldError } from "../../api/problem";
import { useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { SelectField, TextField } from "../../ui/Field";
import type { Choice } from "./useTargets";

const BY = ["time", "watermark"] as const;

interface TargetFieldProps {
  readonly hint: string;
  readonly error: Error | null;
  /** As `targetOf` takes it. */
  readonly chosen: string;
  readonly choices: readonly Choice[];
}

/** What to go back to: one of the choices, or the snapshot of a time or a watermark that is typed. */
export function TargetField({ hint, error, chosen, choices }: TargetFieldProps) {
  const { actionPage } = useMessages();
  const setSearch = useSetSearch();
  const choose = (to: string) => setSearch({ to: to || undefined }, true);
  const by = BY.find((kind) => chosen.startsWith(`${kind}:`));
  const options: readonly Choice[] = [
    ["", actionPage.choose],
    ...choices,
    ...BY.map((kind): Choice => [`${kind}:`, actionPage.by[kind]]),
  ];
  const selected = by === undefined ? chosen : `${by}:`;
  return (
    <>
      <SelectField
        label={actionPage.target}
        hint={hint}
        error={fieldError(error, "snapshot") ?? fieldError(error, "tag") ?? fieldError(error, "to")}
        value={options.some(([value]) => value === selected) ? selected : ""}
        options={options}
        onChange={choose}
      />
      {by !== undefined && (
        <TextField
          label={actionPage.byLabels[by]}
          hint={actionPage.byHints[by]}
          error={fieldError(error, by) ?? fieldError(error, "at")}
          value={chosen.slice(by.length + 1)}
          onChange={(event) => choose(`${by}:${event.target.value}`)}
        />
      )}
    </>
  );
}
