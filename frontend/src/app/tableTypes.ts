/** Types whose tables are made of snapshots and manifests: all pages are about these. */
const WITH_SNAPSHOTS = new Set(["table", "materialized-table"]);
/** What there is to see of tables that have no snapshots. */
const WITHOUT = new Set(["overview", "schemas", "options", "jobs"]);
/** Types whose rows can be read besides. */
const READABLE = new Set(["format-table", "object-table"]);

export function hasSnapshots(type: string): boolean {
  return WITH_SNAPSHOTS.has(type);
}

/** Whether a tab makes sense for tables of this type. */
export function hasTab(type: string, tab: string): boolean {
  return hasSnapshots(type) || WITHOUT.has(tab) || (tab === "data" && READABLE.has(type));
}

/** Whether an action makes sense for tables of this type. */
export function hasAction(type: string, action: string): boolean {
  if (action === "refresh") return type === "materialized-table";
  return hasSnapshots(type) || (action === "write" && type === "format-table");
}
