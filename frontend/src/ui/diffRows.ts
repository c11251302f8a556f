import type { Tone } from "./Badge";

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

/** Runs of unchanged rows become one fold each; a run of one row stays, and so does what a changed row is nested in. */
export function foldUnchanged(rows: readonly DiffRow[]): Folded[] {
  const standing = changedAndAround(rows);
  const folded: Folded[] = [];
  for (const row of rows) {
    const last = folded.at(-1);
    if (standing.has(row)) folded.push({ kind: "row", row });
    else if (last?.kind === "fold") last.rows.push(row);
    else folded.push({ kind: "fold", rows: [row] });
  }
  return folded.flatMap((part): Folded[] => {
    const [only, second] = part.kind === "fold" ? part.rows : [];
    return only !== undefined && second === undefined ? [{ kind: "row", row: only }] : [part];
  });
}

function changedAndAround(rows: readonly DiffRow[]): ReadonlySet<DiffRow> {
  const found = new Set<DiffRow>();
  let around: DiffRow[] = []; // outermost first
  for (const row of rows) {
    around = [...around.filter((outer) => outer.depth < row.depth), row];
    if (row.marks.length > 0) for (const each of around) found.add(each);
  }
  return found;
}
