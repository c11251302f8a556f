import { area, curveStepAfter } from "d3-shape";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import type { GridColumn } from "../ui/gridColumns";
import { Figure } from "./Figure";
import { levelClass, levelToken } from "./levelClass";
import {
  depthSummary,
  filesAtKey,
  keyScale,
  layoutLevels,
  mergeDepth,
  neighbour,
  overlapping,
  sortedRuns,
  type DepthStep,
  type FileRect,
  type LevelFile,
  type LevelLayout,
} from "./levels";
import { useWidth } from "./useWidth";
import styles from "./Viz.module.css";

interface LevelDiagramProps {
  readonly title: string;
  readonly keys: readonly string[]; // all least and greatest keys, in the table's own order
  readonly files: readonly LevelFile[];
  readonly trigger: number | null; // sorted runs that start a compaction
  readonly stop: number | null; // sorted runs that stall a writer
  readonly onOpen: (file: LevelFile) => void;
}

const LABEL_WIDTH = 34;
const STATS_WIDTH = 188;
const DEPTH_HEIGHT = 56;
const DEPTH_GAP = 14;
const MOST_SVG_RECTS = 2000;

/** The files of one bucket over its keys, level by level, with how many files a reader merges at each key. */
export function LevelDiagram({ title, keys, files, trigger, stop, onOpen }: LevelDiagramProps) {
  const { viz } = useMessages();
  const format = useFormat();
  const depth = useMemo(() => mergeDepth(files), [files]);
  const { mean, max } = depthSummary(depth, keys.length);
  const runs = sortedRuns(files);
  const columns = useLevelColumns(keys);
  const sorted = useMemo(() => files.toSorted((a, b) => a.level - b.level || a.lo - b.lo), [files]);
  const pressure =
    stop !== null && runs >= stop ? "stop" : trigger !== null && runs > trigger ? "over" : "calm";
  return (
    <Figure
      title={title}
      summary={viz.levelSummary(runs, format.decimal(mean), max, pressure)}
      columns={columns}
      rows={sorted}
      rowKey={(file) => file.name}
      picture={
        <LevelPicture keys={keys} files={files} depth={depth} trigger={trigger} stop={stop} onOpen={onOpen} />
      }
    />
  );
}

function useLevelColumns(keys: readonly string[]): GridColumn<LevelFile>[] {
  const { fields } = useMessages();
  const format = useFormat();
  const text = (
    id: string,
    header: string,
    value: (file: LevelFile) => string,
    align: "start" | "end" = "start",
  ): GridColumn<LevelFile> => ({ id, header, width: 80, align, cell: value, text: value });
  return [
    text("level", fields.level, (file) => `L${file.level}`),
    text("file", fields.file, (file) => file.name),
    text("lo", fields.minKey, (file) => keys[file.lo] ?? ""),
    text("hi", fields.maxKey, (file) => keys[file.hi] ?? ""),
    text("bytes", fields.bytes, (file) => format.bytes(file.bytes), "end"),
    text("rows", fields.rows, (file) => format.count(file.rows), "end"),
    text(
      "deletes",
      fields.deletes,
      (file) => (file.deletes === null ? "–" : format.count(file.deletes)),
      "end",
    ),
    text("seq", fields.sequence, (file) => `${file.seq[0]} … ${file.seq[1]}`, "end"),
    text("source", fields.source, (file) => file.source ?? "–"),
  ];
}

interface PictureProps {
  readonly keys: readonly string[];
  readonly files: readonly LevelFile[];
  readonly depth: readonly DepthStep[];
  readonly trigger: number | null;
  readonly stop: number | null;
  readonly onOpen: (file: LevelFile) => void;
}

type KeyWindow = readonly [number, number];

