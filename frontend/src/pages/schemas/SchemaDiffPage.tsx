import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { schemaDiffQuery, type SchemaDiff } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DiffView, type DiffMark, type DiffRow } from "../../ui/DiffView";
import { Checkbox } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import { Progress } from "../../ui/Progress";
import { Empty } from "../../ui/States";
import styles from "./Schemas.module.css";

type Mark = SchemaDiff["rows"][number]["changes"][number];
type MarkKind = Mark["kind"];

const LOOKS: Record<MarkKind, readonly [Tone, string]> = {
  added: ["ok", "+"],
  dropped: ["danger", "−"],
  renamed: ["analyze", "↷"],
  retyped: ["warn", "⇄"],
  moved: ["moved", "↕"],
  recreated: ["warn", "⚠"],
  nullability: ["neutral", "∅"],
  comment: ["neutral", "✎"],
  default: ["neutral", "="],
};

/** Two schemas side by side, matched by field id. */
export function SchemaDiffPage(): ReactNode {
  const { schemas } = useMessages();
  const { ref, pin } = useOpenTable();
  const search = usePageSearch();
  const [from, to] = [Number(search.from), Number(search.to)];
  const chosen = Number.isInteger(from) && Number.isInteger(to);
  const answer = useQuery({ ...schemaDiffQuery(ref, pin.branch, from, to), enabled: chosen });
  return (
    <TablePage title={`${tableName(ref)} · ${schemas.diffOf(String(from), String(to))}`}>
      <div className={styles["bar"]}>
        <Link
          to="/w/$wh/$db/$table/schemas"
          params={{ wh: ref.warehouse, db: ref.database, table: ref.table }}
          search={{ ...pinOf(search), from: search.from, to: search.to }}
        >
          ‹ {schemas.all}
        </Link>
        <h2>{schemas.diffOf(String(from), String(to))}</h2>
      </div>
      {chosen ? (
        <Answer query={answer}>{(diff) => <Diff diff={diff} />}</Answer>
      ) : (
        <Empty title={schemas.chooseTwo} />
      )}
    </TablePage>
  );
}

function Diff({ diff }: { diff: SchemaDiff }) {
  const { schemas } = useMessages();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const rows = useDiffRows(diff);
  const onlyChanges = view !== "all";
  return (
    <>
      <div className={styles["bar"]}>
        <Summary diff={diff} />
        <Checkbox
          label={schemas.onlyChanges}
          checked={onlyChanges}
          onChange={(checked) => setSearch({ view: checked ? undefined : "all" }, true)}
        />
        <Button
          icon="copy"
          look="quiet"
          onClick={() => void navigator.clipboard.writeText(toMarkdown(diff, rows))}
        >
          {schemas.copyMarkdown}
        </Button>
      </div>
      <div className={styles["split"]}>
        <DiffView
          label={schemas.diffOf(String(diff.from), String(diff.to))}
          fromTitle={schemas.schemaOf(String(diff.from))}
          toTitle={schemas.schemaOf(String(diff.to))}
          rows={rows}
          onlyChanges={onlyChanges}
        />
        <div className={styles["side"]}>
          <Effects diff={diff} />
          <KeysAndOptions diff={diff} />
        </div>
      </div>
    </>
  );
}

function useDiffRows(diff: SchemaDiff): DiffRow[] {
  const { schemas } = useMessages();
  const mark = ({ kind, detail }: Mark): DiffMark => {
    const [tone, glyph] = LOOKS[kind];
    return {
      tone,
      glyph,
      text: detail === null ? schemas.marks[kind] : `${schemas.marks[kind]} · ${detail}`,
    };
  };
  const side = (value: SchemaDiff["rows"][number]["from"]) =>
    value && {
      name: value.name,
      type: [
        value.type,
        value.nullable || value.type.endsWith("NOT NULL") ? "" : "NOT NULL",
        value.key ? "PK" : "",
      ]
        .filter(Boolean)
        .join(" "),
    };
  return diff.rows.map((row, at) => ({
    id: row.id === null ? `·${at}` : String(row.id),
    depth: row.depth,
    from: side(row.from),
    to: side(row.to),
    marks: row.changes.map(mark),
  }));
}

