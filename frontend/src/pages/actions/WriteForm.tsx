import { useState } from "react";
import { fieldError } from "../../api/problem";
import type { Search } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { hasSnapshots } from "../../app/tableTypes";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Checkbox, CodeField, Segments, SelectField, TextField } from "../../ui/Field";
import { parseOptions } from "../../app/parseOptions";
import { PlanForm } from "./PlanForm";
import type { FormProps } from "./PlanFlow";

const FORMATS = ["parquet", "orc", "csv", "json"] as const;
type FileFormat = (typeof FORMATS)[number];
type SourceKind = "path" | "query";
type Mode = "append" | "overwrite";

interface Draft {
  readonly kind: SourceKind;
  readonly path: string;
  readonly format: FileFormat;
  readonly options: string;
  readonly query: string;
  readonly mode: Mode;
  readonly partition: string;
  readonly rowKind: string;
  readonly merge: boolean;
  readonly widening: boolean;
  readonly explicit: boolean;
}

const EMPTY: Draft = {
  kind: "path",
  path: "",
  format: "parquet",
  options: "",
  query: "",
  mode: "append",
  partition: "",
  rowKind: "",
  merge: false,
  widening: false,
  explicit: false,
};

/** What a proposed schema leads here with. */
function linked(search: Search): Partial<Draft> {
  const merge = search["f.merge"];
  return {
    ...(search["f.path"] !== undefined && { path: search["f.path"] }),
    ...(search["f.format"] !== undefined && ofFormat(EMPTY, search["f.format"])),
    ...(search["f.source"] === "query" && { kind: "query" as const }),
    ...(search["f.query"] !== undefined && { query: search["f.query"] }),
    ...(search["f.mode"] === "overwrite" && { mode: "overwrite" as const }),
    ...(search["f.partition"] !== undefined && { partition: search["f.partition"] }),
    ...(search["f.row_kind"] !== undefined && { rowKind: search["f.row_kind"] }),
    ...(search["f.options"] !== undefined && { options: search["f.options"].replaceAll(",", "\n") }),
    merge: merge !== undefined,
    widening: merge === "widen" || merge === "explicit",
    explicit: merge === "explicit",
  };
}

/** Most CSV files name their columns in the first line, and Spark would take it for a row. */
function ofFormat(draft: Draft, value: string): Partial<Draft> {
  const format = FORMATS.find((known) => known === value) ?? "parquet";
  return format === "csv" && draft.options === "" ? { format, options: "header=true" } : { format };
}

/** Where the rows come from, and whether they are added or replace what is there. */
export function WriteForm({ busy, error, onPlan }: FormProps) {
  const { actionPage, writeModes, fields } = useMessages();
  const { summary } = useOpenTable();
  const search = usePageSearch();
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY, ...linked(search) }));
  const adding = summary.kind === "primary_key" ? "upsert" : "append";
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const wrong = (field: string) => fieldError(error, field);
  const ready = draft.kind === "path" ? draft.path.trim() !== "" : draft.query.trim() !== "";
  return (
    <PlanForm disabled={busy || !ready} onSubmit={() => onPlan(toParams(draft))}>
      <Segments
        label={fields.source}
        value={draft.kind}
        options={[
          ["path", actionPage.fromPath],
          ["query", actionPage.fromQuery],
        ]}
        onChange={(kind) => change({ kind })}
      />
      {draft.kind === "path" ? (
        <>
          <TextField
            label={fields.path}
            hint={actionPage.pathHint}
            error={wrong("path")}
            value={draft.path}
            onChange={(event) => change({ path: event.target.value })}
          />
          <SelectField
            label={fields.format}
            error={wrong("format")}
            value={draft.format}
            options={FORMATS.map((format) => [format, format] as const)}
            onChange={(value) => change(ofFormat(draft, value))}
          />
          {(draft.format === "csv" || draft.format === "json") && (
            <CodeField
              label={actionPage.readOptions}
              hint={actionPage.readOptionsHint}
              error={wrong("options")}
              rows={2}
              value={draft.options}
              onChange={(event) => change({ options: event.target.value })}
            />
          )}
        </>
      ) : (
        <CodeField
          label={actionPage.query}
          hint={actionPage.queryHint}
          error={wrong("query")}
          rows={5}
          placeholder="SELECT …"
          value={draft.query}
          onChange={(event) => change({ query: event.target.value })}
        />
      )}
      <SelectField
        label={actionPage.mode}
        hint={actionPage.modeHints[draft.mode === "append" ? adding : draft.mode]}
        error={wrong("mode")}
        value={draft.mode}
        options={[
          ["append", writeModes[adding]],
          ["overwrite", writeModes.overwrite],
        ]}
        onChange={(value) => change({ mode: value === "overwrite" ? "overwrite" : "append" })}
      />
      {draft.mode === "overwrite" && summary.partition_keys.length > 0 && (
        <TextField
          label={fields.partition}
          hint={actionPage.overwritePartitionHint}
          error={wrong("partition")}
          value={draft.partition}
          onChange={(event) => change({ partition: event.target.value })}
        />
      )}
      {summary.kind === "primary_key" && (
        <TextField
          label={actionPage.rowKindColumn}
          hint={actionPage.rowKindHint}
          error={wrong("row_kind_column")}
          value={draft.rowKind}
          onChange={(event) => change({ rowKind: event.target.value })}
        />
      )}
      {hasSnapshots(summary.type) && (
        <Checkbox
          label={actionPage.mergeSchema}
          checked={draft.merge}
          onChange={(merge) => change({ merge })}
        />
      )}
      {draft.merge && (
        <>
          <Checkbox
            label={actionPage.typeWidening}
            checked={draft.widening}
            onChange={(widening) => change({ widening })}
          />
          <Checkbox
            label={actionPage.explicitCasts}
            checked={draft.widening && draft.explicit}
            disabled={!draft.widening}
            onChange={(explicit) => change({ explicit })}
          />
        </>
      )}
    </PlanForm>
  );
}

function toParams(draft: Draft): Parameters<FormProps["onPlan"]>[0] {
  const partition = parseOptions(draft.partition.replaceAll(",", "\n"));
  return {
    source:
      draft.kind === "path"
        ? {
            kind: "path",
            path: draft.path.trim(),
            format: draft.format,
            options: parseOptions(draft.options),
          }
        : { kind: "query", query: draft.query.trim() },
    mode: draft.mode,
    ...(draft.mode === "overwrite" && Object.keys(partition).length > 0 && { partition }),
    ...(draft.rowKind.trim() !== "" && { row_kind_column: draft.rowKind.trim() }),
    ...(draft.merge && {
      merge_schema: true,
      ...(draft.widening && { type_widening: true, ...(draft.explicit && { explicit_casts: true }) }),
    }),
  };
}
