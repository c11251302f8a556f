import { useFormat, useMessages } from "../i18n";
import type { GridColumn } from "../ui/gridColumns";
import { Figure } from "./Figure";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

interface BitBarsProps {
  readonly title: string;
  /** What the parts are, and how full they are, in one sentence. */
  readonly summary: string;
  readonly shares: readonly number[]; // of bits set, 0 to 1
  readonly part: (at: number) => string;
}

interface Part {
  readonly name: string;
  readonly share: number;
}

const HEIGHT = 56;
const LEFT = 48;
const WIDEST = 24;

/** How many of the bits of each part are set, from none to all, with a line at a half. */
export function BitBars({ title, summary, shares, part }: BitBarsProps) {
  const { viz } = useMessages();
  const format = useFormat();
  const rows = shares.map((share, at): Part => ({ name: part(at), share }));
  const columns: GridColumn<Part>[] = [
    { id: "part", header: viz.bitPart, width: 120, cell: (p) => p.name, text: (p) => p.name },
    {
      id: "share",
      header: viz.bitsSet,
      width: 90,
      align: "end",
      cell: (p) => format.percent(p.share),
      text: (p) => String(p.share),
    },
  ];
  return (
    <Figure
      title={title}
      summary={summary}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.name}
      picture={<Bars parts={rows} label={summary} />}
    />
  );
}

function Bars({ parts, label }: { parts: readonly Part[]; label: string }) {
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>();
  const wide = Math.min(WIDEST, Math.max(1, full - LEFT - 8) / Math.max(1, parts.length));
  const width = wide * parts.length;
  const lines = [
    [1, 8],
    [0.5, HEIGHT / 2 + 4],
    [0, HEIGHT],
  ] as const;
  return (
    <div ref={stage} className={styles["stage"]}>
      <svg width={full} height={HEIGHT + 4} role="img" aria-label={label}>
        <g transform={`translate(${LEFT},0)`}>
          {lines.map(([share, y]) => (
            <text key={share} className={styles["label"]} x={-8} y={y} textAnchor="end">
              {format.percent(share)}
            </text>
          ))}
          <line className={styles["grid"]} x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          {parts.map(({ name, share }, at) => (
            <g key={name}>
              <title>{`${name}: ${format.percent(share)}`}</title>
              <rect
                className={styles["bitroom"]}
                x={at * wide}
                y={0}
                width={Math.max(1, wide - 1)}
                height={HEIGHT}
              />
              <rect
                className={styles["bits"]}
                x={at * wide}
                y={HEIGHT * (1 - share)}
                width={Math.max(1, wide - 1)}
                height={HEIGHT * share}
              />
            </g>
          ))}
          <line className={styles["axis"]} x2={width} y1={HEIGHT} y2={HEIGHT} />
        </g>
      </svg>
    </div>
  );
}

interface BitStripProps {
  readonly label: string;
  /** How many of each part, the parts being alike in size. */
  readonly counts: readonly number[];
  /** Of how many a part is. */
  readonly size: number;
}

const STRIP = { width: 128, height: 16 } as const;

/** A small strip for a cell: how full each part is, the first at the left. */
export function BitStrip({ label, counts, size }: BitStripProps) {
  const wide = STRIP.width / Math.max(1, counts.length);
  return (
    <svg width={STRIP.width} height={STRIP.height} role="img" aria-label={label}>
      <rect className={styles["bitroom"]} width={STRIP.width} height={STRIP.height} />
      {counts.map((count, at) => {
        if (count === 0) return null;
        const tall = Math.max(2, Math.min(1, count / Math.max(1, size)) * STRIP.height);
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- a part is its place
            key={at}
            className={styles["bits"]}
            x={at * wide}
            y={STRIP.height - tall}
            width={Math.max(1, wide - 0.5)}
            height={tall}
          />
        );
      })}
    </svg>
  );
}
