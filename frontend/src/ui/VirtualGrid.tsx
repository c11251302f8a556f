import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { meantKey, usePreferences } from "../preferences";
import styles from "./Grid.module.css";
import { RowSlots } from "./rowSlots";
import {
  columnTemplate,
  moveFocus,
  nextSort,
  resized,
  sortState,
  type CellPosition,
  type ColumnWidths,
  type GridColumn,
} from "./gridColumns";

/** What a row adds to its ARIA and look, by its index. */
export interface RowTraits {
  readonly level?: number;
  readonly expanded?: boolean;
  readonly selected?: boolean;
  readonly tone?: "danger" | "warn" | undefined;
}

interface VirtualGridProps<Row> {
  readonly role: "grid" | "treegrid";
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Rows in all, when more exist than are loaded; -1 when unknown. */
  readonly total?: number;
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string | undefined) => void;
  readonly onOpen?: (row: Row) => void;
  /** Called when the end of the loaded rows comes into view. */
  readonly onEnd?: () => void;
  readonly traits?: (row: Row, index: number) => RowTraits;
  /** Handles a key on a row before the grid does; true when it was used. */
  readonly onRowKey?: (key: string, row: Row, index: number) => boolean;
  readonly dimmed?: boolean;
  readonly height?: string;
  readonly footer?: ReactNode;
  /** Called where rows can be chosen: with the index of one, and whether all from the last one to it are meant. */
  readonly onChoose?: (at: number, range: boolean) => void;
  /** What is copied in place of a cell while rows are chosen. */
  readonly copied?: () => string | null;
}

const WIDER = 16; // pixels by which a key changes the width of a column
const ROW_HEIGHT = { compact: 28, regular: 36 };
const ROWS_BEFORE_END = 30;
const WIDENING: Readonly<Record<string, number>> = { ArrowLeft: -WIDER, ArrowRight: WIDER };

/**
 * The rows in view of a list of any length, as an ARIA grid with a roving focus.
 *
 * The row that holds the focus always stays in the page, so that scrolling never loses it.
 */
