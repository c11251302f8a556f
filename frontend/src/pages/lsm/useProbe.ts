import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { probeQuery, type KeyProbe, type Lsm } from "../../api/tables";
import { useOpenTable } from "../../app/table";
import { useFilters } from "../../app/useSearch";

/** The text of each column of a key. */
export type KeyText = Readonly<Record<string, string>>;

/** The key of the address, `f.<column>` a column, and which files of the bucket a reader of it would open. */
export function useProbe(lsm: Lsm): {
  readonly asked: KeyText | null;
  readonly probe: UseQueryResult<KeyProbe>;
} {
  const { ref, pin } = useOpenTable();
  const [filters] = useFilters();
  const asked = keyOf(lsm.key_columns, filters);
  const probe = useQuery({
    ...probeQuery(ref, lsm.partition, lsm.bucket, {
      key: asked ?? {},
      at: lsm.as_of,
      branch: pin.branch ?? "main",
    }),
    enabled: asked !== null && !lsm.redacted,
  });
  return { asked, probe };
}

/** The key if the address has all of its columns. */
export function keyOf(columns: readonly string[], filters: KeyText): KeyText | null {
  const key = columns.flatMap((column) => {
    const text = filters[column];
    return text === undefined ? [] : [[column, text] as const];
  });
  return key.length === columns.length ? Object.fromEntries(key) : null;
}
