import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { flowBars, type Run } from "./durations";
import { Figure } from "./Figure";
import { useWidth } from "./useWidth";
import looks from "./Runs.module.css";
import styles from "./Viz.module.css";

export type FlowTone = "ok" | "running" | "failed" | "stopped";

export interface FlowRun extends Run {
  readonly tone: FlowTone;
  readonly state: string; // in words
  readonly what: string;
}

interface FlowStripProps {
  readonly title: string;
  readonly runs: readonly FlowRun[];
  readonly now: number; // epoch milliseconds
  readonly onOpen: (id: string) => void;
}

const HOURS = 24;
const HOUR = 3_600_000;
const LANE = 12;
const AXIS = 18;
const MOST_LANES = 8;

/** Jobs of the last day, one bar each: a hatched bar runs, a striped one failed. */
export function FlowStrip({ title, runs, now, onOpen }: FlowStripProps) {
  const { durations } = useMessages();
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>();
  const start = now - HOURS * HOUR;
  const bars = flowBars(runs, [start, now], full);
  const lanes = Math.min(MOST_LANES, Math.max(1, ...bars.map((bar) => bar.lane + 1)));
  const failed = bars.filter((bar) => bar.run.tone === "failed").length;
  const shown = bars.filter((bar) => bar.lane < MOST_LANES);
  const columns: GridColumn<FlowRun>[] = [
    { id: "id", header: durations.job, width: 120, cell: (r) => r.id, text: (r) => r.id },
    { id: "what", header: durations.what, width: 220, cell: (r) => r.what, text: (r) => r.what },
    { id: "state", header: durations.state, width: 120, cell: (r) => r.state, text: (r) => r.state },
    {
      id: "took",
      header: durations.took,
      width: 100,
      align: "end",
      cell: (r) => format.duration(r.to - r.from),
      text: (r) => String(r.to - r.from),
    },
  ];
  return (
    <Figure
      title={title}
      summary={durations.flow(bars.length, failed)}
      columns={columns}
      rows={bars.map((bar) => bar.run)}
      rowKey={(run) => run.id}
      picture={
        <div ref={stage} className={styles["stage"]}>
          <svg width={full} height={lanes * LANE + AXIS} role="group" aria-label={title}>
            {[0, 6, 12, 18, 24].map((hour) => (
              <g key={hour} transform={`translate(${(hour / HOURS) * full},0)`}>
                <line className={styles["grid"]} y2={lanes * LANE} />
                <text
                  className={styles["label"]}
                  y={lanes * LANE + 14}
                  textAnchor={hour === 0 ? "start" : hour === HOURS ? "end" : "middle"}
                >
                  {hour === HOURS ? durations.now : durations.hoursAgo(HOURS - hour)}
                </text>
              </g>
            ))}
            {shown.map((bar) => {
              const told = `${bar.run.id} · ${bar.run.what} · ${bar.run.state} · ${format.duration(bar.run.to - bar.run.from)}`;
              return (
                <rect
                  key={bar.run.id}
                  className={`${looks["run"] ?? ""} ${looks[`run-${bar.run.tone}`] ?? ""}`}
                  x={bar.x}
                  y={bar.lane * LANE + 1}
                  width={bar.width}
                  height={LANE - 3}
                  tabIndex={0}
                  role="link"
                  aria-label={told}
                  onClick={() => onOpen(bar.run.id)}
                  onKeyDown={(event) => event.key === "Enter" && onOpen(bar.run.id)}
                >
                  <title>{told}</title>
                </rect>
              );
            })}
          </svg>
          {bars.length > shown.length && (
            <p className="muted">{durations.more(bars.length - shown.length)}</p>
          )}
        </div>
      }
    />
  );
}
