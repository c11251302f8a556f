import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { schemaDiffQuery, type SchemaDiff } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { DiffSummary, useDiffRows } from "../../app/schemaDiff";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DiffView, type DiffRow } from "../../ui/DiffView";
import { Checkbox } from "../../ui/Field";
import { KeyValue } from "../../ui/KeyValue";
import { Empty } from "../../ui/States";
import { Effects } from "./Effects";
import styles from "./Schemas.module.css";

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
  const rows = useDiffRows(diff.rows);
  const onlyChanges = view !== "all";
  return (
    <>
      <div className={styles["bar"]}>
        <DiffSummary summary={diff.summary} />
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
