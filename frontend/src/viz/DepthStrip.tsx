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
  const closed = [...steps, { key: end, depth: 0 }];
  return (
    <g transform={`translate(0,${top})`}>
      <path className={styles["area"]} d={draw(closed) ?? ""} />
      <line className={styles["axis"]} x2={width} y1={DEPTH_HEIGHT} y2={DEPTH_HEIGHT} />
      <Threshold value={trigger} y={y} width={width} look="trigger" text={viz.trigger} />
      <Threshold value={stop} y={y} width={width} look="stop" text={viz.stop} />
      <text className={styles["label"]} x={width + 12} y={DEPTH_HEIGHT + 4}>
        {viz.mergeDepth}
      </text>
      {labelled.map((depth) => (
        <text key={depth} className={styles["label"]} x={-8} y={y(depth) + 4} textAnchor="end">
          {depth}
        </text>
      ))}
    </g>
  );
}

interface ThresholdProps {
  readonly value: number | null;
  readonly y: (depth: number) => number;
  readonly width: number;
  readonly look: "trigger" | "stop";
  readonly text: (value: number) => string;
}

function Threshold({ value, y, width, look, text }: ThresholdProps) {
  if (value === null) return null;
  return (
    <>
      <line className={styles[look]} x2={width} y1={y(value)} y2={y(value)} />
      <text className={styles["label"]} x={width + 12} y={y(value) + 4}>
        {text(value)}
      </text>
    </>
  );
}
