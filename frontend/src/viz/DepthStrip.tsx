import { area, curveStepAfter } from "d3-shape";
import { useMessages } from "../i18n";
import type { DepthStep } from "./levels";
import styles from "./Viz.module.css";

export const DEPTH_HEIGHT = 56;
const LABEL_HEIGHT = 14; // pixels: closer labels would lie on each other

interface DepthStripProps {
  readonly steps: readonly DepthStep[];
  readonly x: (key: number) => number;
  readonly width: number;
  readonly top: number;
  readonly end: number; // number of keys
  readonly trigger: number | null;
  readonly stop: number | null;
}

/** How many files cover each key, with the counts of runs that start compaction and stall writers. */
export function DepthStrip({ steps, x, width, top, end, trigger, stop }: DepthStripProps) {
  const { viz } = useMessages();
  const deepest = steps.reduce((most, step) => Math.max(most, step.depth), 0);
  const most = Math.max(1, trigger ?? 0, stop ?? 0, deepest);
  const y = (depth: number) => DEPTH_HEIGHT - (depth / most) * DEPTH_HEIGHT;
  const clamp = (pixel: number) => Math.max(0, Math.min(width, pixel));
  const draw = area<DepthStep>()
    .x((step) => clamp(x(step.key)))
    .y0(DEPTH_HEIGHT)
    .y1((step) => y(step.depth))
    .curve(curveStepAfter);
  const labelled = y(0) - y(deepest) < LABEL_HEIGHT ? [deepest] : [0, deepest];
  const thresholds = [
    { value: trigger, look: "trigger" },
    { value: stop, look: "stop" },
  ].filter((line): line is { value: number; look: "trigger" | "stop" } => line.value !== null);
  const labelTops = spread(
    thresholds.map(({ value }) => y(value)),
    DEPTH_HEIGHT,
    LABEL_HEIGHT,
  );
  const closed = [...steps, { key: end, depth: 0 }];
  return (
    <g transform={`translate(0,${top})`}>
      <path className={styles["area"]} d={draw(closed) ?? ""} />
      <line className={styles["axis"]} x2={width} y1={DEPTH_HEIGHT} y2={DEPTH_HEIGHT} />
      {thresholds.map(({ value, look }) => (
        <line key={look} className={styles[look]} x2={width} y1={y(value)} y2={y(value)} />
      ))}
      <text className={styles["label"]} x={width + 12} y={DEPTH_HEIGHT + 4}>
        {viz.mergeDepth}
      </text>
      {thresholds.map(({ value, look }, at) => (
        <text key={look} className={styles["label"]} x={width + 12} y={(labelTops[at] ?? 0) + 4}>
          {viz[look](value)}
        </text>
      ))}
      {labelled.map((depth) => (
        <text key={depth} className={styles["label"]} x={-8} y={y(depth) + 4} textAnchor="end">
          {depth}
        </text>
      ))}
    </g>
  );
}

/** Heights from the lowest up, each moved up as far as it needs to stand clear of the one below it. */
export function spread(tops: readonly number[], floor: number, room: number): number[] {
  let below = floor;
  return tops.map((top) => {
    below = Math.min(top, below - room);
    return below;
  });
}
