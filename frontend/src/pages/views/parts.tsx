import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CatalogFunction, ObjectColumn, View } from "../../api/databaseObjects";
import { useColumnMakers } from "../../app/columns";
import { useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import { DataGrid } from "../../ui/DataGrid";
import { KeyValue } from "../../ui/KeyValue";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./Views.module.css";

/** `prod / sales / big_orders`, the first two as links. */
export function Heading({ of }: { of: { warehouse: string; database: string; name: string } }): ReactNode {
  return (
    <>
      <Link to="/w/$wh" params={{ wh: of.warehouse }}>
        {of.warehouse}
      </Link>
      {" / "}
      <Link to="/w/$wh/$db" params={{ wh: of.warehouse, db: of.database }}>
        {of.database}
      </Link>
      {` / ${of.name}`}
    </>
  );
}

/** A text of SQL or of a function, as it stands. */
export function Code({ label, text }: { label: string; text: string }): ReactNode {
  return (
    <pre className={styles["code"]} tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}

export function Columns({ label, rows }: { label: string; rows: readonly ObjectColumn[] }): ReactNode {
  const { fields } = useMessages();
  const make = useColumnMakers();
  const columns = [
    make.text<ObjectColumn>("name", fields.name, (c) => c.name, { grow: 2 }),
    make.text<ObjectColumn>("type", fields.type, (c) => c.type, { grow: 2 }),
    make.text<ObjectColumn>("comment", fields.comment, (c) => c.comment, { grow: 3 }),
  ];
  return (
    <Card title={label}>
      <DataGrid label={label} columns={columns} rows={rows} rowKey={(c) => String(c.id)} />
    </Card>
  );
}

/** Comment, options, and who made it. */
export function About({
  of,
  more = [],
}: {
  of: View | CatalogFunction;
  more?: readonly (readonly [string, ReactNode])[];
}): ReactNode {
  const { viewPage, fields } = useMessages();
  const { audit } = of;
  return (
    <Card title={viewPage.about}>
      <KeyValue
        items={[
          [fields.comment, of.comment],
          ...more,
          audit.created_by !== null && ([viewPage.createdBy, audit.created_by] as const),
          audit.created_at !== null &&
            ([viewPage.created, <Timestamp key="created" value={audit.created_at} />] as const),
          audit.updated_by !== null && ([viewPage.updatedBy, audit.updated_by] as const),
          audit.updated_at !== null &&
            ([viewPage.updated, <Timestamp key="updated" value={audit.updated_at} />] as const),
        ]}
      />
      {Object.keys(of.options).length > 0 && (
        <div className={styles["options"]}>
          <KeyValue code items={Object.entries(of.options)} />
        </div>
      )}
    </Card>
  );
}
