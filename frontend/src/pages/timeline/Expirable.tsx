import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Retention } from "../../api/tables";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Notice } from "../../ui/States";

/** How many snapshots the rules of the table let go now, by which rules, and the way to the plan. */
export function Expirable({ retention }: { retention: Retention }): ReactNode {
  const { timeline } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  if (retention.problem !== null)
    return <Notice tone="warn">{timeline.noRetention(retention.problem)}</Notice>;
  const { first_kept: first, expirable } = retention;
  if (first === null) return null;
  const rules = timeline.retentionRules(
    format.count(retention.retain_min ?? 0),
    // the default is the greatest number there is, which nobody means as a number
    (retention.retain_max ?? 0) >= 2 ** 31 - 1 ? null : format.count(retention.retain_max ?? 0),
    format.duration(retention.retain_millis ?? 0),
  );
  return (
    <p className="muted">
      {expirable === 0 || expirable === null
        ? timeline.nothingExpirable
        : timeline.expirable(format.count(expirable), first)}{" "}
      {rules}
      {retention.held_by.length > 0 && ` ${timeline.heldBy(retention.held_by.join(", "))}`}
      {expirable !== null && expirable > 0 && (
        <>
          {" "}
          <Link
            to="/w/$wh/$db/$table/actions/$kind"
            params={{ wh: ref.warehouse, db: ref.database, table: ref.table, kind: "expire" }}
            search={{ branch: pin.branch }}
          >
            {timeline.planExpire}
          </Link>
        </>
      )}
    </p>
  );
}
