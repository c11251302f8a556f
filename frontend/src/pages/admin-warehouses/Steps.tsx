import type { ReactNode } from "react";
import type { Check } from "../../api/warehouses";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import styles from "./AdminWarehouses.module.css";

/** How a test of a connection went, step by step; what a server said of a failure stands below it. */
export function Steps({ check }: { check: Check }): ReactNode {
  const { adminWarehouses } = useMessages();
  const format = useFormat();
  return (
    <ol className={styles["steps"]} aria-label={adminWarehouses.resultSteps}>
      {check.steps.map((step) => (
        <li key={step.name}>
          <Badge
            tone={!step.ok ? "danger" : step.is_odd ? "warn" : "ok"}
            glyph={!step.ok ? "✕" : step.is_odd ? "!" : "✓"}
          >
            {adminWarehouses.steps[step.name]}
          </Badge>
          <span>{step.detail}</span>
          {!step.ok && <code className={styles["code"]}>{step.code}</code>}
          <span className="muted">{format.duration(step.millis)}</span>
          {step.cause !== null && !step.detail.includes(step.cause) && (
            <span className={styles["cause"]}>{step.cause}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
