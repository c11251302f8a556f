import { useMemo } from "react";
import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { sizeBins, type SizeBin, type SizedFile } from "./distribution";
import { Figure } from "./Figure";
import { levelClass } from "./levelClass";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

interface SizeHistogramProps {
  readonly title: string;
  readonly files: readonly SizedFile[];
  readonly target: number | null; // bytes a file should reach
  readonly small: number | null; // bytes below which compaction takes a file
}

const HEIGHT = 220;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 28;

/** How many files have which size, stacked by level, with the target and the small-file limit. */
export function SizeHistogram({ title, files, target, small }: SizeHistogramProps) {
  const { viz, fields } = useMessages();
  const format = useFormat();
  const bins = useMemo(() => sizeBins(files), [files]);
  const below = small === null ? null : files.filter((file) => file.bytes < small).length;
  const range = (bin: SizeBin) => `${format.bytes(2 ** bin.log2)} – ${format.bytes(2 ** (bin.log2 + 1))}`;
  const columns: GridColumn<SizeBin>[] = [
    { id: "range", header: fields.size, width: 160, cell: range, text: range },
    {
      id: "files",
      header: fields.files,
      width: 80,
      align: "end",
      cell: (b) => format.count(b.files),
      text: (b) => String(b.files),
    },
    {
      id: "bytes",
      header: fields.bytes,
      width: 80,
      align: "end",
      cell: (b) => format.bytes(b.bytes),
      text: (b) => String(b.bytes),
    },
    {
      id: "levels",
      header: fields.levels,
      width: 160,
      cell: (b) => levelsText(b),
      text: (b) => levelsText(b),
    },
  ];
  return (
    <Figure
      title={title}
      summary={viz.sizeSummary(format.count(files.length), below === null ? null : format.count(below))}
      columns={columns}
      rows={bins}
      rowKey={(bin) => String(bin.log2)}
      picture={<Bars bins={bins} target={target} small={small} />}
    />
  );
}

function levelsText(bin: SizeBin): string {
  return [...bin.byLevel]
    .toSorted((a, b) => a[0] - b[0])
    .map(([level, count]) => `L${level}: ${count}`)
    .join(", ");
}

function Bars({
  bins,
  target,
  small,
}: {
  bins: readonly SizeBin[];
  target: number | null;
  small: number | null;
}) {
  const { viz } = useMessages();
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>();
  const first = bins[0]?.log2 ?? 0;
  const last = Math.max(bins.at(-1)?.log2 ?? 0, target === null ? 0 : Math.ceil(Math.log2(target)));
  const count = last - first + 1;
  const width = full - LEFT - 8;
  const wide = Math.min(64, width / count);
  const most = Math.max(1, ...bins.map((bin) => bin.files));
  const tall = HEIGHT - BOTTOM - TOP;
  const x = (bytes: number) => (Math.log2(bytes) - first) * wide;
  const marks = [
    [target, viz.target, "trigger"],
    [small, viz.smallLimit, "stop"],
  ] as const;
  const every = Math.ceil(56 / wide);
  const ticks = Array.from({ length: Math.ceil(count / every) }, (_, at) => first + at * every);
  const levels = [...new Set(bins.flatMap((bin) => [...bin.byLevel.keys()]))].toSorted((a, b) => a - b);
  return (
    <>
      <div ref={stage} className={styles["stage"]}>
        <svg width={full} height={HEIGHT} role="img" aria-label={viz.sizeBars}>
          <g transform={`translate(${LEFT},${TOP})`}>
            <text className={styles["label"]} x={-8} y={4} textAnchor="end">
              {format.count(most)}
            </text>
            <text className={styles["label"]} x={-8} y={tall + 4} textAnchor="end">
              0
            </text>
            <line className={styles["axis"]} x2={width} y1={tall} y2={tall} />
            {bins.map((bin) => {
              let y = tall;
              const left = (bin.log2 - first) * wide;
              return (
                <g key={bin.log2} transform={`translate(${left},0)`}>
                  <title>{`${format.bytes(2 ** bin.log2)}: ${format.count(bin.files)} (${levelsText(bin)})`}</title>
                  {[...bin.byLevel]
                    .toSorted((a, b) => b[0] - a[0])
                    .map(([level, files]) => {
                      const height = (files / most) * tall;
                      y -= height;
                      return (
                        <rect
                          key={level}
                          className={levelClass(level)}
                          x={1}
                          y={y}
                          width={wide - 3}
                          height={height}
                        />
                      );
                    })}
                </g>
              );
            })}
            {ticks.map((log2) => (
              <text key={log2} className={styles["label"]} x={(log2 - first) * wide} y={tall + 16}>
                {format.bytes(2 ** log2)}
              </text>
            ))}
            {marks.map(
              ([bytes, text, look]) =>
                bytes !== null &&
                bytes >= 2 ** first && (
                  <g key={text} transform={`translate(${x(bytes)},0)`}>
                    <line className={styles[look]} y1={-6} y2={tall} />
                    <text
                      className={styles["label"]}
                      {...(look === "trigger" ? { x: 4 } : { x: -4, textAnchor: "end" })}
                      y={-10}
                    >
                      {text} {format.bytes(bytes)}
                    </text>
                  </g>
                ),
            )}
          </g>
        </svg>
      </div>
      <div className={styles["legend"]}>
        {levels.map((level) => (
          <span key={level}>
            <svg width="12" height="12" aria-hidden="true">
              <rect className={levelClass(level)} width="12" height="12" rx="2" />
            </svg>
            L{level}
          </span>
        ))}
      </div>
    </>
  );
}
