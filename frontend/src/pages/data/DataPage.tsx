import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ApiProblem, fieldError } from "../../api/problem";
import { objectAddress } from "../../api/objects";
import { preview, type Preview } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { TablePage } from "../../app/Page";
import { hasSnapshots } from "../../app/tableTypes";
import { tableName, useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { CodeField, SelectField, TextField } from "../../ui/Field";
import { Empty, Forbidden, Loading, Notice } from "../../ui/States";
import styles from "./DataPage.module.css";
import { RowsGrid } from "../../app/RowsGrid";

const LIMITS = ["100", "500", "1000"] as const;

/** The first rows of a table at the pinned snapshot, read when asked for; every read is audited. */
export function DataPage(): ReactNode {
  const { data, tabs } = useMessages();
  const { ref, summary } = useOpenTable();
  const allowed = summary.permissions.includes("data:read");
  return (
    <TablePage title={`${tableName(ref)} · ${tabs.data}`}>
      {!allowed ? (
        <Forbidden permission="data:read" detail={data.needsDataRead} />
      ) : summary.at === null && hasSnapshots(summary.type) ? (
        <Empty title={data.none}>{data.noneDetail}</Empty>
      ) : (
        <PreviewForm />
      )}
    </TablePage>
  );
}

const OBJECTS = "object-table";

function PreviewForm() {
  const { data, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const [filter, setFilter] = useState(search["f.where"] ?? "");
  const [columns, setColumns] = useState(search["f.columns"] ?? "");
  const [limit, setLimit] = useState(search["f.limit"] ?? "100");
  const [file, setFile] = useState(search["f.file"] ?? "");
  const isRaw = file.trim() !== "";
  const { type } = useOpenTable().summary;
  const hasFiles = hasSnapshots(type);
  const lists = type === OBJECTS;
  const rows = useMutation({
    mutationFn: () =>
      preview(ref, {
        ...(pin.at !== undefined && { at: pin.at }),
        ...(pin.branch !== undefined && { branch: pin.branch }),
        ...(isRaw && { file: file.trim() }),
        ...(!isRaw && filter.trim() !== "" && { filter: filter.trim() }),
        ...(!isRaw && columns.trim() !== "" && { columns: columns.split(",").map((name) => name.trim()) }),
        limit: Number(limit),
      }),
  });
  const run = () => {
    setSearch(
      {
        "f.where": filter || undefined,
        "f.columns": columns || undefined,
        "f.file": file.trim() || undefined,
        "f.limit": limit === "100" ? undefined : limit,
      },
      true,
    );
    rows.mutate();
  };
  const wrongField = ["filter", "columns", "file"].some((field) => fieldError(rows.error, field) !== null);
  return (
    <>
      <form
        className={styles["form"]}
        data-short={hasFiles ? undefined : ""}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <CodeField
          label={data.where}
          hint={data.whereHint}
          error={fieldError(rows.error, "filter")}
          rows={2}
          disabled={isRaw}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && run()}
        />
        <TextField
          label={data.columns}
          hint={data.columnsHint}
          error={fieldError(rows.error, "columns")}
          disabled={isRaw}
          value={columns}
          onChange={(event) => setColumns(event.target.value)}
        />
        {hasFiles && (
          <TextField
            label={data.rawFile}
            hint={data.rawFileHint}
            error={fieldError(rows.error, "file")}
            value={file}
            onChange={(event) => setFile(event.target.value)}
          />
        )}
        <SelectField
          label={fields.rows}
          value={limit}
          options={LIMITS.map((n) => [n, n] as const)}
          onChange={setLimit}
        />
        <Button type="submit" look="primary" icon="play" disabled={rows.isPending}>
          {lists ? (rows.data === undefined ? data.list : data.listAnew) : data.run}
        </Button>
      </form>
      <Notice>{data.audited}</Notice>
      {rows.isPending && <Loading />}
      {rows.error !== null && !(wrongField && rows.error instanceof ApiProblem) && (
        <Failed error={rows.error} onRetry={run} />
      )}
      {rows.data !== undefined && !rows.isPending && <Rows preview={rows.data} at={rows.submittedAt} />}
      {rows.isIdle && (
        <Empty title={data.ready}>
          {lists ? data.readyListing : hasFiles ? data.readyDetail : data.readyFiles}
        </Empty>
      )}
    </>
  );
}

function Rows({ preview: found, at }: { preview: Preview; at: number }) {
  const { data } = useMessages();
  const format = useFormat();
  const { type } = useOpenTable().summary;
  const isOfObjects = type === OBJECTS;
  const took = `${data.took(format.duration(found.millis))}${found.truncated ? ` · ${data.truncated}` : ""}`;
  const listed = data.listed(format.time(new Date(at).toISOString()));
  if (found.rows.length === 0)
    return (
      <Empty title={data.noRows}>
        {isOfObjects ? `${data.noFiles} ${listed}` : hasSnapshots(type) ? data.noRowsDetail : data.noFiles}
      </Empty>
    );
  return (
    <RowsGrid
      label={data.rows}
      columns={found.columns}
      rows={found.rows}
      note={isOfObjects ? `${took} · ${listed}` : took}
      {...(isOfObjects && {
        cell: (column: string, text: string) => (column === "path" ? <ObjectLink path={text} /> : undefined),
      })}
    />
  );
}

/** Saves an object of an object table; what it holds is never shown. */
function ObjectLink({ path }: { path: string }) {
  const { data } = useMessages();
  const { ref } = useOpenTable();
  return (
    <a href={objectAddress(ref, path)} download title={data.saveObject(path)}>
      {path}
    </a>
  );
}
