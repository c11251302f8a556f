import { useState } from "react";
import { fieldError } from "../../api/problem";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { TextField } from "../../ui/Field";
import { ExpirePreview, useExpirePreview } from "./ExpirePreview";
import { useTargets } from "./useTargets";
import styles from "./Actions.module.css";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";

const COUNTS = ["retain_min", "retain_max", "max_deletes"] as const;

/** How many snapshots stay, and how long; what is left empty is as the table's options say. */
export function ExpireForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, expiry } = useMessages();
  const { snapshots } = useTargets();
  const search = usePageSearch();
  const [counts, setCounts] = useState<Partial<Record<(typeof COUNTS)[number], string>>>(() =>
    Object.fromEntries(COUNTS.map((name) => [name, search[`f.${name}`] ?? ""])),
  );
  const [olderThan, setOlderThan] = useState(localInput(search["f.older_than"]));
  const wrong = COUNTS.filter((name) => !/^([1-9]\d{0,8})?$/.test(counts[name]?.trim() ?? ""));
  const given = (name: (typeof COUNTS)[number]) => {
    const text = counts[name]?.trim() ?? "";
    return text === "" ? null : Number(text);
  };
  const params = {
    retain_min: given("retain_min"),
    retain_max: given("retain_max"),
    max_deletes: given("max_deletes"),
    older_than: olderThan === "" ? null : new Date(olderThan).toISOString(),
  };
  const preview = useExpirePreview(params, wrong.length === 0);
  return (
    <PlanForm disabled={busy || wrong.length > 0} onSubmit={() => onPlan(params)}>
      {COUNTS.map((name) => (
        <div key={name}>
          <TextField
            label={actionPage.expireFields[name]}
            hint={actionPage.expireHints[name]}
            error={wrong.includes(name) ? actionPage.notACount : fieldError(error, name)}
            inputMode="numeric"
            value={counts[name] ?? ""}
            onChange={(event) => setCounts({ ...counts, [name]: event.target.value })}
          />
          {snapshots.length > 1 && (
            <input
              type="range"
              className={styles["slider"]}
              aria-label={expiry.sliders[name]}
              min={1}
              max={snapshots.length}
              value={given(name) ?? preview.data?.effects[name] ?? snapshots.length}
              onChange={(event) => setCounts({ ...counts, [name]: event.target.value })}
            />
          )}
        </div>
      ))}
      <TextField
        label={actionPage.olderThan}
        hint={actionPage.olderThanHint}
        error={fieldError(error, "older_than")}
        type="datetime-local"
        value={olderThan}
        onChange={(event) => setOlderThan(event.target.value)}
      />
      <ExpirePreview query={preview} />
    </PlanForm>
  );
}

/** A moment as an input of local date and time takes it. */
function localInput(moment: string | undefined): string {
  const at = new Date(moment ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
