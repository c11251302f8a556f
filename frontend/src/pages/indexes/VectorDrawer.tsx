import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { indexFileQuery } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { BucketLink } from "../../app/cells";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { CopyableId } from "../../ui/CopyableId";
import { Count } from "../../ui/Count";
import { Drawer } from "../../ui/Drawer";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { BitStrip } from "../../viz/BitBars";
import styles from "./IndexesPage.module.css";

/** One file of deletion vectors: each vector with its place, its form, and the rows that it deletes. */
export function VectorDrawer({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
  const { indexes, files, fields } = useMessages();
  const format = useFormat();
  const { ref, pin, isPartitioned } = useOpenTable();
  return (
    <Drawer title={name} onClose={onClose}>
      <Answer query={useQuery(indexFileQuery(ref, pin, name))}>
        {(file) => (
          <>
            {file.problem !== null && <Notice tone="danger">{file.problem}</Notice>}
            <KeyValue
              items={[
                [fields.path, <CopyableId key="v" value={file.path} />],
                isPartitioned && [fields.partition, file.partition],
                [fields.bucket, <BucketLink key="v" partition={file.partition} bucket={file.bucket} />],
                [fields.size, <Bytes key="v" value={file.bytes} />],
              ]}
            />
            <h3>{indexes.vectorsIn}</h3>
            <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={indexes.vectorsIn}>
              <table className={styles["coverage"]}>
                <thead>
                  <tr>
                    <th>{fields.file}</th>
                    <th className="number">{files.offset}</th>
                    <th className="number">{fields.size}</th>
                    <th>{indexes.form}</th>
                    <th className="number">{indexes.deletedRows}</th>
                    <th className="number">{indexes.shareDeleted}</th>
                    <th>{indexes.where}</th>
                  </tr>
                </thead>
                <tbody>
                  {file.vectors.map((vector) => (
                    <tr key={vector.data_file}>
                      <td>
                        <CopyableId value={vector.data_file} most={28} />
                      </td>
                      <td className="number">
                        <Count value={vector.offset} />
                      </td>
                      <td className="number">
                        <Bytes value={vector.bytes} />
                      </td>
                      <td>{vector.bits === null ? "–" : indexes.bitsOf(vector.bits)}</td>
                      <td className="number">
                        <Count value={vector.deleted_rows} />
                      </td>
                      <td className="number">
                        {vector.deleted_rows === null || !vector.rows
                          ? "–"
                          : format.percent(vector.deleted_rows / vector.rows)}
                      </td>
                      <td>
                        {vector.parts.length === 0 || !vector.rows ? (
                          "–"
                        ) : (
                          <BitStrip
                            label={indexes.whereLabel(
                              vector.parts.filter((count) => count > 0).length,
                              vector.parts.length,
                            )}
                            counts={vector.parts}
                            size={vector.rows / vector.parts.length}
                          />
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Answer>
    </Drawer>
  );
}
