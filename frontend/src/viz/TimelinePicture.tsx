import { useEffect, useMemo, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useMessages } from "../i18n";
import {
  layoutTimeline,
  pan,
  zoom,
  type TimelineCommit,
  type TimelineLayout,
  type Window,
  type XMode,
} from "./timeline";
import { Axis, BandLabels, Pins, Refs, Retention } from "./TimelineAxes";
import { BAND_GAP, bandTops, LABEL_WIDTH } from "./timelineBands";
import { Bins, Glyphs, TimelineLegend } from "./TimelineGlyphs";
import { Measures } from "./TimelineMeasures";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

export interface TimelinePictureProps {
  readonly commits: readonly TimelineCommit[]; // oldest first
  readonly at: string | null; // ref of the pinned snapshot
  readonly from: string | null; // ref of the compare base
  readonly range: readonly [first: string, last: string] | null; // refs of the ends of what is selected
  readonly onPick: (commit: TimelineCommit, asBase: boolean) => void;
  /** The commits under the brush, or null when it was cleared. */
  readonly onRange: (commits: readonly TimelineCommit[] | null) => void;
  readonly mode: XMode;
  readonly fit: Window; // everything in view
  readonly view: Window;
  readonly onView: (view: Window) => void;
}

const PAN_SHARE = 0.1; // of what is in view, a key

/** Where the ends of a range are, as far as they are in view. */
function spanOf(
  layout: TimelineLayout,
  range: readonly [string, string] | null,
): readonly [number, number] | null {
  if (range === null) return null;
  const at = (ref: string) =>
    layout.glyphs.find((glyph) => glyph.commit.ref === ref)?.x ??
    layout.bins.find((bin) => bin.commits.some((commit) => commit.ref === ref))?.x;
  const [first, last] = range.map(at);
  return first === undefined || last === undefined ? null : [Math.min(first, last), Math.max(first, last)];
}

/** The bands of the timeline under one x axis, with pan, zoom, brush and a walk over the commits. */
export function TimelinePicture(props: TimelinePictureProps) {
  const { commits, at, from, range, onPick, onRange, mode, fit, view, onView } = props;
  const { viz } = useMessages();
  const [stage, full] = useWidth<HTMLDivElement>();
  const width = Math.max(200, full - LABEL_WIDTH - 8);
  const layout = useMemo(() => layoutTimeline(commits, mode, width, view), [commits, mode, width, view]);
  const [drag, setDrag] = useState<{ start: number; now: number; brush: boolean } | null>(null);
  const tops = bandTops(layout.points.some((point) => point.lagMillis !== null));
  useEffect(() => {
    // React listens to wheel passively; zooming has to keep the page from scrolling.
    const element = stage.current;
    const listener = (event: WheelEvent) => {
      if (!event.shiftKey && !event.ctrlKey) return; // a pinch comes as a wheel with Ctrl
      event.preventDefault();
      const left = element?.getBoundingClientRect().left ?? 0;
      const about = Math.max(0, Math.min(1, (event.clientX - left - LABEL_WIDTH) / width));
      onView(zoom(view, event.deltaY + event.deltaX < 0 ? 0.8 : 1.25, about, fit));
    };
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, [stage, width, view, fit, onView]);

  const x = (event: PointerEvent) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left - LABEL_WIDTH;
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
    setDrag({ start: x(event), now: x(event), brush: y > tops.axis - BAND_GAP });
  };
  const move = (event: PointerEvent) => {
    if (drag === null) return;
    if (!drag.brush) onView(pan(view, (drag.now - x(event)) / width, fit));
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
  /** From the end of the range that stays, or from the commit that was left, to the one that was come to. */
  const extend = (left: TimelineCommit, to: TimelineCommit) => {
    const [first, last] = range ?? [left.ref, left.ref];
    const stays = left.ref === last ? first : last;
    const ends = [stays, to.ref].map((ref) => commits.findIndex((commit) => commit.ref === ref));
    onRange(commits.slice(Math.min(...ends), Math.max(...ends) + 1));
  };
  const selected = spanOf(layout, range);
  const onKeyDown = (event: KeyboardEvent) => {
    const next: Record<string, () => Window> = {
      "+": () => zoom(view, 0.5, 0.5, fit),
      "=": () => zoom(view, 0.5, 0.5, fit),
      "-": () => zoom(view, 2, 0.5, fit),
      ArrowLeft: () => pan(view, -PAN_SHARE, fit),
      ArrowRight: () => pan(view, PAN_SHARE, fit),
      Home: () => pan(view, -1e9, fit),
      End: () => pan(view, 1e9, fit),
    };
    const change = next[event.key];
    if (change === undefined) return;
    event.preventDefault();
    onView(change());
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
          <svg
            width={full}
            height={tops.end}
            role="group"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys pan what is in view
            tabIndex={0}
            aria-label={viz.timelineKeys}
          >
            <BandLabels tops={tops} points={layout.points} />
            <g transform={`translate(${LABEL_WIDTH},0)`}>
              {layout.retention !== null && <Retention span={layout.retention} height={tops.axis} />}
              <Axis ticks={layout.ticks} top={tops.axis} width={width} />
              <Pins glyphs={layout.glyphs} at={at} from={from} height={tops.axis} />
              <Refs glyphs={layout.glyphs} width={width} top={tops.refs} />
              {layout.gaps.map((gap) => (
                <text key={gap} className={styles["label"]} x={gap} y={tops.commits + 18} textAnchor="middle">
                  <title>{viz.idsMissing}</title>⌇
                </text>
              ))}
              {selected !== null && drag === null && (
                <rect
                  className={styles["brush"]}
                  x={selected[0] - 6}
                  width={selected[1] - selected[0] + 12}
                  height={tops.axis}
                  pointerEvents="none"
                />
              )}
              <Glyphs glyphs={layout.glyphs} top={tops.commits} at={at} onPick={onPick} onExtend={extend} />
              <Bins bins={layout.bins} top={tops.commits} />
              <Measures points={layout.points} tops={tops} width={width} />
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
      <TimelineLegend commits={commits} gaps={layout.gaps.length > 0} />
    </>
  );
}
