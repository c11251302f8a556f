/** Pure layout of how long jobs took. */

export interface Quartiles {
  readonly least: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly most: number;
}

/** The value below which a share of the sorted values lies, between two neighbours where it falls there. */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

/** What a box with median shows; null for no values. */
export function quartilesOf(values: readonly number[]): Quartiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    least: quantile(sorted, 0),
    low: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.75),
    most: quantile(sorted, 1),
  };
}

/** How long the rest takes if it goes on as it went; null until something is known. */
export function millisLeft(done: number, total: number | null, spent: number): number | null {
  if (total === null || total <= 0 || done <= 0 || spent <= 0 || done > total) return null;
  return (spent / done) * (total - done);
}

export interface Run {
  readonly id: string;
  readonly from: number; // epoch milliseconds
  readonly to: number; // of one that runs: now
}

export interface FlowBar<R extends Run> {
  readonly run: R;
  readonly x: number;
  readonly width: number; // never too thin to be seen
  readonly lane: number; // bars of one lane do not overlap
}

const THIN = 3; // pixels

/** One bar a run over the last hours, in as few lanes as keep them apart; those that ended before are left out. */
export function flowBars<R extends Run>(
  runs: readonly R[],
  [start, end]: readonly [number, number],
  width: number,
): FlowBar<R>[] {
  const ends: number[] = [];
  const scale = (millis: number) => ((millis - start) / (end - start)) * width;
  return runs
    .filter((run) => run.to >= start && run.from <= end)
    .toSorted((a, b) => a.from - b.from)
    .map((run) => {
      const x = Math.min(scale(Math.max(run.from, start)), width - THIN);
      const wide = Math.max(THIN, scale(Math.min(run.to, end)) - x);
      const free = ends.findIndex((taken) => taken < x);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = x + wide;
      return { run, x, width: wide, lane };
    });
}
