import { useState } from "react";
import { fieldError } from "../../api/problem";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import styles from "./Actions.module.css";
import type { FormProps } from "./PlanFlow";

const COUNTS = ["retain_min", "retain_max", "max_deletes"] as const;

/** How many snapshots stay, and how long; what is left empty is as the table's options say. */
export function ExpireForm({ busy, error, onPlan }: FormProps) {
  const { actionPage } = useMessages();
  const [counts, setCounts] = useState<Partial<Record<(typeof COUNTS)[number], string>>>({});
  const [olderThan, setOlderThan] = useState("");
  const wrong = COUNTS.filter((name) => !/^([1-9]\d{0,8})?$/.test(counts[name]?.trim() ?? ""));
  const given = (name: (typeof COUNTS)[number]) => {
    const text = counts[name]?.trim() ?? "";
    return text === "" ? null : Number(text);
  };
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onPlan({
          retain_min: given("retain_min"),
          retain_max: given("retain_max"),
          max_deletes: given("max_deletes"),
          older_than: olderThan === "" ? null : new Date(olderThan).toISOString(),
        });
      }}
    >
      {COUNTS.map((name) => (
        <TextField
          key={name}
          label={actionPage.expireFields[name]}
          hint={actionPage.expireHints[name]}
          error={wrong.includes(name) ? actionPage.notACount : fieldError(error, name)}
          inputMode="numeric"
          value={counts[name] ?? ""}
          onChange={(event) => setCounts({ ...counts, [name]: event.target.value })}
        />
      ))}
      <TextField
        label={actionPage.olderThan}
        hint={actionPage.olderThanHint}
        error={fieldError(error, "older_than")}
        type="datetime-local"
        value={olderThan}
        onChange={(event) => setOlderThan(event.target.value)}
      />
      <div>
        <Button type="submit" look="primary" disabled={busy || wrong.length > 0}>
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}
