import { useEffect, useState } from "react";
import { useMessages } from "../i18n";
import { Button } from "./Button";
import styles from "./Form.module.css";
import { Icon } from "./Icon";
import { Menu } from "./Menu";

export interface FilterField {
  readonly id: string;
  readonly label: string;
  /** Fixed choices; without them the filter is a text. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly placeholder?: string;
  /** Not shown until it is asked for or set. */
  readonly extra?: boolean;
}

interface FilterBarProps {
  readonly fields: readonly FilterField[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (id: string, value: string | undefined) => void;
}

/** Filters of a list: a control each, and a chip with a way out for each that is set. `/` focuses the first. */
export function FilterBar({ fields, values, onChange }: FilterBarProps) {
  const { ui } = useMessages();
  const active = fields.filter((field) => values[field.id] !== undefined);
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  const isHidden = (field: FilterField) =>
    field.extra === true && !asked.has(field.id) && values[field.id] === undefined;
  const hidden = fields.filter(isHidden);
  return (
    <div className={styles["bar"]} role="search">
      {fields
        .filter((field) => !isHidden(field))
        .map((field, at) =>
          field.options ? (
            <select
              key={field.id}
              aria-label={field.label}
              className={styles["input"]}
              value={values[field.id] ?? ""}
              onChange={(event) => onChange(field.id, event.target.value || undefined)}
            >
              <option value="">{field.label}</option>
              {field.options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          ) : (
            <FilterText
              key={field.id}
              field={field}
              first={at === 0}
              value={values[field.id] ?? ""}
              onCommit={(value) => onChange(field.id, value || undefined)}
            />
          ),
        )}
      {hidden.length > 0 && (
        <Menu
          label={ui.moreFilters}
          look="quiet"
          trigger={
            <>
              <Icon name="plus" /> {ui.moreFilters}
            </>
          }
          items={hidden.map((field) => ({ id: field.id, label: field.label }))}
          onAction={(id) => setAsked(new Set([...asked, id]))}
        />
      )}
      {active.map((field) => {
        const value = values[field.id] ?? "";
        const shown = field.options?.find(([option]) => option === value)?.[1] ?? value;
        return (
          <span key={field.id} className={styles["chip"]}>
            {field.label}: {shown}
            <button
              type="button"
              aria-label={ui.removeFilter(field.label)}
              onClick={() => onChange(field.id, undefined)}
            >
              <Icon name="close" />
            </button>
          </span>
        );
      })}
      {active.length > 1 && (
        <Button look="quiet" onClick={() => active.forEach((field) => onChange(field.id, undefined))}>
          {ui.clearFilters}
        </Button>
      )}
    </div>
  );
}

interface FilterTextProps {
  readonly field: FilterField;
  readonly first: boolean;
  readonly value: string;
  readonly onCommit: (value: string) => void;
}

const TYPING_PAUSE_MILLIS = 350;

function FilterText({ field, first, value, onCommit }: FilterTextProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    // The address changed under the field (back button, chip removed): show what now holds.
    setSeen(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onCommit(text.trim()), TYPING_PAUSE_MILLIS);
    return () => clearTimeout(timer);
  }, [text, value, onCommit]);
  return (
    <input
      className={styles["input"]}
      aria-label={field.label}
      placeholder={field.placeholder ?? field.label}
      style={{ minInlineSize: `min(100%, ${Math.min(40, (field.placeholder ?? "").length + 2)}ch)` }}
      data-page-filter={first || undefined}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && onCommit(text.trim())}
    />
  );
}
