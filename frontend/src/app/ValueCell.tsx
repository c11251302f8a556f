import { useState } from "react";
import { useFormat, useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ValueTree } from "../ui/ValueTree";
import { cellText } from "./cellText";
import styles from "./ValueCell.module.css";

const FOLDED = 80; // characters that a cell shows of a long text
const BINARY = /^(BINARY|VARBINARY|BYTES|BLOB)/;
const BYTES_SHOWN = 8;

interface ValueCellProps {
  readonly name: string; // of the column
  readonly type: string;
  readonly value: unknown;
}

/** A value of a row: null apart from empty, long texts folded, bytes as their number, nested ones as a tree. */
export function ValueCell({ name, type, value }: ValueCellProps) {
  const { data } = useMessages();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  if (value === null || value === undefined) return <em className="muted">NULL</em>;
  if (value === "") return <em className="muted">{data.emptyText}</em>;
  const text = cellText(value);
  const isBinary = BINARY.test(type) && typeof value === "string";
  const isNested = typeof value === "object";
  if (!isBinary && !isNested && text.length <= FOLDED) return <span title={text}>{text}</span>;
  const size = isBinary
    ? data.bytes(format.count(text.length / 2))
    : isNested
      ? data.members(Array.isArray(value) ? value.length : Object.keys(value).length)
      : data.characters(format.count(text.length));
  const short = isBinary ? `0x${text.slice(0, 2 * BYTES_SHOWN)}` : text.slice(0, FOLDED);
  return (
    <span className={styles["folded"]}>
      <Button look="quiet" aria-label={data.whole(name, size)} onClick={() => setOpen(true)}>
        {size}
      </Button>
      <span className={styles["start"]}>
        {short}
        {short.length < text.length && "…"}
      </span>
      {open && (
        <Dialog title={`${name} · ${type} · ${size}`} open onClose={() => setOpen(false)} wide>
          {isNested ? (
            <ValueTree label={name} value={value} />
          ) : (
            <pre className={styles["whole"]} tabIndex={0} role="region" aria-label={name}>
              {isBinary ? hexLines(text) : text}
            </pre>
          )}
        </Dialog>
      )}
    </span>
  );
}

/** Hexadecimal digits as 16 bytes a line, each line after its offset. */
export function hexLines(digits: string): string {
  const lines: string[] = [];
  for (let at = 0; at < digits.length; at += 32) {
    const bytes = digits.slice(at, at + 32).match(/../g) ?? [];
    lines.push(`${(at / 2).toString(16).padStart(8, "0")}  ${bytes.join(" ")}`);
  }
  return lines.join("\n");
}
