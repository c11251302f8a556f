import { useInfiniteQuery } from "@tanstack/react-query";
import { branchesQuery, snapshotsQuery, tagsQuery } from "../../api/tables";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";

export type Choice = readonly [value: string, label: string];

/** What an action can be about: the tags, branches and snapshots of the open table, as choices of a select. */
export function useTargets() {
  const { kinds } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const { data: commits } = useInfiniteQuery(snapshotsQuery(ref, pin.branch, { limit: 1000 }));
  const { data: tagged } = useInfiniteQuery(tagsQuery(ref, pin.branch));
  const { data: branched } = useInfiniteQuery(branchesQuery(ref));
  const snapshots = commits?.pages.flatMap((page) => page.items) ?? [];
  const tags = tagged?.pages.flatMap((page) => page.items) ?? [];
  const branches = (branched?.pages.flatMap((page) => page.items) ?? []).filter((b) => b.name !== "main");
  return {
    snapshots,
    branchNames: branches.map((branch) => branch.name),
    tagNames: tags.map((tag) => tag.name),
    /** As `tag:name`. */
    tagChoices: tags.flatMap((tag): Choice[] =>
      tag.snapshot_id === null ? [] : [[`tag:${tag.name}`, `⚑ ${tag.name} (#${tag.snapshot_id})`]],
    ),
    /** As `branch:name`. */
    branchChoices: branches.flatMap((branch): Choice[] =>
      branch.latest === null
        ? []
        : [[`branch:${branch.name}`, `↳ ${branch.name} (#${branch.latest.split("~")[0] ?? ""})`]],
    ),
    /** As `id~identity`, newest first. */
    snapshotChoices: snapshots.map((snapshot): Choice => [
      snapshot.ref,
      `#${snapshot.id} · ${kinds[snapshot.kind]} · ${format.time(snapshot.committed_at ?? "–")}`,
    ]),
    /** The identity of what an address names by its bare id. */
    inFull: (to: string) =>
      snapshots.find((snapshot) => snapshot.ref === to || String(snapshot.id) === to)?.ref ?? to,
    latest: snapshots.find((snapshot) => snapshot.is_latest)?.ref,
  };
}

/** `tag:v2`, `branch:dev` or a snapshot as the API takes it. */
export function targetOf(chosen: string): { tag: string } | { branch: string } | { snapshot: string } {
  if (chosen.startsWith("tag:")) return { tag: chosen.slice("tag:".length) };
  if (chosen.startsWith("branch:")) return { branch: chosen.slice("branch:".length) };
  return { snapshot: chosen };
}
