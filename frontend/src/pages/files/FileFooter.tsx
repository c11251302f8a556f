import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { footerQuery } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Bytes } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import styles from "./FileDrawer.module.css";

type Footer = Schemas["Footer"];
type Format = "parquet" | "orc" | "avro";

/** What a data file says of itself; the file is opened when somebody asks for it. */
export function FileFooter({ name }: { name: string }): ReactNode {
  const { files } = useMessages();
  const [asked, setAsked] = useState(false);
  const [group, setGroup] = useState<number | null>(null);
  if (!asked)
    return (
      <>
        <p className="muted">{files.footerDetail}</p>
        <Button onClick={() => setAsked(true)}>{files.readFooter}</Button>
      </>
    );
  return <Asked name={name} group={group} onGroup={setGroup} />;
}

interface AskedProps {
  readonly name: string;
  readonly group: number | null;
  readonly onGroup: (group: number | null) => void;
}

function Asked({ name, group, onGroup }: AskedProps) {
  const { files } = useMessages();
  const { ref, pin } = useOpenTable();
  const whole = useQuery(footerQuery(ref, pin, name, null));
  const one = useQuery({ ...footerQuery(ref, pin, name, group), enabled: group !== null });
  return (
    <Answer query={whole}>
      {(found) => (
        <>
          {found.problem !== null && <Notice tone="danger">{found.problem}</Notice>}
          {found.redacted && <Notice>{files.redacted}</Notice>}
          {found.footer !== null && (
            <>
              <Summary footer={found.footer} />
              <Groups footer={found.footer} chosen={group} onChoose={onGroup} />
              <Columns footer={one.data?.footer ?? found.footer} group={one.data?.footer ? group : null} />
            </>
          )}
        </>
      )}
    </Answer>
  );
}

function Summary({ footer }: { footer: Footer }) {
  const { files, fields } = useMessages();
  return (
    <KeyValue
      items={[
        [fields.format, footer.format],
        footer.writer !== null && [files.writtenBy, footer.writer],
        footer.version !== null && [files.version, footer.version],
        [fields.rows, <Count key="v" value={footer.rows} />],
        [files.codec, footer.codec],
        footer.footer_bytes !== null && [files.footerBytes, <Bytes key="v" value={footer.footer_bytes} />],
        ...Object.entries(footer.properties).map(
          ([key, value]) => [key, <code key="v">{value}</code>] as const,
        ),
      ]}
    />
  );
}

interface GroupsProps {
  readonly footer: Footer;
  readonly chosen: number | null;
  readonly onChoose: (group: number | null) => void;
}

/** The row groups; the number of one is a button that shows the columns of it alone. */
function Groups({ footer, chosen, onChoose }: GroupsProps) {
  const { files, fields } = useMessages();
  const format = useFormat();
  const title = files.groups[footer.format as Format];
  const cut = footer.groups.length < footer.group_count;
  const hasColumns = footer.format !== "avro"; // a block of Avro says nothing of its columns
  return (
    <>
      <h4>
        {title} ({format.count(footer.group_count)})
      </h4>
      {cut && (
        <p className="muted">
          {files.groupsShown(format.count(footer.groups.length), format.count(footer.group_count))}
        </p>
      )}
      <div className={styles["groups"]} tabIndex={0} role="region" aria-label={title}>
        <table className={styles["columns"]}>
          <thead>
            <tr>
              <th>#</th>
              <th className="number">{fields.rows}</th>
              <th className="number">{files.offset}</th>
              <th className="number">{fields.size}</th>
              {footer.format === "parquet" && <th className="number">{files.rawBytes}</th>}
            </tr>
          </thead>
          <tbody>
            {footer.groups.map((group, number) => (
              <tr key={group.offset} aria-selected={number === chosen}>
                <td>
                  {hasColumns ? (
                    <button
                      type="button"
                      className={styles["group"]}
                      aria-pressed={number === chosen}
                      aria-label={files.columnsOf(title, String(number))}
                      onClick={() => onChoose(number === chosen ? null : number)}
                    >
                      {number}
                    </button>
                  ) : (
                    number
                  )}
                </td>
                <td className="number">
                  <Count value={group.rows} />
                </td>
                <td className="number">
                  <Count value={group.offset} />
                </td>
                <td className="number">
                  <Bytes value={group.bytes} />
                </td>
                {footer.format === "parquet" && (
                  <td className="number">
                    <Bytes value={group.raw_bytes} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Columns({ footer, group }: { footer: Footer; group: number | null }) {
  const { files, fields } = useMessages();
  const title =
    group === null
      ? files.columnsOfAll
      : files.columnsOf(files.groups[footer.format as Format], String(group));
  const hasSizes = footer.format !== "avro";
  const hasRaw = footer.format === "parquet";
  return (
    <>
      <h4>{title}</h4>
      <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={title}>
        <table className={styles["columns"]}>
          <thead>
            <tr>
              <th>{fields.column}</th>
              <th>{fields.type}</th>
              {hasSizes && (
                <>
                  <th>{files.codec}</th>
                  <th>{files.encodings}</th>
                  <th className="number">{fields.size}</th>
                  {hasRaw && <th className="number">{files.rawBytes}</th>}
                  <th className="number">{fields.nulls}</th>
                  <th>{fields.min}</th>
                  <th>{fields.max}</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {footer.columns.map((column) => (
              <tr key={column.name}>
                <td title={column.name}>{column.name}</td>
                <td className="muted" title={column.type}>
                  {column.type}
                </td>
                {hasSizes && (
                  <>
                    <td>{column.codec}</td>
                    <td title={column.encodings.join(", ")}>{column.encodings.join(", ")}</td>
                    <td className="number">
                      <Bytes value={column.bytes} />
                    </td>
                    {hasRaw && (
                      <td className="number">
                        <Bytes value={column.raw_bytes} />
                      </td>
                    )}
                    <td className="number">
                      <Count value={column.null_count} />
                    </td>
                    <td title={column.min ?? undefined}>{column.min ?? "–"}</td>
                    <td title={column.max ?? undefined}>{column.max ?? "–"}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
