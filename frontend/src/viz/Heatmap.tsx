import { useMemo } from "react";
import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { heatmap, rampStep, type HeatCell } from "./distribution";
import { Figure } from "./Figure";
import styles from "./Viz.module.css";

interface HeatmapProps {
  readonly title: string;
  readonly metric: string; // what the values are, as shown
  readonly cells: readonly HeatCell[];
  readonly show: (value: number) => string;
  readonly onOpen: (partition: string, bucket: number) => void;
}

const RAMP = [0, 1, 2, 3, 4, 5] as const;
const FEW = 12; // buckets that have room for cells with their value in them
const WHOLE = "-"; // the partition of a table without partitions

/** One measure over partitions and buckets; an empty bucket is hatched, a skewed row says so in numbers. */
export function Heatmap({ title, metric, cells, show, onOpen }: HeatmapProps) {
  const { viz, fields } = useMessages();
  const format = useFormat();
  const heat = useMemo(() => heatmap(cells), [cells]);
  const most = cells.reduce((top, cell) => Math.max(top, cell.value), 0);
  const few = heat.buckets.length <= FEW;
  const single = heat.buckets.length === 1; // then no bucket can be larger than the others
  const steps = rampStep(most, heat.thresholds) + 1;
  const worst = heat.rows.toSorted((a, b) => (b.skew ?? 0) - (a.skew ?? 0))[0];
  const columns: GridColumn<HeatCell>[] = [
    {
      id: "partition",
      header: fields.partition,
      width: 160,
      cell: (c) => c.partition,
      text: (c) => c.partition,
    },
    {
      id: "bucket",
      header: fields.bucket,
      width: 80,
      align: "end",
      cell: (c) => c.bucket,
      text: (c) => String(c.bucket),
    },
    {
      id: "value",
      header: metric,
      width: 100,
      align: "end",
      cell: (c) => show(c.value),
      text: (c) => String(c.value),
    },
  ];
  return (
    <Figure
      title={title}
      summary={viz.heatSummary(
        heat.rows.length,
        heat.buckets.length,
        worst?.skew
          ? { partition: worst.partition === WHOLE ? null : worst.partition, skew: format.ratio(worst.skew) }
          : null,
      )}
      columns={columns}
      rows={cells.toSorted((a, b) => b.value - a.value)}
      rowKey={(cell) => `${cell.partition}/${cell.bucket}`}
      picture={
        <>
          <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={title}>
            <table className={`${styles["heat"] ?? ""} ${few ? (styles["wide"] ?? "") : ""}`}>
              <thead>
                <tr>
                  <th>{fields.partition}</th>
                  {heat.buckets.map((bucket) => (
                    <th key={bucket}>{bucket}</th>
                  ))}
                  {!single && <th>{viz.skew}</th>}
                  {!single && <th>{viz.gini}</th>}
                </tr>
              </thead>
              <tbody>
                {heat.rows.map((row) => (
                  <tr key={row.partition}>
                    <th scope="row">{row.partition === WHOLE ? viz.wholeTable : row.partition}</th>
                    {row.values.map((value, at) => {
                      const bucket = heat.buckets[at] ?? 0;
                      const look = value === null ? "hatched" : `ramp${rampStep(value, heat.thresholds)}`;
                      const name = viz.heatCell(
                        row.partition,
                        bucket,
                        value === null ? viz.emptyBucket : show(value),
                      );
                      return (
                        <td key={bucket} className={`${styles["cell"] ?? ""} ${styles[look] ?? ""}`}>
                          <button
                            type="button"
                            aria-label={name}
                            title={name}
                            disabled={value === null}
                            onClick={() => onOpen(row.partition, bucket)}
                          >
                            {few && value !== null && show(value)}
                          </button>
                        </td>
                      );
                    })}
                    {!single && (
                      <td className="number">{row.skew === null ? "–" : format.ratio(row.skew)}</td>
                    )}
                    {!single && <td className="number">{row.gini === null ? "–" : row.gini.toFixed(2)}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div className={styles["legend"]}>
            <span>{metric}</span>
            {RAMP.slice(0, steps).map((step) => (
              <span key={step}>
                <i className={`${styles["swatch"] ?? ""} ${styles[`ramp${step}`] ?? ""}`} />
                {stepText(heat.thresholds, step, show)}
              </span>
            ))}
            <span>
              <i className={`${styles["swatch"] ?? ""} ${styles["hatched"] ?? ""}`} />
              {viz.emptyBucket}
            </span>
          </div>
        </>
      }
    />
  );
}

/** `< 1 MiB` of all steps but the last, which is open: `≥ 4 MiB`. */
function stepText(thresholds: readonly number[], step: number, show: (value: number) => string): string {
  const bound = thresholds[step];
  if (bound !== undefined) return `< ${show(bound)}`;
  const below = thresholds[step - 1];
  return below === undefined ? "" : `≥ ${show(below)}`;
}
