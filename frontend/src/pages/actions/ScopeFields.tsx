import { useState, type ReactNode } from "react";
import { fieldError } from "../../api/problem";
import { parseOptions } from "../../app/parseOptions";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { CodeField, TextField } from "../../ui/Field";
import { PartitionsField } from "./PartitionsField";
import { lines } from "./PlanForm";

interface Scope {
  /** Which partitions, as a plan takes them. */
  readonly params: {
    readonly partitions: string[] | null;
    readonly where: string | null;
    readonly idle_time: string | null;
    readonly options: Record<string, string>;
  };
  readonly partitionFields: ReactNode;
  readonly optionField: ReactNode;
}

/** Which partitions a compaction is about, and with which options it runs: fields, and what stands in them. */
export function useScope(error: Error | null): Scope {
  const { actionPage } = useMessages();
  const { summary } = useOpenTable();
  const search = usePageSearch();
  const given = search["f.partition"] ?? "";
  const [partitions, setPartitions] = useState(given === "-" ? "" : given);
  const [where, setWhere] = useState(search["f.where"] ?? "");
  const [idle, setIdle] = useState(search["f.idle_time"] ?? "");
  const [options, setOptions] = useState(search["f.options"] ?? "");
  const named = lines(partitions);
  const key = summary.partition_keys[0];
  return {
    params: {
      partitions: named.length === 0 ? null : named,
      where: where.trim() || null,
      idle_time: idle.trim() || null,
      options: parseOptions(options),
    },
    partitionFields: key !== undefined && (
      <>
        <PartitionsField value={partitions} onChange={setPartitions} error={error} />
        <CodeField
          label={actionPage.where}
          hint={actionPage.whereHint(key)}
          error={fieldError(error, "where")}
          rows={2}
          value={where}
          onChange={(event) => setWhere(event.target.value)}
        />
        <TextField
          label={actionPage.idleTime}
          hint={actionPage.idleTimeHint}
          error={fieldError(error, "idle_time")}
          value={idle}
          onChange={(event) => setIdle(event.target.value)}
        />
      </>
    ),
    optionField: (
      <CodeField
        label={actionPage.runOptions}
        hint={actionPage.runOptionsHint}
        error={fieldError(error, "options")}
        rows={2}
        value={options}
        onChange={(event) => setOptions(event.target.value)}
      />
    ),
  };
}
