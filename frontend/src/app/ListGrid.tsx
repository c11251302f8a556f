import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SheetFormat } from "../api/client";
import { useMessages } from "../i18n";
import { DataGrid, type GridColumn } from "../ui/DataGrid";
import { FilterBar, type FilterField } from "../ui/FilterBar";
import { Empty, Loading } from "../ui/States";
import type { RowTraits } from "../ui/VirtualGrid";
import { Failed } from "./Answer";
import { saveFile } from "./saveFile";
import { usePages, type ListQuery } from "./usePages";
import { useFilters, usePageSearch, useSetSearch } from "./useSearch";

interface ListGridProps<Item> {
  readonly label: string;
  readonly query: ListQuery<Item>;
  readonly columns: readonly GridColumn<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly filters?: readonly FilterField[];
  readonly empty: { readonly title: string; readonly detail?: string; readonly action?: ReactNode };
  /** The drawer that a row opens is in the address, as `open=<kind>:<key>`. */
  readonly opens?: string;
  readonly onOpen?: (item: Item) => void;
  readonly tone?: (item: Item) => RowTraits["tone"];
  readonly hidden?: readonly string[];
  readonly height?: string;
  readonly note?: ReactNode;
  readonly withChosen?: (rows: readonly Item[]) => ReactNode;
  readonly onColumns?: (ids: ReadonlySet<string>) => void;
}

/** A list of the API as a grid: filter, sort and open row are in the address; pages load as they come into view. */
export function ListGrid<Item>(props: ListGridProps<Item>) {
  const { query, rowKey, filters, opens, onOpen } = props;
  const { grid } = useMessages();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const [values, setFilter] = useFilters();
  const { answer, rows, more, total, onEnd } = usePages(query);
  const open = opens === undefined ? onOpen : (item: Item) => setSearch({ open: `${opens}:${rowKey(item)}` });
  const sheet = useMutation({
    mutationFn: (format: SheetFormat) => query.sheet(format),
    onSuccess: (file, format) => saveFile(file, `${props.label}.${format}`),
  });
  const filtered = Object.keys(values).length > 0;

  const body = () => {
    if (answer.error !== null && answer.data === undefined) {
      return <Failed error={answer.error} onRetry={() => void answer.refetch()} />;
    }
    if (answer.data === undefined) return <Loading />;
    if (rows.length === 0) {
      return filtered ? (
        <Empty title={grid.noMatch}>{grid.noMatchDetail}</Empty>
      ) : (
        <Empty title={props.empty.title} action={props.empty.action}>
          {props.empty.detail}
        </Empty>
      );
    }
    return (
      <DataGrid
        label={props.label}
        columns={props.columns}
        rows={rows}
        rowKey={rowKey}
        total={total}
        more={more}
        sort={search.sort}
        onSort={(sort) => setSearch({ sort }, true)}
        onEnd={onEnd}
        dimmed={answer.isPlaceholderData}
        isOpen={(item) => opens !== undefined && search.open === `${opens}:${rowKey(item)}`}
        {...(open && { onOpen: open })}
        {...(props.tone && { tone: props.tone })}
        {...(props.hidden && { hidden: props.hidden })}
        {...(props.height !== undefined && { height: props.height })}
        note={props.note}
        onExport={(format) => sheet.mutate(format)}
        {...(props.withChosen && { withChosen: props.withChosen })}
        {...(props.onColumns && { onColumns: props.onColumns })}
      />
    );
  };
  return (
    <>
      {filters && <FilterBar fields={filters} values={values} onChange={setFilter} />}
      {sheet.isPending && <p role="status">{grid.exporting}</p>}
      {sheet.error !== null && <Failed error={sheet.error} />}
      {body()}
    </>
  );
}
