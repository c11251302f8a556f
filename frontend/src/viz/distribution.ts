/** Pure layouts of how files spread: histogram of sizes, heatmap of buckets, flow between levels. */

import { group, rollup, sum } from "d3-array";

export interface SizedFile {
  readonly level: number;
  readonly bytes: number;
}

export interface SizeBin {
  readonly log2: number; // the bin holds sizes from 2^log2 up to 2^(log2+1)
  readonly byLevel: ReadonlyMap<number, number>;
  readonly files: number;
  readonly bytes: number;
}

/** Bins by powers of two from the smallest to the greatest file, empty ones included. */
export function sizeBins(files: readonly SizedFile[]): SizeBin[] {
  if (files.length === 0) return [];
  const binOf = (bytes: number) => Math.floor(Math.log2(Math.max(1, bytes)));
  const all = files.map((file) => binOf(file.bytes));
  const first = all.reduce((a, b) => Math.min(a, b));
  const last = all.reduce((a, b) => Math.max(a, b));
  const bins = Array.from({ length: last - first + 1 }, (_, at) => ({
    log2: first + at,
    byLevel: new Map<number, number>(),
    files: 0,
    bytes: 0,
  }));
  for (const file of files) {
    const bin = bins[binOf(file.bytes) - first];
    if (bin === undefined) continue;
    bin.byLevel.set(file.level, (bin.byLevel.get(file.level) ?? 0) + 1);
    bin.files += 1;
    bin.bytes += file.bytes;
  }
  return bins;
}

export interface HeatCell {
  readonly partition: string;
  readonly bucket: number;
  readonly value: number;
}

export interface HeatRow {
  readonly partition: string;
  readonly values: readonly (number | null)[]; // by bucket column; null where the bucket is empty
  readonly total: number;
  readonly skew: number | null; // greatest / median of the non-empty buckets
  readonly gini: number | null;
}

export interface Heat {
  readonly rows: readonly HeatRow[];
  readonly buckets: readonly number[];
  readonly totals: readonly number[]; // by bucket, over all partitions
  readonly thresholds: readonly number[]; // five bounds between the six steps of the ramp
}

const RAMP_STEPS = 6;

/** Neighbouring buckets together, so that at most `most` columns are left; a cell stands for its greatest bucket. */
export function binBuckets(
  cells: readonly HeatCell[],
  most: number,
): { readonly cells: readonly HeatCell[]; readonly size: number } {
  const last = cells.reduce((top, cell) => Math.max(top, cell.bucket), 0);
  const size = Math.max(1, Math.ceil((last + 1) / most));
  if (size === 1) return { cells, size };
  const binned = rollup(
    cells,
    (inBin) => inBin.reduce((top, cell) => (cell.value > top.value ? cell : top)).value,
    (cell) => cell.partition,
    (cell) => Math.floor(cell.bucket / size) * size,
  );
  return {
    size,
    cells: [...binned].flatMap(([partition, bins]) =>
      [...bins].map(([bucket, value]) => ({ partition, bucket, value })),
    ),
  };
}

/** Rows by partition in the order given, columns by bucket number, with the skew of each row. */
export function heatmap(cells: readonly HeatCell[]): Heat {
  const buckets = [...new Set(cells.map((cell) => cell.bucket))].toSorted((a, b) => a - b);
  const byPartition = group(cells, (cell) => cell.partition);
  const rows = [...byPartition].map(([partition, inRow]): HeatRow => {
    const at = new Map(inRow.map((cell) => [cell.bucket, cell.value]));
    const present = inRow.map((cell) => cell.value);
    return {
      partition,
      values: buckets.map((bucket) => at.get(bucket) ?? null),
      total: present.reduce((a, b) => a + b, 0),
      skew: skew(present),
      gini: gini(present),
    };
  });
  const byBucket = rollup(
    cells,
    (inBucket) => sum(inBucket, (cell) => cell.value),
    (cell) => cell.bucket,
  );
  const totals = buckets.map((bucket) => byBucket.get(bucket) ?? 0);
  return { rows, buckets, totals, thresholds: logThresholds(cells.map((cell) => cell.value)) };
}

const LEAST_STEP = Math.log(1.5);

