import type { Snapshot } from "../../api/tables";

/** The ends of `12-40`, ids of snapshots. */
export function idsOf(text: string | undefined): readonly [number, number] | null {
  const found = /^(\d+)-(\d+)$/.exec(text ?? "");
  return found ? [Number(found[1]), Number(found[2])] : null;
}

/** Whether a commit passes the filters; what is no time is taken as not given. */
export function matches(snapshot: Snapshot, filters: Record<string, string>): boolean {
  const { kind, user, schema, operation, after, before } = filters;
  const at = Date.parse(snapshot.committed_at ?? "");
  return (
    (operation === undefined || (snapshot.operation ?? "").toLowerCase().includes(operation.toLowerCase())) &&
    !(at < Date.parse(after ?? "")) &&
    !(at >= Date.parse(before ?? "")) &&
    (kind === undefined || snapshot.kind === kind) &&
    (user === undefined || snapshot.commit_user.includes(user)) &&
    (schema === undefined || String(snapshot.schema_id) === schema)
  );
}

/** Bytes added less bytes deleted; null where either is not known. */
export function deltaBytes(snapshot: Snapshot): number | null {
  const { bytes_added: added, bytes_deleted: deleted } = snapshot;
  return added === null || deleted === null ? null : added - deleted;
}

const SORTED_BY: Readonly<Record<string, (snapshot: Snapshot) => number | string | null>> = {
  id: (s) => s.id,
  committed_at: (s) => s.committed_at,
  kind: (s) => s.kind,
  delta_rows: (s) => s.delta_rows,
  files_added: (s) => s.files_added,
  files_deleted: (s) => s.files_deleted,
  delta_bytes: deltaBytes,
  bytes_added: (s) => s.bytes_added,
  partitions: (s) => s.partitions,
  total_rows: (s) => s.total_rows,
  schema_id: (s) => s.schema_id,
};

/** The commits in the order that `-field` or `field` names; what is not known comes last, equals stay as they are. */
export function sortCommits(snapshots: readonly Snapshot[], sort: string | undefined): readonly Snapshot[] {
  const value = SORTED_BY[sort?.replace("-", "") ?? ""];
  if (value === undefined) return snapshots;
  const down = sort?.startsWith("-") === true ? -1 : 1;
  return snapshots.toSorted((left, right) => {
    const [a, b] = [value(left), value(right)];
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    return (a < b ? -1 : 1) * down;
  });
}
