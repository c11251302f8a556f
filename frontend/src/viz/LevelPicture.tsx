import { useMemo, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { DEPTH_HEIGHT, DepthStrip } from "./DepthStrip";
import { Segments } from "../ui/Field";
import { FileCanvas, FileShape } from "./LevelFiles";
import {
  LaneLabels,
  LEVEL_HEAD_HEIGHT as HEAD_HEIGHT,
  LEVEL_LABEL_WIDTH as LABEL_WIDTH,
  statsWidth,
} from "./LevelLanes";
import {
  keyAxis,
  keysBetween,
  layoutLevels,
  mergeDepth,
  neighbour,
  overlapping,
  type KeyAxis,
  type LevelFile,
} from "./levels";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

const DEPTH_GAP = 18;
const MOST_SVG_RECTS = 2000;

/** What the distance between keys means: one step each, or the distance of their values. */
export type KeyScale = "rank" | "value";

export interface KeyMark {
  readonly key: number; // index of the key, or of the first one that is greater
  readonly isKey: boolean;
}

interface PictureProps {
  readonly keys: readonly string[];
  readonly files: readonly LevelFile[];
  readonly places: readonly number[] | null; // of the keys by value, from 0 to 1
  readonly scale: KeyScale;
  readonly onScale: ((scale: KeyScale) => void) | null;
  readonly trigger: number | null;
  readonly stop: number | null;
  readonly picked: ReadonlySet<string>; // names of files to outline
  readonly added: ReadonlySet<string>; // names of files that came with the last step
  readonly removed: readonly LevelFile[]; // files that went with it
  readonly mark: KeyMark | null;
  readonly onOpen: (file: LevelFile) => void;
}

type KeyWindow = readonly [number, number];

/** The lanes of the files, the merge depth below them, and what is known of the file or key in view. */
export function LevelPicture(props: PictureProps) {
  const { keys, files, places, scale, onScale, trigger, stop, picked, added, removed, mark, onOpen } = props;
  const { viz } = useMessages();
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>();
  const whole: KeyWindow = [0, Math.max(0, keys.length - 1)];
  const [window_, setWindow] = useState<KeyWindow>(whole);
  const [expandBand, setExpandBand] = useState(false);
  const [active, setActive] = useState<LevelFile | null>(null);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const width = Math.max(200, full - LABEL_WIDTH - statsWidth(full));
  const shown = scale === "value" ? places : null;
  const all = useMemo(() => [...files, ...removed], [files, removed]);
  const gone = useMemo(() => new Set(removed), [removed]);
  const layout = useMemo(
    () => layoutLevels(all, keys.length, width, window_, expandBand, shown),
    [all, keys.length, width, window_, expandBand, shown],
  );
  const axis = keyAxis(window_, width, shown);
  const depth = useMemo(() => mergeDepth(files, axis.after), [files, axis.after]);
  const overlaps = useMemo(
    () => (active === null ? null : new Set([active, ...overlapping(active, files)])),
    [active, files],
  );
  const height = layout.height + DEPTH_GAP + DEPTH_HEIGHT + 20;
  const looks = useMemo(
    () => ({ picked, added, gone, active, overlaps }), // the same object, or the canvas is drawn again
    [picked, added, gone, active, overlaps],
  );
  const zoomed = window_[0] !== whole[0] || window_[1] !== whole[1];

  const onKeyDown = (event: KeyboardEvent) => {
    const here = layout.rects.find((rect) => rect.file === active) ?? layout.rects[0];
    if (here === undefined) return;
    if (event.key === "Enter" && active !== null) onOpen(active);
    else if (event.key === "Escape") setActive(null);
    else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      setActive((active === null ? here : (neighbour(layout.rects, here, event.key) ?? here)).file);
    }
  };
  const place = (event: PointerEvent) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left - LABEL_WIDTH;
  const endBrush = () => {
    if (brush !== null && Math.abs(brush[1] - brush[0]) > 6) {
      setWindow(keysBetween(window_, axis, [Math.min(...brush), Math.max(...brush)]));
    }
    setBrush(null);
  };
  return (
    <>
      <div className={styles["legend"]}>
        <LevelLegend files={files} picked={picked.size > 0} gone={removed.length > 0} />
        {layout.banded > 0 && (
          <Button onClick={() => setExpandBand(true)}>{viz.expandBand(format.count(layout.banded))}</Button>
        )}
        {zoomed && <Button onClick={() => setWindow(whole)}>{viz.fit}</Button>}
        {places !== null && onScale !== null && (
          <Segments
            label={viz.keyScale}
            value={scale}
            options={[
              ["rank", viz.byRank],
              ["value", viz.byValue],
            ]}
            onChange={onScale}
          />
        )}
      </div>
      <div ref={stage} className={styles["stage"]}>
        <div
          className={styles["keys"]}
          role="group"
          tabIndex={0}
          aria-label={viz.levelKeys}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => event.button === 0 && setBrush([place(event), place(event)])}
          onPointerMove={(event) => brush !== null && setBrush([brush[0], place(event)])}
          onPointerUp={endBrush}
          onPointerLeave={() => setBrush(null)}
        >
          <svg width={full} height={HEAD_HEIGHT + height}>
            <LaneLabels layout={layout} files={files} width={width} margin={statsWidth(full)} />
            <g transform={`translate(${LABEL_WIDTH},${HEAD_HEIGHT})`}>
              {layout.rects.length <= MOST_SVG_RECTS ? (
                layout.rects.map((rect) => (
                  <FileShape
                    key={rect.file.name}
                    rect={rect}
                    looks={looks}
                    onActive={setActive}
                    onOpen={onOpen}
                  />
                ))
              ) : (
                <foreignObject width={width} height={layout.height}>
                  <FileCanvas
                    layout={layout}
                    width={width}
                    looks={looks}
                    onActive={setActive}
                    onOpen={onOpen}
                  />
                </foreignObject>
              )}
              <DepthStrip
                steps={depth}
                x={axis.start}
                width={width}
                top={layout.height + DEPTH_GAP}
                end={keys.length}
                trigger={trigger}
                stop={stop}
              />
              <text className={styles["label"]} y={height - 2}>
                {keys[window_[0]]}
              </text>
              <text className={styles["label"]} y={height - 2} x={width} textAnchor="end">
                {keys[window_[1]]}
              </text>
              {mark !== null && (
                <line
                  className={styles["probe"]}
                  x1={markAt(mark, axis, shown !== null)}
                  x2={markAt(mark, axis, shown !== null)}
                  y2={layout.height + DEPTH_GAP + DEPTH_HEIGHT}
                />
              )}
              {brush !== null && (
                <rect
                  className={styles["brush"]}
                  x={Math.min(...brush)}
                  width={Math.abs(brush[1] - brush[0])}
                  height={layout.height}
                />
              )}
            </g>
          </svg>
        </div>
      </div>
      <div className={styles["card"]} role="status">
        {active !== null ? (
          <FileFacts file={active} keys={keys} overlaps={(overlaps?.size ?? 1) - 1} />
        ) : (
          <span className="muted">{viz.levelHint}</span>
        )}
      </div>
    </>
  );
}

