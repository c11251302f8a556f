import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { filesQuery, heatmapQuery, type BucketColumns } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { SelectField } from "../../ui/Field";
import { FilterBar } from "../../ui/FilterBar";
import { Empty, Notice } from "../../ui/States";
import type { HeatCell } from "../../viz/distribution";
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

const at = (column: readonly (number | null)[], place: number) => column[place] ?? 0;

const VALUES: Record<Metric, (found: BucketColumns, place: number) => number> = {
  bytes: (found, i) => at(found.bytes, i),
  files: (found, i) => at(found.files, i),
  avg: (found, i) => at(found.bytes, i) / Math.max(1, at(found.files, i)),
  runs: (found, i) => at(found.runs, i),
  deletes: (found, i) => at(found.deletes, i) / Math.max(1, at(found.rows, i)),
  rows: (found, i) => at(found.rows, i),
};

/** The cells of a measure that is taken of each bucket by its place in the columns. */
function cellsOf(found: BucketColumns, value: (found: BucketColumns, at: number) => number): HeatCell[] {
  return found.bucket.map((bucket, at) => ({
    partition: found.partitions[found.partition[at] ?? 0] ?? "",
    bucket,
    value: value(found, at),
  }));
}

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
  const answer = useQuery(heatmapQuery(ref, pin, asked["partition"]));
  const metric = METRICS.find((known) => known === filters["metric"]) ?? "bytes";
  const show = (value: number) => {
    if (metric === "bytes" || metric === "avg") return format.bytes(value);
    return metric === "deletes" ? format.percent(value) : format.count(value);
  };
  if (answer.data?.total === 0 && !asked["partition"]) return <NoFiles />;
  return (
    <Answer query={answer}>
      {(found) => (
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
          {found.bucket.length < found.total && <Notice>{files.partOnly}</Notice>}
          <Heatmap
            title={files.views.heatmap}
            metric={files.metrics[metric]}
            cells={cellsOf(found, VALUES[metric])}
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
