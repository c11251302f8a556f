import { useId, type ComponentProps, type ReactNode } from "react";
import styles from "./Form.module.css";

interface FieldShellProps {
  readonly label: string;
  readonly verbatim?: boolean; // the label is a name of a column, and stays as it is written
  readonly hint?: ReactNode;
  readonly error?: string | null;
}

interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

function FieldShell({
  label,
  verbatim = false,
  hint,
  error,
  children,
}: FieldShellProps & { children: (described: Described) => ReactNode }) {
  const id = useId();
  const note = `${id}-note`;
  const hasNote = Boolean(error) || hint !== undefined;
  return (
    <div className={styles["field"]}>
      <label className={verbatim ? styles["verbatim"] : styles["label"]} htmlFor={id}>
        {label}
      </label>
      {children({ id, "aria-describedby": hasNote ? note : undefined, "aria-invalid": Boolean(error) })}
      {hasNote && (
        <span id={note} className={error ? styles["wrong"] : styles["hint"]}>
          {error || hint}
        </span>
      )}
    </div>
  );
}

/** A labelled one-line input; an error takes the place of the hint and is linked to the input. */
export function TextField({
  label,
  verbatim = false,
  hint,
  error,
  ...rest
}: FieldShellProps & ComponentProps<"input">) {
  return (
    <FieldShell label={label} verbatim={verbatim} hint={hint} error={error ?? null}>
      {(described) => <input className={styles["input"]} {...described} {...rest} />}
    </FieldShell>
  );
}

/** A labelled field for code: predicates, queries, options. Spelling help is off. */
export function CodeField({ label, hint, error, ...rest }: FieldShellProps & ComponentProps<"textarea">) {
  return (
    <FieldShell label={label} hint={hint} error={error ?? null}>
      {(described) => (
        <textarea
          className={`${styles["input"] ?? ""} ${styles["code"] ?? ""}`}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          {...described}
          {...rest}
        />
      )}
    </FieldShell>
  );
}

interface SelectFieldProps extends FieldShellProps {
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

export function SelectField({ label, hint, error, value, options, onChange }: SelectFieldProps) {
  return (
    <FieldShell label={label} hint={hint} error={error ?? null}>
      {(described) => (
        <select
          className={styles["input"]}
          {...described}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldShell>
  );
}

export function Checkbox({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className={styles["check"]}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface SegmentsProps<Id extends string> {
  readonly label: string;
  readonly value: Id;
  readonly options: readonly (readonly [id: Id, label: string])[];
  readonly onChange: (id: Id) => void;
}

/** A few exclusive choices side by side. */
export function Segments<Id extends string>({ label, value, options, onChange }: SegmentsProps<Id>) {
  return (
    <div role="group" aria-label={label} className={styles["segments"]}>
      {options.map(([id, text]) => (
        <button key={id} type="button" aria-pressed={id === value} onClick={() => onChange(id)}>
          {text}
        </button>
      ))}
    </div>
  );
}
