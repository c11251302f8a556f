import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fileQuery, lineageQuery } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { BucketLink, KindBadge, LevelMark, SnapshotLink } from "../../app/cells";
import { useReachText } from "../../app/reach";
import { useOpenTable } from "../../app/table";
import { useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { Drawer } from "../../ui/Drawer";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./FileDrawer.module.css";
import { FileFooter } from "./FileFooter";
import { FileIndexes } from "./FileIndexes";

/** All that is known of one data file. */
export function FileDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const { files } = useMessages();
  return (
    <Drawer title={name} onClose={onClose}>
      <Metadata name={name} />
      <section>
        <h3>{files.lineage}</h3>
        <Lineage name={name} />
      </section>
      <section>
        <h3>{files.indexes}</h3>
        <FileIndexes name={name} />
      </section>
      <section>
        <h3>{files.footer}</h3>
        <FileFooter key={name} name={name} />
      </section>
    </Drawer>
  );
}

function Metadata({ name }: { name: string }) {
  const { files, fields, changes } = useMessages();
  const { ref, pin, summary, isPartitioned } = useOpenTable();
  return (
    <Answer query={useQuery(fileQuery(ref, pin, name))}>
      {(file) => (
        <>
          {file.exists === false && <Notice tone="danger">{files.missing}</Notice>}
          <KeyValue
            items={[
              [fields.path, <CopyableId key="v" value={file.path} />],
              isPartitioned && [fields.partition, file.partition],
              [fields.bucket, <BucketLink key="v" partition={file.partition} bucket={file.bucket} />],
              [fields.level, <LevelMark key="v" level={file.level} />],
              [fields.size, <Bytes key="v" value={file.bytes} />],
              [fields.rows, <Count key="v" value={file.rows} />],
              [fields.deletes, <Count key="v" value={file.deletes} />],
              [fields.minKey, file.min_key],
              [fields.maxKey, file.max_key],
              [fields.sequence, `${file.min_sequence_number} … ${file.max_sequence_number}`],
              [fields.schema, String(file.schema_id)],
              [fields.source, file.source ? changes.sources[file.source] : null],
              [fields.created, <Timestamp key="v" value={file.created_at} />],
              [fields.format, file.format],
              file.extra_files.length > 0 && [files.extraFiles, file.extra_files.join(", ")],
              file.external_path !== null && [files.externalPath, file.external_path],
              file.first_row_id !== null && [files.firstRowId, file.first_row_id],
              file.write_cols !== null && [files.writtenColumns, file.write_cols.join(", ")],
            ]}
          />
          {summary.permissions.includes("data:read") && (
            <p>
              <Link
                to="/w/$wh/$db/$table/data"
                params={{ wh: ref.warehouse, db: ref.database, table: ref.table }}
                search={{ ...pin, "f.file": file.name }}
              >
                {files.sampleRows}
              </Link>
            </p>
          )}
          <section>
            <h3>{files.columns}</h3>
            {file.redacted && <Notice>{files.redacted}</Notice>}
            {file.columns.length === 0 ? (
              <p className="muted">{files.noStatistics}</p>
            ) : (
              <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={files.columns}>
                <table className={styles["columns"]}>
                  <thead>
                    <tr>
                      <th>{fields.id}</th>
                      <th>{fields.column}</th>
                      <th>{fields.type}</th>
                      <th className="number">{fields.nulls}</th>
                      <th>{fields.min}</th>
                      <th>{fields.max}</th>
                      <th title={files.truncatedHow}>{files.truncated}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {file.columns.map((column) => (
                      <tr key={`${column.id ?? ""}-${column.name}`}>
                        <td>{column.id}</td>
                        <td>
                          {column.name_now === null || column.name_now === column.name
                            ? column.name
                            : files.nameNow(column.name, column.name_now)}
                        </td>
                        <td className="muted">{column.type}</td>
                        <td className="number">
                          <Count value={column.null_count} />
                        </td>
                        <td title={column.min ?? undefined}>{column.min ?? "–"}</td>
                        <td title={column.max ?? undefined}>{column.max ?? "–"}</td>
                        <td {...(column.truncated === true && { title: files.truncatedHow })}>
                          {column.truncated === true ? files.truncatedYes : "–"}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </section>
        </>
      )}
    </Answer>
  );
}

function Lineage({ name }: { name: string }) {
  const { files } = useMessages();
  const reachText = useReachText();
  const { ref, pin } = useOpenTable();
  return (
    <Answer query={useQuery(lineageQuery(ref, pin, name))}>
      {(lineage) => (
        <KeyValue
          items={[
            [
              files.born,
              lineage.born === null ? (
                files.bornUnknown
              ) : (
                <span key="v">
                  <SnapshotLink id={lineage.born.id} identity={lineage.born.ref} />{" "}
                  <KindBadge kind={lineage.born.kind} /> <Timestamp value={lineage.born.committed_at} />
                </span>
              ),
            ],
            [
              files.removed,
              lineage.removed === null ? (
                files.stillLive
              ) : (
                <span key="v">
                  <SnapshotLink id={lineage.removed.id} identity={lineage.removed.ref} />{" "}
                  <KindBadge kind={lineage.removed.kind} />
                </span>
              ),
            ],
            lineage.inputs.length > 0 && [
              files.inputs,
              <ul key="v" className={styles["inputs"]}>
                {lineage.inputs.map((input) => (
                  <li key={input.file}>
                    <LevelMark level={input.level} /> <CopyableId value={input.file} most={48} />
                  </li>
                ))}
              </ul>,
            ],
            [files.reachedFrom, reachText(lineage.reached_from)],
          ]}
        />
      )}
    </Answer>
  );
}
