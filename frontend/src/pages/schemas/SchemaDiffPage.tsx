import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
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
import { Checkbox, Segments } from "../../ui/Field";
import { JsonView } from "../../ui/JsonView";
import { KeyValue } from "../../ui/KeyValue";
import { Empty } from "../../ui/States";
import { Effects } from "./Effects";
import { FieldHistory } from "./FieldHistory";
import styles from "./Schemas.module.css";

const FIELD = /^f=(.+)$/; // the part of the address after #, a link to a field

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
        <Empty title={schemas.chooseTwo}>{schemas.chooseTwoDetail}</Empty>
      )}
    </TablePage>
  );
}

const LAYOUTS = ["sides", "unified", "json"] as const;

function Diff({ diff }: { diff: SchemaDiff }) {
  const { schemas } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const target = useLocation({ select: ({ hash }) => FIELD.exec(hash)?.[1] ?? null });
  const ignoreComments = search["f.comments"] === "ignored";
  const onlyChanges = search["f.unchanged"] !== "shown";
  const rows = useDiffRows(diff.rows, ignoreComments);
  const layout = LAYOUTS.find((known) => known === search.view) ?? "sides";
  const opened = search.open?.startsWith("field:") ? search.open.slice("field:".length) : undefined;
  const title = schemas.diffOf(String(diff.from), String(diff.to));
  return (
    <>
      {opened !== undefined && (
        <FieldHistory key={opened} id={Number(opened)} onClose={() => setSearch({ open: undefined })} />
      )}
      <div className={styles["bar"]}>
        <DiffSummary summary={diff.summary} />
        <Segments
          label={schemas.layout}
          value={layout}
          options={LAYOUTS.map((id) => [id, schemas.layouts[id]] as const)}
          onChange={(view) => setSearch({ view: view === "sides" ? undefined : view }, true)}
        />
        <Checkbox
          label={schemas.onlyChanges}
          checked={onlyChanges}
          onChange={(checked) => setSearch({ "f.unchanged": checked ? undefined : "shown" }, true)}
        />
        <Checkbox
          label={schemas.ignoreComments}
          checked={ignoreComments}
          onChange={(checked) => setSearch({ "f.comments": checked ? "ignored" : undefined }, true)}
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
        {layout === "json" ? (
          <JsonView label={title} value={diff} />
        ) : (
          <DiffView
            label={title}
            fromTitle={schemas.schemaOf(String(diff.from))}
            toTitle={schemas.schemaOf(String(diff.to))}
            rows={rows}
            onlyChanges={onlyChanges}
            unified={layout === "unified"}
            target={target}
            onOpen={(id) => setSearch({ open: `field:${id}` })}
          />
        )}
        <div className={styles["side"]}>
          <Effects diff={diff} />
          <KeysAndOptions diff={diff} ignoreComments={ignoreComments} />
        </div>
      </div>
    </>
  );
}

function KeysAndOptions({ diff, ignoreComments }: { diff: SchemaDiff; ignoreComments: boolean }) {
  const { schemas, fields } = useMessages();
  const changed = (value: { from: readonly string[]; to: readonly string[] }) =>
    value.from.join(",") === value.to.join(",")
      ? value.to.join(", ") || "–"
      : `${value.from.join(", ") || "–"} → ${value.to.join(", ") || "–"}`;
  return (
    <Card title={schemas.keysAndOptions}>
      <KeyValue
        items={[
          [schemas.primaryKey, changed(diff.keys.primary)],
          [schemas.partitionedBy, changed(diff.keys.partition)],
          [schemas.bucketKey, changed(diff.keys.bucket)],
          diff.comment.from !== diff.comment.to &&
            !ignoreComments && [fields.comment, `${diff.comment.from ?? "–"} → ${diff.comment.to ?? "–"}`],
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
