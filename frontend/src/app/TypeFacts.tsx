import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { tableTypeQuery, type TableType } from "../api/databaseObjects";
import type { TableRef } from "../api/tables";
import { useMessages } from "../i18n";
import { Answer } from "./Answer";
import { ScheduleFacts } from "./ScheduleFacts";
import { Badge } from "../ui/Badge";
import { Card } from "../ui/Card";
import { CopyableId } from "../ui/CopyableId";
import { KeyValue } from "../ui/KeyValue";

/** What only a table of its type has: where its files are, or what it is made by. */
export function TypeFacts({ tableRef: at }: { tableRef: TableRef }): ReactNode {
  const { typePage } = useMessages();
  const query = useQuery(tableTypeQuery(at.warehouse, at.database, at.table));
  if (query.data === undefined && query.error === null) return null;
  return (
    <Card title={typePage.facts}>
      <Answer query={query} part={typePage.facts}>
        {(data) => <Facts tableRef={at} type={data} />}
      </Answer>
    </Card>
  );
}

function Facts({ tableRef: at, type: data }: { tableRef: TableRef; type: TableType }): ReactNode {
  const { typePage } = useMessages();
  const made = data.materialized;
  const facts: ComponentProps<typeof KeyValue>["items"] = [
    data.format !== null && [typePage.format, data.format],
    data.location !== null && [typePage.location, <CopyableId key="location" value={data.location} />],
    data.refused !== null && [typePage.refused, typePage.otherFormats(data.type) ?? data.refused],
    made !== null && [
      typePage.query,
      <code key="query" style={{ whiteSpace: "pre-wrap" }}>
        {made.query}
      </code>,
    ],
    data.type === "object-table" && data.can_be_read && [typePage.listing, typePage.listingHow],
    made !== null && [
      typePage.freshness,
      <span key="freshness">
        {made.freshness}{" "}
        {made.is_stale === true && (
          <Badge tone="warn" glyph="!">
            {typePage.stale}
          </Badge>
        )}
      </span>,
    ],
    made !== null && [typePage.refreshMode, made.refresh_mode],
    made !== null && [typePage.refreshStatus, made.refresh_status],
    made !== null && made.unsupported.length > 0 && [typePage.unsupported, made.unsupported.join(", ")],
  ];
  return made === null ? <KeyValue items={facts} /> : <ScheduleFacts tableRef={at} facts={facts} />;
}
