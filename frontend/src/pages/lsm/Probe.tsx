import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { fieldError } from "../../api/problem";
import { probeKey, type KeyProbe, type Lsm } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { TextField } from "../../ui/Field";
import { Notice } from "../../ui/States";
import styles from "./BucketPage.module.css";

/** Where the line of a probed key stands: on its place, or between two keys. */
export function markOf(probe: KeyProbe): number {
  return probe.is_end ? probe.position + 0.5 : probe.position;
}

interface ProbeProps {
  readonly lsm: Lsm;
  readonly probed: KeyProbe | null;
  readonly onProbed: (probe: KeyProbe | null) => void;
}

/** A key is typed, and the files that a reader of it would have to open are told, newest run first. */
export function Probe({ lsm: data, probed, onProbed }: ProbeProps) {
  const { lsm } = useMessages();
  const { ref, pin } = useOpenTable();
  const [key, setKey] = useState<Readonly<Record<string, string>>>({});
  const ask = useMutation({
    mutationFn: (typed: Record<string, string>) =>
      probeKey(ref, data.partition, data.bucket, {
        key: typed,
        at: data.as_of,
        branch: pin.branch ?? "main",
      }),
    onSuccess: onProbed,
    onError: () => onProbed(null),
  });
  const wrong = fieldError(ask.error, "key");
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
            ask.mutate(
              Object.fromEntries(data.key_columns.map((column) => [column, (key[column] ?? "").trim()])),
            );
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
          <Button type="submit" disabled={!ready || ask.isPending}>
            {lsm.probeButton}
          </Button>
        </form>
      )}
      {ask.error !== null && wrong === null && <Failed error={ask.error} />}
      <div role="status" className={styles["found"]}>
        {probed !== null && <Found probe={probed} lsm={data} />}
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
  const asked = file.asked.join(", ");
  if (file.left_out) return <Badge tone="warn">{lsm.leftOut}</Badge>;
  if (!file.may_hold) return <Badge tone="ok">{lsm.indexSaysNo(asked)}</Badge>;
  if (asked !== "") return <Badge tone="info">{lsm.indexSaysMaybe(asked)}</Badge>;
  return <Badge>{file.unused.length > 0 ? file.unused.join("; ") : lsm.noIndex}</Badge>;
}
