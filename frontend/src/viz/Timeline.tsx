import { useEffect, useMemo, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { Segments } from "../ui/Field";
import type { GridColumn } from "../ui/gridColumns";
import { Figure } from "./Figure";
import {
  COMMIT_KINDS,
  fitWindow,
  layoutTimeline,
  pan,
  signedScale,
  stepPath,
  zoom,
  type CommitKind,
  type Glyph,
  type TimelineCommit,
  type Window,
  type XMode,
} from "./timeline";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

interface TimelineProps {
  readonly title: string;
  readonly commits: readonly TimelineCommit[]; // oldest first
  readonly at: string | null; // ref of the pinned snapshot
  readonly from: string | null; // ref of the compare base
  readonly onPick: (commit: TimelineCommit, asBase: boolean) => void;
  /** The commits under the brush, or null when it was cleared. */
  readonly onRange: (commits: readonly TimelineCommit[] | null) => void;
}

const LABEL_WIDTH = 72;
const BANDS = { refs: 22, commits: 26, files: 54, rows: 54, bytes: 44 };
const GAP = 10;
const AXIS = 24;

/** The history of a table on one x axis: refs, commits, files, rows and bytes, with zoom, pan and brush. */
export function Timeline({ title, commits, at, from, onPick, onRange }: TimelineProps) {
  const { viz, kinds } = useMessages();
  const format = useFormat();
  const [mode, setMode] = useState<XMode>("order");
  const [view, setView] = useState<Window | null>(null);
  const counts = COMMIT_KINDS.map((kind) => [kind, commits.filter((c) => c.kind === kind).length] as const);
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${format.count(count)} ${kinds[kind]}`);
  const fit = fitWindow(commits, mode);
  const current = view ?? fit;
  return (
    <Figure
      title={title}
      summary={viz.timelineSummary(format.count(commits.length), format.list(parts))}
      columns={useTimelineColumns()}
      rows={commits.toReversed()}
      rowKey={(commit) => commit.ref}
      tools={
        <>
          <Segments
            label={viz.xAxis}
            value={mode}
            options={[
              ["order", viz.byOrder],
              ["time", viz.byTime],
            ]}
            onChange={(next) => {
              setMode(next);
              setView(null);
            }}
          />
          <Button onClick={() => setView(zoom(current, 0.5, 0.5, fit))} aria-label={viz.zoomIn}>
            +
          </Button>
          <Button onClick={() => setView(zoom(current, 2, 0.5, fit))} aria-label={viz.zoomOut}>
            −
          </Button>
          <Button onClick={() => setView(null)}>{viz.fit}</Button>
        </>
      }
      picture={
        <TimelinePicture
          {...{ commits, at, from, onPick, onRange, mode, fit }}
          window_={current}
          onWindow={setView}
        />
      }
    />
  );
}

function useTimelineColumns(): GridColumn<TimelineCommit>[] {
  const { fields, kinds } = useMessages();
  const format = useFormat();
  const text = (
    id: string,
    header: string,
    value: (commit: TimelineCommit) => string,
    align: "start" | "end" = "end",
  ): GridColumn<TimelineCommit> => ({ id, header, width: 80, align, cell: value, text: value });
  const known = (value: number | null, show: (v: number) => string) => (value === null ? "–" : show(value));
  return [
    text("id", fields.snapshot, (c) => `#${c.id}`, "start"),
    text("time", fields.time, (c) => format.time(new Date(c.millis).toISOString()), "start"),
    text("kind", fields.kind, (c) => kinds[c.kind], "start"),
    text("added", fields.filesAdded, (c) => known(c.filesAdded, format.count)),
    text("deleted", fields.filesDeleted, (c) => known(c.filesDeleted, format.count)),
    text("delta", fields.deltaRows, (c) => known(c.deltaRows, format.signed)),
    text("total", fields.totalRows, (c) => known(c.totalRows, format.count)),
    text("bytes", fields.bytesAdded, (c) => known(c.bytesAdded, format.bytes)),
    text("refs", fields.refs, (c) => [...c.tags, ...c.consumers].join(", "), "start"),
  ];
}

interface PictureProps extends Omit<TimelineProps, "title"> {
  readonly mode: XMode;
  readonly fit: Window;
  readonly window_: Window;
  readonly onWindow: (window: Window) => void;
}

