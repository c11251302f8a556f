import type { ReactNode } from "react";
import { optionsQuery, type TableOption } from "../../api/tables";
import { useColumnMakers } from "../../app/columns";
import { ListGrid } from "../../app/ListGrid";
import { TablePage } from "../../app/Page";
import { toApiFilters } from "../../app/search";
import { tableName, useOpenTable } from "../../app/table";
import { useFilters, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { OptionHistory } from "./OptionHistory";

/** The options in effect, with default and origin; one that is opened shows what each schema said of it. */
export function OptionsPage(): ReactNode {
  const { options, tabs, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const { sort, open } = usePageSearch();
  const setSearch = useSetSearch();
  const opened = open?.startsWith("option:") ? open.slice("option:".length) : undefined;
  const [filters] = useFilters();
  const make = useColumnMakers();
  const { key, is_default: changed, ...others } = filters;
  const columns = [
    make.text<TableOption>("key", fields.option, (o) => o.key, {
      width: 300,
      grow: 2,
      sortable: true,
      cell: (o) => <code>{o.key}</code>,
    }),
    make.text<TableOption>("value", fields.value, (o) => o.value, {
      width: 130,
      cell: (o) => (
        <>
          <code>{o.value || "–"}</code>
          {!o.is_default && <Badge tone="info">{options.changed}</Badge>}
        </>
      ),
    }),
    make.text<TableOption>("default", fields.default, (o) => o.default, {
      width: 120,
      cell: (o) => <code>{o.default || "–"}</code>,
    }),
    make.text<TableOption>(
      "schema_id",
      options.setBy,
      (o) => (o.schema_id === null ? "" : `#${o.schema_id}`),
      {
        width: 120,
        sortable: true,
      },
    ),
    make.text<TableOption>("type", fields.type, (o) => o.type, { width: 100 }),
    make.text<TableOption>("group", fields.group, (o) => o.group, {
      width: 150,
      sortable: true,
      cell: (o) => <code>{o.group}</code>,
    }),
    make.text<TableOption>("description", fields.description, (o) => o.description, { width: 280, grow: 3 }),
  ];
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.options}`}>
      <ListGrid
        label={tabs.options}
        query={optionsQuery(ref, pin.branch, {
          sort,
          ...(changed !== undefined && { is_default: changed }),
          ...(key !== undefined && { "key[contains]": key }),
          ...toApiFilters(others),
        })}
        columns={columns}
        rowKey={(o) => o.key}
        filters={[
          { id: "key", label: fields.option },
          {
            id: "is_default",
            label: options.which,
            options: [
              ["false", options.onlyChanged],
              ["true", options.onlyDefaults],
            ],
          },
        ]}
        empty={{ title: options.none, detail: options.noneDetail }}
        hidden={["type"]}
        opens="option"
      />
      {opened !== undefined && (
        <OptionHistory key={opened} option={opened} onClose={() => setSearch({ open: undefined })} />
      )}
    </TablePage>
  );
}
