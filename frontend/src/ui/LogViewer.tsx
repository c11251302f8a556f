import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "./Button";
import { Checkbox } from "./Field";
import styles from "./LogViewer.module.css";

const LINE_HEIGHT = 24; // its number is a link, which a finger has to meet

export interface LogLine {
  readonly number: number; // from 1, in the whole log
  readonly text: string;
  readonly level: "info" | "warn" | "error";
}

/** The lines of a log with their level, told by the usual words of log4j and Python. */
export function splitLog(text: string): LogLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, at) => ({ number: at + 1, text: line, level: levelOf(line) }));
}

function levelOf(line: string): LogLine["level"] {
  if (/\b(ERROR|FATAL|CRITICAL|Exception)\b/.test(line)) return "error";
  return /\bWARN(ING)?\b/.test(line) ? "warn" : "info";
}

const RANK = { info: 0, warn: 1, error: 2 } as const;

interface LogViewerProps {
  readonly text: string;
  /** More may come. */
  readonly live: boolean;
  /** The file that a download makes. */
  readonly name: string;
  /** The line that a link leads to, from 1; 0 for none. */
  readonly line?: number;
  /** A line's number was chosen, to be linked to. */
  readonly onLine?: (line: number) => void;
}

/** A long log: only the lines in view are in the page. Follows the end while it grows, if asked. */
export function LogViewer({ text, live, name, line: linked = 0, onLine }: LogViewerProps) {
  const { log } = useMessages();
  const format = useFormat();
  const [needle, setNeedle] = useState("");
  const [least, setLeast] = useState<LogLine["level"]>("info");
  const [follow, setFollow] = useState(linked === 0);
  const [wrap, setWrap] = useState(false);
  const lines = useMemo(() => {
    const wanted = needle.toLowerCase();
    return splitLog(text).filter(
      (line) => RANK[line.level] >= RANK[least] && line.text.toLowerCase().includes(wanted),
    );
  }, [text, needle, least]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => virtual.measure(), [wrap, virtual]);
  useEffect(() => {
    if (follow && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [follow, lines.length, virtual]);
  // A link leads to its line as soon as that is there, once.
  const at = linked === 0 ? -1 : lines.findIndex((line) => line.number === linked);
  const shown = useRef(0);
  useEffect(() => {
    if (at < 0 || shown.current === linked) return;
    shown.current = linked;
    setFollow(false);
    virtual.scrollToIndex(at, { align: "center" });
  }, [at, linked, virtual]);
  return (
    <div className={styles["frame"]}>
      <div className={styles["tools"]} role="toolbar" aria-label={log.tools}>
        <select
          aria-label={log.level}
          value={least}
          onChange={(event) => setLeast(event.target.value as LogLine["level"])}
        >
          <option value="info">{log.all}</option>
          <option value="warn">{log.warnings}</option>
          <option value="error">{log.errors}</option>
        </select>
        <input
          type="text"
          aria-label={log.filter}
          placeholder={log.filter}
          value={needle}
          onChange={(event) => setNeedle(event.target.value)}
        />
        <Checkbox label={log.follow} checked={follow} onChange={setFollow} />
        <Checkbox label={log.wrap} checked={wrap} onChange={setWrap} />
        <Button look="quiet" disabled={text === ""} onClick={() => save(name, text)}>
          {log.download}
        </Button>
        <span className={styles["end"]}>{log.lines(format.count(lines.length))}</span>
      </div>
      <div
        ref={scroller}
        className={styles["lines"]}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={log.title}
      >
        {lines.length === 0 && <p className={styles["line"]}>{live ? log.waiting : log.empty}</p>}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            return (
              <div
                key={line.number}
                id={`L${line.number}`}
                ref={wrap ? virtual.measureElement : undefined}
                data-index={item.index}
                className={`${styles["line"] ?? ""} ${wrap ? (styles["wrapped"] ?? "") : ""} ${line.level === "info" ? "" : (styles[line.level] ?? "")} ${line.number === linked ? (styles["linked"] ?? "") : ""}`}
                style={{ position: "absolute", top: item.start }}
              >
                {onLine === undefined ? (
                  <span className={styles["number"]}>{line.number}</span>
                ) : (
                  <a
                    className={styles["number"]}
                    href={`#L${line.number}`}
                    aria-label={log.lineLink(line.number)}
                    aria-current={line.number === linked ? "location" : undefined}
                    onClick={(event) => {
                      event.preventDefault();
                      onLine(line.number);
                    }}
                  >
                    {line.number}
                  </a>
                )}
                <span>{line.text}</span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
