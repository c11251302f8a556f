import styles from "./Progress.module.css";

/** A bar of `share` (0 to 1); null while the end is not known. */
export function Progress({ label, share }: { label: string; share: number | null }) {
  const percent = share === null ? null : Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== null && { "aria-valuenow": percent })}
      className={styles["track"]}
    >
      <div
        className={`${styles["fill"] ?? ""} ${percent === null ? (styles["unknown"] ?? "") : ""}`}
        {...(percent !== null && { style: { width: `${percent}%` } })}
      />
    </div>
  );
}
