import { Fragment, useEffect, useMemo, useRef, useState } from "react";
import { useMessages } from "../i18n";
import { Badge } from "./Badge";
import { Button } from "./Button";
import { foldUnchanged, type DiffRow, type DiffSide } from "./diffRows";
import styles from "./DiffView.module.css";

export type { DiffMark, DiffRow, DiffSide } from "./diffRows";

interface DiffViewProps {
  readonly label: string;
  readonly fromTitle: string;
  readonly toTitle: string;
  readonly rows: readonly DiffRow[];
  readonly onlyChanges: boolean;
  /** One column in place of two: what went above what came. */
  readonly unified?: boolean;
  /** The row that the address names, shown though it is unchanged; null names none. With it, ids are links. */
  readonly target?: string | null;
  /** Shows more of a row. */
  readonly onOpen?: (id: string) => void;
}

/** Two versions side by side, aligned by id; what changed carries a word and a glyph. */
export function DiffView(props: DiffViewProps) {
  const { label, rows, onlyChanges, unified = false, target } = props;
  const { diff } = useMessages();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const folded = useMemo(() => foldUnchanged(rows), [rows]);
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const row = target ? table.current?.querySelector<HTMLElement>(`[id="f=${CSS.escape(target)}"]`) : null;
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
  }, [target]);
  const isNested = rows.some((row) => row.depth > 0);
  const drawn = (row: DiffRow) => <Row key={row.id} row={row} isNested={isNested} view={props} />;
  return (
    <table ref={table} className={styles["table"]} aria-label={label}>
      <thead>
        <tr>
          <th className={styles["id"]}>{diff.id}</th>
          {unified ? (
            <th>
              {props.fromTitle} → {props.toTitle}
            </th>
          ) : (
            <>
              <th>{props.fromTitle}</th>
              <th>{props.toTitle}</th>
            </>
          )}
          <th>{diff.change}</th>
        </tr>
      </thead>
      <tbody>
        {folded.map((part, at) => {
          if (part.kind === "row") return drawn(part.row);
          const key = `fold-${part.rows[0]?.id ?? at}`;
          const isOpen = !onlyChanges || open.has(at) || part.rows.some((row) => row.id === target);
          if (isOpen) return <Fragment key={key}>{part.rows.map(drawn)}</Fragment>;
          return (
            <tr key={key}>
              <td colSpan={unified ? 3 : 4} className={styles["fold"]}>
                <Button look="quiet" onClick={() => setOpen(new Set([...open, at]))}>
                  {diff.unchanged(part.rows.length)}
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly row: DiffRow;
  readonly isNested: boolean;
  readonly view: DiffViewProps;
}

function Row({ row, isNested, view }: RowProps) {
  const { diff } = useMessages();
  const { target, unified = false, onOpen } = view;
  const looks = [
    row.marks.length > 0 && styles["changed"],
    row.id === target && styles["target"],
    isNested && row.depth === 0 && styles["parent"],
  ];
  const open = onOpen && (() => onOpen(row.id));
  return (
    <tr
      {...(target !== undefined && { id: `f=${row.id}`, tabIndex: -1 })}
      className={looks.filter(Boolean).join(" ")}
    >
      <td className={styles["id"]}>
        {target === undefined ? (
          row.id
        ) : (
          <a href={`#f=${row.id}`} aria-label={diff.linkTo(row.id)}>
            {row.id}
          </a>
        )}
      </td>
      {unified ? (
        <td className={styles["side"]}>
          <Unified row={row} open={open} />
        </td>
      ) : (
        <>
          <Side side={row.from} depth={row.depth} open={row.to === null ? open : undefined} />
          <Side side={row.to} depth={row.depth} open={open} />
        </>
      )}
      <td>
        <span className={styles["marks"]}>
          {row.marks.map((mark) => (
            <Badge key={mark.text} tone={mark.tone} glyph={mark.glyph}>
              {mark.text}
            </Badge>
          ))}
        </span>
      </td>
    </tr>
  );
}

type Open = (() => void) | undefined;

/** Both sides in one cell: once where they read the same, else what went above what came. */
function Unified({ row: { from, to, depth }, open }: { row: DiffRow; open: Open }) {
  if (from && to && from.name === to.name && from.type === to.type) {
    return <Named side={to} depth={depth} open={open} />;
  }
  return (
    <>
      {from && (
        <del className={styles["went"]}>
          <Named side={from} depth={depth} open={to === null ? open : undefined} />
        </del>
      )}
      {to && (
        <ins className={styles["came"]}>
          <Named side={to} depth={depth} open={open} />
        </ins>
      )}
    </>
  );
}

function Side({ side, depth, open }: { side: DiffSide | null; depth: number; open: Open }) {
  if (side === null) return <td className={`${styles["side"] ?? ""} muted`}>–</td>;
  return (
    <td className={styles["side"]}>
      <Named side={side} depth={depth} open={open} />
    </td>
  );
}

function Named({ side, depth, open }: { side: DiffSide; depth: number; open: Open }) {
  return (
    <>
      <span aria-hidden="true">{depth > 0 ? `${"  ".repeat(depth)}├ ` : ""}</span>
      {open === undefined ? (
        side.name
      ) : (
        <button type="button" className={styles["name"]} onClick={open}>
          {side.name}
        </button>
      )}{" "}
      <span className={styles["type"]}>{side.type}</span>
    </>
  );
}
