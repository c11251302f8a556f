import { Fragment, useMemo, useState } from "react";
import { useMessages } from "../i18n";
import { Badge, type Tone } from "./Badge";
import { Button } from "./Button";
import styles from "./DiffView.module.css";

export interface DiffSide {
  readonly name: string;
  readonly type: string;
}

export interface DiffMark {
  readonly tone: Tone;
  readonly glyph: string;
  readonly text: string;
}

export interface DiffRow {
  readonly id: string;
  readonly depth: number;
  readonly from: DiffSide | null;
  readonly to: DiffSide | null;
  readonly marks: readonly DiffMark[];
}

export type Folded =
  { readonly kind: "row"; readonly row: DiffRow } | { readonly kind: "fold"; readonly rows: DiffRow[] };

/** Runs of unchanged rows become one fold each; a run of one row stays. */
export function foldUnchanged(rows: readonly DiffRow[]): Folded[] {
  const folded: Folded[] = [];
  for (const row of rows) {
    const last = folded.at(-1);
    if (row.marks.length > 0) folded.push({ kind: "row", row });
    else if (last?.kind === "fold") last.rows.push(row);
    else folded.push({ kind: "fold", rows: [row] });
  }
  return folded.flatMap((part): Folded[] => {
    const [only, second] = part.kind === "fold" ? part.rows : [];
    return only !== undefined && second === undefined ? [{ kind: "row", row: only }] : [part];
  });
}

interface DiffViewProps {
  readonly label: string;
  readonly fromTitle: string;
  readonly toTitle: string;
  readonly rows: readonly DiffRow[];
  readonly onlyChanges: boolean;
}

/** Two versions side by side, aligned by id; what changed carries a word and a glyph. */
export function DiffView({ label, fromTitle, toTitle, rows, onlyChanges }: DiffViewProps) {
  const { diff } = useMessages();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const folded = useMemo(() => foldUnchanged(rows), [rows]);
  return (
    <table className={styles["table"]} aria-label={label}>
      <thead>
        <tr>
          <th className={styles["id"]}>{diff.id}</th>
          <th>{fromTitle}</th>
          <th>{toTitle}</th>
          <th>{diff.change}</th>
        </tr>
      </thead>
      <tbody>
        {folded.map((part, at) => {
          if (part.kind === "row") return <Row key={`row-${part.row.id}`} row={part.row} />;
          const key = `fold-${part.rows[0]?.id ?? at}`;
          if (!onlyChanges || open.has(at)) {
            return (
              <Fragment key={key}>
                {part.rows.map((row) => (
                  <Row key={row.id} row={row} />
                ))}
              </Fragment>
            );
          }
          return (
            <tr key={key}>
              <td colSpan={4} className={styles["fold"]}>
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

function Row({ row }: { row: DiffRow }) {
  return (
    <tr id={`f=${row.id}`} className={row.marks.length > 0 ? styles["changed"] : ""}>
      <td className={styles["id"]}>{row.id}</td>
      <Side side={row.from} depth={row.depth} />
      <Side side={row.to} depth={row.depth} />
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

function Side({ side, depth }: { side: DiffSide | null; depth: number }) {
  if (side === null) return <td className={`${styles["side"] ?? ""} muted`}>–</td>;
  return (
    <td className={styles["side"]}>
      <span aria-hidden="true">{depth > 0 ? `${"  ".repeat(depth)}├ ` : ""}</span>
      {side.name}
      <span className={styles["type"]}>{side.type}</span>
    </td>
  );
}
