import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { layoutFlow, type FlowBand, type LevelChange, type Ribbon } from "./distribution";
import { Figure } from "./Figure";
import { levelClass } from "./levelClass";
import styles from "./Viz.module.css";

const WIDTH = 440;
const HEIGHT = 120;
const BAR = 14;
const LEFT = 120;

/** What a commit took from which level, and where it put it. */
export function LevelFlow({ title, changes }: { title: string; changes: readonly LevelChange[] }) {
  const { viz, fields } = useMessages();
  const format = useFormat();
  const { sources, targets, ribbons } = layoutFlow(changes, HEIGHT);
  const sum = (bands: readonly FlowBand[]) => bands.reduce((total, band) => total + band.bytes, 0);
  const columns: GridColumn<LevelChange>[] = [
    {
      id: "level",
      header: fields.level,
      width: 80,
      cell: (c) => `L${c.level}`,
      text: (c) => String(c.level),
    },
    {
      id: "removed",
      header: fields.bytesDeleted,
      width: 120,
      align: "end",
      cell: (c) => format.bytes(c.bytesRemoved),
      text: (c) => String(c.bytesRemoved),
    },
    {
      id: "added",
      header: fields.bytesAdded,
      width: 120,
      align: "end",
      cell: (c) => format.bytes(c.bytesAdded),
      text: (c) => String(c.bytesAdded),
    },
  ];
  const right = WIDTH - LEFT;
  return (
    <Figure
      title={title}
      summary={viz.flowSummary(format.bytes(sum(sources)), format.bytes(sum(targets)))}
      columns={columns}
      rows={changes}
      rowKey={(change) => String(change.level)}
      picture={
        <div className={styles["stage"]}>
          <svg
            width={WIDTH}
            height={HEIGHT + 8}
            role="img"
            aria-label={viz.flowSummary(format.bytes(sum(sources)), format.bytes(sum(targets)))}
          >
            {ribbons.map((ribbon) => (
              <path
                key={`${ribbon.from}-${ribbon.to}`}
                d={ribbonPath(LEFT + BAR, ribbon.left, right - BAR, ribbon.right)}
                fill="var(--text-muted)"
                fillOpacity={0.18}
              />
            ))}
            {sources.map((band) => (
              <g key={band.level}>
                <rect
                  className={levelClass(band.level)}
                  x={LEFT}
                  y={band.top}
                  width={BAR}
                  height={band.height}
                />
                <text
                  className={styles["label"]}
                  x={LEFT - 8}
                  y={band.top + Math.max(10, band.height / 2 + 4)}
                  textAnchor="end"
                >
                  L{band.level} −{format.bytes(band.bytes)}
                </text>
              </g>
            ))}
            {targets.map((band) => (
              <g key={band.level}>
                <rect
                  className={levelClass(band.level)}
                  x={right - BAR}
                  y={band.top}
                  width={BAR}
                  height={band.height}
                />
                <text
                  className={styles["label"]}
                  x={right + 8}
                  y={band.top + Math.max(10, band.height / 2 + 4)}
                >
                  L{band.level} +{format.bytes(band.bytes)}
                </text>
              </g>
            ))}
          </svg>
        </div>
      }
    />
  );
}

function ribbonPath(x0: number, left: Ribbon["left"], x1: number, right: Ribbon["right"]): string {
  const middle = (x0 + x1) / 2;
  return (
    `M${x0},${left[0]}C${middle},${left[0]} ${middle},${right[0]} ${x1},${right[0]}` +
    `V${right[1]}C${middle},${right[1]} ${middle},${left[1]} ${x0},${left[1]}Z`
  );
}