function TimelinePicture(props: PictureProps) {
  const { commits, at, from, onPick, onRange, mode, fit, window_, onWindow } = props;
  const { viz } = useMessages();
  const [stage, full] = useWidth<HTMLDivElement>();
  const width = Math.max(200, full - LABEL_WIDTH - 8);
  const layout = useMemo(
    () => layoutTimeline(commits, mode, width, window_),
    [commits, mode, width, window_],
  );
  const [drag, setDrag] = useState<{ start: number; now: number; brush: boolean } | null>(null);
  const tops = bandTops();
  useEffect(() => {
    // React listens to wheel passively; zooming has to keep the page from scrolling.
    const element = stage.current;
    const listener = (event: WheelEvent) => {
      if (!event.shiftKey) return;
      event.preventDefault();
      const left = element?.getBoundingClientRect().left ?? 0;
      const about = Math.max(0, Math.min(1, (event.clientX - left - LABEL_WIDTH) / width));
      onWindow(zoom(window_, event.deltaY + event.deltaX < 0 ? 0.8 : 1.25, about, fit));
    };
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, [stage, width, window_, fit, onWindow]);

  const x = (event: PointerEvent) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left - LABEL_WIDTH;
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
    setDrag({ start: x(event), now: x(event), brush: y > tops.axis - GAP });
  };
  const move = (event: PointerEvent) => {
    if (drag === null) return;
    if (!drag.brush) onWindow(pan(window_, (drag.now - x(event)) / width, fit));
    setDrag({ ...drag, now: x(event) });
  };
  const end = () => {
    if (drag?.brush) {
      const [low, high] = [Math.min(drag.start, drag.now), Math.max(drag.start, drag.now)];
      const all = [
        ...layout.glyphs,
        ...layout.bins.flatMap((bin) => bin.commits.map((commit) => ({ commit, x: bin.x }))),
      ];
      const inside = all.filter((glyph) => glyph.x >= low && glyph.x <= high).map((glyph) => glyph.commit);
      onRange(high - low < 4 ? null : inside);
    }
    setDrag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next: Record<string, () => Window> = {
      "+": () => zoom(window_, 0.5, 0.5, fit),
      "=": () => zoom(window_, 0.5, 0.5, fit),
      "-": () => zoom(window_, 2, 0.5, fit),
      Home: () => pan(window_, -1e9, fit),
      End: () => pan(window_, 1e9, fit),
    };
    const change = next[event.key];
    if (change === undefined) return;
    event.preventDefault();
    onWindow(change());
  };
  return (
    <>
      <div ref={stage} className={styles["stage"]}>
        <div
          onKeyDown={onKeyDown}
          onPointerDown={start}
          onPointerMove={move}
          onPointerUp={end}
          onPointerLeave={() => setDrag(null)}
        >
          <svg width={full} height={tops.end} role="group" aria-label={viz.timelineKeys}>
            <BandLabels tops={tops} />
            <g transform={`translate(${LABEL_WIDTH},0)`}>
              <Axis ticks={layout.ticks} top={tops.axis} width={width} />
              <Pins glyphs={layout.glyphs} at={at} from={from} height={tops.axis} />
              <Refs glyphs={layout.glyphs} />
              {layout.gaps.map((gap) => (
                <text key={gap} className={styles["label"]} x={gap} y={tops.commits + 18} textAnchor="middle">
                  <title>{viz.idsMissing}</title>⌇
                </text>
              ))}
              <Glyphs glyphs={layout.glyphs} top={tops.commits} at={at} onPick={onPick} />
              <Bins bins={layout.bins} top={tops.commits} />
              <Measures glyphs={layout.glyphs} tops={tops} width={width} />
              {drag?.brush && (
                <rect
                  className={styles["brush"]}
                  x={Math.min(drag.start, drag.now)}
                  width={Math.abs(drag.now - drag.start)}
                  height={tops.axis}
                />
              )}
            </g>
          </svg>
        </div>
      </div>
      <Legend />
    </>
  );
}

type Tops = ReturnType<typeof bandTops>;

function bandTops() {
  const commits = BANDS.refs + 4;
  const files = commits + BANDS.commits + GAP;
  const rows = files + BANDS.files + GAP;
  const bytes = rows + BANDS.rows + GAP;
  const axis = bytes + BANDS.bytes + GAP;
  return { refs: 0, commits, files, rows, bytes, axis, end: axis + AXIS };
}

function BandLabels({ tops }: { tops: Tops }) {
  const { viz } = useMessages();
  const labels: [string, number][] = [
    [viz.bandRefs, tops.refs + 14],
    [viz.bandCommits, tops.commits + 17],
    [viz.bandFiles, tops.files + BANDS.files / 2 + 4],
    [viz.bandRows, tops.rows + BANDS.rows / 2 + 4],
    [viz.bandBytes, tops.bytes + BANDS.bytes / 2 + 4],
  ];
  return labels.map(([text, y]) => (
    <text key={text} className={styles["label"]} y={y}>
      {text}
    </text>
  ));
}

