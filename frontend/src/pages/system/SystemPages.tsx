import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import {
  systemAddress,
  systemRowsQuery,
  systemSheet,
  systemTablesQuery,
  warehouseAddress,
  warehouseRowsQuery,
  warehouseTablesQuery,
  type SystemRows,
  type SystemTable,
} from "../../api/system";
import { Answer, Failed } from "../../app/Answer";
import { Page, TablePage } from "../../app/Page";
import { tableName, useOpenTable } from "../../app/table";
import { usePageParams, usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { DataGrid, type GridColumn } from "../../ui/DataGrid";
import { SelectField, TextField } from "../../ui/Field";
import { Empty, Loading, Notice } from "../../ui/States";
import { cellText } from "../../app/cellText";
import styles from "./SystemPages.module.css";

const FIRST = "snapshots";
const FIRST_OF_SYS = "tables";

/** The system tables of a table, as of the pinned snapshot. */
export function TableSystemPage(): ReactNode {
  const { tabs } = useMessages();
  const { ref, pin } = useOpenTable();
  const tables = useInfiniteQuery(systemTablesQuery(ref, pin));
  const { name, filter } = useChosen(FIRST);
  const rows = useInfiniteQuery(systemRowsQuery(ref, pin, name, filter));
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.system}`}>
      <Answer query={tables}>
        {({ pages }) => (
          <Shown
            tables={pages.flatMap((page) => page.items)}
            prefix="$"
            name={name}
            filter={filter}
            rows={rows}
            address={systemAddress(ref, pin, name, filter)}
          />
        )}
      </Answer>
    </TablePage>
  );
}

/** The tables of database `sys`: what all tables of a warehouse have. */
export function WarehouseSystemPage(): ReactNode {
  const { system } = useMessages();
  const { wh = "" } = usePageParams();
  const tables = useInfiniteQuery(warehouseTablesQuery(wh));
  const { name, filter } = useChosen(FIRST_OF_SYS);
  const rows = useInfiniteQuery(warehouseRowsQuery(wh, name, filter));
  return (
    <Page title={`${wh} · sys`} heading={system.ofWarehouse(wh)}>
      <Answer query={tables}>
        {({ pages }) => (
          <Shown
            tables={pages.flatMap((page) => page.items)}
            prefix="sys."
            name={name}
            filter={filter}
            rows={rows}
            address={warehouseAddress(wh, name, filter)}
          />
        )}
      </Answer>
    </Page>
  );
}

function useChosen(first: string): { name: string; filter: string } {
  const search = usePageSearch();
  return { name: search.view ?? first, filter: search["f.where"] ?? "" };
}

interface ShownProps {
  readonly tables: readonly SystemTable[];
  readonly prefix: string;
  readonly name: string;
  readonly filter: string;
  readonly rows: ReturnType<typeof useInfiniteQuery<SystemRows, Error, { pages: SystemRows[] }>>;
  readonly address: string;
}

function Shown({ tables, prefix, name, filter, rows, address }: ShownProps) {
  const { system, data, grid } = useMessages();
  const setSearch = useSetSearch();
  const [text, setText] = useState(filter);
  const chosen = tables.find((table) => table.name === name);
  const sheet = useMutation({
    mutationFn: () => systemSheet(address),
    onSuccess: (blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${name}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <>
      <form
        className={styles["bar"]}
        onSubmit={(event) => {
          event.preventDefault();
          setSearch({ "f.where": text.trim() || undefined }, true);
        }}
      >
        <SelectField
          label={system.table}
          hint={chosen && system.shows[chosen.shows]}
          value={name}
          options={tables.map((table) => [table.name, `${prefix}${table.name}`] as const)}
          onChange={(next) => {
            setText("");
            setSearch({ view: next, "f.where": undefined });
          }}
        />
        <TextField
          label={data.where}
          hint={system.whereHint}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button icon="download" disabled={sheet.isPending} onClick={() => sheet.mutate()}>
          {grid.exportCsv}
        </Button>
      </form>
      {sheet.error !== null && <Failed error={sheet.error} />}
      <Rows label={`${prefix}${name}`} rows={rows} />
    </>
  );
}

interface Row {
  readonly at: number;
  readonly values: readonly unknown[];
}

const NUMERIC = /^(TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE|DECIMAL)/;

function Rows({ label, rows: answer }: { label: string } & Pick<ShownProps, "rows">) {
  const { system } = useMessages();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const rows = useMemo(
    () => (data?.pages.flatMap((page) => page.rows) ?? []).map((values, at): Row => ({ at, values })),
    [data],
  );
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (answer.error !== null && data === undefined) {
    return <Failed error={answer.error} onRetry={() => void answer.refetch()} />;
  }
  const first = data?.pages[0];
  if (first === undefined) return <Loading />;
  if (rows.length === 0) return <Empty title={system.noRows}>{system.noRowsDetail}</Empty>;
  const columns = first.columns.map((column, at): GridColumn<Row> => ({
    id: column.name,
    header: `${column.name} · ${column.type.replace(" NOT NULL", "")}`,
    width: Math.min(300, Math.max(120, (column.name.length + column.type.length) * 7 + 30)),
    grow: NUMERIC.test(column.type) ? 0 : 1,
    align: NUMERIC.test(column.type) ? "end" : "start",
    cell: (row) => <Cell value={row.values[at]} />,
    text: (row) => cellText(row.values[at]),
  }));
  return (
    <>
      {first.hidden.length > 0 && <Notice>{system.hidden(first.hidden.join(", "))}</Notice>}
      <DataGrid
        label={label}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.at)}
        total={first.total}
        more={hasNextPage || first.truncated}
        onEnd={onEnd}
      />
    </>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <em className="muted">NULL</em>;
  const text = cellText(value);
  return (
    <span title={text} translate="no">
      {text}
    </span>
  );
}
