import { useMessages, type Messages } from "../i18n";
import type { Schemas } from "../api/client";
import { Badge, type Tone } from "../ui/Badge";
import type { DiffMark, DiffRow } from "../ui/DiffView";

type ApiRow = Schemas["DiffRow"];
type Mark = ApiRow["changes"][number];
export type MarkKind = Mark["kind"];

const LOOKS: Record<MarkKind, readonly [Tone, string]> = {
  added: ["ok", "+"],
  dropped: ["danger", "−"],
  renamed: ["analyze", "↷"],
  retyped: ["warn", "⇄"],
  moved: ["moved", "↕"],
  recreated: ["warn", "⚠"],
  nullability: ["neutral", "∅"],
  comment: ["neutral", "✎"],
  default: ["neutral", "="],
  refused: ["danger", "✕"],
  kept: ["neutral", "⇄"],
  absent: ["neutral", "∅"],
};

type Words = Messages["schemas"];

const NULLABLE: Readonly<Record<string, string>> = {
  "true → false": "NULL → NOT NULL",
  "false → true": "NOT NULL → NULL",
};

function textOf({ kind, detail }: Mark, words: Words, isGone: boolean): string {
  if (detail === null) return words.marks[kind];
  switch (kind) {
    case "retyped":
      return words.typeChanges[detail as keyof Words["typeChanges"]] ?? `${words.marks.retyped} · ${detail}`;
    case "recreated":
      return isGone ? words.recreatedAs(detail) : words.recreatedFrom(detail);
    case "nullability":
      return NULLABLE[detail] ?? detail;
    default:
      return `${words.marks[kind]} · ${detail}`;
  }
}

function markOf(mark: Mark, words: Words, isGone: boolean): DiffMark {
  const [tone, glyph] = LOOKS[mark.kind];
  return { tone, glyph, text: textOf(mark, words, isGone) };
}

/** What happened to a field, in the reader's language. */
export function useDiffMarks(changes: readonly Mark[], isGone = false): DiffMark[] {
  const { schemas } = useMessages();
  return changes.map((change) => markOf(change, schemas, isGone));
}

/** The fields of two schemas as the diff viewer shows them, in the reader's language. */
export function useDiffRows(rows: readonly ApiRow[], ignoreComments = false): DiffRow[] {
  const { schemas } = useMessages();
  const side = (value: ApiRow["from"]) =>
    value && {
      name: value.name,
      type: [
        value.type,
        value.nullable || value.type.endsWith("NOT NULL") ? "" : "NOT NULL",
        value.key ? "PK" : "",
      ]
        .filter(Boolean)
        .join(" "),
    };
  return rows.map((row, at) => ({
    id: row.id === null ? `·${at}` : String(row.id),
    depth: row.depth,
    from: side(row.from),
    to: side(row.to),
    marks: row.changes
      .filter((change) => !ignoreComments || change.kind !== "comment")
      .map((change) => markOf(change, schemas, row.to === null)),
  }));
}

const SUMMED = [
  "added",
  "dropped",
  "renamed",
  "retyped",
  "moved",
  "recreated",
  "refused",
  "kept",
  "absent",
] as const;

/** How many fields changed, by what happened to them. */
export function DiffSummary({ summary }: { summary: Partial<Record<(typeof SUMMED)[number], number>> }) {
  const { schemas } = useMessages();
  const shown = SUMMED.filter((kind) => (summary[kind] ?? 0) > 0);
  if (shown.length === 0) return <span className="muted">{schemas.sameFields}</span>;
  return (
    <span style={{ display: "inline-flex", flexWrap: "wrap", gap: "var(--space-2)" }}>
      {shown.map((kind) => (
        <Badge key={kind} tone={LOOKS[kind][0]} glyph={LOOKS[kind][1]}>
          {summary[kind]} {schemas.marks[kind]}
        </Badge>
      ))}
    </span>
  );
}
