import { useEffect, useRef } from "react";
import { levelClass, levelToken } from "./levelClass";
import type { FileRect, LevelFile, LevelLayout } from "./levels";
import styles from "./Viz.module.css";

/** How files stand out: the same in both ways of drawing them. */
export interface FileLooks {
  readonly picked: ReadonlySet<string>; // a compaction would take them
  readonly added: ReadonlySet<string>; // came with the last step through the history
  readonly gone: ReadonlySet<LevelFile>; // went with it
  readonly active: LevelFile | null;
  readonly overlaps: ReadonlySet<LevelFile> | null; // the active one and those that share keys with it
}

interface DrawnProps {
  readonly looks: FileLooks;
  readonly onActive: (file: LevelFile | null) => void;
  readonly onOpen: (file: LevelFile) => void;
}

function deletedShare(file: LevelFile): number {
  return file.deletes === null || file.rows === 0 ? 0 : file.deletes / file.rows;
}

/** One file as a rectangle over its keys. */
export function FileShape({ rect, looks, onActive, onOpen }: DrawnProps & { readonly rect: FileRect }) {
  const { file, x, y, width, height } = rect;
  const deleted = deletedShare(file);
  const gone = looks.gone.has(file);
  const look = [
    styles["file"],
    levelClass(file.level),
    file.source === "append" && styles["fromappend"],
    looks.picked.has(file.name) && styles["picked"],
    gone && styles["gone"],
    file === looks.active && styles["active"],
    file !== looks.active && looks.overlaps?.has(file) && styles["overlapping"],
  ];
  return (
    <g
      className={looks.overlaps !== null && !looks.overlaps.has(file) ? styles["faded"] : ""}
      onPointerEnter={() => onActive(file)}
      onPointerLeave={() => onActive(null)}
      onClick={() => !gone && onOpen(file)}
    >
      <rect className={look.filter(Boolean).join(" ")} x={x} y={y} width={width} height={height} rx={2} />
      {looks.added.has(file.name) && (
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

interface FileCanvasProps extends DrawnProps {
  readonly layout: LevelLayout;
  readonly width: number;
}

/** Very many files, drawn without an element each: the same rectangles with the same marks. */
export function FileCanvas({ layout, width, looks, onActive, onOpen }: FileCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, layout.height);
    const colour = colourReader();
    for (const rect of layout.rects) drawFile(context, rect, looks, colour);
  }, [layout, width, looks]);
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
      onPointerLeave={() => onActive(null)}
      onClick={(event) => {
        const file = hit(event);
        if (file !== null && !looks.gone.has(file)) onOpen(file);
      }}
    />
  );
}

/** The values of tokens, each asked of the page once: a hundred thousand files have a dozen between them. */
function colourReader(): (token: string) => string {
  const page = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return (token) => {
    const before = known.get(token);
    if (before !== undefined) return before;
    const value = page.getPropertyValue(token);
    known.set(token, value);
    return value;
  };
}

type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "globalAlpha"
  | "lineWidth"
  | "setLineDash"
  | "strokeRect"
  | "strokeStyle"
>;

/** One file with all that `FileShape` shows of it. */
export function drawFile(
  pen: Pen,
  rect: FileRect,
  looks: FileLooks,
  colour: (token: string) => string,
): void {
  const { file, x, y, width, height } = rect;
  const share = looks.overlaps !== null && !looks.overlaps.has(file) ? 0.3 : 1;
  if (looks.gone.has(file)) {
    outline(pen, rect, share, colour("--text-muted"), 1, GONE_DASHES);
    return;
  }
  pen.globalAlpha = share * (file.source === "append" ? 0.5 : 1);
  pen.fillStyle = colour(levelToken(file.level));
  pen.fillRect(x, y, width, height);
  const deleted = deletedShare(file);
  if (deleted > 0) {
    pen.globalAlpha = share * 0.55;
    pen.fillStyle = colour("--danger");
    pen.fillRect(x, y + height * (1 - deleted), width, height * deleted);
  }
  if (file === looks.active) outline(pen, rect, share, colour("--text"), 2);
  else if (looks.picked.has(file.name)) outline(pen, rect, share, colour("--analyze"), 2);
  else if (looks.overlaps?.has(file)) outline(pen, rect, share, colour("--text"), 1);
  else if (file.source === "append") {
    outline(pen, rect, share, colour(levelToken(file.level)), 1, APPENDED_DASHES);
  }
  const isAdded = looks.added.has(file.name);
  const hasIndex = file.index.length > 0 && width > 10;
  const hasVector = file.dv && width > 16;
  if (!isAdded && !hasIndex && !hasVector) return;
  pen.globalAlpha = share;
  pen.fillStyle = colour("--bg");
  if (isAdded) pen.fillText("+", x + Math.min(4, width / 2), y + height - 2);
  if (hasIndex) pen.fillRect(x + width - 6, y + 2, 4, 4);
  if (hasVector) pen.fillRect(x + width - 12, y + 2, 4, 4);
}

const WHOLE: number[] = [];
const GONE_DASHES = [2, 3];
const APPENDED_DASHES = [3, 2];

function outline(
  pen: Pen,
  rect: FileRect,
  alpha: number,
  colour: string,
  wide: number,
  dashes = WHOLE,
): void {
  pen.globalAlpha = alpha;
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.setLineDash(dashes);
  const { x, y, width, height } = rect;
  pen.strokeRect(x + wide / 2, y + wide / 2, Math.max(0, width - wide), Math.max(0, height - wide));
}
