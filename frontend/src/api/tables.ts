import { queryOptions } from "@tanstack/react-query";
import { answer, api, listQuery, type Query, type Schemas } from "./client";

export type Table = Schemas["Table"];
export type Snapshot = Schemas["Snapshot"];
export type SnapshotDetail = Schemas["SnapshotDetail"];
export type FileChange = Schemas["FileChange"];
export type IndexChange = Schemas["IndexChange"];
export type Manifest = Schemas["Manifest"];
export type ManifestList = Schemas["ManifestList"];
export type ManifestTree = Schemas["ManifestTree"];
export type Reach = Schemas["Reach"];
export type IndexFile = Schemas["IndexFile"];
export type TableIndex = Schemas["TableIndex"];
export type DataFile = Schemas["File"];
export type Partition = Schemas["Partition"];
export type Bucket = Schemas["Bucket"];
export type Lsm = Schemas["Lsm"];
export type SchemaSummary = Schemas["SchemaSummary"];
export type SchemaDiff = Schemas["SchemaDiff"];
export type TableSchema = Schemas["Schema"];
export type Tag = Schemas["Tag"];
export type Branch = Schemas["Branch"];
export type Consumer = Schemas["Consumer"];
export type TableOption = Schemas["Option"];
export type Preview = Schemas["Preview"];
export type Compare = Schemas["Compare"];

/** Where a table is: the three names of its address. */
export interface TableRef {
  readonly warehouse: string;
  readonly database: string;
  readonly table: string;
}

/** Which state of it is read. */
export interface Pin {
  readonly at?: string | undefined;
  readonly branch?: string | undefined;
}

const T = "/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}";
const LATEST_POLL_MILLIS = 10_000;

export const tableKeys = {
  all: (table: TableRef) => ["table", table.warehouse, table.database, table.table] as const,
  summary: (table: TableRef, pin: Pin) => [...tableKeys.all(table), "summary", pin] as const,
  of: (table: TableRef, resource: string, ...which: readonly unknown[]) =>
    [...tableKeys.all(table), resource, ...which] as const,
};

/** What is read at the identity of a snapshot never changes. */
export function staleTimeOf(pin: Pin): number {
  return pin.at?.includes("~") ? Number.POSITIVE_INFINITY : 5000;
}

/** The table's header: kind, latest snapshot, shape. Without `at` it is asked again while the page is open. */
export function tableQuery(table: TableRef, pin: Pin) {
  return queryOptions({
    queryKey: tableKeys.summary(table, pin),
    queryFn: ({ signal }) =>
      answer(api.GET(T, { params: { path: { ...table }, query: { ...pin } }, signal })),
    refetchInterval: LATEST_POLL_MILLIS,
  });
}

/** What the data files of a branch are kept for, now. */
export function storageQuery(table: TableRef, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "storage", branch),
    queryFn: ({ signal }) =>
      answer(api.GET(`${T}/storage`, { params: { path: { ...table }, query: { branch } }, signal })),
    staleTime: 60_000,
  });
}

export type Retention = Schemas["Retention"];

/** Which snapshots of a branch its options keep now. */
export function retentionQuery(table: TableRef, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "retention", branch),
    queryFn: ({ signal }) =>
      answer(api.GET(`${T}/retention`, { params: { path: { ...table }, query: { branch } }, signal })),
    staleTime: 60_000,
  });
}

/** The snapshots of a branch, newest first. */
export function snapshotsQuery(table: TableRef, branch: string | undefined, query: Query = {}) {
  return listQuery({
    key: tableKeys.of(table, "snapshots", branch, query),
    ask: (how) => api.GET(`${T}/snapshots`, { params: { path: { ...table } }, ...how }),
    query: { branch, ...query },
  });
}

export function snapshotQuery(table: TableRef, snapshot: string, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "snapshot", snapshot, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/snapshots/{snapshot}`, {
          params: { path: { ...table, snapshot }, query: { branch } },
          signal,
        }),
      ),
  });
}

export function changesQuery(table: TableRef, snapshot: string, branch: string | undefined, query: Query) {
  return listQuery({
    key: tableKeys.of(table, "changes", snapshot, branch, query),
    ask: (how) =>
      api.GET(`${T}/snapshots/{snapshot}/changes`, { params: { path: { ...table, snapshot } }, ...how }),
    query: { branch, ...query },
    staleTime: staleTimeOf({ at: snapshot }),
  });
}

export type ChangeGroup = Schemas["ChangeGroup"];

/** What a commit did to each partition or bucket: `by`. */
export function changeGroupsQuery(
  table: TableRef,
  snapshot: string,
  branch: string | undefined,
  query: Query,
) {
  return listQuery({
    key: tableKeys.of(table, "change-groups", snapshot, branch, query),
    ask: (how) =>
      api.GET(`${T}/snapshots/{snapshot}/changes/groups`, {
        params: { path: { ...table, snapshot } },
        ...how,
      }),
    query: { branch, ...query },
    staleTime: staleTimeOf({ at: snapshot }),
  });
}

export function indexChangesQuery(
  table: TableRef,
  snapshot: string,
  branch: string | undefined,
  query: Query,
) {
  return listQuery({
    key: tableKeys.of(table, "index-changes", snapshot, branch, query),
    ask: (how) =>
      api.GET(`${T}/snapshots/{snapshot}/index-changes`, {
        params: { path: { ...table, snapshot } },
        ...how,
      }),
    query: { branch, ...query },
    staleTime: staleTimeOf({ at: snapshot }),
  });
}

export function manifestsQuery(table: TableRef, snapshot: string, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "manifests", snapshot, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/snapshots/{snapshot}/manifests`, {
          params: { path: { ...table, snapshot }, query: { branch } },
          signal,
        }),
      ),
    staleTime: staleTimeOf({ at: snapshot }),
  });
}

