import type { SchemaDiff } from "../../api/tables";
import { useFormat, useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import { Progress } from "../../ui/Progress";
import styles from "./Schemas.module.css";

/** Which schemas the live files were written with, and what a reader of the newer one gets of them. */
export function Effects({ diff }: { diff: Pick<SchemaDiff, "effects" | "reads"> }) {
  const { schemas } = useMessages();
  const format = useFormat();
  return (
    <Card title={schemas.effects}>
      <div className={styles["side"]}>
        {diff.effects.length === 0 && <p className="muted">{schemas.noLiveFiles}</p>}
        {diff.effects.map((effect) => (
          <div key={effect.schema_id} className={styles["effect"]}>
            <span>
              {schemas.schemaOf(String(effect.schema_id))}: {format.bytes(effect.live_bytes)} ·{" "}
              {format.percent(effect.share)}
            </span>
            <Progress label={schemas.schemaOf(String(effect.schema_id))} share={effect.share} />
          </div>
        ))}
        <p className="muted">{schemas.effectsHow}</p>
        {diff.reads.length > 0 && (
          <ul className={styles["reads"]} aria-label={schemas.oldFiles}>
            {diff.reads.map((read) => (
              <li key={`${read.id}:${read.how}:${read.detail ?? ""}`}>
                <code>{read.path}</code> {schemas.readAs[read.how](read.detail ?? "")}{" "}
                <span className="muted">
                  {schemas.ofSchemas(read.schema_ids.join(", "), format.bytes(read.live_bytes))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}
