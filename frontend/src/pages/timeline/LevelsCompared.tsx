import type { ReactNode } from "react";
import type { Compare } from "../../api/tables";
import { LevelMark } from "../../app/cells";
import { useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { levelClass } from "../../viz/levelClass";
import styles from "./LevelsCompared.module.css";

/** The bytes of each level in the base and in the snapshot, as bars of one scale with their numbers. */
export function LevelsCompared({ levels }: { levels: Compare["levels"] }): ReactNode {
  const { fields, timeline } = useMessages();
  const most = Math.max(1, ...levels.flatMap((level) => [level.before.bytes, level.after.bytes]));
  if (levels.length === 0) return null;
  return (
    <table className={styles["levels"]}>
      <thead>
        <tr>
          <th>{fields.level}</th>
          <th>{timeline.levelBefore}</th>
          <th>{timeline.levelAfter}</th>
        </tr>
      </thead>
      <tbody>
        {levels.map(({ level, before, after }) => (
          <tr key={level}>
            <th scope="row">
              <LevelMark level={level} />
            </th>
            {[before, after].map((counts, at) => (
              <td key={at === 0 ? "before" : "after"}>
                <span className={styles["bar"]}>
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect className={levelClass(level)} width={(counts.bytes / most) * 100} height="8" />
                  </svg>
                  <Bytes value={counts.bytes} />
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
