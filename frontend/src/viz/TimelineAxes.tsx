import { useFormat, useMessages } from "../i18n";
import type { Glyph, KeptSpan, Tick, TimelinePoint } from "./timeline";
import { BANDS, type BandTops } from "./timelineBands";
import styles from "./Viz.module.css";

/** The names of the bands, with the greatest value of each that has a scale. */
export function BandLabels({ tops, points }: { tops: BandTops; points: readonly TimelinePoint[] }) {
  const { viz } = useMessages();
  const format = useFormat();
  const most = (value: (point: TimelinePoint) => number | null) =>
    points.reduce((top, point) => Math.max(top, value(point) ?? 0), 0);
  const bands = [
    { name: viz.bandRefs, top: tops.refs, height: BANDS.refs, scale: null },
    { name: viz.bandCommits, top: tops.commits, height: BANDS.commits, scale: null },
    {
      name: viz.bandFiles,
      top: tops.files,
      height: BANDS.files,
      scale: `+${format.compact(most((p) => p.filesAdded))} −${format.compact(most((p) => p.filesDeleted))}`,
    },
    {
      name: viz.bandRows,
      top: tops.rows,
      height: BANDS.rows,
      scale: viz.atMost(format.compact(most((p) => p.totalRows))),
    },
    {
      name: viz.bandBytes,
      top: tops.bytes,
      height: BANDS.bytes,
      scale: viz.atMost(format.bytes(most((p) => p.liveBytes ?? p.bytesAdded))),
    },
    tops.lag !== null && {
      name: viz.bandLag,
      top: tops.lag,
      height: BANDS.lag,
      scale: viz.atMost(format.duration(most((p) => p.lagMillis))),
    },
  ].filter((band) => band !== false);
  return bands.map(({ name, top, height, scale }) => (
    <text key={name} className={styles["label"]} y={top + height / 2 + (scale === null ? 4 : -3)}>
      {name}
      {scale !== null && (
        <tspan className={styles["scale"]} x={0} dy={15}>
          {scale}
        </tspan>
      )}
    </text>
  ));
}

/** The line below all bands, with a grid line through them for each tick. */
export function Axis({ ticks, top, width }: { ticks: readonly Tick[]; top: number; width: number }) {
  const format = useFormat();
  const parted = ticks.some((tick) => tick.millis !== null && tick.millis % 1000 !== 0);
  return (
    <g>
      <line className={styles["axis"]} x2={width} y1={top} y2={top} />
      {ticks.map((tick) => (
        <g key={tick.x} transform={`translate(${tick.x},0)`}>
          <line className={styles["grid"]} y2={top} />
          {tick.named && (
            <text className={styles["label"]} y={top + 16} textAnchor="middle">
              {tick.millis === null
                ? tick.label
                : shortTime(format.time(new Date(tick.millis).toISOString()), parted ? tick.millis : null)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/**
 * `11-20 10:31` of `2026-11-20 10:31:00`, and the seconds where they say something.
 *
 * Where ticks are parts of a second apart, `10:31:07.250`: of one day, and each another.
 */
export function shortTime(time: string, millis: number | null): string {
  if (millis === null) return time.slice(5).replace(/:00$/, "");
  return `${time.slice(11)}.${String(millis % 1000).padStart(3, "0")}`;
}

/** A bracket over what the table's rules keep, and a shade over what they let go now. */
export function Retention({ span, height }: { span: KeptSpan; height: number }) {
  const { viz } = useMessages();
  return (
    <g>
      {span.any && (
        <rect className={styles["expirable"]} width={span.from} height={height}>
          <title>{viz.expirable}</title>
        </rect>
      )}
      {span.to > span.from && (
        <path className={styles["bracket"]} d={`M${span.from} 7V2H${span.to}V7`}>
          <title>{viz.keptByRules}</title>
        </path>
      )}
    </g>
  );
}

/** A line through all bands at the pinned snapshot, and one at the compare base. */
export function Pins({
  glyphs,
  at,
  from,
  height,
}: {
  glyphs: readonly Glyph[];
  at: string | null;
  from: string | null;
  height: number;
}) {
  const pins = [
    [at, "pin"],
    [from, "pinfrom"],
  ] as const;
  return pins.map(([ref, look]) => {
    const glyph = glyphs.find((g) => g.commit.ref === ref);
    return glyph && <line key={look} className={styles[look]} x1={glyph.x} x2={glyph.x} y2={height} />;
  });
}

/** Flags of tags, lines that fork off for branches and marks of consumers above their commits. */
export function Refs({ glyphs, width, top }: { glyphs: readonly Glyph[]; width: number; top: number }) {
  return glyphs
    .filter(({ commit }) => commit.tags.length + commit.consumers.length + commit.forks.length > 0)
    .map(({ commit, x }) => (
      <g key={commit.ref} transform={`translate(${x},${top})`}>
        {commit.tags.length > 0 && <path className={styles["flag"]} d="M0 3h9l-2.5 3.500L9 10H0v9h-1V3z" />}
        {commit.forks.length > 0 && (
          <path
            className={styles["fork"]}
            d="M0 21V15C0 9 6 12 6 5M6 5l-3 4M6 5l3 4"
            {...(commit.tags.length > 0 && { transform: "translate(-11,0)" })}
          />
        )}
        {commit.consumers.length > 0 && <path className={styles["consumer"]} d="M-5 10h10l-5 9z" />}
        <text
          className={styles["label"]}
          {...(x > width - 140 ? { x: -6, textAnchor: "end" } : { x: 12 })}
          y={12}
        >
          {[...commit.tags, ...commit.forks, ...commit.consumers].join(", ")}
        </text>
      </g>
    ));
}
