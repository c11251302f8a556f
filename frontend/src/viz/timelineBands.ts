/** Where the bands of the timeline lie, in pixels. */

export const LABEL_WIDTH = 96;
export const BANDS = { refs: 22, commits: 26, files: 54, rows: 54, bytes: 44, lag: 36 } as const;
export const BAND_GAP = 12;
const AXIS = 24;

export interface BandTops {
  readonly refs: number;
  readonly commits: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly lag: number | null; // only where there are watermarks
  readonly axis: number;
  readonly end: number;
}

/** Room above the refs for the bracket over what is kept. */
const BRACKET = 8;

/** The top of each band, and of the axis below them. */
export function bandTops(hasLag: boolean): BandTops {
  const commits = BRACKET + BANDS.refs + 4;
  const files = commits + BANDS.commits + BAND_GAP;
  const rows = files + BANDS.files + BAND_GAP;
  const bytes = rows + BANDS.rows + BAND_GAP;
  const lag = bytes + BANDS.bytes + BAND_GAP;
  const axis = hasLag ? lag + BANDS.lag + BAND_GAP : lag;
  return { refs: BRACKET, commits, files, rows, bytes, lag: hasLag ? lag : null, axis, end: axis + AXIS };
}
