import type { ReactNode } from "react";
import { fieldError } from "../../api/problem";
import { useOpenTable } from "../../app/table";
import { useMessages } from "../../i18n";
import { CodeField } from "../../ui/Field";

interface PartitionsFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: Error | null;
  /** Whether none means no partition; else none means all of them. */
  readonly needed?: boolean;
}

/** Partitions, one a line, as lists show them; nothing for a table that has none. */
export function PartitionsField({ value, onChange, error, needed = false }: PartitionsFieldProps): ReactNode {
  const { actionPage, fields, upkeep } = useMessages();
  const { summary } = useOpenTable();
  if (summary.partition_keys.length === 0) return null;
  const example = summary.partition_keys.map((key) => `${key}=…`).join(",");
  return (
    <CodeField
      label={fields.partitions}
      hint={needed ? upkeep.oneALine(example) : actionPage.partitionsHint(example)}
      error={fieldError(error, "partitions")}
      rows={3}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