const MANIFEST_ENTRIES = 1000;

/** The first entries of a manifest; with `liveAt` only those that are live at that snapshot. */
export function entriesQuery(
  table: TableRef,
  manifest: string,
  branch: string | undefined,
  liveAt: string | undefined,
) {
  return queryOptions({
    queryKey: tableKeys.of(table, "entries", manifest, branch, liveAt),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/manifests/{manifest}/entries`, {
          params: {
            path: { ...table, manifest },
            query: { branch, limit: MANIFEST_ENTRIES, live_at: liveAt },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** From where each manifest of a snapshot is reached. */
export function manifestReachQuery(table: TableRef, snapshot: string, branch: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "manifest-reach", snapshot, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/snapshots/{snapshot}/manifests/reach`, {
          params: { path: { ...table, snapshot }, query: { branch } },
          signal,
        }),
      ),
  });
}

export function compareQuery(table: TableRef, from: string, pin: Pin) {
  return queryOptions({
    queryKey: tableKeys.of(table, "compare", from, pin),
    queryFn: ({ signal }) =>
      answer(api.GET(`${T}/compare`, { params: { path: { ...table }, query: { from, ...pin } }, signal })),
    staleTime: staleTimeOf(pin),
  });
}

export function filesQuery(table: TableRef, pin: Pin, query: Query) {
  return listQuery({
    key: tableKeys.of(table, "files", pin, query),
    ask: (how) => api.GET(`${T}/files`, { params: { path: { ...table } }, ...how }),
    query: { ...pin, ...query },
    staleTime: staleTimeOf(pin),
  });
}

export function fileQuery(table: TableRef, pin: Pin, file: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "file", file, pin),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/files/{file}`, { params: { path: { ...table, file }, query: { ...pin } }, signal }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export function lineageQuery(table: TableRef, pin: Pin, file: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "lineage", file, pin),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/files/{file}/lineage`, {
          params: { path: { ...table, file }, query: { ...pin } },
          signal,
        }),
      ),
  });
}

/** What the file says of itself; of its columns in one row group, or in all. */
export function footerQuery(table: TableRef, pin: Pin, file: string, group: number | null) {
  return queryOptions({
    queryKey: tableKeys.of(table, "footer", file, group, pin),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/files/{file}/footer`, {
          params: {
            path: { ...table, file },
            query: { ...pin, ...(group !== null && { row_group: group }) },
          },
          signal,
        }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export function fileIndexesQuery(table: TableRef, pin: Pin, file: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "file-indexes", file, pin),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/files/{file}/indexes`, {
          params: { path: { ...table, file }, query: { ...pin } },
          signal,
        }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export function partitionsQuery(table: TableRef, pin: Pin, query: Query) {
  return listQuery({
    key: tableKeys.of(table, "partitions", pin, query),
    ask: (how) => api.GET(`${T}/partitions`, { params: { path: { ...table } }, ...how }),
    query: { ...pin, ...query },
    staleTime: staleTimeOf(pin),
  });
}

export function bucketsQuery(table: TableRef, pin: Pin, query: Query) {
  return listQuery({
    key: tableKeys.of(table, "buckets", pin, query),
    ask: (how) => api.GET(`${T}/buckets`, { params: { path: { ...table } }, ...how }),
    query: { ...pin, ...query },
    staleTime: staleTimeOf(pin),
  });
}

export type BucketColumns = Schemas["Heatmap"];

/** All buckets in columns, one number a bucket. */
export function heatmapQuery(table: TableRef, pin: Pin, prefix: string | undefined) {
  return queryOptions({
    queryKey: tableKeys.of(table, "heatmap", pin, prefix),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/heatmap`, {
          params: { path: { ...table }, query: { ...pin, "partition[prefix]": prefix } },
          signal,
        }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export type KeyProbe = Schemas["KeyProbe"];

/** Which files a reader of one key would open. */
export function probeQuery(
  table: TableRef,
  partition: string,
  bucket: number,
  asked: Schemas["KeyProbeQueryRequest"],
) {
  return queryOptions({
    queryKey: tableKeys.of(table, "probe", partition, bucket, asked),
    queryFn: ({ signal }) =>
      answer(
        api.POST(`${T}/buckets/{partition}/{bucket}/probe`, {
          params: { path: { ...table, partition, bucket } },
          body: asked,
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The commits that changed a bucket, oldest first. */
export function bucketCommitsQuery(
  table: TableRef,
  branch: string | undefined,
  partition: string,
  bucket: number,
) {
  return queryOptions({
    queryKey: tableKeys.of(table, "bucket-commits", partition, bucket, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/buckets/{partition}/{bucket}/commits`, {
          params: { path: { ...table, partition, bucket }, query: { branch } },
          signal,
        }),
      ),
  });
}

/** The levels of a bucket; with `since`, also what came and went from that snapshot on. */
export function lsmQuery(table: TableRef, pin: Pin, partition: string, bucket: number, since?: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "lsm", partition, bucket, pin, since),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/buckets/{partition}/{bucket}/lsm`, {
          params: { path: { ...table, partition, bucket }, query: { ...pin, since } },
          signal,
        }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export function schemasQuery(table: TableRef, branch: string | undefined, query: Query = {}) {
  return listQuery({
    key: tableKeys.of(table, "schemas", branch, query),
    ask: (how) => api.GET(`${T}/schemas`, { params: { path: { ...table } }, ...how }),
    query: { branch, ...query },
  });
}

export function schemaQuery(table: TableRef, branch: string | undefined, schema: number) {
  return queryOptions({
    queryKey: tableKeys.of(table, "schema", schema, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/schemas/{schema}`, {
          params: { path: { ...table, schema }, query: { branch } },
          signal,
        }),
      ),
  });
}