function Axis({
  ticks,
  top,
  width,
}: {
  ticks: readonly { x: number; millis: number | null; label: string }[];
  top: number;
  width: number;
}) {
  const format = useFormat();
  return (
    <g>
      <line className={styles["axis"]} x2={width} y1={top} y2={top} />
      {ticks.map((tick) => (
        <g key={tick.x} transform={`translate(${tick.x},0)`}>
          <line className={styles["grid"]} y2={top} />
          <text className={styles["label"]} y={top + 16} textAnchor="middle">
            {tick.millis === null ? tick.label : shortTime(format.time(new Date(tick.millis).toISOString()))}
          </text>
        </g>
      ))}
    </g>
  );
}

/** `11-20 10:31` of `2026-11-20 10:31:07`, and the seconds only where they say something. */
function shortTime(time: string): string {
  return time.slice(5).replace(/:00$/, "");
}

function Pins({
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

function Refs({ glyphs }: { glyphs: readonly Glyph[] }) {
  return glyphs
    .filter(({ commit }) => commit.tags.length + commit.consumers.length > 0)
    .map(({ commit, x }) => (
      <g key={commit.ref} transform={`translate(${x},0)`}>
        {commit.tags.length > 0 && <path className={styles["flag"]} d="M0 3h9l-2.5 3.500L9 10H0v9h-1V3z" />}
        {commit.consumers.length > 0 && <path className={styles["consumer"]} d="M-5 10h10l-5 9z" />}
        <text className={styles["label"]} x={12} y={12}>
          {[...commit.tags, ...commit.consumers].join(", ")}
        </text>
      </g>
    ));
}

const SHAPES: Record<CommitKind, string> = {
  append: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
  compact: "M0-6.5 6.5 0 0 6.5-6.5 0z",
  overwrite: "M-5-5h10v10h-10z",
  analyze: "M0-6 6 5H-6z",
  unknown: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
};

interface GlyphsProps {
  readonly glyphs: readonly Glyph[];
  readonly top: number;
  readonly at: string | null;
  readonly onPick: (commit: TimelineCommit, asBase: boolean) => void;
}

/** One button a commit; left and right go to the neighbour, Enter pins, Shift with Enter makes it the base. */
function Glyphs({ glyphs, top, at, onPick }: GlyphsProps) {
  const { viz, kinds } = useMessages();
  const format = useFormat();
  const reachable = glyphs.find((glyph) => glyph.commit.ref === at) ?? glyphs.at(-1);
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, commit: TimelineCommit) => {
    const sibling =
      event.key === "ArrowLeft"
        ? event.currentTarget.previousElementSibling
        : event.key === "ArrowRight"
          ? event.currentTarget.nextElementSibling
          : null;
    if (sibling instanceof SVGElement) sibling.focus();
    if (event.key === "Enter" || event.key === " ") onPick(commit, event.shiftKey);
    else if (sibling === null) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <g>
      {glyphs.map((glyph) => {
        const { commit, x } = glyph;
        const name = viz.commitName(
          commit.id,
          kinds[commit.kind],
          format.time(new Date(commit.millis).toISOString()),
        );
        return (
          <g
            key={commit.ref}
            role="button"
            tabIndex={glyph === reachable ? 0 : -1}
            aria-label={name}
            aria-pressed={commit.ref === at}
            className={styles["glyph"]}
            transform={`translate(${x},${top + 13})`}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => onPick(commit, event.shiftKey)}
            onKeyDown={(event) => onKeyDown(event, commit)}
          >
            <title>{name}</title>
            <circle className={styles["halo"]} r={12} />
            {(commit.byJob || commit.ref === at) && (
              <circle
                r={9}
                fill="none"
                stroke={commit.ref === at ? "var(--accent)" : "currentColor"}
                strokeWidth={1.5}
              />
            )}
            <path className={styles[commit.kind]} d={SHAPES[commit.kind]} />
          </g>
        );
      })}
    </g>
  );
}

