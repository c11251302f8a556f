import type { Reach } from "../api/tables";
import { useFormat, useMessages } from "../i18n";

/** What leads to a file as one text: `5 snapshots #3–#7, tag v1 · dev: snapshot #2`. */
export function useReachText(): (reached: readonly Reach[]) => string {
  const { reach } = useMessages();
  const format = useFormat();
  return (reached) => {
    if (reached.length === 0) return reach.nothing;
    return reached
      .map((from) => {
        const parts = [
          from.first !== null &&
            from.last !== null &&
            reach.snapshots(format.count(from.snapshots), from.first, from.last),
          from.tags.length > 0 && reach.tags(from.tags),
          from.changelogs > 0 && reach.changelogs(format.count(from.changelogs)),
        ].filter((part) => part !== false);
        return from.branch === "main" ? parts.join(", ") : `${from.branch}: ${parts.join(", ")}`;
      })
      .join(" · ");
  };
}
