import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { fieldError } from "../../api/problem";
import type { KeyProbe, Lsm } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { usePageSearch, useSetSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { TextField } from "../../ui/Field";
import { Notice } from "../../ui/States";
import type { KeyMark } from "../../viz/LevelPicture";
import type { KeyText } from "./useProbe";
import styles from "./BucketPage.module.css";

/** Where the line of a probed key stands: on its place, or between two keys. */
export function markOf(probe: KeyProbe): KeyMark {
  return { key: probe.position, isKey: probe.is_end };
}

interface ProbeProps {
  readonly lsm: Lsm;
  readonly asked: KeyText | null; // the key of the address
  readonly probe: UseQueryResult<KeyProbe>;
}

/** A key is typed, and the files that a reader of it would have to open are told, newest run first. */
export function Probe({ lsm: data, asked, probe }: ProbeProps) {
  const { lsm, ui } = useMessages();
  const setSearch = useSetSearch();
  const [key, setKey] = useState<KeyText>(asked ?? {});
  const address = JSON.stringify(asked);
  const [seen, setSeen] = useState(address);
  if (address !== seen) {
    // The address changed under the fields (back button, a key taken away): show what now holds.
    setSeen(address);
    setKey(asked ?? {});
  }
  const wrong = fieldError(probe.error, "key");
  const search = (text: (column: string) => string | undefined) =>
    setSearch(Object.fromEntries(data.key_columns.map((column) => [`f.${column}`, text(column)])), true);
  const ready = data.key_columns.every((column) => (key[column] ?? "").trim() !== "");
  return (
    <Card title={lsm.probe}>
      {data.redacted ? (
        <p className="muted">{lsm.probeNeedsData}</p>
      ) : (
        <form
          className={styles["probe"]}
          onSubmit={(event) => {
            event.preventDefault();
            search((column) => (key[column] ?? "").trim());
          }}
        >
          {data.key_columns.map((column, at) => (
            <TextField
              key={column}
              label={column}
              verbatim
              error={at === 0 ? wrong : null}
              value={key[column] ?? ""}
              onChange={(event) => setKey({ ...key, [column]: event.target.value })}
            />
          ))}
          <Button type="submit" disabled={!ready || probe.isFetching}>
            {lsm.probeButton}
          </Button>
          {asked !== null && (
            <Button look="quiet" icon="close" onClick={() => search(() => undefined)}>
              {ui.clearFilters}
            </Button>
          )}
        </form>
      )}
      {probe.error !== null && wrong === null && <Failed error={probe.error} />}
      <div role="status" className={styles["found"]}>
        {probe.data !== undefined && <Found probe={probe.data} lsm={data} />}
      </div>
    </Card>
  );
}

function Found({ probe, lsm: data }: { probe: KeyProbe; lsm: Lsm }) {
  const { lsm } = useMessages();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const elsewhere = probe.belongs_to !== null && probe.belongs_to !== data.bucket;
  const opened = probe.files.filter((file) => file.may_hold).length;
  return (
    <>
      {elsewhere && (
        <Notice tone="warn">
          {lsm.otherBucket(probe.key, String(probe.belongs_to))}{" "}
          <Link
            to="/w/$wh/$db/$table/lsm/$partition/$bucket"
            params={{ ...params, partition: data.partition, bucket: String(probe.belongs_to) }}
            search={search}
          >
            {lsm.bucketTitle(data.partition, String(probe.belongs_to))}
          </Link>
        </Notice>
      )}
      <p>{lsm.probeResult(probe.key, opened, probe.files.length)}</p>
      {probe.files.length > 0 && (
        <ol className={styles["probed"]}>
          {probe.files.map((file) => (
            <li key={file.name}>
              <strong>L{file.level}</strong>{" "}
              <Link
                to="/w/$wh/$db/$table/files"
                params={params}
                search={{ ...search, open: `file:${file.name}` }}
              >
                <code>{file.name}</code>
              </Link>{" "}
              <Verdict file={file} />
            </li>
          ))}
        </ol>
      )}
      {opened > 1 && <p className="muted">{lsm.probeOrder}</p>}
    </>
  );
}

function Verdict({ file }: { file: KeyProbe["files"][number] }) {
  const { lsm } = useMessages();
  const asked = [...new Set(file.asked)].join(", ");
  const unused = [...new Set(file.unused)]; // of two columns that have none it is said once
  if (file.left_out) return <Badge tone="warn">{lsm.leftOut}</Badge>;
  if (!file.may_hold) return <Badge tone="ok">{lsm.indexSaysNo(asked)}</Badge>;
  if (asked !== "") return <Badge tone="info">{lsm.indexSaysMaybe(asked)}</Badge>;
  return <Badge>{unused.length > 0 ? unused.join("; ") : lsm.noIndex}</Badge>;
}