function LevelPicture({ keys, files, depth, trigger, stop, onOpen }: PictureProps) {
  const { viz, fields } = useMessages();
  const format = useFormat();
  const [stage, full] = useWidth<HTMLDivElement>();
  const whole: KeyWindow = [0, Math.max(0, keys.length - 1)];
  const [window_, setWindow] = useState<KeyWindow>(whole);
  const [expandBand, setExpandBand] = useState(false);
  const [active, setActive] = useState<LevelFile | null>(null);
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const [probe, setProbe] = useState("");
  const width = Math.max(200, full - LABEL_WIDTH - STATS_WIDTH);
  const layout = useMemo(
    () => layoutLevels(files, keys.length, width, window_, expandBand),
    [files, keys.length, width, window_, expandBand],
  );
  const x = keyScale(window_, width);
  const keyAt = (pixel: number) =>
    Math.max(
      window_[0],
      Math.min(window_[1], Math.floor(window_[0] + (pixel / width) * (window_[1] - window_[0] + 1))),
    );
  const overlaps = useMemo(
    () => (active === null ? null : new Set([active, ...overlapping(active, files)])),
    [active, files],
  );
  const probed = keys.indexOf(probe);
  const height = layout.height + DEPTH_GAP + DEPTH_HEIGHT + 20;
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
      setWindow([keyAt(Math.min(...brush)), keyAt(Math.max(...brush))]);
    }
    setBrush(null);
  };
  return (
    <>
      <div className={styles["legend"]}>
        <label>
          {viz.probeKey}{" "}
          <input
            list="level-keys"
            value={probe}
            aria-invalid={probe !== "" && probed < 0}
            onChange={(event) => setProbe(event.target.value)}
          />
        </label>
        <datalist id="level-keys">
          {keys.slice(0, 300).map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </datalist>
        <span>┄ {viz.fromAppend}</span>
        <span>━ {viz.fromCompaction}</span>
        <span>○ {viz.hasIndex}</span>
        <span>□ {viz.hasVector}</span>
        {layout.banded > 0 && (
          <Button onClick={() => setExpandBand(true)}>{viz.expandBand(layout.banded)}</Button>
        )}
        {zoomed && <Button onClick={() => setWindow(whole)}>{viz.fit}</Button>}
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
          <svg width={full} height={height}>
            <LaneLabels layout={layout} width={width} />
            <g transform={`translate(${LABEL_WIDTH},0)`}>
              {layout.rects.length <= MOST_SVG_RECTS ? (
                layout.rects.map((rect) => (
                  <FileShape
                    key={rect.file.name}
                    rect={rect}
                    active={rect.file === active}
                    faded={overlaps !== null && !overlaps.has(rect.file)}
                    onActive={setActive}
                    onOpen={onOpen}
                  />
                ))
              ) : (
                <foreignObject width={width} height={layout.height}>
                  <FileCanvas layout={layout} width={width} onActive={setActive} onOpen={onOpen} />
                </foreignObject>
              )}
              <DepthStrip
                steps={depth}
                x={x}
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
              {probed >= 0 && (
                <line
                  className={styles["probe"]}
                  x1={x(probed + 0.5)}
                  x2={x(probed + 0.5)}
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
        {probed >= 0 && active === null && (
          <span>
            <b>{viz.probeResult(filesAtKey(probed, files).length)}</b>{" "}
            {filesAtKey(probed, files)
              .map((file) => `L${file.level} ${file.name}`)
              .join(" → ")}
          </span>
        )}
        {active !== null && (
          <>
            <b>L{active.level}</b>
            <code>{active.name}</code>
            <span>{format.bytes(active.bytes)}</span>
            <span>
              {fields.rows} {format.count(active.rows)}
            </span>
            {active.deletes !== null && (
              <span>
                {fields.deletes} {format.count(active.deletes)}
              </span>
            )}
            <span>
              {keys[active.lo]} … {keys[active.hi]}
            </span>
            <span>{viz.overlaps((overlaps?.size ?? 1) - 1)}</span>
          </>
        )}
        {active === null && probed < 0 && <span className="muted">{viz.levelHint}</span>}
      </div>
    </>
  );
}

function LaneLabels({ layout, width }: { layout: LevelLayout; width: number }) {
  const format = useFormat();
  const { viz } = useMessages();
  return layout.lanes.map((lane, at) => {
    const first = layout.lanes[at - 1]?.level !== lane.level;
    const inLevel = layout.lanes
      .filter((other) => other.level === lane.level)
      .flatMap((other) => other.files);
    const bytes = inLevel.reduce((sum, file) => sum + file.bytes, 0);
    return (
      <g key={`${lane.level}-${lane.top}`} transform={`translate(0,${lane.top})`}>
        <line
          className={styles["grid"]}
          x1={LABEL_WIDTH}
          x2={LABEL_WIDTH + width}
          y1={lane.height}
          y2={lane.height}
        />
        {first && (
          <>
            <text className={styles["strong"]} y={lane.height / 2 + 4}>
              L{lane.level}
            </text>
            <text className={styles["label"]} x={LABEL_WIDTH + width + 12} y={lane.height / 2 + 4}>
              {inLevel.length === 0 ? "–" : viz.levelStats(inLevel.length, format.bytes(bytes))}
            </text>
          </>
        )}
      </g>
    );
  });
}

interface FileShapeProps {
  readonly rect: FileRect;
  readonly active: boolean;
  readonly faded: boolean;
  readonly onActive: (file: LevelFile | null) => void;
  readonly onOpen: (file: LevelFile) => void;
}

function FileShape({ rect, active, faded, onActive, onOpen }: FileShapeProps) {
  const { file, x, y, width, height } = rect;
  const deleted = file.deletes === null || file.rows === 0 ? 0 : file.deletes / file.rows;
  const look = [
    styles["file"],
    levelClass(file.level),
    file.source === "append" && styles["fromappend"],
    active && styles["active"],
  ];
  return (
    <g
      className={faded ? styles["faded"] : ""}
      onPointerEnter={() => onActive(file)}
      onPointerLeave={() => onActive(null)}
      onClick={() => onOpen(file)}
    >
      <rect className={look.filter(Boolean).join(" ")} x={x} y={y} width={width} height={height} rx={2} />
      {deleted > 0 && (
        <rect
          x={x}
          y={y + height * (1 - deleted)}
          width={width}
          height={height * deleted}
          fill="var(--danger)"
          fillOpacity={0.55}
          pointerEvents="none"
        />
      )}
      {file.index.length > 0 && width > 10 && (
        <circle className={styles["dot"]} cx={x + width - 4} cy={y + 4} r={2} />
      )}
      {file.dv && width > 16 && (
        <rect className={styles["dot"]} x={x + width - 12} y={y + 2} width={4} height={4} />
      )}
    </g>
  );
}

interface FileCanvasProps {
  readonly layout: LevelLayout;
  readonly width: number;
  readonly onActive: (file: LevelFile | null) => void;
  readonly onOpen: (file: LevelFile) => void;
}

/** The same rectangles drawn at once, for buckets with thousands of files. */
function FileCanvas({ layout, width, onActive, onOpen }: FileCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const ratio = devicePixelRatio;
    const colours = getComputedStyle(document.documentElement);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, layout.height);
    for (const { file, x, y, width: wide, height } of layout.rects) {
      context.fillStyle = colours.getPropertyValue(levelToken(file.level));
      context.globalAlpha = file.source === "append" ? 0.6 : 1;
      context.fillRect(x, y, wide, height);
    }
  }, [layout, width]);
  const hit = (event: { clientX: number; clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return null;
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const inside = (r: FileRect) => px >= r.x && px <= r.x + r.width && py >= r.y && py <= r.y + r.height;
    return layout.rects.findLast(inside)?.file ?? null;
  };
  return (
    <canvas
      ref={canvas}
      width={width * devicePixelRatio}
      height={layout.height * devicePixelRatio}
      style={{ width, height: layout.height }}
      onPointerMove={(event) => onActive(hit(event))}
      onClick={(event) => {
        const file = hit(event);
        if (file !== null) onOpen(file);
      }}
    />
  );
}

