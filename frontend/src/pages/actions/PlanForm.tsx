import type { ReactNode } from "react";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import styles from "./Actions.module.css";

interface PlanFormProps {
  readonly disabled: boolean;
  readonly onSubmit: () => void;
  readonly children?: ReactNode;
}

/** Fields, and the button that computes a plan from them. */
export function PlanForm({ disabled, onSubmit, children }: PlanFormProps) {
  const { actionPage } = useMessages();
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <div>
        <Button type="submit" look="primary" disabled={disabled}>
          {actionPage.computePlan}
        </Button>
      </div>
    </form>
  );
}

/** What stands on the lines of a text, without blank ones. */
export function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
