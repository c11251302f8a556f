import type { ReactNode } from "react";
import { auditQuery, type AuditEvent } from "../../api/access";
import { JobLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { Page } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { CopyableId } from "../../ui/CopyableId";
import { Segments } from "../../ui/Field";
import { AuditDays } from "./AuditDays";

const OUTCOME_LOOKS = { ok: ["ok", "✓"], denied: ["warn", "⊘"], failed: ["danger", "✕"] } as const;

function detailText({ detail }: AuditEvent): string {
  return Object.keys(detail).length === 0 ? "" : JSON.stringify(detail);
}

const VIEWS = ["entries", "days"] as const;

/** Who did what, newest first; and the days of the log, whose chains are checked here. */
export function AuditPage(): ReactNode {
  const { audit, admin } = useMessages();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const current = VIEWS.find((known) => known === view) ?? "entries";
  return (
    <Page title={admin.audit}>
      <div>
        <Segments
          label={audit.view}
          value={current}
          options={VIEWS.map((id) => [id, audit.views[id]] as const)}
          onChange={(next) => setSearch({ view: next === "entries" ? undefined : next, sort: undefined })}
        />
      </div>
      {current === "days" ? <AuditDays /> : <AuditEntries />}
    </Page>
  );
}

function AuditEntries() {
  const { audit, admin, fields } = useMessages();
  const { sort } = usePageSearch();
  const [filters] = useFilters();
  const make = useColumnMakers();
  const columns = [
    make.time<AuditEvent>("at", fields.time, (e) => e.at, { width: 120, sortable: true }),
    make.text<AuditEvent>(
      "actor",
      audit.actor,
      (e) => (e.token === "" ? e.actor : `${e.actor} (${e.token})`),
      { sortable: true },
    ),
    make.text<AuditEvent>("action", audit.action, (e) => e.action, {
      width: 180,
      sortable: true,
      cell: (e) => <code title={e.action}>{audit.actions(e.action)}</code>,
    }),
    make.text<AuditEvent>("target", audit.target, (e) => e.target, { width: 220, grow: 2, sortable: true }),
    make.text<AuditEvent>("outcome", audit.outcome, (e) => e.outcome, {
      width: 100,
      sortable: true,
      cell: (e) => (
        <Badge tone={OUTCOME_LOOKS[e.outcome][0]} glyph={OUTCOME_LOOKS[e.outcome][1]}>
          {audit.outcomes[e.outcome]}
        </Badge>
      ),
    }),
    make.text<AuditEvent>("job_id", audit.job, (e) => e.job_id, {
      width: 120,
      cell: (e) => (e.job_id === "" ? "" : <JobLink job={e.job_id} />),
    }),
    make.text<AuditEvent>("address", audit.address, (e) => e.address, { width: 100, sortable: true }),
    make.text<AuditEvent>("detail", fields.detail, detailText, { width: 240, grow: 3 }),
    make.text<AuditEvent>("trace_id", audit.trace, (e) => e.trace_id, {
      cell: (e) => <CopyableId value={e.trace_id} most={14} />,
    }),
  ];
  return (
    <ListGrid
      label={admin.audit}
      query={auditQuery({ sort, ...toApiFilters(filters) })}
      columns={columns}
      rowKey={(e) => String(e.id)}
      filters={[
        { id: "actor", label: audit.actor },
        { id: "action", label: audit.action },
        { id: "target", label: audit.target },
        { id: "outcome", label: audit.outcome, options: Object.entries(audit.outcomes) },
      ]}
      empty={{ title: audit.none, detail: audit.noneDetail }}
      hidden={["trace_id"]}
    />
  );
}
