import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import {
  entriesQuery,
  manifestsQuery,
  type FileChange,
  type IndexFile,
  type Manifest,
  type ManifestList,
} from "../../api/tables";
import { Answer } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { SnapshotTabs } from "../../app/SnapshotTabs";
import { tableName, useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Bytes } from "../../ui/Bytes";
import { CopyableId } from "../../ui/CopyableId";
import type { GridColumn } from "../../ui/gridColumns";
import { Empty, Notice } from "../../ui/States";
import { TreeGrid } from "../../ui/TreeGrid";
import { usePageParams } from "../../app/useSearch";
import styles from "./ManifestsPage.module.css";

type Node =
  | { readonly kind: "list"; readonly id: string; readonly list: ManifestList }
  | { readonly kind: "manifest"; readonly id: string; readonly manifest: Manifest; readonly share: number }
  | { readonly kind: "index"; readonly id: string; readonly file: IndexFile }
  | { readonly kind: "entry"; readonly id: string; readonly entry: FileChange }
  | { readonly kind: "note"; readonly id: string; readonly text: string };

/** What a reader of the snapshot walks through: lists, manifests, entries. */
export function ManifestsPage(): ReactNode {
  const { snapshotPage } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(manifestsQuery(ref, snapshot, pin.branch));
  return (
    <TablePage title={`${tableName(ref)} · #${snapshot.split("~")[0] ?? ""} · ${snapshotPage.manifests}`}>
      <SnapshotTabs />
      <Answer query={answer}>{({ lists }) => <Tree lists={lists} />}</Answer>
    </TablePage>
  );
}

