import type { ReactNode } from "react";
import { signedScale, stepPath, straightPath, type TimelinePoint } from "./timeline";
import { BANDS, type BandTops } from "./timelineBands";
import styles from "./Viz.module.css";

interface MeasuresProps {
  readonly points: readonly TimelinePoint[];
  readonly tops: BandTops;
  readonly width: number;
}

type Value = (point: TimelinePoint) => number | null;

/**
 * Files, rows, bytes and lag of each commit: bars for what it changed, lines for what there is after it. The bytes that
 * it added are a thin line, on the scale of those that are live.
 */
export function Measures({ points, tops, width }: MeasuresProps) {
  const bar = Math.max(2, Math.min(14, (width / Math.max(1, points.length)) * 0.6));
  const removed: Value = (point) => (point.filesDeleted === null ? null : -point.filesDeleted);
  const values = (...of: Value[]) => points.flatMap((point) => of.map((value) => value(point) ?? 0));
  const fileY = signedScale(
    values((p) => p.filesAdded, removed),
    BANDS.files,
  );
  const rowY = signedScale(
    values((p) => p.deltaRows),
    BANDS.rows,
  );
  const byteY = upwards(
    values(
      (p) => p.bytesAdded,
      (p) => p.liveBytes,
    ),
    BANDS.bytes,
  );
  const upTo = (value: Value, height: number) => upwards(values(value), height);
  return (
    <>
      <Band top={tops.files} zero={fileY(0)} width={width}>
        <Bars points={points} value={(p) => p.filesAdded} y={fileY} width={bar} />
        <Bars points={points} value={removed} y={fileY} width={bar} />
      </Band>
      <Band top={tops.rows} zero={rowY(0)} width={width}>
        <Bars points={points} value={(p) => p.deltaRows} y={rowY} width={bar} />
        <Line points={points} value={(p) => p.totalRows} y={upTo((p) => p.totalRows, BANDS.rows)} />
      </Band>
      <Band top={tops.bytes} zero={BANDS.bytes} width={width}>
        <Line points={points} value={(p) => p.bytesAdded} y={byteY} thin />
        <Line points={points} value={(p) => p.liveBytes} y={byteY} />
      </Band>
      {tops.lag !== null && (
        <Band top={tops.lag} zero={BANDS.lag} width={width}>
          <Line points={points} value={(p) => p.lagMillis} y={upTo((p) => p.lagMillis, BANDS.lag)} />
        </Band>
      )}
    </>
  );
}

function upwards(values: readonly number[], height: number): (value: number) => number {
  const most = values.reduce((top, value) => Math.max(top, value), 1);
  return (value) => height - (value / most) * height;
}

interface BandProps {
  readonly top: number;
  readonly zero: number;
  readonly width: number;
  readonly children: ReactNode;
}

function Band({ top, zero, width, children }: BandProps) {
  return (
    <g transform={`translate(0,${top})`}>
      <line className={styles["axis"]} x2={width} y1={zero} y2={zero} />
      {children}
    </g>
  );
}

interface BarsProps {
  readonly points: readonly TimelinePoint[];
  readonly value: Value;
  readonly y: (value: number) => number;
  readonly width: number;
}

function Bars({ points, value, y, width }: BarsProps) {
  return points.map((point) => {
    const height = value(point);
    if (height === null || height === 0) return null;
    const [top, bottom] = [Math.min(y(0), y(height)), Math.max(y(0), y(height))];
    return (
      <rect
        key={point.x}
        className={styles[height < 0 ? "removed" : "added"]}
        x={point.x - width / 2}
        y={top}
        width={width}
        height={Math.max(1, bottom - top)}
      />
    );
  });
}

interface LineProps {
  readonly points: readonly TimelinePoint[];
  readonly value: Value;
  readonly y: (value: number) => number;
  /** From each commit to the next, and no steps: what belongs to a commit alone. */
  readonly thin?: boolean;
}

function Line({ points, value, y, thin = false }: LineProps) {
  const placed = points.map((point) => {
    const found = value(point);
    return { x: point.x, y: found === null ? null : y(found) };
  });
  return (
    <path className={styles[thin ? "thin" : "line"]} d={thin ? straightPath(placed) : stepPath(placed)} />
  );
}
