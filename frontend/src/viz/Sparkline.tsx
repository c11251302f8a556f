import { stepPath } from "./timeline";
import styles from "./Viz.module.css";

const WIDTH = 88;
const HEIGHT = 20;

/** A small line of values without axes; `label` says in words what it shows. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`,
  );
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline className={styles["spark"]} points={points.join(" ")} />
    </svg>
  );
}

interface StepLineProps {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number | null }[]; // x ascending
  readonly width: number;
  readonly height: number;
}

/** A line that keeps each value until the next; unknown values leave a gap. */
export function StepLine({ label, points, width, height }: StepLineProps) {
  const xs = points.map((point) => point.x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const most = Math.max(1, ...points.map((point) => point.y ?? 0));
  const placed = points.map(({ x, y }) => ({
    x: high === low ? 0 : ((x - low) / (high - low)) * width,
    y: y === null ? null : height - 1 - (y / most) * (height - 2),
  }));
  return (
    <svg width={width} height={height} role="img" aria-label={label}>
      <path className={styles["spark"]} d={stepPath(placed)} />
    </svg>
  );
}