function Bins({
  bins,
  top,
}: {
  bins: readonly { x: number; width: number; counts: Readonly<Record<CommitKind, number>> }[];
  top: number;
}) {
  const { kinds } = useMessages();
  const most = Math.max(
    1,
    ...bins.map((bin) => COMMIT_KINDS.reduce((sum, kind) => sum + bin.counts[kind], 0)),
  );
  return bins.map((bin) => {
    let y = top + BANDS.commits;
    return (
      <g key={bin.x}>
        <title>
          {COMMIT_KINDS.filter((kind) => bin.counts[kind] > 0)
            .map((kind) => `${bin.counts[kind]} ${kinds[kind]}`)
            .join(", ")}
        </title>
        {COMMIT_KINDS.map((kind) => {
          const height = (bin.counts[kind] / most) * BANDS.commits;
          y -= height;
          return (
            <rect key={kind} className={styles[kind]} x={bin.x} y={y} width={bin.width} height={height} />
          );
        })}
      </g>
    );
  });
}

function Measures({ glyphs, tops, width }: { glyphs: readonly Glyph[]; tops: Tops; width: number }) {
  const bar = Math.max(2, Math.min(14, (width / Math.max(1, glyphs.length)) * 0.6));
  const added = glyphs.map((g) => g.commit.filesAdded ?? 0);
  const deleted = glyphs.map((g) => -(g.commit.filesDeleted ?? 0));
  const fileY = signedScale([...added, ...deleted], BANDS.files);
  const rowY = signedScale(
    glyphs.map((g) => g.commit.deltaRows ?? 0),
    BANDS.rows,
  );
  const linear = (values: number[], height: number) => {
    const most = Math.max(1, ...values);
    return (value: number) => height - (value / most) * height;
  };
  const totals = glyphs.flatMap((g) => g.commit.totalRows ?? []);
  const totalY = linear(totals, BANDS.rows);
  const byteY = linear(
    glyphs.flatMap((g) => g.commit.liveBytes ?? []),
    BANDS.bytes,
  );
  const addedY = linear(
    glyphs.map((g) => g.commit.bytesAdded ?? 0),
    BANDS.bytes,
  );
  return (
    <>
      <g transform={`translate(0,${tops.files})`}>
        <line className={styles["axis"]} x2={width} y1={fileY(0)} y2={fileY(0)} />
        {glyphs.map(({ commit, x }) => (
          <g key={commit.ref}>
            <SignedBar x={x} width={bar} value={commit.filesAdded ?? 0} y={fileY} look="added" />
            <SignedBar x={x} width={bar} value={-(commit.filesDeleted ?? 0)} y={fileY} look="removed" />
          </g>
        ))}
      </g>
      <g transform={`translate(0,${tops.rows})`}>
        <line className={styles["axis"]} x2={width} y1={rowY(0)} y2={rowY(0)} />
        {glyphs.map(({ commit, x }) => {
          const value = commit.deltaRows ?? 0;
          return (
            <SignedBar
              key={commit.ref}
              x={x}
              width={bar}
              value={value}
              y={rowY}
              look={value < 0 ? "removed" : "added"}
            />
          );
        })}
        <path
          className={styles["line"]}
          d={stepPath(
            glyphs.map((g) => ({
              x: g.x,
              y: g.commit.totalRows === null ? null : totalY(g.commit.totalRows),
            })),
          )}
        />
      </g>
      <g transform={`translate(0,${tops.bytes})`}>
        <line className={styles["axis"]} x2={width} y1={BANDS.bytes} y2={BANDS.bytes} />
        {glyphs.map(({ commit, x }) => (
          <SignedBar
            key={commit.ref}
            x={x}
            width={bar / 2}
            value={commit.bytesAdded ?? 0}
            y={addedY}
            look="added"
          />
        ))}
        <path
          className={styles["line"]}
          d={stepPath(
            glyphs.map(({ commit, x }) => ({
              x,
              y: commit.liveBytes === null ? null : byteY(commit.liveBytes),
            })),
          )}
        />
      </g>
    </>
  );
}

interface SignedBarProps {
  readonly x: number;
  readonly width: number;
  readonly value: number;
  readonly y: (value: number) => number;
  readonly look: "added" | "removed";
}

function SignedBar({ x, width, value, y, look }: SignedBarProps) {
  if (value === 0) return null;
  const [top, bottom] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
  return (
    <rect
      className={styles[look]}
      x={x - width / 2}
      y={top}
      width={width}
      height={Math.max(1, bottom - top)}
    />
  );
}

function Legend() {
  const { kinds, viz } = useMessages();
  return (
    <div className={styles["legend"]}>
      {COMMIT_KINDS.map((kind) => (
        <span key={kind}>
          <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
            <path className={styles[kind]} d={SHAPES[kind]} />
          </svg>
          {kinds[kind]}
        </span>
      ))}
      <span>⚑ {viz.tag}</span>
      <span>▼ {viz.consumer}</span>
      <span>⌇ {viz.idsMissing}</span>
      <span className="muted">{viz.timelineHint}</span>
    </div>
  );
}