/**
 * Bounds that cut the values' range into six equal parts on a log scale, upwards from the least value.
 *
 * A step is half as much again at least, so that buckets of about one size look alike.
 */
export function logThresholds(values: readonly number[]): number[] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [];
  const low = Math.log(positive.reduce((a, b) => Math.min(a, b)));
  const high = Math.log(positive.reduce((a, b) => Math.max(a, b)));
  const step = Math.max(LEAST_STEP, (high - low) / RAMP_STEPS);
  return Array.from({ length: RAMP_STEPS - 1 }, (_, at) => Math.exp(low + step * (at + 1)));
}

/** The step of the ramp, 0 to 5, that a value falls into. */
export function rampStep(value: number, thresholds: readonly number[]): number {
  if (thresholds.length === 0) return 0;
  const above = thresholds.findIndex((bound) => value < bound);
  return above === -1 ? RAMP_STEPS - 1 : above;
}

export function skew(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length < 2) return null;
  const half = sorted.length / 2;
  const median = ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
  return median === 0 ? null : (sorted.at(-1) ?? 0) / median;
}

/** 0 when all values are equal, towards 1 when one holds everything. */
export function gini(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const sum = sorted.reduce((a, b) => a + b, 0);
  if (sorted.length < 2 || sum === 0) return null;
  const weighted = sorted.reduce((total, value, at) => total + (at + 1) * value, 0);
  return (2 * weighted) / (sorted.length * sum) - (sorted.length + 1) / sorted.length;
}

export interface LevelChange {
  readonly level: number;
  readonly bytesRemoved: number;
  readonly bytesAdded: number;
}

export interface FlowBand {
  readonly level: number;
  readonly top: number;
  readonly height: number;
  readonly bytes: number;
}

/** Bytes on their way from one level to another: a stretch of each side, in pixels from the top. */
export interface Ribbon {
  readonly from: number; // level
  readonly to: number; // level
  readonly left: readonly [top: number, bottom: number];
  readonly right: readonly [top: number, bottom: number];
}

export interface LevelFlowLayout {
  readonly sources: readonly FlowBand[];
  readonly targets: readonly FlowBand[];
  readonly ribbons: readonly Ribbon[];
}

/** Left: bytes that leave each level; right: bytes that arrive. Both sides share one scale. */
export function layoutFlow(changes: readonly LevelChange[], height: number, gap = 6): LevelFlowLayout {
  const removed = changes.filter((change) => change.bytesRemoved > 0);
  const added = changes.filter((change) => change.bytesAdded > 0);
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const most = Math.max(sum(removed.map((c) => c.bytesRemoved)), sum(added.map((c) => c.bytesAdded)), 1);
  const room = height - gap * Math.max(removed.length - 1, added.length - 1, 0);
  const stack = (side: readonly (readonly [number, number])[]): FlowBand[] => {
    let top = 0;
    return side.map(([level, bytes]) => {
      const band = { level, top, height: Math.max(2, (bytes / most) * room), bytes };
      top += band.height + gap;
      return band;
    });
  };
  const sources = stack(removed.map((c) => [c.level, c.bytesRemoved]));
  const targets = stack(added.map((c) => [c.level, c.bytesAdded]));
  return { sources, targets, ribbons: ribbonsBetween(sources, targets) };
}

/** A commit does not say which bytes went where, so every source feeds every target in proportion. */
function ribbonsBetween(sources: readonly FlowBand[], targets: readonly FlowBand[]): Ribbon[] {
  const total = (bands: readonly FlowBand[]) => bands.reduce((sum, band) => sum + band.bytes, 0);
  const [out, into] = [total(sources), total(targets)];
  const next = new Map<FlowBand, number>([...sources, ...targets].map((band) => [band, band.top]));
  const take = (band: FlowBand, share: number): [number, number] => {
    const top = next.get(band) ?? band.top;
    next.set(band, top + band.height * share);
    return [top, top + band.height * share];
  };
  return sources.flatMap((source) =>
    targets.map((target) => ({
      from: source.level,
      to: target.level,
      left: take(source, target.bytes / into),
      right: take(target, source.bytes / out),
    })),
  );
}
