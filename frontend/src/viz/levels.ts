/** Pure layout of the level diagram: from the files of a bucket to rectangles and a depth curve. */

export interface LevelFile {
  readonly name: string;
  readonly level: number;
  readonly lo: number; // index of the least key in the bucket's sorted keys
  readonly hi: number; // index of the greatest key
  readonly bytes: number;
  readonly rows: number;
  readonly deletes: number | null;
  readonly seq: readonly [string, string]; // least and greatest sequence number
  readonly source: "append" | "compact" | null;
  readonly index: readonly string[];
  readonly dv: boolean;
  readonly created: string | null; // RFC 3339
}

export interface Lane {
  readonly level: number;
  readonly top: number;
  readonly height: number;
  readonly files: readonly LevelFile[];
}

export interface FileRect {
  readonly file: LevelFile;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DepthStep {
  readonly key: number; // index of the key from which on it holds
  readonly depth: number; // files that cover the keys up to the next step
}

export interface LevelLayout {
  readonly lanes: readonly Lane[];
  readonly rects: readonly FileRect[];
  readonly height: number;
  /** Where the lanes of level 0 were merged into one density band: how many files it stands for. */
  readonly banded: number;
}

const LEAST_WIDTH = 3;
const LANE_HEIGHT = 20;
const EMPTY_LANE_HEIGHT = 14; // a line of text: the level is named beside it
const LANE_GAP = 2;
const LEVEL_GAP = 8;
const MOST_LEVEL0_LANES = 40;

/** Height of a file in its lane: 6 px up to 1 MiB, 18 px from 4 GiB, logarithmic between. */
export function fileHeight(bytes: number): number {
  const share = Math.log2(Math.max(bytes, 2 ** 20) / 2 ** 20) / 12;
  return 6 + 12 * Math.min(1, share);
}

/** Compares two 64-bit numbers in decimal text. */
export function compareSequence(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Level-0 files one a lane, newest on top; below, one lane per level with its empty levels drawn thin. */
export function layoutLevels(
  files: readonly LevelFile[],
  keyCount: number,
  width: number,
  window: readonly [number, number] = [0, Math.max(1, keyCount - 1)],
  expandBand = false,
  places: readonly number[] | null = null,
): LevelLayout {
  const level0 = files
    .filter((file) => file.level === 0)
    .toSorted((a, b) => compareSequence(b.seq[1], a.seq[1]));
  const banded = !expandBand && level0.length > MOST_LEVEL0_LANES ? level0.length : 0;
  const laneFiles: [number, readonly LevelFile[]][] = banded
    ? [[0, level0]]
    : level0.map((file) => [0, [file]]);
  if (level0.length === 0) laneFiles.push([0, []]);
  const deepest = files.reduce((most, file) => Math.max(most, file.level), 0);
  for (let level = 1; level <= deepest; level += 1) {
    laneFiles.push([level, files.filter((file) => file.level === level).toSorted((a, b) => a.lo - b.lo)]);
  }
  const lanes: Lane[] = [];
  let top = 0;
  for (const [level, inLane] of laneFiles) {
    const before = lanes.at(-1);
    if (before !== undefined) top += before.level === level ? LANE_GAP : LEVEL_GAP;
    const height = inLane.length === 0 ? EMPTY_LANE_HEIGHT : LANE_HEIGHT;
    lanes.push({ level, top, height, files: inLane });
    top += height;
  }
  const axis = keyAxis(window, width, places);
  const rects = lanes.flatMap((lane) => lane.files.map((file) => rectOf(file, lane, axis)));
  return { lanes, rects: rects.filter((r) => r.x + r.width >= 0 && r.x <= width), height: top, banded };
}

/** From the index of a key to pixels: where a file begins that has it as its least key, and where one ends. */
export interface KeyAxis {
  readonly start: (key: number) => number;
  readonly end: (key: number) => number;
  /** How far behind its greatest key a file stops to count, in keys. */
  readonly after: number;
}

/**
 * By rank a key takes the room from its own place to the next one's. With `places`, from 0 to 1, keys are points on the
 * scale of their values, and between two of them the place is interpolated.
 */
export function keyAxis(
  window: readonly [number, number],
  width: number,
  places: readonly number[] | null = null,
): KeyAxis {
  if (places === null) {
    const span = window[1] - window[0] + 1;
    const start = (key: number) => ((key - window[0]) / span) * width;
    return { start, end: (key) => start(key + 1) - 1, after: 1 };
  }
  const last = places.length - 1;
  const place = (key: number) => {
    const at = Math.max(0, Math.min(last, key));
    const [low, high] = [places[Math.floor(at)] ?? 0, places[Math.ceil(at)] ?? 0];
    return low + (high - low) * (at - Math.floor(at));
  };
  const least = place(window[0]);
  const span = place(window[1]) - least || 1;
  const start = (key: number) => ((place(key) - least) / span) * width;
  return { start, end: start, after: 1e-6 };
}

/** The keys between two pixels, as a window: on an axis of ranks those that they lie in, else those between them. */
export function keysBetween(
  window: readonly [number, number],
  axis: KeyAxis,
  pixels: readonly [number, number],
): readonly [number, number] {
  let [first, last] = window;
  while (first < window[1] && axis.end(first) < pixels[0]) first += 1;
  while (last > first && axis.start(last) > pixels[1]) last -= 1;
  return [first, last];
}

/** What a level holds. */
export interface LevelSums {
  readonly files: number;
  readonly bytes: number;
  readonly rows: number;
  readonly deletes: number | null; // null: some file does not say
  readonly oldest: string | null; // creation of its oldest file, RFC 3339
}

export function levelSums(files: readonly LevelFile[]): ReadonlyMap<number, LevelSums> {
  const sums = new Map<number, LevelSums>();
  for (const file of files) {
    const before = sums.get(file.level) ?? { files: 0, bytes: 0, rows: 0, deletes: 0, oldest: null };
    const { created } = file;
    sums.set(file.level, {
      files: before.files + 1,
      bytes: before.bytes + file.bytes,
      rows: before.rows + file.rows,
      deletes: before.deletes === null || file.deletes === null ? null : before.deletes + file.deletes,
      oldest:
        before.oldest === null || (created !== null && created < before.oldest) ? created : before.oldest,
    });
  }
  return sums;
}

function rectOf(file: LevelFile, lane: Lane, axis: KeyAxis): FileRect {
  const left = axis.start(file.lo);
  const height = Math.min(lane.height, fileHeight(file.bytes));
  return {
    file,
    x: left,
    y: lane.top + (lane.height - height) / 2,
    width: Math.max(LEAST_WIDTH, axis.end(file.hi) - left),
    height,
  };
}

/** Files that share keys with `file`, itself left out: what a reader of its range may have to merge. */
export function overlapping(file: LevelFile, files: readonly LevelFile[]): LevelFile[] {
  return files.filter((other) => other !== file && other.lo <= file.hi && other.hi >= file.lo);
}

/** How many files cover each stretch of keys; a file counts until `after` its greatest one. */
export function mergeDepth(files: readonly LevelFile[], after = 1): DepthStep[] {
  const change = new Map<number, number>();
  for (const file of files) {
    change.set(file.lo, (change.get(file.lo) ?? 0) + 1);
    change.set(file.hi + after, (change.get(file.hi + after) ?? 0) - 1);
  }
  const steps: DepthStep[] = [];
  let depth = 0;
  for (const [key, by] of [...change].toSorted((a, b) => a[0] - b[0])) {
    depth += by;
    if (by !== 0) steps.push({ key, depth });
  }
  return steps;
}

/** Mean over keys and maximum of a depth curve that ends where it reaches zero. */
export function depthSummary(steps: readonly DepthStep[], keyCount: number): { mean: number; max: number } {
  let area = 0;
  let max = 0;
  steps.forEach((step, at) => {
    const end = steps[at + 1]?.key ?? keyCount;
    area += step.depth * (end - step.key);
    max = Math.max(max, step.depth);
  });
  return { mean: keyCount === 0 ? 0 : area / keyCount, max };
}

/** Level 0: every file is a run. Deeper: every level that holds files is one. */
export function sortedRuns(files: readonly LevelFile[]): number {
  const deeper = new Set(files.filter((file) => file.level > 0).map((file) => file.level));
  return files.filter((file) => file.level === 0).length + deeper.size;
}

/** The file that an arrow key leads to from `from`: along its lane, or to the nearest in the next lane. */
export function neighbour(rects: readonly FileRect[], from: FileRect, key: string): FileRect | undefined {
  const middle = (rect: FileRect) => rect.x + rect.width / 2;
  const lane = (rect: FileRect) => rect.y + rect.height / 2;
  const near = (candidates: FileRect[]) =>
    candidates.toSorted((a, b) => Math.abs(middle(a) - middle(from)) - Math.abs(middle(b) - middle(from)))[0];
  const same = rects.filter((rect) => Math.abs(lane(rect) - lane(from)) < 1 && rect !== from);
  if (key === "ArrowRight") return near(same.filter((rect) => rect.x > from.x));
  if (key === "ArrowLeft") return near(same.filter((rect) => rect.x < from.x));
  const below = key === "ArrowDown";
  const beyond = rects.filter((rect) => (below ? lane(rect) > lane(from) + 1 : lane(rect) < lane(from) - 1));
  const next = beyond.reduce<number | null>((best, rect) => {
    const here = lane(rect);
    if (best === null) return here;
    return below ? Math.min(best, here) : Math.max(best, here);
  }, null);
  return next === null ? undefined : near(beyond.filter((rect) => Math.abs(lane(rect) - next) < 1));
}
