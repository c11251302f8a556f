import { useEffect, useRef } from "react";
import { useFormat, useMessages } from "../i18n";
import { levelClass, levelToken } from "./levelClass";
import type { FileRect, LevelFile, LevelLayout } from "./levels";
import styles from "./Viz.module.css";

export const LEVEL_LABEL_WIDTH = 34;

/** The levels at the left, and at the right what each holds. */
export function LaneLabels({ layout, width }: { layout: LevelLayout; width: number }) {
  const format = useFormat();
  const { viz } = useMessages();
  const all = layout.lanes.flatMap((lane) => lane.files).reduce((sum, file) => sum + file.bytes, 0);
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
          x1={LEVEL_LABEL_WIDTH}
          x2={LEVEL_LABEL_WIDTH + width}
          y1={lane.height}
          y2={lane.height}
        />
        {first && (
          <>
            <text className={styles["strong"]} y={lane.height / 2 + 4}>
              L{lane.level}
            </text>
            <text className={styles["label"]} x={LEVEL_LABEL_WIDTH + width + 12} y={lane.height / 2 + 4}>
              {inLevel.length === 0
                ? viz.emptyBucket
                : viz.levelStats(
                    inLevel.length,
                    format.bytes(bytes),
                    format.percent(all === 0 ? 0 : bytes / all),
                  )}
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
  readonly picked: boolean;
  readonly added: boolean; // came with the last step through the history
  readonly gone: boolean; // went with it
  readonly faded: boolean;
  readonly onActive: (file: LevelFile | null) => void;
  readonly onOpen: (file: LevelFile) => void;
}

/** One file as a rectangle over its keys. */
export function FileShape({ rect, active, picked, added, gone, faded, onActive, onOpen }: FileShapeProps) {
  const { file, x, y, width, height } = rect;
  const deleted = file.deletes === null || file.rows === 0 ? 0 : file.deletes / file.rows;
  const look = [
    styles["file"],
    levelClass(file.level),
    file.source === "append" && styles["fromappend"],
    picked && styles["picked"],
    gone && styles["gone"],
    active && styles["active"],
  ];
  return (
    <g
      className={faded ? styles["faded"] : ""}
      onPointerEnter={() => onActive(file)}
      onPointerLeave={() => onActive(null)}
      onClick={() => !gone && onOpen(file)}
    >
      <rect className={look.filter(Boolean).join(" ")} x={x} y={y} width={width} height={height} rx={2} />
      {added && (
        <text className={styles["addedmark"]} x={x + Math.min(4, width / 2)} y={y + height - 2}>
          +
        </text>
      )}
      {deleted > 0 && !gone && (
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
/** Very many files, drawn without an element each. */
export function FileCanvas({ layout, width, onActive, onOpen }: FileCanvasProps) {
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