function Tree({ lists }: { lists: readonly ManifestList[] }) {
  const { manifests, snapshotPage, grid } = useMessages();
  const format = useFormat();
  const { ref, pin } = useOpenTable();
  const columns = useTreeColumns();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set(lists.map((list) => list.kind)),
  );
  const opened = useMemo(() => {
    const names = lists.flatMap((list) =>
      list.manifests.map((manifest) => [`${list.kind}/${manifest.name}`, manifest.name] as const),
    );
    return names.filter(([id]) => expanded.has(id));
  }, [lists, expanded]);
  const answers = useQueries({ queries: opened.map(([, name]) => entriesQuery(ref, name, pin.branch)) });
  const most = Math.max(1, ...lists.flatMap((list) => list.manifests.map((manifest) => manifest.bytes)));
  const entriesOf = (id: string): readonly Node[] => {
    const answer = answers[opened.findIndex(([other]) => other === id)];
    if (answer?.error) return [{ kind: "note", id: `${id}/error`, text: answer.error.message }];
    if (answer?.data === undefined) return [{ kind: "note", id: `${id}/wait`, text: manifests.reading }];
    const entries = answer.data.items.map((entry): Node => ({
      kind: "entry",
      id: `${id}/${entry.change}/${entry.partition}/${entry.bucket}/${entry.file}`,
      entry,
    }));
    const more = answer.data.next !== null;
    return more
      ? [...entries, { kind: "note", id: `${id}/more`, text: grid.loadedMore(format.count(entries.length)) }]
      : entries;
  };
  const childrenOf = (node: Node): readonly Node[] | undefined => {
    if (node.kind === "manifest") return entriesOf(node.id);
    if (node.kind !== "list") return undefined;
    const { list } = node;
    return [
      ...list.manifests.map((manifest): Node => ({
        kind: "manifest",
        id: `${list.kind}/${manifest.name}`,
        manifest,
        share: manifest.bytes / most,
      })),
      ...list.index_files.map((file): Node => ({ kind: "index", id: `${list.kind}/${file.name}`, file })),
    ];
  };
  const roots = lists.map((list): Node => ({ kind: "list", id: list.kind, list }));
  if (roots.length === 0) return <Empty title={manifests.none} />;
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
      <TreeGrid
        label={snapshotPage.manifests}
        roots={roots}
        shape={{
          idOf: (node) => node.id,
          expandable: (node) => node.kind === "list" || (node.kind === "manifest" && !node.manifest.missing),
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

function isMissing(node: Node): boolean {
  if (node.kind === "list") return node.list.missing || node.list.problem !== null;
  return node.kind === "manifest" && node.manifest.missing;
}

function useTreeColumns(): GridColumn<Node>[] {
  const { fields } = useMessages();
  const format = useFormat();
  const { isPartitioned } = useOpenTable();
  const column = (
    id: string,
    header: string,
    width: number,
    value: (node: Node) => string | null,
    align: "start" | "end" = "start",
  ): GridColumn<Node> => ({
    id,
    header,
    width,
    align,
    cell: (node) => value(node) ?? "",
    text: (node) => value(node) ?? "",
  });
  const number = (value: number | null | undefined) =>
    value === null || value === undefined ? null : format.count(value);
  return [
    {
      id: "name",
      header: fields.name,
      width: 380,
      grow: 3,
      cell: (node) => <Name node={node} />,
      text: (node) => node.id,
    },
    { id: "size", header: fields.size, width: 150, align: "end", cell: (node) => <Size node={node} /> },
    column(
      "added",
      fields.added,
      80,
      (node) => (node.kind === "manifest" ? number(node.manifest.added) : null),
      "end",
    ),
    column(
      "deleted",
      fields.deleted,
      80,
      (node) => (node.kind === "manifest" ? number(node.manifest.deleted) : null),
      "end",
    ),
    ...(isPartitioned ? [column("partition", fields.partition, 200, partitionsOf)] : []),
    column("bucket", fields.bucket, 80, bucketsOf),
    column("level", fields.level, 80, levelsOf),
    column("rows", fields.rows, 90, rowsText(number), "end"),
    column(
      "schema",
      fields.schema,
      80,
      (node) => (node.kind === "manifest" ? number(node.manifest.schema_id) : null),
      "end",
    ),
  ];
}

function rowsText(number: (value: number) => string | null): (node: Node) => string | null {
  return (node) => {
    if (node.kind === "entry") return number(node.entry.rows);
    return node.kind === "index" ? number(node.file.rows) : null;
  };
}

function span(low: string | number | null, high: string | number | null): string | null {
  if (low === null || high === null) return null;
  return low === high ? String(low) : `${low} … ${high}`;
}

function partitionsOf(node: Node): string | null {
  if (node.kind === "entry") return node.entry.partition;
  if (node.kind === "index") return node.file.partition;
  return node.kind === "manifest" ? span(node.manifest.min_partition, node.manifest.max_partition) : null;
}

function bucketsOf(node: Node): string | null {
  if (node.kind === "entry") return String(node.entry.bucket);
  if (node.kind === "index") return String(node.file.bucket);
  return node.kind === "manifest" ? span(node.manifest.min_bucket, node.manifest.max_bucket) : null;
}

function levelsOf(node: Node): string | null {
  if (node.kind === "entry") return `L${node.entry.level}`;
  return node.kind === "manifest" ? span(node.manifest.min_level, node.manifest.max_level) : null;
}

function Name({ node }: { node: Node }) {
  const { snapshotPage, manifests, changes } = useMessages();
  switch (node.kind) {
    case "list":
      return (
        <>
          {isMissing(node) && (
            <Badge tone="danger" glyph="✕">
              {node.list.missing ? manifests.missing : manifests.damaged}
            </Badge>
          )}
          <strong>{snapshotPage.lists[node.list.kind]}</strong>
          <CopyableId value={node.list.name} />
        </>
      );
    case "manifest":
      return (
        <>
          {node.manifest.missing && (
            <Badge tone="danger" glyph="✕">
              {manifests.missing}
            </Badge>
          )}
          <CopyableId value={node.manifest.name} />
        </>
      );
    case "index":
      return (
        <>
          <Badge>{node.file.kind}</Badge>
          <CopyableId value={node.file.name} />
        </>
      );
    case "entry":
      return (
        <>
          <Badge
            tone={node.entry.change === "deleted" ? "danger" : "ok"}
            glyph={node.entry.change === "deleted" ? "−" : "+"}
          >
            {node.entry.change === "deleted" ? changes.deleted : changes.added}
          </Badge>
          <CopyableId value={node.entry.file} />
        </>
      );
    case "note":
      return <span className="muted">{node.text}</span>;
  }
}

function Size({ node }: { node: Node }) {
  if (node.kind === "list") return <Bytes value={node.list.bytes} />;
  if (node.kind === "index") return <Bytes value={node.file.bytes} />;
  if (node.kind === "entry") return <Bytes value={node.entry.bytes} />;
  if (node.kind === "note") return null;
  return (
    <>
      <span className={styles["bar"]} aria-hidden="true">
        <span style={{ width: `${node.share * 100}%` }} />
      </span>
      <Bytes value={node.manifest.bytes} />
    </>
  );
}