function Summary({ diff }: { diff: SchemaDiff }) {
  const { schemas } = useMessages();
  const kinds = ["added", "dropped", "renamed", "retyped", "moved", "recreated"] as const;
  const shown = kinds.filter((kind) => diff.summary[kind] > 0);
  if (shown.length === 0) return <span className="muted">{schemas.sameFields}</span>;
  return shown.map((kind) => (
    <Badge key={kind} tone={LOOKS[kind][0]} glyph={LOOKS[kind][1]}>
      {diff.summary[kind]} {schemas.marks[kind]}
    </Badge>
  ));
}

function Effects({ diff }: { diff: SchemaDiff }) {
  const { schemas } = useMessages();
  const format = useFormat();
  return (
    <Card title={schemas.effects}>
      <div className={styles["side"]}>
        {diff.effects.length === 0 && <p className="muted">{schemas.noLiveFiles}</p>}
        {diff.effects.map((effect) => (
          <div key={effect.schema_id} className={styles["share"]}>
            <span>
              {schemas.schemaOf(String(effect.schema_id))}: {format.bytes(effect.live_bytes)} ·{" "}
              {format.percent(effect.share)}
            </span>
            <Progress label={schemas.schemaOf(String(effect.schema_id))} share={effect.share} />
          </div>
        ))}
        <p className="muted">{schemas.effectsHow}</p>
        {diff.reads.length > 0 && (
          <ul className={styles["reads"]} aria-label={schemas.oldFiles}>
            {diff.reads.map((read) => (
              <li key={`${read.id}:${read.how}:${read.detail ?? ""}`}>
                <code>{read.path}</code> {schemas.readAs[read.how](read.detail ?? "")}{" "}
                <span className="muted">
                  {schemas.ofSchemas(read.schema_ids.join(", "), format.bytes(read.live_bytes))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function KeysAndOptions({ diff }: { diff: SchemaDiff }) {
  const { schemas, fields } = useMessages();
  const changed = (value: { from: readonly string[]; to: readonly string[] }) =>
    value.from.join(",") === value.to.join(",")
      ? value.to.join(", ") || null
      : `${value.from.join(", ") || "–"} → ${value.to.join(", ") || "–"}`;
  return (
    <Card title={schemas.keysAndOptions}>
      <KeyValue
        items={[
          [schemas.primaryKey, changed(diff.keys.primary)],
          [schemas.partitionedBy, changed(diff.keys.partition)],
          [schemas.bucketKey, changed(diff.keys.bucket)],
          diff.comment.from !== diff.comment.to && [
            fields.comment,
            `${diff.comment.from ?? "–"} → ${diff.comment.to ?? "–"}`,
          ],
          ...diff.options.map(
            (option) => [option.key, `${option.from ?? "–"} → ${option.to ?? "–"}`] as const,
          ),
        ]}
      />
    </Card>
  );
}

/** The diff as a Markdown table, for a review or an issue. */
function toMarkdown(diff: SchemaDiff, rows: readonly DiffRow[]): string {
  const side = (value: DiffRow["from"]) => (value === null ? "–" : `\`${value.name} ${value.type}\``);
  const changed = rows.filter((row) => row.marks.length > 0);
  return [
    `| id | schema ${diff.from} | schema ${diff.to} | change |`,
    "| --- | --- | --- | --- |",
    ...changed.map(
      (row) =>
        `| ${row.id} | ${side(row.from)} | ${side(row.to)} | ${row.marks.map((m) => `${m.glyph} ${m.text}`).join(", ")} |`,
    ),
  ].join("\n");
}
