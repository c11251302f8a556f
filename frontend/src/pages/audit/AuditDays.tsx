import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { auditDayQuery, auditDaysQuery, type AuditDay } from "../../api/access";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { CopyableId } from "../../ui/CopyableId";

/** The days of the audit log, newest first, each with a check of its chain. */
export function AuditDays(): ReactNode {
  const { audit } = useMessages();
  const { sort } = usePageSearch();
  const make = useColumnMakers();
  const columns = [
    make.text<AuditDay>("day", audit.day, (d) => d.day, { sortable: true }),
    make.count<AuditDay>("entries", audit.entries, (d) => d.entries, { sortable: true }),
    make.text<AuditDay>("head", audit.head, (d) => d.head, {
      width: 220,
      grow: 2,
      cell: (d) => <CopyableId value={d.head} most={24} />,
    }),
    make.count<AuditDay>("forwarded", audit.forwarded, (d) => d.forwarded, { width: 120 }),
    make.text<AuditDay>("chain", audit.chain, () => "", {
      width: 200,
      cell: (d) => <DayCheck day={d.day} />,
    }),
  ];
  return (
    <ListGrid
      label={audit.views.days}
      query={auditDaysQuery({ sort })}
      columns={columns}
      rowKey={(d) => d.day}
      empty={{ title: audit.none, detail: audit.noneDetail }}
      note={audit.chainDetail}
    />
  );
}

const LOOKS = { whole: ["ok", "✓"], broken: ["danger", "✕"], expired: ["neutral", "○"] } as const;

function DayCheck({ day }: { day: string }) {
  const { audit } = useMessages();
  const format = useFormat();
  const check = useQuery(auditDayQuery(day));
  const found = check.data;
  if (found === undefined || check.isFetching) {
    return (
      <>
        <Button look="quiet" disabled={check.isFetching} onClick={() => void check.refetch()}>
          {check.isFetching ? audit.checking : audit.check}
        </Button>
        {check.error !== null && <Badge tone="danger">{audit.outcomes.failed}</Badge>}
      </>
    );
  }
  const [tone, glyph] = LOOKS[found.state];
  return (
    <Badge tone={tone} glyph={glyph}>
      {found.state === "broken" ? audit.brokenAt(format.count(found.broken_at ?? 0)) : audit[found.state]}
    </Badge>
  );
}
