import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { schemaQuery, type TableSchema } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { useColumnMakers } from "../../app/columns";
import { TablePage } from "../../app/Page";
import { pinOf } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages, type Messages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Card, Cards } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { JsonView } from "../../ui/JsonView";
import { KeyValue } from "../../ui/KeyValue";
import { Tabs } from "../../ui/Tabs";
import { Timestamp } from "../../ui/Timestamp";
import { FieldHistory } from "./FieldHistory";
import styles from "./Schemas.module.css";

/** One schema: fields by id, keys and options. */
export function SchemaPage(): ReactNode {
  const { schemas } = useMessages();
  const { schema = "0" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(schemaQuery(ref, pin.branch, Number(schema)));
  return (
    <TablePage title={`${tableName(ref)} · ${schemas.schemaOf(schema)}`}>
      <div className={styles["bar"]}>
        <AllSchemas />
        <h2>{schemas.schemaOf(schema)}</h2>
      </div>
      <Answer query={answer}>{(data) => <Schema schema={data} />}</Answer>
    </TablePage>
  );
}

function AllSchemas() {
  const { schemas } = useMessages();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  return (
    <Link
      to="/w/$wh/$db/$table/schemas"
      params={{ wh: ref.warehouse, db: ref.database, table: ref.table }}
      search={search}
    >
      ‹ {schemas.all}
    </Link>
  );
}

type Field = TableSchema["fields"][number];

/** What merging does to a column, in words and with its options. */
function mergingText({ merging }: Field, words: Messages["schemas"]): string {
  if (merging === null) return "";
  const { effect, sequence, function: name, options } = merging;
  const how = name === null ? words.mergingEffects[effect] : `${words.mergingEffects[effect]} ${name}`;
  const by = sequence.length > 0 ? words.mergingBy(sequence.join(", ")) : "";
  const set = Object.entries(options).map(([key, value]) => `${key} = ${value ?? ""}`);
  return [how, by, ...set].filter(Boolean).join(" · ");
}

function MergingCell({ field }: { field: Field }) {
  const { schemas } = useMessages();
  const text = mergingText(field, schemas);
  return <span title={field.merging?.problem ?? text}>{text}</span>;
}

function Schema({ schema }: { schema: TableSchema }) {
  const { schemas, fields } = useMessages();
  const { open } = usePageSearch();
  const setSearch = useSetSearch();
  const opened = /^field:(\d+)$/.exec(open ?? "")?.[1];
  const make = useColumnMakers();
  const columns = [
    make.text<Field>("id", fields.id, (f) => (f.id === null ? "" : String(f.id)), { width: 60, grow: 0 }),
    make.text<Field>("name", fields.name, (f) => f.path, {
      width: 200,
      cell: (f) => (
        <>
          {f.depth > 0 && <span className={styles["indent"]}>{`${"  ".repeat(f.depth)}├ `}</span>}
          <strong>{f.name}</strong>
          {f.key && <Badge tone="info">PK</Badge>}
          {f.partition && <Badge tone="analyze">{fields.partition}</Badge>}
        </>
      ),
    }),
    make.text<Field>("type", fields.type, (f) => f.type, { width: 180, cell: (f) => <code>{f.type}</code> }),
    make.text<Field>("nullable", schemas.nullable, (f) => (f.nullable ? "" : "NOT NULL"), { width: 90 }),
    ...(schema.primary_keys.length > 0
      ? [
          make.text<Field>("merging", schemas.merging, (f) => mergingText(f, schemas), {
            width: 260,
            cell: (f) => <MergingCell field={f} />,
          }),
        ]
      : []),
    make.text<Field>("default", fields.default, (f) => f.default ?? ""),
    make.text<Field>("comment", fields.comment, (f) => f.comment ?? "", { grow: 2 }),
  ];
  return (
    <>
      {opened !== undefined && (
        <FieldHistory key={opened} id={Number(opened)} onClose={() => setSearch({ open: undefined })} />
      )}
      <Cards>
        <Card title={schemas.keys}>
          <KeyValue
            items={[
              [fields.created, <Timestamp key="v" value={schema.created_at} exact />],
              schema.primary_keys.length > 0 && [schemas.primaryKey, schema.primary_keys.join(", ")],
              schema.partition_keys.length > 0 && [schemas.partitionedBy, schema.partition_keys.join(", ")],
              schema.bucket_keys.length > 0 && [schemas.bucketKey, schema.bucket_keys.join(", ")],
              [schemas.highestFieldId, String(schema.highest_field_id)],
              Boolean(schema.comment) && [fields.comment, schema.comment],
            ]}
          />
        </Card>
        <Card title={schemas.options}>
          {Object.keys(schema.options).length === 0 ? (
            <p className="muted">{schemas.noOptions}</p>
          ) : (
            <KeyValue
              code
              items={Object.entries(schema.options).map(([key, value]) => [key, value ?? "•••"] as const)}
            />
          )}
        </Card>
      </Cards>
      <Tabs
        label={fields.fields}
        items={[
          {
            id: "fields",
            label: schemas.fields,
            content: (
              <DataGrid
                label={fields.fields}
                columns={columns}
                rows={schema.fields}
                rowKey={(f) => f.path}
                onOpen={(f) => setSearch({ open: `field:${f.id}` })}
              />
            ),
          },
          {
            id: "json",
            label: schemas.json,
            content: <JsonView label={schemas.json} value={schema.raw ?? schemas.noRaw} />,
          },
        ]}
      />
    </>
  );
}
