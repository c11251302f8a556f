import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { bucketsQuery, filesQuery, type Bucket } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { SelectField } from "../../ui/Field";
import { FilterBar } from "../../ui/FilterBar";
import { Empty, Notice } from "../../ui/States";
import { Heatmap } from "../../viz/Heatmap";
import { SizeHistogram } from "../../viz/SizeHistogram";

const MOST_PAGES = 20; // of 1,000 each; beyond that the picture says that it is of a part

/** All pages of a list, up to a bound: pictures need the whole. */
function useWhole<Item>(answer: {
  readonly data: { readonly pages: readonly { readonly items: readonly Item[] }[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}): { readonly items: readonly Item[]; readonly whole: boolean } {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && pages < MOST_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, pages]);
  return { items: data?.pages.flatMap((page) => page.items) ?? [], whole: !hasNextPage };
}

const METRICS = ["bytes", "files", "avg", "runs", "deletes", "rows"] as const;
type Metric = (typeof METRICS)[number];

const ADDITIVE: ReadonlySet<Metric> = new Set(["bytes", "files", "rows"]);
const FIXED: ReadonlySet<string> = new Set(["fixed"]); // modes whose buckets are the same in each partition

const VALUES: Record<Metric, (bucket: Bucket) => number> = {
  bytes: (bucket) => bucket.bytes,
  files: (bucket) => bucket.files,
  avg: (bucket) => bucket.bytes / Math.max(1, bucket.files),
  runs: (bucket) => bucket.runs,
  deletes: (bucket) => (bucket.deletes ?? 0) / Math.max(1, bucket.rows),
  rows: (bucket) => bucket.rows,
};

/** One measure over partitions and buckets. */
export function BucketHeatmap() {
  const { files } = useMessages();
  const format = useFormat();
  const navigate = useNavigate();
  const { ref, pin, summary, isPartitioned } = useOpenTable();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const [filters, setFilter] = useFilters();
  const { metric: _measure, bucket: _bucket, ...asked } = filters;
  const answer = useInfiniteQuery(
    bucketsQuery(ref, pin, {
      sort: "-partition",
      limit: 1000,
      "partition[prefix]": asked["partition"],
    }),
  );
  const { items, whole } = useWhole(answer);
  const metric = METRICS.find((known) => known === filters["metric"]) ?? "bytes";
  const show = (value: number) => {
    if (metric === "bytes" || metric === "avg") return format.bytes(value);
    return metric === "deletes" ? format.percent(value) : format.count(value);
  };
  if (whole && answer.isSuccess && items.length === 0 && !asked["partition"]) return <NoFiles />;
  return (
    <Answer query={answer}>
      {() => (
        <>
          <div style={{ display: "flex", flexWrap: "wrap", gap: 12, alignItems: "end" }}>
            {isPartitioned && (
              <FilterBar
                fields={[{ id: "partition", label: files.partitionPrefix }]}
                values={filters}
                onChange={setFilter}
              />
            )}
            <SelectField
              label={files.metric}
              value={metric}
              options={METRICS.map((id) => [id, files.metrics[id]] as const)}
              onChange={(next) => setSearch({ "f.metric": next }, true)}
            />
          </div>
          {!whole && <Notice>{files.partOnly}</Notice>}
          <Heatmap
            title={files.views.heatmap}
            metric={files.metrics[metric]}
            cells={items.map((bucket) => ({
              partition: bucket.partition,
              bucket: bucket.bucket,
              value: VALUES[metric](bucket),
            }))}
            show={show}
            additive={ADDITIVE.has(metric)}
            bars={!FIXED.has(summary.bucket_mode)}
            onOpen={(partition, bucket) =>
              void navigate({
                to: "/w/$wh/$db/$table/lsm/$partition/$bucket",
                params: {
                  wh: ref.warehouse,
                  db: ref.database,
                  table: ref.table,
                  partition,
                  bucket: String(bucket),
                },
                search: pinOf(search),
              })
            }
          />
        </>
      )}
    </Answer>
  );
}

const SMALL_SHARE = 0.7; // compaction.small-file-ratio

/** How many files have which size. */
export function FileSizes() {
  const { files } = useMessages();
  const format = useFormat();
  const { ref, pin, summary } = useOpenTable();
  const answer = useInfiniteQuery(filesQuery(ref, pin, { limit: 1000, fields: "level,bytes" }));
  const { items, whole } = useWhole(answer);
  const target = summary.read_cost?.target_bytes ?? null;
  if (whole && answer.isSuccess && items.length === 0) return <NoFiles />;
  return (
    <Answer query={answer}>
      {() => (
        <>
          {!whole && <Notice>{files.partOnly}</Notice>}
          <SizeHistogram
            title={files.views.sizes}
            files={items}
            target={target}
            small={target === null ? null : target * SMALL_SHARE}
          />
          {summary.read_cost !== null && summary.shape !== null && summary.shape.files > 0 && (
            <p className="muted">
              {files.avoidable(
                format.count(summary.read_cost.avoidable_files),
                format.count(summary.shape.files),
                format.percent(summary.read_cost.avoidable_files / summary.shape.files),
              )}
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

/** A snapshot may hold none: an overwrite with nothing, a delete of everything. */
function NoFiles() {
  const { files } = useMessages();
  return <Empty title={files.none}>{files.noneDetail}</Empty>;
}