interface DepthStripProps {
  readonly steps: readonly DepthStep[];
  readonly x: (key: number) => number;
  readonly width: number;
  readonly top: number;
  readonly end: number; // number of keys
  readonly trigger: number | null;
  readonly stop: number | null;
}

/** How many files cover each key, with the counts of runs that start compaction and stall writers. */
export function DepthStrip({ steps, x, width, top, end, trigger, stop }: DepthStripProps) {
  const { viz } = useMessages();
  const most = Math.max(1, trigger ?? 0, stop ?? 0, ...steps.map((step) => step.depth));
  const y = (depth: number) => DEPTH_HEIGHT - (depth / most) * DEPTH_HEIGHT;
  const clamp = (pixel: number) => Math.max(0, Math.min(width, pixel));
  const draw = area<DepthStep>()
    .x((step) => clamp(x(step.key)))
    .y0(DEPTH_HEIGHT)
    .y1((step) => y(step.depth))
    .curve(curveStepAfter);
  const closed = [...steps, { key: end, depth: 0 }];
  return (
    <g transform={`translate(0,${top})`}>
      <path className={styles["area"]} d={draw(closed) ?? ""} />
      <line className={styles["axis"]} x2={width} y1={DEPTH_HEIGHT} y2={DEPTH_HEIGHT} />
      <Threshold value={trigger} y={y} width={width} look="trigger" text={viz.trigger} />
      <Threshold value={stop} y={y} width={width} look="stop" text={viz.stop} />
      <text className={styles["label"]} x={width + 12} y={DEPTH_HEIGHT - 2}>
        {viz.mergeDepth}
      </text>
    </g>
  );
}

interface ThresholdProps {
  readonly value: number | null;
  readonly y: (depth: number) => number;
  readonly width: number;
  readonly look: "trigger" | "stop";
  readonly text: (value: number) => string;
}

function Threshold({ value, y, width, look, text }: ThresholdProps) {
  if (value === null) return null;
  return (
    <>
      <line className={styles[look]} x2={width} y1={y(value)} y2={y(value)} />
      <text className={styles["label"]} x={width + 12} y={y(value) + 4}>
        {text(value)}
      </text>
    </>
  );
}
