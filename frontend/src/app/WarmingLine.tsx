import { useSyncExternalStore, type ReactNode } from "react";
import { onWarming, warming } from "../api/warming";
import { useFormat, useMessages } from "../i18n";
import { Progress } from "../ui/Progress";
import styles from "./Shell.module.css";

/** Says that the server is still at work for this page, and how far it has come; nothing while nothing waits. */
export function WarmingLine(): ReactNode {
  const { states } = useMessages();
  const format = useFormat();
  const waiting = [...useSyncExternalStore(onWarming, warming).values()];
  if (waiting.length === 0) return null;
  const known = waiting.flatMap((progress) =>
    progress?.total && progress.unit === "manifests" ? [progress] : [],
  );
  const done = known.reduce((sum, { done: some }) => sum + some, 0);
  const total = known.reduce((sum, { total: all }) => sum + (all ?? 0), 0);
  return (
    <div className={styles["warming"]} role="status">
      {total === 0 ? (
        states.warming
      ) : (
        <>
          {states.warmingBy(format.count(done), format.count(total))}
          <Progress label={states.warming} share={done / total} />
        </>
      )}
    </div>
  );
}
