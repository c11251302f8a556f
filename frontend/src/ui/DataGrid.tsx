import { useRef, useState, type ReactNode } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button, IconButton } from "./Button";
import styles from "./Grid.module.css";
import { chosen, toCsv, type GridColumn } from "./gridColumns";
import { Icon } from "./Icon";
import { Menu } from "./Menu";
import { VirtualGrid, type RowTraits } from "./VirtualGrid";

export type { GridColumn } from "./gridColumns";

interface DataGridProps<Row> {
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Rows in all, when the server said it. */
  readonly total?: number | null | undefined;
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string | undefined) => void;
  readonly onOpen?: (row: Row) => void;
  readonly isOpen?: (row: Row) => boolean;
  readonly tone?: (row: Row) => RowTraits["tone"];
  readonly onEnd?: () => void;
  /** More rows exist than are loaded. */
  readonly more?: boolean;
  readonly dimmed?: boolean;
  readonly height?: string;
  readonly note?: ReactNode;
  /** Columns that are off until chosen. */
  readonly hidden?: readonly string[];
  /** Told which columns are shown, once they are chosen. */
  readonly onColumns?: (ids: ReadonlySet<string>) => void;
  /** What can be done with the rows that are chosen. */
  readonly withChosen?: (rows: readonly Row[]) => ReactNode;
  /** Saves the whole list as a file. */
  readonly onExport?: (format: "csv" | "ndjson") => void;
}

/** A list from the server: sorted, filtered and paged there, of any length here. */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { grid } = useMessages();
  const format = useFormat();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(props.hidden));
  const { columns, rows, isOpen, tone, total } = props;
  const shown = columns.filter((column) => !hidden.has(column.id));
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<number | null>(null);
  const selection = rows.filter((row) => picked.has(props.rowKey(row)));
  const sheet = (of: readonly Row[]) => toCsv(shown, of);
  const known = total ?? (props.more ? null : rows.length);
  return (
    <VirtualGrid
      role="grid"
      label={props.label}
      columns={shown}
      rows={rows}
      rowKey={props.rowKey}
      total={known ?? -1}
      sort={props.sort}
      {...(props.onSort && { onSort: props.onSort })}
      {...(props.onOpen && { onOpen: props.onOpen })}
      {...(props.onEnd && { onEnd: props.onEnd })}
      {...(props.height !== undefined && { height: props.height })}
      dimmed={props.dimmed ?? false}
      traits={(row) => ({
        selected: (isOpen?.(row) ?? false) || picked.has(props.rowKey(row)),
        tone: tone?.(row),
      })}
      onChoose={(at, range) => {
        setPicked(chosen(picked, rows.map(props.rowKey), at, range ? anchor.current : null));
        anchor.current = at;
      }}
      copied={() => (selection.length === 0 ? null : sheet(selection))}
      footer={
        <div className={styles["footer"]}>
          <span aria-live="polite">
            {known !== null && known !== rows.length
              ? grid.loaded(format.count(rows.length), format.count(known))
              : props.more
                ? grid.loadedMore(format.count(rows.length))
                : grid.rows(rows.length, format.count(rows.length))}
          </span>
          {selection.length > 0 && (
            <span className={styles["chosen"]} aria-live="polite">
              {grid.chosen(selection.length)}
              <Button look="quiet" onClick={() => void navigator.clipboard.writeText(sheet(selection))}>
                {grid.copyRows}
              </Button>
              {props.withChosen?.(selection)}
              <Button look="quiet" onClick={() => setPicked(new Set())}>
                {grid.chooseNone}
              </Button>
            </span>
          )}
          {props.note}
          <span className={styles["tools"]}>
            <IconButton
              icon="copy"
              label={grid.copyCsv}
              onClick={() => void navigator.clipboard.writeText(sheet(rows))}
            />
            {props.onExport && (
              <Menu
                label={grid.exportAll}
                look="quiet"
                trigger={<Icon name="download" />}
                items={[
                  { id: "csv", label: grid.exportCsv },
                  { id: "ndjson", label: grid.exportJson },
                ]}
                onAction={(id) => props.onExport?.(id === "csv" ? "csv" : "ndjson")}
              />
            )}
            <Menu
              label={grid.columns}
              look="quiet"
              trigger={<Icon name="columns" />}
              items={columns.map((column) => ({ id: column.id, label: column.header }))}
              selected={new Set(shown.map((column) => column.id))}
              onSelect={(ids) => {
                if (ids.size === 0) return;
                setHidden(new Set(columns.map((c) => c.id).filter((id) => !ids.has(id))));
                props.onColumns?.(ids);
              }}
            />
          </span>
        </div>
      }
    />
  );
}
