import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { optionHistoryQuery, type OptionHistory as History } from "../../api/history";
import { Answer } from "../../app/Answer";
import { pinOf } from "../../app/search";
import { useOpenTable } from "../../app/table";
import { usePageSearch } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Drawer } from "../../ui/Drawer";
import { KeyValue } from "../../ui/KeyValue";
import { Notice } from "../../ui/States";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./OptionHistory.module.css";

/** What each schema said of one option, the newest first. */
export function OptionHistory({ option, onClose }: { option: string; onClose: () => void }) {
  const { options, fields } = useMessages();
  const { ref, pin } = useOpenTable();
  const answer = useQuery(optionHistoryQuery(ref, pin.branch, option));
  return (
    <Drawer title={options.historyOf(option)} onClose={onClose}>
      <Answer query={answer}>
        {(history) => (
          <>
            {history.damages.map((damage) => (
              <Notice key={damage.detail} tone="danger">
                {damage.detail}
              </Notice>
            ))}
            <KeyValue
              items={[
                Boolean(history.description) && [fields.description, history.description],
                [fields.default, <code key="v">{history.default ?? "–"}</code>],
              ]}
            />
            <ol className={styles["cells"]}>
              {history.items.toReversed().map((item) => (
                <li key={item.schema_id} className={item.is_changed ? styles["changed"] : ""}>
                  <Cell item={item} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Answer>
    </Drawer>
  );
}

function Cell({ item }: { item: History["items"][number] }) {
  const { options, schemas } = useMessages();
  const { ref } = useOpenTable();
  const id = String(item.schema_id);
  return (
    <>
      <span>
        <Link
          to="/w/$wh/$db/$table/schemas/$schema"
          params={{ wh: ref.warehouse, db: ref.database, table: ref.table, schema: id }}
          search={pinOf(usePageSearch())}
        >
          {schemas.schemaOf(id)}
        </Link>{" "}
        <span className="muted">
          <Timestamp value={item.created_at} exact />
        </span>
      </span>
      <span>
        {item.is_set ? <code>{item.value}</code> : <span className="muted">{options.notSet}</span>}{" "}
        {item.is_changed ? (
          <Badge tone="info" glyph="⇄">
            {options.changedHere}
          </Badge>
        ) : (
          <span className="muted">{options.noChange}</span>
        )}
      </span>
    </>
  );
}
