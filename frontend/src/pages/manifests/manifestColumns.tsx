import type { ReactNode } from "react";
import type { FileChange, IndexFile, Manifest, ManifestList, Reach } from "../../api/tables";
import { useReachText } from "../../app/reach";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Bytes } from "../../ui/Bytes";
import { CopyableId } from "../../ui/CopyableId";
import type { GridColumn } from "../../ui/gridColumns";
import styles from "./ManifestsPage.module.css";

/** A row of the tree: the snapshot, what it names, and what that names. */
export type Node =
  | {
      readonly kind: "snapshot";
      readonly id: string;
      readonly name: string;
      readonly manifests: number;
      readonly bytes: number;
    }
  | { readonly kind: "list"; readonly id: string; readonly list: ManifestList }
  | {
      readonly kind: "manifest";
      readonly id: string;
      readonly manifest: Manifest;
      readonly share: number; // of the bytes of all
      readonly isSmall: boolean; // under the target size
      readonly isMostlyDeletions: boolean;
    }
  | { readonly kind: "index"; readonly id: string; readonly file: IndexFile }
  | { readonly kind: "entry"; readonly id: string; readonly entry: FileChange }
  | { readonly kind: "note"; readonly id: string; readonly text: string };

export function isMissing(node: Node): boolean {
  if (node.kind === "list") return node.list.missing || node.list.problem !== null;
  return node.kind === "manifest" && node.manifest.missing;
}

/** The columns of the tree; `reach` tells of each file what leads to it, once that is known. */
export function useTreeColumns(
  reach: ReadonlyMap<string, readonly Reach[]> | undefined,
  hasRowIds: boolean,
): GridColumn<Node>[] {
  const { fields, manifests } = useMessages();
  const format = useFormat();
  const reachText = useReachText();
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
    grow: 0,
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
      width: 290,
      grow: 1,
      cell: (node) => <Name node={node} />,
      text: (node) => node.id,
    },
    {
      id: "size",
      header: fields.size,
      width: 120,
      grow: 0,
      align: "end",
      cell: (node) => <Size node={node} />,
    },
    column(
      "added",
      fields.added,
      62,
      (node) => (node.kind === "manifest" ? number(node.manifest.added) : null),
      "end",
    ),
    column(
      "deleted",
      fields.deleted,
      70,
      (node) => (node.kind === "manifest" ? number(node.manifest.deleted) : null),
      "end",
    ),
    ...(isPartitioned ? [column("partition", fields.partition, 150, partitionsOf)] : []),
    column("bucket", fields.bucket, 68, bucketsOf),
    column("level", fields.level, 60, levelsOf),
    column("rows", fields.rows, 70, rowsText(number), "end"),
    column(
      "schema",
      fields.schema,
      74,
      (node) => (node.kind === "manifest" ? number(node.manifest.schema_id) : null),
      "end",
    ),
    ...(hasRowIds ? [column("row_ids", manifests.rowIds, 130, rowIdsOf)] : []),
    {
      ...column("reached", manifests.reachedFrom, 210, (node) => {
        const found = reach?.get(fileOf(node) ?? "");
        return found === undefined ? null : reachText(found);
      }),
      grow: 1,
      cell: (node) => {
        const text = reachText(reach?.get(fileOf(node) ?? "") ?? []);
        return reach?.has(fileOf(node) ?? "") ? <span title={text}>{text}</span> : null;
      },
    },
  ];
}

/** The manifest or index file that a row stands for. */
function fileOf(node: Node): string | null {
  if (node.kind === "manifest") return node.manifest.name;
  return node.kind === "index" ? node.file.name : null;
}

function rowIdsOf(node: Node): string | null {
  return node.kind === "manifest" ? span(node.manifest.min_row_id, node.manifest.max_row_id) : null;
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

function Name({ node }: { node: Node }): ReactNode {
  const { snapshotPage, manifests, changes, indexKinds } = useMessages();
  switch (node.kind) {
    case "snapshot":
      return <strong>{snapshotPage.summary(node.name)}</strong>;
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
          {node.isMostlyDeletions && (
            <Badge tone="warn" glyph="−">
              {manifests.mostlyDeletions}
            </Badge>
          )}
          <CopyableId value={node.manifest.name} />
        </>
      );
    case "index":
      return (
        <>
          <Badge>{indexKinds(node.file.kind)}</Badge>
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
  if (node.kind === "snapshot") return <Bytes value={node.bytes} />;
  if (node.kind === "list") return <Bytes value={node.list.bytes} />;
  if (node.kind === "index") return <Bytes value={node.file.bytes} />;
  if (node.kind === "entry") return <Bytes value={node.entry.bytes} />;
  if (node.kind === "note") return null;
  return (
    <>
      <span className={styles[node.isSmall ? "smallBar" : "bar"]} aria-hidden="true">
        <span style={{ width: `${node.share * 100}%` }} />
      </span>
      <Bytes value={node.manifest.bytes} />
    </>
  );
}