export function VirtualGrid<Row>(props: VirtualGridProps<Row>) {
  const { columns, rows, rowKey, onEnd, onOpen, traits } = props;
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 });
  const moved = useRef(false);
  const rowHeight = ROW_HEIGHT[density];
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    rangeExtractor: (range) => {
      const inView = defaultRangeExtractor(range);
      const keep = active.row >= 0 && active.row < rows.length && !inView.includes(active.row);
      return keep ? [...inView, active.row].toSorted((a, b) => a - b) : inView;
    },
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);

  const lastInView = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastInView >= rows.length - ROWS_BEFORE_END) onEnd?.();
  }, [lastInView, rows.length, onEnd]);

  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    const cell = scroller.current?.querySelector(`[data-cell="${active.row}:${active.column}"]`);
    if (cell instanceof HTMLElement) cell.focus({ preventScroll: active.row >= 0 });
  }, [active]);

  const [widths, setWidths] = useState<ColumnWidths>({});
  const { template, width } = columnTemplate(columns, widths);
  const place = {
    "--columns": template,
    "--columns-width": `${width}px`,
    ...(props.height !== undefined && { "--grid-height": props.height }),
  } as CSSProperties;

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    const row = rows[active.row];
    const column = columns[active.column];
    if (active.row === -1 && event.shiftKey && column !== undefined && event.key in WIDENING) {
      event.preventDefault();
      const now = event.target instanceof HTMLElement ? event.target.offsetWidth : column.width;
      setWidths(resized(widths, column.id, now + (WIDENING[event.key] ?? 0)));
      return;
    }
    if (event.key === " " && event.shiftKey && active.row >= 0 && props.onChoose) {
      event.preventDefault();
      props.onChoose(active.row, false);
      return;
    }
    if (row !== undefined && props.onRowKey?.(event.key, row, active.row)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      if (activate(event, row)) event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const next = moveFocus(
      active,
      meantKey(event.key),
      { rows: rows.length, columns: columns.length, page },
      event.ctrlKey,
    );
    if (next === null) return;
    event.preventDefault();
    moved.current = true;
    setActive(next);
    if (next.row >= 0) virtual.scrollToIndex(next.row);
  };

  const activate = (event: KeyboardEvent<HTMLDivElement>, row: Row | undefined): boolean => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset["cell"] === undefined) return false;
    const column = columns[active.column];
    if (active.row === -1) {
      if (column?.sortable) props.onSort?.(nextSort(props.sort, column.id));
      return true;
    }
    const control = event.target.querySelector("a, button");
    if (control instanceof HTMLElement && control.dataset["secondary"] === undefined) control.click();
    else if (row !== undefined) onOpen?.(row);
    return true;
  };

  const [slots] = useState(() => new RowSlots());
  const inView = virtual.getVirtualItems().flatMap((item) => {
    const row = rows[item.index];
    return row === undefined ? [] : [{ item, row }];
  });
  const taken = slots.of(
    rows,
    inView.map(({ row }) => rowKey(row)),
  );
  const inPage = inView.map((shown, at) => ({ ...shown, slot: taken[at] ?? at }));
  // While it scrolls no element changes its place in the page; then they stand as they are read.
  if (virtual.isScrolling) inPage.sort((a, b) => a.slot - b.slot);

  const tabIndex = (row: number, column: number) => (active.row === row && active.column === column ? 0 : -1);
  const cellClass = (column: GridColumn<Row>, at: number) =>
    [styles["cell"], column.align === "end" && styles["end"], at === 0 && styles["pinned"]]
      .filter(Boolean)
      .join(" ");

  return (
    <div className={styles["frame"]} style={place}>
      <div
        ref={scroller}
        className={styles["scroller"]}
        role={props.role}
        aria-label={props.label}
        aria-rowcount={(props.total ?? rows.length) < 0 ? -1 : (props.total ?? rows.length) + 1}
        aria-colcount={columns.length}
        aria-busy={props.dimmed ?? false}
        {...(props.onChoose && { "aria-multiselectable": true })}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup" className={styles["header"]}>
          <div role="row" aria-rowindex={1} className={styles["row"]}>
            {columns.map((column, at) => (
              <div
                key={column.id}
                role="columnheader"
                aria-colindex={at + 1}
                className={`${cellClass(column, at)} ${column.sortable ? (styles["sortable"] ?? "") : ""}`}
                data-cell={`-1:${at}`}
                tabIndex={tabIndex(-1, at)}
                onFocus={() => setActive({ row: -1, column: at })}
                onClick={() => column.sortable && props.onSort?.(nextSort(props.sort, column.id))}
                {...(column.sortable && { "aria-sort": sortState(props.sort, column.id) })}
              >
                <span title={column.header}>{column.header}</span>
                <SortArrow state={sortState(props.sort, column.id)} />
                <ResizeHandle onWidth={(next) => setWidths(resized(widths, column.id, next))} />
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={`${styles["body"] ?? ""} ${props.dimmed ? (styles["dimmed"] ?? "") : ""}`}
          style={{ height: virtual.getTotalSize(), minWidth: width }}
        >
          {inPage.map(({ item, row, slot }) => {
            const trait = traits?.(row, item.index);
            return (
              <div
                key={slot}
                role="row"
                aria-rowindex={item.index + 2}
                className={`${styles["row"] ?? ""} ${onOpen ? (styles["openable"] ?? "") : ""}`}
                style={{ transform: `translateY(${item.start}px)` }}
                data-tone={trait?.tone}
                aria-selected={trait?.selected ?? false}
                {...(trait?.level !== undefined && { "aria-level": trait.level })}
                {...(trait?.expanded !== undefined && { "aria-expanded": trait.expanded })}
                onClick={(event) => {
                  const onControl = event.target instanceof Element && event.target.closest("a, button");
                  if (onControl) return;
                  const choosing = event.shiftKey || event.ctrlKey || event.metaKey;
                  if (choosing && props.onChoose) props.onChoose(item.index, event.shiftKey);
                  else onOpen?.(row);
                }}
              >
                {columns.map((column, at) => (
                  <div
                    key={column.id}
                    role={at === 0 ? "rowheader" : "gridcell"}
                    aria-colindex={at + 1}
                    className={cellClass(column, at)}
                    data-cell={`${item.index}:${at}`}
                    tabIndex={tabIndex(item.index, at)}
                    onFocus={() => setActive({ row: item.index, column: at })}
                    onCopy={(event) => copyCell(event, props.copied?.() ?? column.text?.(row))}
                  >
                    <CellContent>{column.cell(row)}</CellContent>
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {props.footer}
    </div>
  );
}

/** A bare text gets an element of its own, so that a cut one ends in an ellipsis and shows in full as a tooltip. */
function CellContent({ children }: { children: ReactNode }) {
  return typeof children === "string" && children !== "" ? (
    <span title={children}>{children}</span>
  ) : (
    children
  );
}

/** Copies the whole cell, or the rows that are chosen, when no text is selected; selected text is copied as usual. */
function copyCell(event: React.ClipboardEvent, text: string | undefined): void {
  if (text === undefined || !(document.getSelection()?.isCollapsed ?? true)) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
}

/** The edge of a header that is dragged; by keys it is Shift with the arrows on the header. */
function ResizeHandle({ onWidth }: { onWidth: (width: number) => void }) {
  return (
    <span
      className={styles["resize"]}
      aria-hidden="true"
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const { currentTarget: handle } = event;
        if (!handle.hasPointerCapture(event.pointerId)) return;
        onWidth(event.clientX - (handle.parentElement?.getBoundingClientRect().left ?? 0));
      }}
    />
  );
}

function SortArrow({ state }: { state: "ascending" | "descending" | "none" }) {
  if (state === "none") return null;
  return (
    <span className={styles["arrow"]} aria-hidden="true">
      {state === "ascending" ? "▲" : "▼"}
    </span>
  );
}
