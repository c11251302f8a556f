import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type Tone = "neutral" | "ok" | "info" | "warn" | "danger" | "overwrite" | "analyze" | "moved";

/** A word with a glyph; the glyph repeats in shape what the colour says. */
export function Badge({
  tone = "neutral",
  glyph,
  children,
}: {
  tone?: Tone;
  glyph?: string;
  children: ReactNode;
}) {
  return (
    <span data-badge="" className={`${styles["badge"] ?? ""} ${styles[tone] ?? ""}`}>
      {glyph !== undefined && <span aria-hidden="true">{glyph}</span>}
      {children}
    </span>
  );
}
