import { useState, type ReactNode } from "react";
import { useMessages } from "../i18n";
import styles from "./CopyableId.module.css";
import { Icon } from "./Icon";

const TAIL = 12; // characters at the end that always show: both ends are what people compare

interface CopyableIdProps {
  readonly value: string;
  /** Characters shown at most; without it, as many as there is room for. */
  readonly most?: number;
  /** Shown instead of the text, for instance a link around it. */
  readonly children?: ReactNode;
}

/** An identifier in monospace with a copy button, cut in its middle; the tooltip holds it in full. */
export function CopyableId({ value, most, children }: CopyableIdProps) {
  const { ui } = useMessages();
  const tail = value.length > 2 * TAIL ? TAIL : 0;
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span className={styles["id"]}>
      <span
        className={styles["text"]}
        title={value}
        data-id={value}
        {...(most !== undefined && { style: { maxInlineSize: `${most}ch` } })}
      >
        {children ?? (
          <>
            {value !== "" && <span className={styles["start"]}>{value.slice(0, value.length - tail)}</span>}
            {tail > 0 && <span className={styles["tail"]}>{value.slice(-tail)}</span>}
          </>
        )}
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
