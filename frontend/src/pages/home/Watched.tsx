import type { ReactNode } from "react";
import { TableLink } from "../../app/cells";
import { DayOfCommits } from "../../app/tableColumns";
import { useWatches } from "../../app/Watching";
import { useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import { Count } from "../../ui/Count";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./HomePage.module.css";

/** The tables that the person watches, the latest commit first; nothing where none is. */
export function Watched(): ReactNode {
  const { watching, fields, tablesPage } = useMessages();
  const watches = useWatches() ?? [];
  if (watches.length === 0) return null;
  const at = (time: string | null | undefined) => Date.parse(time ?? "") || 0;
  const rows = watches.toSorted((a, b) => at(b.table?.last_commit_at) - at(a.table?.last_commit_at));
  return (
    <Card title={watching.title} flush>
      <div className={styles["scroll"]}>
        <table className={styles["tables"]}>
          <thead>
            <tr>
              <th>{fields.table}</th>
              <th>{fields.warehouse}</th>
              <th>{fields.lastCommit}</th>
              <th className="number">{watching.rowsDelta}</th>
              <th>{tablesPage.commits24h}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, table, ...named }) => (
              <tr key={id}>
                <td>
                  <TableLink at={table ?? { ...named, type: null }} full />
                </td>
                <td>{named.warehouse}</td>
                {table === null ? (
                  <td colSpan={3} className="muted">
                    {watching.unknown}
                  </td>
                ) : (
                  <>
                    <td>
                      <Timestamp value={table.last_commit_at} />
                    </td>
                    <td className="number">
                      <Count value={table.rows_delta} signed />
                    </td>
                    <td>
                      <DayOfCommits counts={table.commits_24h} />
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