/** In the middle of its own room, or between two keys. */
function markAt(mark: KeyMark, axis: KeyAxis, byValue: boolean): number {
  if (byValue) return axis.start(mark.isKey ? mark.key : mark.key - 0.5);
  return axis.start(mark.isKey ? mark.key + 0.5 : mark.key);
}

interface FileFactsProps {
  readonly file: LevelFile;
  readonly keys: readonly string[];
  readonly overlaps: number;
}

function FileFacts({ file, keys, overlaps }: FileFactsProps) {
  const { viz, fields } = useMessages();
  const format = useFormat();
  return (
    <>
      <b>L{file.level}</b>
      <code>{file.name}</code>
      <span>{format.bytes(file.bytes)}</span>
      <span>
        {fields.rows} {format.count(file.rows)}
      </span>
      {file.deletes !== null && (
        <span>
          {fields.deletes} {format.count(file.deletes)}
        </span>
      )}
      <span>
        {keys[file.lo]} … {keys[file.hi]}
      </span>
      <span>{viz.overlaps(overlaps)}</span>
    </>
  );
}

interface LegendProps {
  readonly files: readonly LevelFile[];
  readonly picked: boolean;
  readonly gone: boolean;
}

function LevelLegend({ files, picked, gone }: LegendProps) {
  const { viz } = useMessages();
  const has = (what: (file: LevelFile) => boolean) => files.some(what);
  return (
    <>
      {has((file) => file.source === "append") && <LegendFile look="fromappend">{viz.fromAppend}</LegendFile>}
      {has((file) => file.source !== "append") && <LegendFile look="file">{viz.fromCompaction}</LegendFile>}
      {has((file) => (file.deletes ?? 0) > 0) && (
        <span>
          <svg width="10" height="12" aria-hidden="true">
            <rect y="6" width="10" height="6" fill="var(--danger)" fillOpacity={0.55} />
          </svg>
          {viz.deletedShare}
        </span>
      )}
      {has((file) => file.index.length > 0) && <span>○ {viz.hasIndex}</span>}
      {has((file) => file.dv) && <span>□ {viz.hasVector}</span>}
      {picked && <LegendFile look="picked">{viz.picked}</LegendFile>}
      {gone && <LegendFile look="gone">{viz.removedFile}</LegendFile>}
    </>
  );
}

function LegendFile({
  look,
  children,
}: {
  look: "fromappend" | "file" | "picked" | "gone";
  children: string;
}) {
  return (
    <span>
      <svg width="22" height="12" aria-hidden="true">
        <rect
          className={`${styles["sample"] ?? ""} ${styles[look] ?? ""}`}
          x="1"
          y="1"
          width="20"
          height="10"
          rx="2"
        />
      </svg>
      {children}
    </span>
  );
}
