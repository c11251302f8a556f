import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { schemaQuery, type DataFile } from "../../api/tables";
import { useColumnMakers } from "../../app/columns";
import { useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import type { GridColumn } from "../../ui/gridColumns";

const MOST_COLUMNS = 8; // each takes three columns of the grid

interface Column {
  readonly id: number;
  readonly name: string;
}

/** The columns whose statistics the address asks for, by the names of the present schema. */
function useChosen(): { readonly chosen: readonly Column[]; readonly all: readonly Column[] } {
  const { stats } = usePageSearch();
  const { ref, pin, summary } = useOpenTable();
  const { data } = useQuery(schemaQuery(ref, pin.branch, summary.schema_id));
  const all = (data?.fields ?? []).flatMap((field) =>
    field.depth === 0 && field.id !== null ? [{ id: field.id, name: field.name }] : [],
  );
  const ids = stats?.split(",").map(Number) ?? [];
  return { all, chosen: ids.map((id) => all.find((c) => c.id === id) ?? { id, name: `#${id}` }) };
}

/** Chooses the columns of the table whose null counts and bounds the list of files shows. */
export function StatisticsPicker(): ReactNode {
  const { files } = useMessages();
  const setSearch = useSetSearch();
  const { chosen, all } = useChosen();
  const show = (columns: readonly Column[]) =>
    setSearch({ stats: columns.length === 0 ? undefined : columns.map((c) => c.id).join(",") }, true);
  const add = (id: string) => show([...chosen, ...all.filter((column) => String(column.id) === id)]);
  const offered = all.filter((column) => !chosen.some((c) => c.id === column.id));
  return (
    <div style={{ display: "flex", flexWrap: "wrap", gap: 8, alignItems: "end" }}>
      {chosen.length < MOST_COLUMNS && (
        <SelectField
          label={files.statsOf}
          value=""
          options={[
            ["", files.statsHint],
            ...offered.map((column) => [String(column.id), column.name] as const),
          ]}
          onChange={add}
        />
      )}
      {chosen.map((column) => (
        <Button
          key={column.id}
          look="quiet"
          icon="close"
          aria-label={files.statsHide(column.name)}
          onClick={() => show(chosen.filter((c) => c.id !== column.id))}
        >
          {column.name}
        </Button>
      ))}
    </div>
  );
}

/** Least, greatest and nulls of each chosen column; what a file was written without is a dash. */
export function useStatisticsColumns(): GridColumn<DataFile>[] {
  const { files, fields } = useMessages();
  const { chosen } = useChosen();
  const make = useColumnMakers();
  return chosen.flatMap(({ id, name }) => {
    const of = (file: DataFile) => file.statistics?.find((column) => column.id === id);
    const cut = (file: DataFile, bound: string | null | undefined) =>
      of(file)?.truncated === true && bound ? `${bound}…` : bound;
    return [
      make.text<DataFile>(`${id}:min`, files.statsOfColumn(name, fields.min), (f) => cut(f, of(f)?.min)),
      make.text<DataFile>(`${id}:max`, files.statsOfColumn(name, fields.max), (f) => cut(f, of(f)?.max)),
      make.count<DataFile>(`${id}:nulls`, files.statsOfColumn(name, fields.nulls), (f) => of(f)?.null_count, {
        width: 100,
      }),
    ];
  });
}

/** The columns with those of the statistics behind the rows and deletes, where they are seen. */
export function withStatistics(
  columns: readonly GridColumn<DataFile>[],
  statistics: readonly GridColumn<DataFile>[],
): GridColumn<DataFile>[] {
  const at = columns.findIndex((column) => column.id === "deletes") + 1;
  return [...columns.slice(0, at), ...statistics, ...columns.slice(at)];
}
