import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { TableRef } from "../api/tables";
import type { TableRow } from "../api/warehouses";
import { unwatch, watchesQuery, watchKeys, watchTable, type Watch } from "../api/watches";
import { useMessages } from "../i18n";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { useToast } from "../ui/Toast";

/** The tables that the person watches; undefined until they are known. */
export function useWatches(): readonly Watch[] | undefined {
  const { data } = useInfiniteQuery(watchesQuery);
  return data?.pages.flatMap((page) => page.items);
}

/** Watches the table, or ends it: home shows watched tables first. */
export function WatchButton({ table }: { table: TableRef }) {
  const { watching } = useMessages();
  const client = useQueryClient();
  const watches = useWatches();
  const mine = watches?.find(
    (w) => w.warehouse === table.warehouse && w.database === table.database && w.name === table.table,
  );
  const change = useMutation({
    mutationFn: async () => {
      await (mine === undefined ? watchTable(table) : unwatch(mine.id));
    },
    onSettled: () => client.invalidateQueries({ queryKey: watchKeys.all }),
  });
  return (
    <>
      <Button
        look="quiet"
        icon={mine === undefined ? "star" : "check"}
        aria-pressed={mine !== undefined}
        disabled={watches === undefined || change.isPending}
        onClick={() => change.mutate()}
      >
        {mine === undefined ? watching.watch : watching.watched}
      </Button>
      {change.error !== null && <Refused error={change.error} />}
    </>
  );
}

/** Watches all of some tables. */
export function WatchAll({ tables }: { tables: readonly TableRef[] }) {
  const { watching } = useMessages();
  const client = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: () => Promise.all(tables.map(watchTable)),
    onSuccess: (made) => toast(watching.nowWatched(made.length)),
    onSettled: () => client.invalidateQueries({ queryKey: watchKeys.all }),
  });
  return (
    <>
      <Button look="quiet" icon="star" disabled={change.isPending} onClick={() => change.mutate()}>
        {watching.watch}
      </Button>
      {change.error !== null && <Refused error={change.error} />}
    </>
  );
}

function Refused({ error }: { error: Error }) {
  return (
    <span role="alert">
      <Badge tone="danger" glyph="✕">
        {error.message}
      </Badge>
    </span>
  );
}

/** The button of a list of tables whose rows are chosen. */
export function watchAll(rows: readonly TableRow[]) {
  return <WatchAll tables={rows.map(({ name, ...at }) => ({ ...at, table: name }))} />;
}
