import { useMemo, useState } from "react";
import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { binBuckets, heatmap, rampStep, type HeatCell } from "./distribution";
import { Figure } from "./Figure";
import styles from "./Viz.module.css";

interface HeatmapProps {
  readonly title: string;
  readonly metric: string; // what the values are, as shown
  readonly cells: readonly HeatCell[];
  readonly show: (value: number) => string;
  readonly onOpen: (partition: string, bucket: number) => void;
  /** Values of several buckets add up. */
  readonly additive?: boolean;
  /** Buckets that come and go with the data have no columns: a list of bars, greatest first. */
  readonly bars?: boolean;
}

const MOST_COLUMNS = 256;
const MOST_BARS = 200;
const RAMP = [0, 1, 2, 3, 4, 5] as const;
const FEW = 12; // buckets that have room for cells with their value in them
const WHOLE = "-"; // the partition of a table without partitions

/** One measure over partitions and buckets; an empty bucket is hatched, a skewed row says so in numbers. */
export function Heatmap(props: HeatmapProps) {
  const { title, metric, cells: all, show, onOpen, additive = false, bars = false } = props;
  const { viz, fields } = useMessages();
  const format = useFormat();
  const { cells, size } = useMemo(() => binBuckets(all, bars ? Infinity : MOST_COLUMNS), [all, bars]);
  const heat = useMemo(() => heatmap(cells), [cells]);
  const most = cells.reduce((top, cell) => Math.max(top, cell.value), 0);
  const few = heat.buckets.length <= FEW;
  const single = heat.buckets.length === 1; // then no bucket can be larger than the others
  const steps = rampStep(most, heat.thresholds) + 1;
  const [active, setActive] = useState<HeatCell | null>(null);
  const whole = heat.totals.reduce((a, b) => a + b, 0);
  const sorted = useMemo(() => cells.toSorted((a, b) => b.value - a.value), [cells]);
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
        format.count(heat.rows.length),
        format.count(heat.buckets.length),
        worst?.skew
          ? { partition: worst.partition === WHOLE ? null : worst.partition, skew: format.ratio(worst.skew) }
          : null,
      )}
      columns={columns}
      rows={sorted}
      rowKey={(cell) => `${cell.partition}/${cell.bucket}`}
      picture={
        bars ? (
          <BarList cells={sorted} most={most} show={show} onOpen={onOpen} />
        ) : (
          <>
            {size > 1 && <p className="muted">{viz.bucketsBinned(size)}</p>}
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
                              onFocus={() =>
                                value !== null && setActive({ partition: row.partition, bucket, value })
                              }
                              onPointerEnter={() =>
                                value !== null && setActive({ partition: row.partition, bucket, value })
                              }
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
                {additive && heat.rows.length > 1 && (
                  <tfoot>
                    <tr>
                      <th scope="row">{viz.total}</th>
                      {heat.totals.map((total, at) => (
                        <td key={heat.buckets[at]} className="number" title={show(total)}>
                          {few ? show(total) : format.percent(whole === 0 ? 0 : total / whole)}
                        </td>
                      ))}
                    </tr>
                  </tfoot>
                )}
              </table>
            </div>
            <div className={styles["card"]} role="status">
              {active === null ? (
                <span className="muted">{viz.heatHint}</span>
              ) : (
                <>
                  <b>{active.partition === WHOLE ? viz.wholeTable : active.partition}</b>
                  <span>
                    {fields.bucket} {active.bucket}
                  </span>
                  <span>
                    {metric} {show(active.value)}
                  </span>
                </>
              )}
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
        )
      }
    />
  );
}

interface BarListProps extends Pick<HeatmapProps, "cells" | "show" | "onOpen"> {
  readonly most: number;
}

/** The buckets with the greatest values, each with a bar as long as its value. */
function BarList({ cells, most, show, onOpen }: BarListProps) {
  const { viz } = useMessages();
  const format = useFormat();
  return (
    <>
      <ol className={styles["barlist"]}>
        {cells.slice(0, MOST_BARS).map((cell) => (
          <li key={`${cell.partition}/${cell.bucket}`}>
            <button type="button" onClick={() => onOpen(cell.partition, cell.bucket)}>
              {viz.heatCell(
                cell.partition === WHOLE ? viz.wholeTable : cell.partition,
                cell.bucket,
                show(cell.value),
              )}
            </button>
            <span aria-hidden="true">
              <i style={{ inlineSize: `${most === 0 ? 0 : (100 * cell.value) / most}%` }} />
            </span>
          </li>
        ))}
      </ol>
      {cells.length > MOST_BARS && (
        <p className="muted">{viz.barsCut(format.count(MOST_BARS), format.count(cells.length))}</p>
      )}
    </>
  );
}

/** `< 1 MiB` of all steps but the last, which is open: `≥ 4 MiB`. */
function stepText(thresholds: readonly number[], step: number, show: (value: number) => string): string {
  const bound = thresholds[step];
  if (bound !== undefined) return `< ${show(bound)}`;
  const below = thresholds[step - 1];
  return below === undefined ? "" : `≥ ${show(below)}`;
}