export type FieldHistory = Schemas["FieldHistory"];

/** One field, by its id, across all schemas. */
export function fieldHistoryQuery(table: TableRef, branch: string | undefined, field: number) {
  return queryOptions({
    queryKey: tableKeys.of(table, "field-history", field, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/fields/{field}/history`, {
          params: { path: { ...table, field }, query: { branch } },
          signal,
        }),
      ),
  });
}

export function schemaDiffQuery(table: TableRef, branch: string | undefined, from: number, to: number) {
  return queryOptions({
    queryKey: tableKeys.of(table, "schema-diff", from, to, branch),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/schemas/diff`, { params: { path: { ...table }, query: { from, to, branch } }, signal }),
      ),
  });
}

export type SchemaProposal = Schemas["SchemaProposal"];

/** What merging another schema would make of the table's; nothing is written. */
export function proposeSchema(
  table: TableRef,
  asked: Schemas["SchemaProposalQueryRequest"],
): Promise<SchemaProposal> {
  return answer(api.POST(`${T}/schemas/proposals`, { params: { path: { ...table } }, body: asked }));
}

export function indexesQuery(table: TableRef, pin: Pin) {
  return queryOptions({
    queryKey: tableKeys.of(table, "indexes", pin),
    queryFn: ({ signal }) =>
      answer(api.GET(`${T}/indexes`, { params: { path: { ...table }, query: { ...pin } }, signal })),
    staleTime: staleTimeOf(pin),
  });
}

/** One index file, with each deletion vector in it. */
export function indexFileQuery(table: TableRef, pin: Pin, index: string) {
  return queryOptions({
    queryKey: tableKeys.of(table, "index-file", index, pin),
    queryFn: ({ signal }) =>
      answer(
        api.GET(`${T}/indexes/{index}`, { params: { path: { ...table, index }, query: { ...pin } }, signal }),
      ),
    staleTime: staleTimeOf(pin),
  });
}

export function tagsQuery(table: TableRef, branch: string | undefined, query: Query = {}) {
  return listQuery({
    key: tableKeys.of(table, "tags", branch, query),
    ask: (how) => api.GET(`${T}/tags`, { params: { path: { ...table } }, ...how }),
    query: { branch, ...query },
  });
}

export function branchesQuery(table: TableRef) {
  return listQuery({
    key: tableKeys.of(table, "branches"),
    ask: (how) => api.GET(`${T}/branches`, { params: { path: { ...table } }, ...how }),
  });
}

export function consumersQuery(table: TableRef, branch: string | undefined) {
  return listQuery({
    key: tableKeys.of(table, "consumers", branch),
    ask: (how) => api.GET(`${T}/consumers`, { params: { path: { ...table } }, ...how }),
    query: { branch },
  });
}

export function optionsQuery(table: TableRef, branch: string | undefined, query: Query) {
  return listQuery({
    key: tableKeys.of(table, "options", branch, query),
    ask: (how) => api.GET(`${T}/options`, { params: { path: { ...table } }, ...how }),
    query: { branch, limit: 1000, ...query },
  });
}

export function preview(table: TableRef, query: Schemas["PreviewQueryRequest"]): Promise<Preview> {
  return answer(api.POST(`${T}/preview`, { params: { path: { ...table } }, body: query }));
}
