import { scaleLinear, scaleSymlog, scaleUtc } from "d3-scale";

/** Pure layout of the snapshot timeline: bands over one x scale. */

export type CommitKind = "append" | "compact" | "overwrite" | "analyze" | "unknown";
export const COMMIT_KINDS: readonly CommitKind[] = ["append", "compact", "overwrite", "analyze", "unknown"];

export interface TimelineCommit {
  readonly id: string; // snapshot id, decimal
  readonly ref: string; // id~identity
  readonly kind: CommitKind;
  readonly millis: number; // epoch
  readonly filesAdded: number | null;
  readonly filesDeleted: number | null;
  readonly deltaRows: number | null;
  readonly totalRows: number | null;
  readonly bytesAdded: number | null;
  readonly liveBytes: number | null;
  readonly watermarkMillis: number | null;
  readonly tags: readonly string[];
  readonly consumers: readonly string[];
  readonly forks: readonly string[]; // branches that left here
  readonly byJob: boolean;
  readonly expirable: boolean | null; // the table's own rules let it go now; null: not known
}

export type XMode = "time" | "order";

/** The part of the x axis in view: epoch milliseconds, or positions in commit order. */
export type Window = readonly [number, number];

export interface Glyph {
  readonly commit: TimelineCommit;
  readonly x: number;
}

export interface Bin {
  readonly x: number;
  readonly width: number;
  readonly counts: Readonly<Record<CommitKind, number>>;
  readonly commits: readonly TimelineCommit[];
}

/** What a commit changed and left behind, or all commits of a bin together; null where nothing is known. */
export interface TimelinePoint {
  readonly x: number;
  readonly filesAdded: number | null;
  readonly filesDeleted: number | null;
  readonly deltaRows: number | null;
  readonly totalRows: number | null;
  readonly bytesAdded: number | null;
  readonly liveBytes: number | null;
  readonly lagMillis: number | null; // from watermark to commit
}

/** A line of the grid; one too close to the name before it, or to the end, has no name. */
export interface Tick {
  readonly x: number;
  readonly millis: number | null;
  readonly label: string;
  readonly named: boolean;
}

export interface TimelineLayout {
  /** One a commit, or none when they are denser than one per 4 px and `bins` has them. */
  readonly glyphs: readonly Glyph[];
  readonly bins: readonly Bin[];
  /** The measures of each glyph, or of each bin. */
  readonly points: readonly TimelinePoint[];
  readonly gaps: readonly number[]; // x of places where ids are missing
  readonly ticks: readonly Tick[];
  readonly retention: KeptSpan | null;
  readonly window: Window;
}

/** What the rules of the table keep, from here on; all before may go. Null where they are not known. */
export interface KeptSpan {
  readonly from: number; // x, within the picture
  readonly to: number;
  readonly any: boolean; // whether something before it is in view
}

const LEAST_SPACING = 4;
const TIME_WIDTH = 104; // px of `11-20 10:31:05` with some air
const BIN_WIDTH = 8;

/** The whole extent in view, with a little room at both ends. */
export function fitWindow(commits: readonly TimelineCommit[], mode: XMode): Window {
  if (mode === "order") return [-0.5, Math.max(0.5, commits.length - 0.5)];
  const first = commits[0]?.millis ?? 0;
  const last = commits.at(-1)?.millis ?? 1;
  const room = Math.max(1000, (last - first) * 0.03);
  return [first - room, last + room];
}

/** Lays out commits, oldest first, over `width` pixels. */
export function layoutTimeline(
  commits: readonly TimelineCommit[],
  mode: XMode,
  width: number,
  window: Window = fitWindow(commits, mode),
): TimelineLayout {
  const x = scaleLinear().domain(window).range([0, width]);
  const placed = commits
    .map((commit, at) => ({ commit, x: x(mode === "time" ? commit.millis : at) }))
    .filter((glyph) => glyph.x >= 0 && glyph.x <= width);
  const dense = placed.length > width / LEAST_SPACING;
  const bins = dense ? binned(placed, width) : [];
  return {
    glyphs: dense ? [] : placed,
    bins,
    points: dense
      ? bins.map((bin) => measured(bin.x + bin.width / 2, bin.commits))
      : placed.map((glyph) => measured(glyph.x, [glyph.commit])),
    gaps: gapsBetween(placed),
    retention: keptSpan(commits, mode, x, width),
    ticks: mode === "time" ? timeTicks(window, width) : orderTicks(placed),
    window,
  };
}

function binned(glyphs: readonly Glyph[], width: number): Bin[] {
  const bins: TimelineCommit[][] = Array.from({ length: Math.ceil(width / BIN_WIDTH) }, () => []);
  for (const glyph of glyphs)
    bins[Math.min(bins.length - 1, Math.floor(glyph.x / BIN_WIDTH))]?.push(glyph.commit);
  return bins.flatMap((commits, at): Bin[] => {
    if (commits.length === 0) return [];
    const counts = { append: 0, compact: 0, overwrite: 0, analyze: 0, unknown: 0 };
    for (const commit of commits) counts[commit.kind] += 1;
    return [{ x: at * BIN_WIDTH, width: BIN_WIDTH - 1, counts, commits }];
  });
}

