import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { entriesQuery, manifestReachQuery, manifestsQuery, type ManifestTree } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { usePart } from "../../app/Parts";
import { SnapshotTabs } from "../../app/SnapshotTabs";
import { tableName, useOpenTable } from "../../app/table";
import { usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Segments } from "../../ui/Field";
import { Empty, Notice } from "../../ui/States";
import { TreeGrid } from "../../ui/TreeGrid";
import { isMissing, useTreeColumns, type Node } from "./manifestColumns";

const SNAPSHOT = "snapshot";

/** What a reader of the snapshot walks through: lists, manifests, entries. */
export function ManifestsPage(): ReactNode {
  const { snapshotPage, manifests } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const answer = useQuery(manifestsQuery(ref, snapshot, pin.branch));
  const effective = view === "effective";
  return (
    <TablePage title={`${tableName(ref)} · #${snapshot.split("~")[0] ?? ""} · ${snapshotPage.manifests}`}>
      <SnapshotTabs />
      <Answer query={answer}>
        {(tree) => (
          <>
            <div>
              <Segments
                label={manifests.entries}
                value={effective ? "effective" : "raw"}
                options={[
                  ["raw", manifests.raw],
                  ["effective", manifests.effective],
                ]}
                onChange={(next) => setSearch({ view: next === "raw" ? undefined : next })}
              />
            </div>
            <Tree tree={tree} effective={effective} />
          </>
        )}
      </Answer>
    </TablePage>
  );
}

function Tree({ tree, effective }: { tree: ManifestTree; effective: boolean }) {
  const { manifests, snapshotPage, grid } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const { lists, target_bytes: target } = tree;
  const reaching = useQuery(manifestReachQuery(ref, tree.snapshot, pin.branch));
  usePart(manifests.reachedFrom, reaching);
  const reach = reaching.data;
  const reached = useMemo(
    () => reach && new Map(reach.items.map((item) => [item.name, item.reached_from])),
    [reach],
  );
  const all = lists.flatMap((list) => list.manifests);
  const columns = useTreeColumns(
    reached,
    all.some((manifest) => manifest.min_row_id !== null),
  );
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set([SNAPSHOT, ...lists.map((list) => list.kind)]),
  );
  const opened = useMemo(() => {
    const found = lists.flatMap((list) =>
      list.manifests.map((manifest) => ({
        id: `${list.kind}/${manifest.name}`,
        name: manifest.name,
        // what a changelog holds is for streams: nothing cancels it
        liveAt: effective && list.kind !== "changelog" ? tree.snapshot : undefined,
      })),
    );
    return found.filter(({ id }) => expanded.has(id));
  }, [lists, expanded, effective, tree.snapshot]);
  const answers = useQueries({
    queries: opened.map(({ name, liveAt }) => entriesQuery(ref, name, pin.branch, liveAt)),
  });
  const total = all.reduce((sum, manifest) => sum + manifest.bytes, 0);
  const entriesOf = (id: string): readonly Node[] => {
    const answer = answers[opened.findIndex((other) => other.id === id)];
    if (answer?.error) return [{ kind: "note", id: `${id}/error`, text: answer.error.message }];
    if (answer?.data === undefined) return [{ kind: "note", id: `${id}/wait`, text: manifests.reading }];
    const { items, next } = answer.data;
    if (items.length === 0) return [{ kind: "note", id: `${id}/none`, text: manifests.allCancelled }];
    const entries = items.map((entry): Node => ({
      kind: "entry",
      id: `${id}/${entry.change}/${entry.partition}/${entry.bucket}/${entry.level}/${entry.file}`,
      entry,
    }));
    const more = grid.loadedMore(format.count(entries.length));
    return next === null ? entries : [...entries, { kind: "note", id: `${id}/more`, text: more }];
  };
  const childrenOf = (node: Node): readonly Node[] | undefined => {
    if (node.kind === "snapshot") return lists.map((list) => ({ kind: "list", id: list.kind, list }));
    if (node.kind === "manifest") return entriesOf(node.id);
    if (node.kind !== "list") return undefined;
    const { list } = node;
    return [
      ...list.manifests.map((manifest): Node => ({
        kind: "manifest",
        id: `${list.kind}/${manifest.name}`,
        manifest,
        share: total === 0 ? 0 : manifest.bytes / total,
        isSmall: target !== null && manifest.bytes < target,
        isMostlyDeletions: (manifest.deleted ?? 0) > (manifest.added ?? 0),
      })),
      ...list.index_files.map((file): Node => ({ kind: "index", id: `${list.kind}/${file.name}`, file })),
    ];
  };
  if (lists.length === 0) return <Empty title={manifests.none} />;
  const small = target === null ? 0 : all.filter((manifest) => manifest.bytes < target).length;
  return (
    <>
      {lists.map(
        (list) =>
          list.problem !== null && (
            <Notice key={list.kind} tone="danger">
              <strong>{snapshotPage.lists[list.kind]}</strong> {list.name}: {list.problem}
            </Notice>
          ),
      )}
      {reach !== undefined && reach.unreadable > 0 && (
        <Notice tone="warn">{manifests.reachUnreadable(format.count(reach.unreadable))}</Notice>
      )}
      {target !== null && (
        <p className="muted">
          {manifests.smallOf(format.count(small), format.count(all.length), format.bytes(target))}
        </p>
      )}
      <TreeGrid
        label={snapshotPage.manifests}
        roots={[
          {
            kind: SNAPSHOT,
            id: SNAPSHOT,
            name: tree.snapshot.split("~")[0] ?? "",
            manifests: all.length,
            bytes: total,
          },
        ]}
        shape={{
          idOf: (node) => node.id,
          expandable: (node) =>
            node.kind === "snapshot" ||
            node.kind === "list" ||
            (node.kind === "manifest" && !node.manifest.missing),
          childrenOf,
        }}
        expanded={expanded}
        onToggle={(id) =>
          setExpanded((before) => (before.has(id) ? without(before, id) : new Set([...before, id])))
        }
        columns={columns}
        tone={(node) => (isMissing(node) ? "danger" : undefined)}
        height="70vh"
      />
    </>
  );
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((other) => other !== id));
}
