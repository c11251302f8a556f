import { useFormat, useMessages } from "../i18n";
import { useNow } from "../ui/Timestamp";
import { levelSums, type LevelFile, type LevelLayout } from "./levels";
import styles from "./Viz.module.css";

export const LEVEL_LABEL_WIDTH = 34;
export const LEVEL_HEAD_HEIGHT = 18; // the names of the columns in the margin
const NARROW = 760; // pixels: below, only the first columns have room
const [FEW_COLUMNS, ALL_COLUMNS] = [168, 396];

/** The room at the right for what each level holds. */
export function statsWidth(full: number): number {
  return full < NARROW ? FEW_COLUMNS : ALL_COLUMNS;
}

interface LaneLabelsProps {
  readonly layout: LevelLayout;
  readonly files: readonly LevelFile[]; // those that are there: no shadows
  readonly width: number;
  readonly margin: number;
}

/** The levels at the left, and at the right what each holds: a column a measure. */
export function LaneLabels({ layout, files, width, margin }: LaneLabelsProps) {
  const format = useFormat();
  const { viz, fields } = useMessages();
  const now = useNow(60_000);
  const sums = levelSums(files);
  const all = files.reduce((sum, file) => sum + file.bytes, 0);
  const left = LEVEL_LABEL_WIDTH + width;
  const columns: readonly [end: number, name: string, text: (level: number) => string][] = [
    [48, fields.files, (level) => format.count(sums.get(level)?.files ?? 0)],
    [114, fields.bytes, (level) => format.bytes(sums.get(level)?.bytes ?? 0)],
    [164, viz.share, (level) => format.percent(all === 0 ? 0 : (sums.get(level)?.bytes ?? 0) / all)],
    [236, fields.rows, (level) => format.count(sums.get(level)?.rows ?? 0)],
    [296, fields.deletes, (level) => deletedShare(level)],
    [390, viz.oldest, (level) => age(sums.get(level)?.oldest ?? null)],
  ];
  const deletedShare = (level: number) => {
    const sum = sums.get(level);
    return sum === undefined || sum.deletes === null || sum.rows === 0
      ? "–"
      : format.percent(sum.deletes / sum.rows);
  };
  const age = (oldest: string | null) =>
    oldest === null ? "–" : format.duration(Math.max(0, now - Date.parse(oldest)));
  const drawn = columns.filter(([end]) => end <= margin);
  return (
    <>
      {drawn.map(([end, name]) => (
        <text key={name} className={styles["label"]} x={left + end} y={11} textAnchor="end">
          {name}
        </text>
      ))}
      {layout.lanes.map((lane, at) => {
        const middle = lane.height / 2 + 4;
        return (
          <g key={`${lane.level}-${lane.top}`} transform={`translate(0,${LEVEL_HEAD_HEIGHT + lane.top})`}>
            <line
              className={styles["grid"]}
              x1={LEVEL_LABEL_WIDTH}
              x2={left}
              y1={lane.height}
              y2={lane.height}
            />
            {layout.lanes[at - 1]?.level !== lane.level && (
              <>
                <text className={styles["strong"]} y={middle}>
                  L{lane.level}
                </text>
                {sums.has(lane.level) ? (
                  drawn.map(([end, name, text]) => (
                    <text
                      key={name}
                      className={`${styles["label"] ?? ""} ${styles["scale"] ?? ""}`}
                      x={left + end}
                      y={middle}
                      textAnchor="end"
                    >
                      {text(lane.level)}
                    </text>
                  ))
                ) : (
                  <text className={styles["label"]} x={left + 12} y={middle}>
                    {viz.emptyBucket}
                  </text>
                )}
              </>
            )}
          </g>
        );
      })}
    </>
  );
}
