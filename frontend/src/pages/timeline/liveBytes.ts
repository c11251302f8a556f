interface Commit {
  readonly id: number;
  readonly ref: string;
  readonly bytes_added: number | null;
  readonly bytes_deleted: number | null;
}

/**
 * Bytes of live files at each snapshot, carried from the one where they are known over its neighbours.
 *
 * `newestFirst` are snapshots of one branch. It stops where an id is missing or a commit's bytes are not known: what
 * lies beyond is left out, not guessed.
 */
export function liveBytes(
  newestFirst: readonly Commit[],
  known: string | null,
  bytes: number | null,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const start = newestFirst.findIndex((commit) => commit.ref === known);
  const anchor = newestFirst[start];
  if (anchor === undefined || bytes === null) return found;
  found.set(anchor.ref, bytes);
  let [before, live] = [anchor, bytes];
  for (const commit of newestFirst.slice(0, start).toReversed()) {
    const change = netBytes(commit);
    if (commit.id !== before.id + 1 || change === null) break;
    live += change;
    found.set(commit.ref, live);
    before = commit;
  }
  [before, live] = [anchor, bytes];
  for (const commit of newestFirst.slice(start + 1)) {
    const change = netBytes(before);
    if (commit.id !== before.id - 1 || change === null) break;
    live -= change;
    found.set(commit.ref, live);
    before = commit;
  }
  return found;
}

function netBytes(commit: Commit): number | null {
  return commit.bytes_added === null || commit.bytes_deleted === null
    ? null
    : commit.bytes_added - commit.bytes_deleted;
}
