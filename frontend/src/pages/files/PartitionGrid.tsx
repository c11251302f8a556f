import { useState } from "react";
import { partitionsQuery, type Partition } from "../../api/tables";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { toApiFilters } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Timestamp } from "../../ui/Timestamp";
import { Sparkline } from "../../viz/Sparkline";

// Looked for in the store and in the history only where somebody wants to see them.
const ON_DEMAND = ["done", "history"];

export function PartitionGrid() {
  const { fields, files } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort } = usePageSearch();
  const setSearch = useSetSearch();
  const [filters] = useFilters();
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
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
    make.text<Partition>(
      "done",
      files.doneMark,
      (p) => (p.done === true ? (p.done_at ?? files.done) : null),
      {
        width: 170,
        cell: (p) => <DoneMark partition={p} />,
      },
    ),
    make.text<Partition>("history", files.history, (p) => p.history?.join(" "), {
      width: 150,
      cell: (p) => <History bytes={p.history ?? []} />,
    }),
  ];
  return (
    <ListGrid
      label={fields.partitions}
      query={partitionsQuery(ref, pin, {
        sort,
        done: asked.has("done") || undefined,
        history: asked.has("history") || undefined,
        ...toApiFilters(filters),
      })}
      hidden={ON_DEMAND}
      onColumns={setAsked}
      columns={columns}
      rowKey={(p) => p.partition}
      filters={[{ id: "partition", label: fields.partition }]}
      empty={{ title: files.none, detail: files.noneDetail }}
      onOpen={(p) => setSearch({ view: undefined, sort: undefined, "f.partition": p.partition })}
    />
  );
}

function DoneMark({ partition }: { partition: Partition }) {
  const { files } = useMessages();
  if (partition.done === null) return <span className="muted">–</span>;
  if (!partition.done) return <span className="muted">{files.notDone}</span>;
  return (
    <>
      <Badge tone="ok" glyph="✓">
        {files.done}
      </Badge>{" "}
      {partition.done_at && <Timestamp value={partition.done_at} />}
      {partition.done_by.includes("catalog") && <span className="muted"> {files.doneByCatalog}</span>}
    </>
  );
}

function History({ bytes }: { bytes: readonly number[] }) {
  const { files } = useMessages();
  const format = useFormat();
  const [first, last] = [bytes[0], bytes.at(-1)];
  if (first === undefined || last === undefined) return <span className="muted">–</span>;
  return (
    <Sparkline
      label={files.historyLabel(format.bytes(first), format.bytes(last), bytes.length)}
      values={bytes}
    />
  );
}