/** Changes add up over `commits`, oldest first; a total is the last one known. */
function measured(x: number, commits: readonly TimelineCommit[]): TimelinePoint {
  const known = (value: (commit: TimelineCommit) => number | null) =>
    commits.flatMap((commit) => value(commit) ?? []);
  const sum = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  return {
    x,
    filesAdded: sum(known((c) => c.filesAdded)),
    filesDeleted: sum(known((c) => c.filesDeleted)),
    deltaRows: sum(known((c) => c.deltaRows)),
    totalRows: known((c) => c.totalRows).at(-1) ?? null,
    bytesAdded: sum(known((c) => c.bytesAdded)),
    liveBytes: known((c) => c.liveBytes).at(-1) ?? null,
    lagMillis:
      known((c) => (c.watermarkMillis === null ? null : c.millis - c.watermarkMillis)).at(-1) ?? null,
  };
}

/** The line between what may go and what is kept stands in the middle between the two commits. */
function keptSpan(
  commits: readonly TimelineCommit[],
  mode: XMode,
  x: (value: number) => number,
  width: number,
): KeptSpan | null {
  const first = commits.findIndex((commit) => commit.expirable !== true);
  const kept = commits[first];
  if (kept === undefined || kept.expirable === null) return null;
  const place = (at: number) => x(mode === "time" ? (commits[at]?.millis ?? 0) : at);
  const line = first === 0 ? place(0) - 8 : (place(first - 1) + place(first)) / 2;
  const inside = (at: number) => Math.max(0, Math.min(width, at));
  return { from: inside(line), to: inside(place(commits.length - 1) + 8), any: first > 0 && line > 0 };
}

function gapsBetween(glyphs: readonly Glyph[]): number[] {
  return glyphs.flatMap((glyph, at) => {
    const before = glyphs[at - 1];
    const follows = before === undefined || BigInt(glyph.commit.id) === BigInt(before.commit.id) + 1n;
    return follows ? [] : [(before.x + glyph.x) / 2];
  });
}

function timeTicks(window: Window, width: number): TimelineLayout["ticks"] {
  const scale = scaleUtc()
    .domain(window.map((millis) => new Date(millis)))
    .range([0, width]);
  const label = scale.tickFormat();
  let free = -Infinity; // where the next name may stand: as many ticks as are wished for are not promised
  return scale.ticks(Math.max(2, Math.floor(width / 110))).map((at) => {
    const x = scale(at);
    const named = x >= free && x <= width - TIME_WIDTH / 2;
    if (named) free = x + TIME_WIDTH;
    return { x, millis: at.getTime(), label: label(at), named };
  });
}

function orderTicks(glyphs: readonly Glyph[]): TimelineLayout["ticks"] {
  const every = Math.max(1, Math.ceil(glyphs.length / 10));
  return glyphs
    .filter((_, at) => at % every === 0)
    .map((glyph) => ({ x: glyph.x, millis: null, label: `#${glyph.commit.id}`, named: true }));
}

/** The window after zooming by `factor` (below 1: closer) about the share `about` of it; never beyond `fit`. */
export function zoom(window: Window, factor: number, about: number, fit: Window): Window {
  const span = Math.min(fit[1] - fit[0], (window[1] - window[0]) * factor);
  const centre = window[0] + (window[1] - window[0]) * about;
  return within([centre - span * about, centre + span * (1 - about)], fit);
}

/** The window moved by a share of its span; never beyond `fit`. */
export function pan(window: Window, share: number, fit: Window): Window {
  const by = (window[1] - window[0]) * share;
  return within([window[0] + by, window[1] + by], fit);
}

function within(window: Window, fit: Window): Window {
  const low = Math.max(fit[0], Math.min(window[0], fit[1] - (window[1] - window[0])));
  return [low, Math.min(fit[1], low + (window[1] - window[0]))];
}

/** A symmetric logarithmic scale from the zero line: negative below, positive above, in pixels from the top. */
export function signedScale(values: readonly number[], height: number): (value: number) => number {
  const most = Math.max(1, ...values.map(Math.abs));
  const down = values.some((value) => value < 0);
  return scaleSymlog()
    .domain(down ? [-most, most] : [0, most])
    .range([height, 0]);
}

/** The points of a line that keeps each value until the next one, as an SVG path; null values break it. */
export function stepPath(points: readonly { x: number; y: number | null }[]): string {
  let path = "";
  let drawing = false;
  for (const { x, y } of points) {
    if (y === null) {
      drawing = false;
      continue;
    }
    path += drawing ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)},${y.toFixed(1)}`;
    drawing = true;
  }
  return path;
}

/** The path from each known point to the next known one beside it; a point alone is a dot. */
export function straightPath(points: readonly { x: number; y: number | null }[]): string {
  return points
    .map(({ x, y }, at) => {
      if (y === null) return "";
      const place = `${x.toFixed(1)},${y.toFixed(1)}`;
      return (points[at - 1]?.y ?? null) === null ? `M${place}h0` : `L${place}`;
    })
    .join("");
}
