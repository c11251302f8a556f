import { partitionsQuery, type Partition } from "../../api/tables";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { toApiFilters } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";

export function PartitionGrid() {
  const { fields, files } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const setSearch = useSetSearch();
  const [filters] = useFilters();
  const make = useColumnMakers();
  const columns = [
    make.text<Partition>("partition", fields.partition, (p) => p.partition, {
      width: 200,
      grow: 2,
      sortable: true,
    }),
    make.count<Partition>("rows", fields.rows, (p) => p.rows, { sortable: true }),
    make.bytes<Partition>("bytes", fields.bytes, (p) => p.bytes, { sortable: true }),
    make.count<Partition>("files", fields.files, (p) => p.files, { sortable: true }),
    make.bytes<Partition>("avg", files.average, (p) => (p.files === 0 ? null : p.bytes / p.files)),
    make.count<Partition>("buckets", fields.buckets, (p) => p.buckets, { sortable: true }),
    make.count<Partition>("runs_max", files.runsMax, (p) => p.runs_max, { sortable: true }),
    make.ratio<Partition>("skew", files.skew, (p) =>
      p.median_bucket_bytes === 0 ? null : p.max_bucket_bytes / p.median_bucket_bytes,
    ),
    make.count<Partition>("deletes", fields.deletes, (p) => p.deletes),
    make.time<Partition>("last_update_at", files.lastUpdate, (p) => p.last_update_at, { sortable: true }),
  ];
  return (
    <ListGrid
      label={fields.partitions}
      query={partitionsQuery(ref, pin, { sort, ...toApiFilters(filters) })}
      columns={columns}
      rowKey={(p) => p.partition}
      filters={[{ id: "partition", label: fields.partition }]}
      empty={{ title: files.none, detail: files.noneDetail }}
      onOpen={(p) => setSearch({ view: undefined, sort: undefined, "f.partition": p.partition })}
    />
  );
}
