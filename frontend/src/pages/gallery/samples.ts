import type { DiffRow } from "../../ui/DiffView";
import type { EventItem } from "../../ui/EventList";
import type { LevelFile } from "../../viz/levels";
import type { CommitKind, TimelineCommit } from "../../viz/timeline";

/** Values for the gallery: fixed, so that two screenshots of one state are equal. */

const START = Date.parse("2026-01-20T10:00:00Z");
const KINDS: readonly CommitKind[] = [
  "append",
  "append",
  "compact",
  "append",
  "overwrite",
  "append",
  "compact",
  "analyze",
];

/** A history with gaps, tags and a consumer. */
export function sampleCommits(count: number): TimelineCommit[] {
  return Array.from({ length: count }, (_, at): TimelineCommit => {
    const kind = KINDS[at % KINDS.length] ?? "unknown";
    const id = at + (at > count / 2 ? 3 : 1);
    return {
      id: String(id),
      ref: `${id}~ab12`,
      kind,
      millis: START + at * 97_000 + (at % 5) * 31_000,
      filesAdded: 2 + ((at * 7) % 9),
      filesDeleted: kind === "compact" || kind === "overwrite" ? 11 : 0,
      deltaRows: kind === "overwrite" ? -5200 : kind === "compact" ? -40 : 1200 + at * 10,
      totalRows: 40_000 + at * 1100,
      bytesAdded: (1 + (at % 6)) * 2 ** 22,
      liveBytes: null,
      watermarkMillis: null,
      tags: at === 4 ? ["v1"] : [],
      consumers: at === Math.floor(count * 0.7) ? ["c1"] : [],
      forks: at === Math.floor(count * 0.4) ? ["dev"] : [],
      byJob: kind === "compact",
      expirable: at < count / 4,
    };
  });
}

/** A bucket with `level0` overlapping files over settled levels. */
export function sampleLevels(level0: number): { keys: string[]; files: LevelFile[] } {
  const keys = Array.from({ length: 120 }, (_, at) => `order-${String(at * 8317).padStart(7, "0")}`);
  const file = (
    name: string,
    level: number,
    lo: number,
    hi: number,
    mebibytes: number,
    at: number,
  ): LevelFile => ({
    name,
    level,
    lo,
    hi,
    bytes: mebibytes * 2 ** 20,
    rows: mebibytes * 9000,
    deletes: level === 0 ? at * 400 : 0,
    seq: [String(1000 * at), String(1000 * at + 999)],
    source: level === 0 ? "append" : "compact",
    index: at % 3 === 0 ? ["bloom-filter"] : [],
    dv: at % 4 === 0,
    created: null,
  });
  return {
    keys,
    files: [
      ...Array.from({ length: level0 }, (_, at) =>
        file(
          `data-l0-${at}.parquet`,
          0,
          (at * 13) % 60,
          Math.min(119, ((at * 13) % 60) + 30 + ((at * 7) % 30)),
          4 + at,
          at,
        ),
      ),
      ...[0, 40].map((lo, at) => file(`data-l3-${at}.parquet`, 3, lo, lo + 34, 60, at)),
      ...[0, 24, 48, 72, 96].map((lo, at) => file(`data-l5-${at}.parquet`, 5, lo, lo + 22, 128, at)),
    ],
  };
}

const side = (name: string, type: string) => ({ name, type });

export const DIFF_ROWS: readonly DiffRow[] = [
  {
    id: "0",
    depth: 0,
    from: side("order_id", "BIGINT NOT NULL PK"),
    to: side("order_id", "BIGINT NOT NULL PK"),
    marks: [],
  },
  { id: "1", depth: 0, from: side("customer", "STRING"), to: side("customer", "STRING"), marks: [] },
  {
    id: "4",
    depth: 0,
    from: side("amt", "INT"),
    to: side("amount", "BIGINT"),
    marks: [
      { tone: "analyze", glyph: "↷", text: "renamed" },
      { tone: "warn", glyph: "⇄", text: "retyped" },
    ],
  },
  {
    id: "6",
    depth: 0,
    from: side("note", "STRING"),
    to: null,
    marks: [{ tone: "warn", glyph: "⚠", text: "re-created as id 12" }],
  },
  {
    id: "12",
    depth: 0,
    from: null,
    to: side("note", "STRING"),
    marks: [{ tone: "ok", glyph: "+", text: "added" }],
  },
  { id: "9", depth: 0, from: side("address", "ROW"), to: side("address", "ROW"), marks: [] },
  {
    id: "10",
    depth: 1,
    from: side("city", "STRING"),
    to: side("city", "STRING"),
    marks: [{ tone: "moved", glyph: "↕", text: "moved 1 → 2" }],
  },
  {
    id: "13",
    depth: 1,
    from: null,
    to: side("zip", "STRING"),
    marks: [{ tone: "ok", glyph: "+", text: "added" }],
  },
];

export const EVENTS: readonly EventItem[] = [
  { id: "1", at: "2026-01-20T10:31:02.000Z", kind: "state", text: "queued → starting" },
  { id: "2", at: "2026-01-20T10:31:13.000Z", kind: "progress", text: "rewrite 2 / 3 buckets" },
  { id: "3", at: "2026-01-20T10:31:20.000Z", kind: "commit", text: "snapshot 43" },
];

export const LOG_TEXT = Array.from({ length: 400 }, (_, at) => {
  const level = at % 40 === 39 ? "ERROR" : at % 11 === 10 ? "WARN " : "INFO ";
  return `10:31:${String(at % 60).padStart(2, "0")} ${level} rewriting bucket ${at % 4} level 0..3 → 5, file ${at}`;
}).join("\n");
