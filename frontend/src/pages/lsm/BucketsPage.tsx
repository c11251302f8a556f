import type { ReactNode } from "react";
import { useNavigate } from "@tanstack/react-router";
import { bucketsQuery, type Bucket } from "../../api/tables";
import { BucketLink } from "../../app/cells";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { TablePage } from "../../app/Page";
import { pinOf, toApiFilters } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { useFilters, usePageSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";

/** The buckets of a table, those under most pressure first. */
export function BucketsPage(): ReactNode {
  const { lsm, tabs, fields } = useMessages();
  const { ref, pin, isPartitioned } = useOpenTable();
  const search = usePageSearch();
  const [filters] = useFilters();
  const navigate = useNavigate();
  const make = useColumnMakers();
  const columns = [
    ...(isPartitioned
      ? [
          make.text<Bucket>("partition", fields.partition, (b) => b.partition, {
            width: 160,
            grow: 2,
            sortable: true,
          }),
        ]
      : []),
    make.text<Bucket>("bucket", fields.bucket, (b) => String(b.bucket), {
      width: 70,
      sortable: true,
      cell: (b) => <BucketLink partition={b.partition} bucket={b.bucket} />,
    }),
    make.text<Bucket>("pressure", lsm.pressure, (b) => String(b.pressure), {
      width: 180,
      sortable: true,
      cell: (b) => <Pressure value={b.pressure} />,
    }),
    make.count<Bucket>("runs", fields.runs, (b) => b.runs, { width: 64, sortable: true }),
    make.count<Bucket>("l0_files", lsm.level0Files, (b) => b.l0_files, { width: 76, sortable: true }),
    make.count<Bucket>("files", fields.files, (b) => b.files, { width: 64, sortable: true }),
    make.bytes<Bucket>("bytes", fields.bytes, (b) => b.bytes, { sortable: true }),
    make.count<Bucket>("rows", fields.rows, (b) => b.rows, { width: 84, sortable: true }),
    make.count<Bucket>("deletes", fields.deletes, (b) => b.deletes, { width: 76 }),
    make.count<Bucket>("levels", fields.levels, (b) => b.levels, { width: 70, sortable: true }),
    make.text<Bucket>("min_key", fields.minKey, (b) => b.min_key, { width: 100 }),
    make.text<Bucket>("max_key", fields.maxKey, (b) => b.max_key, { width: 100 }),
    make.time<Bucket>("last_update_at", lsm.lastUpdate, (b) => b.last_update_at, {
      width: 110,
      sortable: true,
    }),
  ];
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.lsm}`}>
      <ListGrid
        label={fields.buckets}
        query={bucketsQuery(ref, pin, { sort: search.sort, ...toApiFilters(filters) })}
        columns={columns}
        rowKey={(b) => `${b.partition}/${b.bucket}`}
        filters={[
          ...(isPartitioned ? [{ id: "partition", label: fields.partition }] : []),
          { id: "bucket", label: fields.bucket },
        ]}
        empty={{ title: lsm.none, detail: lsm.noneDetail }}
        onOpen={(b) =>
          void navigate({
            to: "/w/$wh/$db/$table/lsm/$partition/$bucket",
            params: {
              wh: ref.warehouse,
              db: ref.database,
              table: ref.table,
              partition: b.partition,
              bucket: String(b.bucket),
            },
            search: pinOf(search),
          })
        }
        tone={(b) => (b.pressure > 1 ? "warn" : undefined)}
        note={<span>{lsm.pressureNote}</span>}
      />
    </TablePage>
  );
}

function Pressure({ value }: { value: number }) {
  const { lsm } = useMessages();
  const format = useFormat();
  if (value <= 1) return <span>{format.ratio(value)}</span>;
  return (
    <Badge tone="warn" glyph="⚠">
      {format.ratio(value)} {lsm.over}
    </Badge>
  );
}
