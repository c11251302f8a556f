import styles from "./JsonView.module.css";

/** A JSON value as indented text, selectable and copyable as it is. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  return (
    <pre className={styles["json"]} tabIndex={0} aria-label={label} role="region">
      {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
