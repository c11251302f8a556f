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
