import { Link } from "@tanstack/react-router";
import type { Job, JobState } from "../api/jobs";
import type { Snapshot } from "../api/tables";
import type { Warehouse } from "../api/warehouses";
import { useFormat, useMessages } from "../i18n";
import { Badge, type Tone } from "../ui/Badge";
import { Bytes } from "../ui/Bytes";
import { Timestamp, useNow } from "../ui/Timestamp";
import { levelClass } from "../viz/levelClass";
import { pinOf } from "./search";
import { useTableRef } from "./table";
import { usePageSearch } from "./useSearch";

const KIND_LOOKS: Record<Snapshot["kind"], readonly [Tone, string]> = {
  append: ["ok", "●"],
  compact: ["info", "◆"],
  overwrite: ["overwrite", "■"],
  analyze: ["analyze", "▲"],
  unknown: ["neutral", "○"],
};

/** The kind of a commit, as glyph, colour and word. */
export function KindBadge({ kind }: { kind: Snapshot["kind"] }) {
  const { kinds } = useMessages();
  const [tone, glyph] = KIND_LOOKS[kind];
  return (
    <Badge tone={tone} glyph={glyph}>
      {kinds[kind]}
    </Badge>
  );
}

const STATE_LOOKS: Record<JobState, readonly [Tone, string]> = {
  queued: ["neutral", "○"],
  starting: ["info", "◔"],
  running: ["info", "◑"],
  verifying: ["info", "◕"],
  cancelling: ["warn", "◌"],
  lost: ["warn", "?"],
  succeeded: ["ok", "✓"],
  failed: ["danger", "✕"],
  failed_committed: ["danger", "✕"],
  cancelled: ["neutral", "⊘"],
  cancelled_committed: ["warn", "⊘"],
};

export function JobStateBadge({ state }: { state: JobState }) {
  const { jobStates } = useMessages();
  const [tone, glyph] = STATE_LOOKS[state];
  return (
    <Badge tone={tone} glyph={glyph}>
      {jobStates[state]}
    </Badge>
  );
}

const MOST_MILLIS = 8.64e15; // no calendar reaches further

/** A watermark as the time that it is; one that is none, such as the least number there is, as a number. */
export function Watermark({ value }: { value: string }) {
  const millis = Number(value);
  if (Math.abs(millis) > MOST_MILLIS) return <code>{value}</code>;
  return <Timestamp value={new Date(millis).toISOString()} exact />;
}

/** `L3` with the colour that the level has in every picture. */
export function LevelMark({ level }: { level: number }) {
  return (
    <span>
      <svg width="9" height="9" aria-hidden="true">
        <rect className={levelClass(level)} width="9" height="9" rx="2" />
      </svg>{" "}
      L{level}
    </span>
  );
}

/** `#42`, leading to the snapshot by its identity. */
export function SnapshotLink({ id, identity }: { id: number; identity: string }) {
  const { warehouse, database, table } = useTableRef();
  const search = usePageSearch();
  return (
    <Link
      to="/w/$wh/$db/$table/snapshots/$snapshot"
      params={{ wh: warehouse, db: database, table, snapshot: identity }}
      search={pinOf(search)}
    >
      #{id}
    </Link>
  );
}

const WAREHOUSE_LOOKS: Record<Warehouse["state"], readonly [Tone, string]> = {
  up: ["ok", "●"],
  down: ["danger", "✕"],
  unknown: ["neutral", "○"],
};

export function WarehouseStateBadge({ state }: { state: Warehouse["state"] }) {
  const { warehouseStates } = useMessages();
  const [tone, glyph] = WAREHOUSE_LOOKS[state];
  return (
    <Badge tone={tone} glyph={glyph}>
      {warehouseStates[state]}
    </Badge>
  );
}

/** `16 tables · 50.4 KiB`, once anybody has counted. */
export function WarehouseSize({ warehouse }: { warehouse: Warehouse }) {
  const { fields } = useMessages();
  const format = useFormat();
  if (warehouse.state === "unknown") return null;
  return (
    <span>
      {fields.tableCount(warehouse.tables === null ? "–" : format.count(warehouse.tables))} ·{" "}
      <Bytes value={warehouse.bytes} />
      {warehouse.growth_bytes !== null && (
        <>
          {" · "}
          <Growth warehouse={warehouse} />
        </>
      )}
    </span>
  );
}

const DAY_MILLIS = 86_400_000;

/** By how much it has grown in a week, or since the day that it was first measured. */
export function Growth({ warehouse }: { warehouse: Warehouse }) {
  const { home } = useMessages();
  const format = useFormat();
  const now = useNow(3_600_000);
  const { growth_bytes: bytes, growth_since: since } = warehouse;
  if (bytes === null || since === null) return <span className="muted">–</span>;
  const days = Math.max(1, Math.floor((now - Date.parse(since)) / DAY_MILLIS));
  // a day of UTC, as they are counted; no zone shifts it
  return (
    <span title={home.growthHow(since.slice(0, 10))}>{home.growth(format.signedBytes(bytes), days)}</span>
  );
}

export function JobLink({ job }: { job: string }) {
  return (
    <Link to="/jobs/$job" params={{ job }}>
      {job}
    </Link>
  );
}

/** `sales.orders`, leading to the overview. */
export function TableLink({
  at,
  full = false,
}: {
  at: { warehouse: string; database: string; name: string; type?: string | null };
  full?: boolean;
}) {
  return (
    <Link
      to={at.type === "view" ? "/w/$wh/$db/$table/view" : "/w/$wh/$db/$table/overview"}
      params={{ wh: at.warehouse, db: at.database, table: at.name }}
    >
      {full ? `${at.database}.${at.name}` : at.name}
    </Link>
  );
}

/** What kind of thing a row of a list is, where it is not simply a table. */
export function TypeBadge({ type }: { type: string | null | undefined }) {
  const { tableTypes } = useMessages();
  if (type === null || type === undefined || type === "table") return null;
  return (
    <Badge tone={type === "view" ? "info" : "neutral"} glyph={type === "view" ? "◇" : "□"}>
      {tableTypes(type)}
    </Badge>
  );
}

/** The table of a job; a job on a whole warehouse leads there. */
export function JobTableLink({ job }: { job: Job }) {
  if (job.table === "") {
    return (
      <Link to="/w/$wh" params={{ wh: job.warehouse }}>
        {job.warehouse}
      </Link>
    );
  }
  if (job.kind === "view") {
    return (
      <Link to="/w/$wh/$db/$table/view" params={{ wh: job.warehouse, db: job.database, table: job.table }}>
        {`${job.warehouse}.${job.database}.${job.table}`}
      </Link>
    );
  }
  return <TableLink at={{ warehouse: job.warehouse, database: job.database, name: job.table }} full />;
}

/** A bucket of a partition, leading to its level diagram. */
export function BucketLink({ partition, bucket }: { partition: string; bucket: number }) {
  const { warehouse, database, table } = useTableRef();
  const search = usePageSearch();
  return (
    <Link
      to="/w/$wh/$db/$table/lsm/$partition/$bucket"
      params={{ wh: warehouse, db: database, table, partition, bucket: String(bucket) }}
      search={pinOf(search)}
    >
      {bucket}
    </Link>
  );
}
