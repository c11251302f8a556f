import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fieldHistoryQuery, type FieldHistory as History } from "../../api/tables";
import { Answer } from "../../app/Answer";
import { useDiffMarks } from "../../app/schemaDiff";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Drawer } from "../../ui/Drawer";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./Schemas.module.css";

/** When a field came, changed and went: one cell a schema. */
export function FieldHistory({ id, onClose }: { id: number; onClose: () => void }) {
  const { schemas } = useMessages();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(fieldHistoryQuery(ref, pin.branch, id));
  // The name that it had last; of a dropped field, too.
  const named = answer.data?.items.findLast((item) => item.field !== null)?.field?.path ?? null;
  return (
    <Drawer title={schemas.historyOf(String(id), named)} onClose={onClose}>
      <Answer query={answer}>
        {(history) => (
          <ol className={styles["cells"]}>
            {history.items.map((item) => (
              <li key={item.schema_id} className={item.changes.length > 0 ? styles["changedcell"] : ""}>
                <Cell item={item} />
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Drawer>
  );
}

function Cell({ item }: { item: History["items"][number] }) {
  const { schemas } = useMessages();
  const { ref } = useOpenTable();
  const search = pinOf(usePageSearch());
  const params = { wh: ref.warehouse, db: ref.database, table: ref.table };
  const marks = useDiffMarks(item.changes, item.field === null);
  return (
    <>
      <span>
        <strong>{schemas.schemaOf(String(item.schema_id))}</strong>{" "}
        <span className="muted">
          <Timestamp value={item.created_at} exact />
        </span>
      </span>
      {item.field === null ? (
        <span className="muted">–</span>
      ) : (
        <code>
          {item.field.path} {item.field.type}
          {item.field.nullable ? "" : " NOT NULL"}
        </code>
      )}
      {marks.length > 0 && (
        <span className={styles["pick"]}>
          {marks.map((mark) => (
            <Badge key={mark.text} tone={mark.tone} glyph={mark.glyph}>
              {mark.text}
            </Badge>
          ))}
        </span>
      )}
      {item.first_used === null ? (
        <span className="muted">{schemas.noSnapshot}</span>
      ) : (
        <span>
          {schemas.firstUsed}{" "}
          <Link
            to="/w/$wh/$db/$table/snapshots/$snapshot"
            params={{ ...params, snapshot: item.first_used.ref }}
            search={search}
          >
            #{item.first_used.id}
          </Link>{" "}
          <span className="muted">
            <Timestamp value={item.first_used.committed_at} exact />
          </span>
        </span>
      )}
    </>
  );
}
