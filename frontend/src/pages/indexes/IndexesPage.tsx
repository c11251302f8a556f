import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { indexesQuery, type TableIndex } from "../../api/tables";
import type { Schemas } from "../../api/client";
import { Answer } from "../../app/Answer";
import { BucketLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { TablePage } from "../../app/Page";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { buttonClass } from "../../ui/Button";
import { DataGrid } from "../../ui/DataGrid";
import type { GridColumn } from "../../ui/gridColumns";
import { Empty, Notice } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import styles from "./IndexesPage.module.css";
import { VectorDrawer } from "./VectorDrawer";

type Indexes = Schemas["Indexes"];
type Use = Indexes["file_indexes"][number];

/** File indexes and how far they reach, deletion vectors, hash indexes of dynamic buckets, and any others. */
export function IndexesPage(): ReactNode {
  const { indexes, tabs } = useMessages();
  const { ref, pin } = useOpenTable();
  const { view } = usePageSearch();
  const setSearch = useSetSearch();
  const answer = useQuery(indexesQuery(ref, pin));
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.indexes}`}>
      <Answer query={answer}>
        {(data) => (
          <>
            {data.unread_files > 0 && <Notice>{indexes.unread(data.unread_files)}</Notice>}
            <Tabs
              label={tabs.indexes}
              selected={view ?? "file"}
              onSelect={(id) =>
                id !== (view ?? "file") && setSearch({ view: id === "file" ? undefined : id }, true)
              }
              items={[
                {
                  id: "file",
                  label: indexes.fileIndexes(data.file_indexes.length),
                  content: (
                    <>
                      <ActionLink kind="file_index" />
                      <FileIndexes data={data} />
                    </>
                  ),
                },
                { id: "coverage", label: indexes.coverage, content: <Coverage data={data} /> },
                {
                  id: "vectors",
                  label: indexes.vectors(data.deletion_vectors.length),
                  content: <Vectors files={data.deletion_vectors} buckets={data.vector_buckets} />,
                },
                {
                  id: "hash",
                  label: indexes.hash(data.hash_indexes.length),
                  content: (
                    <IndexFiles files={data.hash_indexes} none={indexes.noHash} rows={indexes.hashKeys} />
                  ),
                },
                {
                  id: "other",
                  label: indexes.other(data.other_indexes.length),
                  content: (
                    <IndexFiles files={data.other_indexes} none={indexes.noOther} rows={indexes.keys} />
                  ),
                },
              ]}
            />
          </>
        )}
      </Answer>
    </TablePage>
  );
}

/** The way to the form of an action that makes what is shown anew. */
function ActionLink({ kind }: { kind: "file_index" | "vectors" }) {
  const { actions } = useMessages();
  const { ref, pin } = useOpenTable();
  return (
    <p className={styles["act"]}>
      <Link
        to="/w/$wh/$db/$table/actions/$kind"
        params={{ wh: ref.warehouse, db: ref.database, table: ref.table, kind }}
        search={{ branch: pin.branch }}
        className={buttonClass()}
      >
        {actions[kind]}
      </Link>
    </p>
  );
}

function FileIndexes({ data }: { data: Indexes }) {
  const { indexes, fields, files } = useMessages();
  const format = useFormat();
  const { summary } = useOpenTable();
  const make = useColumnMakers();
  const live = summary.shape?.bytes ?? 0;
  const columns = [
    make.text<Use>("column", fields.column, (use) => use.column),
    make.text<Use>("type", fields.type, (use) => use.type),
    make.count<Use>("files", fields.files, (use) => use.files),
    make.bytes<Use>("bytes_covered", indexes.bytesCovered, (use) => use.bytes_covered, { width: 120 }),
    make.text<Use>("share", indexes.shareCovered, (use) =>
      live === 0 ? null : format.percent(use.bytes_covered / live),
    ),
    make.bytes<Use>("index_bytes", indexes.indexBytes, (use) => use.index_bytes, { width: 110 }),
    make.text<Use>(
      "weight",
      indexes.weight,
      (use) =>
        use.index_bytes === null || use.bytes_covered === 0
          ? null
          : format.percent(use.index_bytes / use.bytes_covered),
      { width: 130, align: "end" },
    ),
    make.text<Use>("storage", fields.storage, (use) => files.storages[use.storage]),
  ];
  if (data.file_indexes.length === 0)
    return <Empty title={indexes.noFileIndexes}>{indexes.noFileIndexesDetail}</Empty>;
  return (
    <DataGrid
      label={indexes.fileIndexes(data.file_indexes.length)}
      columns={columns}
      rows={data.file_indexes}
      rowKey={(use) => `${use.column}/${use.type}`}
    />
  );
}

/** Share of bytes with the index, column by level: a rewrite that lags shows itself. */
function Coverage({ data }: { data: Indexes }) {
  const { indexes, fields } = useMessages();
  const format = useFormat();
  if (data.coverage.length === 0)
    return <Empty title={indexes.noFileIndexes}>{indexes.noFileIndexesDetail}</Empty>;
  const levels = [...new Set(data.coverage.map((cell) => cell.level))].toSorted((a, b) => a - b);
  const names = [...new Set(data.coverage.map((cell) => `${cell.column} · ${cell.type}`))];
  const shareOf = (name: string, level: number) =>
    data.coverage.find((cell) => `${cell.column} · ${cell.type}` === name && cell.level === level)?.share;
  return (
    <table className={styles["coverage"]}>
      <thead>
        <tr>
          <th>{fields.index}</th>
          {levels.map((level) => (
            <th key={level} className="number">
              L{level}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {levels.map((level) => {
              const share = shareOf(name, level);
              return (
                <td key={level} className="number">
                  {share === undefined ? "–" : format.percent(share)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function useIndexColumns(): GridColumn<TableIndex>[] {
  const { fields, indexKinds } = useMessages();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  return [
    make.text("kind", fields.kind, (file) => indexKinds(file.kind), { width: 130 }),
    ...(isPartitioned
      ? [make.text<TableIndex>("partition", fields.partition, (file) => file.partition, { width: 160 })]
      : []),
    make.text("bucket", fields.bucket, (file) => String(file.bucket), {
      width: 80,
      cell: (file) => <BucketLink partition={file.partition} bucket={file.bucket} />,
    }),
    make.identifier("name", fields.file, (file) => file.name),
    make.bytes("bytes", fields.size, (file) => file.bytes),
  ];
}

function IndexFiles({ files, none, rows }: { files: readonly TableIndex[]; none: string; rows: string }) {
  const { fields, indexes } = useMessages();
  const make = useColumnMakers();
  const isGlobal = files.some((file) => file.global_index !== null);
  const columns = [
    ...useIndexColumns(),
    make.count<TableIndex>("rows", rows, (file) => file.rows),
    ...(isGlobal
      ? [
          make.text<TableIndex>("columns", indexes.columns, (file) => file.global_index?.columns.join(", "), {
            width: 160,
          }),
          make.text<TableIndex>("first_row_id", indexes.firstRow, (file) => file.global_index?.first_row_id, {
            align: "end",
          }),
          make.text<TableIndex>("last_row_id", indexes.lastRow, (file) => file.global_index?.last_row_id, {
            align: "end",
          }),
        ]
      : []),
  ];
  if (files.length === 0) return <Empty title={none} />;
  return (
    <>
      <Problems files={files} />
      <DataGrid label={fields.indexes} columns={columns} rows={files} rowKey={(file) => file.name} />
    </>
  );
}

type VectorBucket = Indexes["vector_buckets"][number];

/** What deletion vectors take from each bucket. */
function VectorBuckets({ buckets }: { buckets: readonly VectorBucket[] }) {
  const { indexes, fields } = useMessages();
  const format = useFormat();
  const { isPartitioned } = useOpenTable();
  const make = useColumnMakers();
  const share = (b: VectorBucket) =>
    b.deleted_rows === null || b.rows === 0 ? null : b.deleted_rows / b.rows;
  const columns = [
    ...(isPartitioned
      ? [make.text<VectorBucket>("partition", fields.partition, (b) => b.partition, { width: 160, grow: 2 })]
      : []),
    make.text<VectorBucket>("bucket", fields.bucket, (b) => String(b.bucket), {
      width: 80,
      cell: (b) => <BucketLink partition={b.partition} bucket={b.bucket} />,
    }),
    make.count<VectorBucket>("index_files", indexes.vectorFiles, (b) => b.index_files),
    make.bytes<VectorBucket>("index_bytes", indexes.indexBytes, (b) => b.index_bytes, { width: 110 }),
    make.text<VectorBucket>(
      "files",
      indexes.dataFiles,
      (b) => indexes.ofFiles(format.count(b.files), format.count(b.live_files)),
      { align: "end" },
    ),
    make.count<VectorBucket>("deleted_rows", indexes.deletedRows, (b) => b.deleted_rows, { width: 110 }),
    make.count<VectorBucket>("rows", fields.rows, (b) => b.rows),
    make.text<VectorBucket>(
      "share",
      indexes.shareDeleted,
      (b) => {
        const part = share(b);
        return part === null ? null : format.percent(part);
      },
      { align: "end" },
    ),
  ];
  return (
    <>
      <h3>{indexes.byBucket}</h3>
      <DataGrid
        label={indexes.byBucket}
        columns={columns}
        rows={buckets}
        rowKey={(b) => `${b.partition}/${b.bucket}`}
        height="40vh"
      />
      <h3 className={styles["next"]}>{indexes.vectorFilesTitle}</h3>
    </>
  );
}

interface VectorsProps {
  readonly files: readonly TableIndex[];
  readonly buckets: readonly VectorBucket[];
}

/** Deletion vectors by bucket, then their files; one that is opened shows each vector in it. */
function Vectors({ files, buckets }: VectorsProps) {
  const { indexes, fields } = useMessages();
  const { open } = usePageSearch();
  const setSearch = useSetSearch();
  const make = useColumnMakers();
  const columns = [
    ...useIndexColumns(),
    make.count<TableIndex>("files", indexes.dataFiles, (file) => file.files),
    make.count<TableIndex>("deleted_rows", indexes.deletedRows, (file) => file.deleted_rows),
  ];
  if (files.length === 0) return <Empty title={indexes.noVectors} />;
  const opened = open?.startsWith("index:") ? open.slice("index:".length) : null;
  return (
    <>
      <Problems files={files} />
      <ActionLink kind="vectors" />
      <VectorBuckets buckets={buckets} />
      <DataGrid
        label={fields.indexes}
        columns={columns}
        rows={files}
        rowKey={(file) => file.name}
        onOpen={(file) => setSearch({ open: `index:${file.name}` })}
      />
      {opened !== null && <VectorDrawer name={opened} onClose={() => setSearch({ open: undefined })} />}
    </>
  );
}

function Problems({ files }: { files: readonly TableIndex[] }) {
  return files.map(
    (file) =>
      file.problem !== null && (
        <Notice key={file.name} tone="danger">
          {file.problem}
        </Notice>
      ),
  );
}
