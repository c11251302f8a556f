import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { ApiProblem, fieldError } from "../../api/problem";
import { proposeSchema, type SchemaProposal } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { parseOptions } from "../../app/parseOptions";
import { DiffSummary, useDiffRows } from "../../app/schemaDiff";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button, buttonClass } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DiffView } from "../../ui/DiffView";
import { Checkbox, CodeField, Segments, SelectField, TextField } from "../../ui/Field";
import { Loading, Notice } from "../../ui/States";
import { Effects } from "./Effects";
import styles from "./Schemas.module.css";

const FORMATS = ["parquet", "orc", "csv", "json"] as const;
type FileFormat = (typeof FORMATS)[number];

interface Draft {
  readonly of: "text" | "file";
  readonly text: string;
  readonly path: string;
  readonly format: FileFormat;
  readonly options: string;
  readonly widening: boolean;
  readonly explicit: boolean;
}

const EMPTY: Draft = {
  of: "text",
  text: "",
  path: "",
  format: "parquet",
  options: "",
  widening: false,
  explicit: false,
};

/** What merging another schema would make of the table's, before anything is written. */
export function ProposalPage(): ReactNode {
  const { proposal: words, schemas } = useMessages();
  const { ref, pin } = useOpenTable();
  const search = pinOf(usePageSearch());
  const [draft, setDraft] = useState(EMPTY);
  const ask = useMutation({
    mutationFn: (asked: Draft) =>
      proposeSchema(ref, {
        branch: pin.branch ?? "main",
        type_widening: asked.widening,
        explicit_casts: asked.widening && asked.explicit,
        ...(asked.of === "text"
          ? { text: asked.text }
          : { file: { path: asked.path.trim(), format: asked.format, options: optionsOf(asked) } }),
      }),
  });
  const shownInForm = ask.error instanceof ApiProblem && ask.error.problem.errors.length > 0;
  return (
    <TablePage title={`${tableName(ref)} · ${words.title}`}>
      <div className={styles["bar"]}>
        <Link
          to="/w/$wh/$db/$table/schemas"
          params={{ wh: ref.warehouse, db: ref.database, table: ref.table }}
          search={search}
        >
          ‹ {schemas.all}
        </Link>
        <h2>{words.title}</h2>
      </div>
      <p className="muted" style={{ maxWidth: "72ch" }}>
        {words.intro}
      </p>
      <ProposalForm
        draft={draft}
        busy={ask.isPending}
        error={ask.error}
        onChange={(part) => setDraft({ ...draft, ...part })}
        onAsk={() => ask.mutate(draft)}
      />
      {ask.isPending && <Loading rows={4} />}
      {ask.error !== null && !ask.isPending && !shownInForm && <Failed error={ask.error} />}
      {ask.data !== undefined && !ask.isPending && (
        <Proposal key={ask.submittedAt} proposal={ask.data} asked={ask.variables ?? draft} />
      )}
    </TablePage>
  );
}

function optionsOf(draft: Draft): Record<string, string> {
  return draft.format === "parquet" || draft.format === "orc" ? {} : parseOptions(draft.options);
}

interface FormProps {
  readonly draft: Draft;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly onAsk: () => void;
}

