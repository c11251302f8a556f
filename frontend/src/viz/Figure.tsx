import { useState, type ReactNode } from "react";
import { useMessages } from "../i18n";
import { meantKey } from "../preferences";
import { IconButton } from "../ui/Button";
import { Segments } from "../ui/Field";
import { toCsv, type GridColumn } from "../ui/gridColumns";
import styles from "./Viz.module.css";

interface FigureProps<Row> {
  /** What the picture says, in one sentence. */
  readonly summary: string;
  readonly title: string;
  readonly picture: ReactNode;
  readonly tools?: ReactNode;
  /** The same data as a table. */
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/** A picture with its table twin one key (`v`) away; both show the same data. */
export function Figure<Row>({ summary, title, picture, tools, columns, rows, rowKey }: FigureProps<Row>) {
  const { viz } = useMessages();
  const [view, setView] = useState<"picture" | "table">("picture");
  return (
    <figure
      className={styles["figure"]}
      aria-label={title}
      onKeyDown={(event) => {
        if (
          meantKey(event.key) !== "v" ||
          event.ctrlKey ||
          event.metaKey ||
          event.target instanceof HTMLInputElement
        )
          return;
        setView(view === "picture" ? "table" : "picture");
      }}
    >
      <div className={styles["bar"]}>
        <figcaption className={styles["summary"]}>{summary}</figcaption>
        {view === "picture" && tools}
        <Segments
          label={viz.view}
          value={view}
          options={[
            ["picture", viz.picture],
            ["table", viz.table],
          ]}
          onChange={setView}
        />
        {view === "table" && (
          <IconButton
            icon="copy"
            label={viz.copyCsv}
            onClick={() => void navigator.clipboard.writeText(toCsv(columns, rows))}
          />
        )}
      </div>
      {view === "picture" ? (
        picture
      ) : (
        <TwinTable title={title} columns={columns} rows={rows} rowKey={rowKey} />
      )}
    </figure>
  );
}

const TWIN_ROWS = 2000;

type TwinProps<Row> = Pick<FigureProps<Row>, "title" | "columns" | "rows" | "rowKey">;

function TwinTable<Row>({ title, columns, rows, rowKey }: TwinProps<Row>) {
  const { viz } = useMessages();
  return (
    <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={title}>
      <table className={styles["twin"]}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} className={column.align === "end" ? "number" : ""}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, TWIN_ROWS).map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.id} className={column.align === "end" ? "number" : ""}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > TWIN_ROWS && <p className="muted">{viz.twinCut(TWIN_ROWS)}</p>}
    </div>
  );
}
