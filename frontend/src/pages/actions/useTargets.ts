import { useInfiniteQuery } from "@tanstack/react-query";
import { branchesQuery, snapshotsQuery, tagsQuery } from "../../api/tables";
import { usePart } from "../../app/Parts";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";

export type Choice = readonly [value: string, label: string];

/** What an action can be about: the tags, branches and snapshots of the open table, as choices of a select. */
export function useTargets() {
  const { kinds, actionPage } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const commits = useInfiniteQuery(snapshotsQuery(ref, pin.branch, { limit: 1000 }));
  const tagged = useInfiniteQuery(tagsQuery(ref, pin.branch));
  const branched = useInfiniteQuery(branchesQuery(ref));
  // A list that is empty because it could not be read is named in the page's banner, with why, and asked for again.
  usePart(actionPage.lists.snapshots, commits);
  usePart(actionPage.lists.tags, tagged);
  usePart(actionPage.lists.branches, branched);
  const snapshots = commits.data?.pages.flatMap((page) => page.items) ?? [];
  const tags = tagged.data?.pages.flatMap((page) => page.items) ?? [];
  const branches = (branched.data?.pages.flatMap((page) => page.items) ?? []).filter(
    (b) => b.name !== "main",
  );
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

/** Whether a target is chosen, and of a time or watermark said which. */
export function isTarget(chosen: string): boolean {
  return chosen !== "" && !/^(time|watermark):\s*$/.test(chosen);
}

type Target =
  { tag: string } | { branch: string } | { snapshot: string } | { time: string } | { watermark: string };

/** `tag:v2`, `branch:dev`, `time:…`, `watermark:…` or a snapshot as the API takes it. */
export function targetOf(chosen: string): Target {
  if (chosen.startsWith("time:")) return { time: chosen.slice("time:".length).trim() };
  if (chosen.startsWith("watermark:")) return { watermark: chosen.slice("watermark:".length).trim() };
  if (chosen.startsWith("tag:")) return { tag: chosen.slice("tag:".length) };
  if (chosen.startsWith("branch:")) return { branch: chosen.slice("branch:".length) };
  return { snapshot: chosen };
}