function ProposalForm({ draft, busy, error, onChange, onAsk }: FormProps) {
  const { proposal: words, actionPage, fields } = useMessages();
  const ready = (draft.of === "text" ? draft.text : draft.path).trim() !== "";
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk();
      }}
    >
      <Segments
        label={fields.source}
        value={draft.of}
        options={[
          ["text", words.ofText],
          ["file", words.ofFile],
        ]}
        onChange={(of) => onChange({ of })}
      />
      {draft.of === "text" ? (
        <CodeField
          label={words.text}
          hint={words.textHint}
          error={fieldError(error, "text")}
          rows={8}
          placeholder="order_id BIGINT, channel STRING"
          value={draft.text}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      ) : (
        <>
          <TextField
            label={fields.path}
            hint={actionPage.pathHint}
            error={fieldError(error, "path")}
            value={draft.path}
            onChange={(event) => onChange({ path: event.target.value })}
          />
          <SelectField
            label={fields.format}
            error={fieldError(error, "format")}
            value={draft.format}
            options={FORMATS.map((format) => [format, format] as const)}
            onChange={(value) => {
              const format = FORMATS.find((known) => known === value) ?? "parquet";
              onChange({ format, options: format === "csv" ? "header=true" : "" });
            }}
          />
          {(draft.format === "csv" || draft.format === "json") && (
            <CodeField
              label={actionPage.readOptions}
              hint={actionPage.readOptionsHint}
              error={fieldError(error, "options")}
              rows={2}
              value={draft.options}
              onChange={(event) => onChange({ options: event.target.value })}
            />
          )}
        </>
      )}
      <Checkbox
        label={actionPage.typeWidening}
        checked={draft.widening}
        onChange={(widening) => onChange({ widening })}
      />
      <Checkbox
        label={actionPage.explicitCasts}
        checked={draft.widening && draft.explicit}
        disabled={!draft.widening}
        onChange={(explicit) => onChange({ explicit })}
      />
      <div>
        <Button type="submit" look="primary" disabled={busy || !ready}>
          {words.ask}
        </Button>
      </div>
    </form>
  );
}

function Proposal({ proposal, asked }: { proposal: SchemaProposal; asked: Draft }) {
  const { proposal: words, schemas } = useMessages();
  const rows = useDiffRows(proposal.rows);
  const [onlyChanges, setOnlyChanges] = useState(true);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that asked was disabled meanwhile, which drops the focus: go on from the answer.
  useEffect(() => heading.current?.focus(), []);
  const refused = proposal.problems.length > 0;
  return (
    <section className={styles["side"]} aria-label={words.result}>
      <div className={styles["bar"]}>
        <h2 ref={heading} tabIndex={-1}>
          {words.result}
        </h2>
        <Badge>{words.readAs[proposal.form]}</Badge>
        <DiffSummary summary={proposal.summary} />
        <Checkbox label={schemas.onlyChanges} checked={onlyChanges} onChange={setOnlyChanges} />
      </div>
      {proposal.problems.map((problem) => (
        <Notice key={problem.detail} tone="danger">
          {problem.detail}
        </Notice>
      ))}
      {!refused && (
        <Notice tone="info">
          {proposal.changes ? words.wouldChange(String(proposal.to)) : words.fitsAlready}
        </Notice>
      )}
      <div className={styles["split"]}>
        <DiffView
          label={words.result}
          fromTitle={schemas.schemaOf(String(proposal.from))}
          toTitle={proposal.changes ? words.proposed(String(proposal.to)) : words.proposedSame}
          rows={rows}
          onlyChanges={onlyChanges}
        />
        <div className={styles["side"]}>
          {!refused && <Apply asked={asked} changes={proposal.changes} />}
          <Effects diff={proposal} />
        </div>
      </div>
    </section>
  );
}

/** A proposal is carried out by a write of such rows, with a plan and a job of its own. */
function Apply({ asked, changes }: { asked: Draft; changes: boolean }) {
  const { proposal: words } = useMessages();
  const { ref } = useOpenTable();
  const { branch } = pinOf(usePageSearch());
  const ofFile = asked.of === "file";
  return (
    <Card title={words.apply}>
      <p className="muted">{words.applyHow}</p>
      <Link
        to="/w/$wh/$db/$table/actions/$kind"
        params={{ wh: ref.warehouse, db: ref.database, table: ref.table, kind: "write" }}
        search={{
          branch,
          ...(ofFile && {
            "f.path": asked.path.trim(),
            "f.format": asked.format,
            "f.options": asked.options.replaceAll("\n", ","),
          }),
          ...(changes && { "f.merge": asked.widening ? (asked.explicit ? "explicit" : "widen") : "add" }),
        }}
        className={buttonClass("primary")}
      >
        {words.write}
      </Link>
    </Card>
  );
}
