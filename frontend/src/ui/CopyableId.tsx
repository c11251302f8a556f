import { useState, type ReactNode } from "react";
import { useMessages } from "../i18n";
import styles from "./CopyableId.module.css";
import { Icon } from "./Icon";

/** The first and last characters of a long identifier; both ends are what people compare. */
export function middleEllipsis(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

interface CopyableIdProps {
  readonly value: string;
  /** Characters shown at most. */
  readonly most?: number;
  /** Shown instead of the text, for instance a link around it. */
  readonly children?: ReactNode;
}

/** An identifier in monospace with a copy button; the tooltip holds it in full. */
export function CopyableId({ value, most = 28, children }: CopyableIdProps) {
  const { ui } = useMessages();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span className={styles["id"]}>
      <span className={styles["text"]} title={value}>
        {children ?? middleEllipsis(value, most)}
      </span>
      <button
        type="button"
        className={styles["copy"]}
        aria-label={copied ? ui.copied : ui.copy(value)}
        title={copied ? ui.copied : ui.copyShort}
        onClick={(event) => {
          event.stopPropagation();
          void copy();
        }}
      >
        <Icon name={copied ? "check" : "copy"} />
      </button>
    </span>
  );
}
