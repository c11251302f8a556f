import type { ReactNode } from "react";
import { Card } from "./Card";
import styles from "./PlanSummary.module.css";
import { Notice } from "./States";

export interface PlanBlock {
  readonly title: string;
  readonly content: ReactNode;
}

interface PlanSummaryProps {
  readonly blocks: readonly PlanBlock[];
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
  /** What brings the old state back. */
  readonly undo?: ReactNode;
}

/** What an action would do, before it is done: effects side by side, then what stops it, then what to know. */
export function PlanSummary({ blocks, blockers, warnings, undo }: PlanSummaryProps) {
  return (
    <div className={styles["plan"]}>
      <div className={styles["effects"]}>
        {blocks.map((block) => (
          <Card key={block.title} title={block.title}>
            {block.content}
          </Card>
        ))}
      </div>
      <div className={styles["notes"]}>
        {blockers.map((text) => (
          <Notice key={text} tone="danger">
            {text}
          </Notice>
        ))}
        {warnings.map((text) => (
          <Notice key={text} tone="warn">
            {text}
          </Notice>
        ))}
        {undo !== undefined && <Notice tone="info">{undo}</Notice>}
      </div>
    </div>
  );
}
