import { useMessages } from "../../i18n";
import { KeyValue } from "../../ui/KeyValue";

interface Affected {
  readonly consumers_affected: readonly string[];
  readonly writers_affected: readonly string[];
}

/** Who reads the branch and who else writes it. */
export function Concerned({ effects }: { effects: Affected }) {
  const { actionPage } = useMessages();
  const [consumers, writers] = [effects.consumers_affected, effects.writers_affected];
  if (consumers.length + writers.length === 0) return <p className="muted">{actionPage.nobodyAffected}</p>;
  return (
    <KeyValue
      items={[
        consumers.length > 0 && [actionPage.consumersAffected, consumers.join(", ")],
        writers.length > 0 && [actionPage.writersAffected, writers.join(", ")],
      ]}
    />
  );
}
