import type { ReactNode } from "react";
import { changeGroupsQuery, type ChangeGroup } from "../../api/tables";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { toApiFilters } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { useFilters, usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { BytesDelta } from "../../ui/Bytes";

const OF_GROUPS = ["partition", "bucket"]; // the other filters are of single files

/** What a commit did to each partition or bucket; a row leads to its files. */
export function ChangeGroups({
  list,
  by,
}: {
  list: "delta" | "changelog";
  by: "partition" | "bucket";
}): ReactNode {
  const { changes, fields } = useMessages();
  const { snapshot = "" } = usePageParams();
  const { ref, pin, isPartitioned } = useOpenTable();
  const { sort } = usePageSearch();
  const setSearch = useSetSearch();
  const [filters] = useFilters();
  const make = useColumnMakers();
  const asked = Object.fromEntries(Object.entries(filters).filter(([id]) => OF_GROUPS.includes(id)));
  const net = (group: ChangeGroup) => group.bytes_added - group.bytes_deleted;
  const sorted = { sortable: true, width: 104 } as const;
  const columns = [
    ...(isPartitioned
      ? [
          make.text<ChangeGroup>("partition", fields.partition, (g) => g.partition, {
            width: 200,
            grow: 2,
            sortable: true,
          }),
        ]
      : []),
    ...(by === "bucket"
      ? [make.count<ChangeGroup>("bucket", fields.bucket, (g) => g.bucket, { width: 80, sortable: true })]
      : []),
    make.count<ChangeGroup>("files_added", fields.filesAdded, (g) => g.files_added, sorted),
    make.count<ChangeGroup>("files_deleted", fields.filesDeleted, (g) => g.files_deleted, sorted),
    make.count<ChangeGroup>("files_moved", changes.filesMoved, (g) => g.files_moved, sorted),
    make.bytes<ChangeGroup>("bytes_added", fields.bytesAdded, (g) => g.bytes_added, sorted),
    make.bytes<ChangeGroup>("bytes_deleted", fields.bytesDeleted, (g) => g.bytes_deleted, sorted),
    make.text<ChangeGroup>("net", changes.netBytes, (g) => String(net(g)), {
      width: 104,
      align: "end",
      cell: (g) => <BytesDelta value={net(g)} />,
    }),
    make.count<ChangeGroup>("rows_added", changes.rowsAdded, (g) => g.rows_added, sorted),
    make.count<ChangeGroup>("rows_deleted", changes.rowsDeleted, (g) => g.rows_deleted, sorted),
  ];
  return (
    <ListGrid
      label={by === "partition" ? changes.byPartition : changes.byBucket}
      query={changeGroupsQuery(ref, snapshot, pin.branch, { list, by, sort, ...toApiFilters(asked) })}
      columns={columns}
      rowKey={(group) => group.id}
      filters={[
        ...(isPartitioned ? [{ id: "partition", label: fields.partition }] : []),
        ...(by === "bucket" ? [{ id: "bucket", label: fields.bucket }] : []),
      ]}
      empty={{ title: changes.none[list], detail: changes.noneWhy[list] }}
      onOpen={(group) =>
        setSearch({
          group: undefined,
          sort: undefined,
          "f.partition": isPartitioned ? group.partition : undefined,
          "f.bucket": group.bucket === null ? undefined : String(group.bucket),
        })
      }
    />
  );
}
