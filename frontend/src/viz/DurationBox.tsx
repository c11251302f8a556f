import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { quartilesOf } from "./durations";
import { Figure } from "./Figure";
import { useWidth } from "./useWidth";
import looks from "./Runs.module.css";
import styles from "./Viz.module.css";

export interface TimedRun {
  readonly id: string;
  readonly millis: number;
  readonly ended: string; // as it is shown
}

interface DurationBoxProps {
  readonly title: string;
  readonly runs: readonly TimedRun[]; // the earlier ones
  readonly now: number | null; // milliseconds of the one that is looked at
}

const HEIGHT = 56;
const MIDDLE = 24;
const PAD = 12;

/** How long earlier runs took, as a box with median, and where this one stands among them. */
export function DurationBox({ title, runs, now }: DurationBoxProps) {
  const { durations } = useMessages();
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>(320);
  const box = quartilesOf(runs.map((run) => run.millis));
  if (box === null) return <p className="muted">{durations.none}</p>;
  const most = Math.max(box.most, now ?? 0, 1);
  const x = (millis: number) => PAD + (millis / most) * (full - 2 * PAD);
  const columns: GridColumn<TimedRun>[] = [
    { id: "id", header: durations.job, width: 120, cell: (r) => r.id, text: (r) => r.id },
    {
      id: "millis",
      header: durations.took,
      width: 100,
      align: "end",
      cell: (r) => format.duration(r.millis),
      text: (r) => String(r.millis),
    },
    { id: "ended", header: durations.ended, width: 180, cell: (r) => r.ended, text: (r) => r.ended },
  ];
  const told = durations.summary(
    runs.length,
    format.duration(box.median),
    now === null ? null : format.duration(now),
  );
  return (
    <Figure
      title={title}
      summary={told}
      columns={columns}
      rows={runs}
      rowKey={(run) => run.id}
      picture={
        <div ref={stage} className={styles["stage"]}>
          <svg width={full} height={HEIGHT} role="img" aria-label={told}>
            <line className={styles["axis"]} x1={x(box.least)} x2={x(box.most)} y1={MIDDLE} y2={MIDDLE} />
            <rect
              className={looks["box"]}
              x={x(box.low)}
              y={MIDDLE - 9}
              width={Math.max(2, x(box.high) - x(box.low))}
              height={18}
            />
            <line
              className={looks["median"]}
              x1={x(box.median)}
              x2={x(box.median)}
              y1={MIDDLE - 9}
              y2={MIDDLE + 9}
            />
            {now !== null && <path className={looks["now"]} d={`M${x(now)} ${MIDDLE - 16}V${MIDDLE + 16}`} />}
            <text className={styles["label"]} x={PAD} y={HEIGHT - 2}>
              0
            </text>
            <text className={styles["label"]} x={full - PAD} y={HEIGHT - 2} textAnchor="end">
              {format.duration(most)}
            </text>
          </svg>
        </div>
      }
    />
  );
}
