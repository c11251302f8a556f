import type { PlanEffects } from "../../api/jobs";
import { KindBadge } from "../../app/cells";
import { useMessages } from "../../i18n";
import { Bytes } from "../../ui/Bytes";
import { Count } from "../../ui/Count";
import { KeyValue } from "../../ui/KeyValue";
import { Timestamp } from "../../ui/Timestamp";
import styles from "./Actions.module.css";

// What plans of snapshots, tags and branches do, block by block.

type Of<Kind extends PlanEffects["kind"]> = Extract<PlanEffects, { kind: Kind }>;

const SHOWN = 8;

/** The first of some snapshots, and how many more there are. */
export function SnapshotList({ snapshots }: { snapshots: Of<"expire">["snapshots_removed"] }) {
  const { fields } = useMessages();
  return (
    <ul className={styles["removed"]}>
      {snapshots.slice(0, SHOWN).map((snapshot) => (
        <li key={snapshot.ref}>
          #{snapshot.id} <KindBadge kind={snapshot.kind} /> <Timestamp value={snapshot.committed_at} />
        </li>
      ))}
      {snapshots.length > SHOWN && (
        <li className="muted">
          + <Count value={snapshots.length - SHOWN} /> {fields.snapshots}
        </li>
      )}
    </ul>
  );
}

/** What an action leaves as it is. */
export function KeptThings({ kept }: { kept: readonly string[] }) {
  const { actionPage, schemas } = useMessages();
  const words: Readonly<Record<string, string>> = actionPage.keptThings;
  const named = kept.map((thing) =>
    thing.startsWith("schema:") ? schemas.schemaOf(thing.slice("schema:".length)) : (words[thing] ?? thing),
  );
  return named.join(", ");
}

/** What a restoration puts on top of a history that stays. */
export function Added({ effects, kept }: { effects: Of<"restore">; kept: readonly string[] }) {
  const { actionPage } = useMessages();
  return (
    <KeyValue
      items={[
        [actionPage.kept, <KeptThings key="v" kept={kept} />],
        [actionPage.newSnapshot, `#${effects.next_id}`],
        effects.tag_made !== null && [actionPage.tagMade, `⚑ ${effects.tag_made}`],
      ]}
    />
  );
}

export function Expired({ effects }: { effects: Of<"expire"> }) {
  const { actionPage, fields, ui } = useMessages();
  return (
    <>
      <KeyValue
        items={[
          [fields.snapshots, <Count key="v" value={effects.snapshots_removed.length} />],
          [actionPage.snapshotsKept, <Count key="v" value={effects.snapshots_kept} />],
          effects.becomes_changelog && [actionPage.becomesChangelog, ui.yes],
        ]}
      />
      <SnapshotList snapshots={effects.snapshots_removed} />
    </>
  );
}

export function Freed({ files }: { files: Of<"expire">["files_freed"] }) {
  const { actionPage, fields } = useMessages();
  return (
    <KeyValue
      items={[
        [actionPage.freedFiles, <Count key="v" value={files.count} />],
        [fields.bytes, <Bytes key="v" value={files.bytes} />],
        ...files.roles.map(
          (role) =>
            [
              actionPage.fileRoles[role.role],
              <span key="v">
                <Count value={role.count} /> · <Bytes value={role.bytes} />
              </span>,
            ] as const,
        ),
      ]}
    />
  );
}

export function Rules({ effects }: { effects: Of<"expire"> }) {
  const { actionPage, refs } = useMessages();
  return (
    <KeyValue
      items={[
        [actionPage.retainMin, <Count key="v" value={effects.retain_min} />],
        [actionPage.retainMax, <Count key="v" value={effects.retain_max} />],
        [actionPage.beforeTime, <Timestamp key="v" value={effects.older_than} exact />],
        [actionPage.maxDeletes, <Count key="v" value={effects.max_deletes} />],
        effects.consumers.length > 0 && [
          refs.views.consumers,
          effects.consumers.map((c) => `${c.id} → #${c.next_snapshot}`).join(", "),
        ],
      ]}
    />
  );
}

/** From where to where a tag or branch goes. */
export function Named({ effects }: { effects: Of<"tag"> | Of<"branch"> }) {
  const { actionPage, fields, refs } = useMessages();
  const gone = "–";
  return (
    <KeyValue
      items={[
        [
          actionPage.what,
          effects.kind === "tag"
            ? actionPage.tagActions[effects.action]
            : actionPage.branchActions[effects.action],
        ],
        [fields.name, effects.name],
        effects.new_name !== null && [actionPage.newName, effects.new_name],
        [actionPage.before, effects.before === null ? gone : `#${effects.before}`],
        [actionPage.after, effects.after === null ? gone : `#${effects.after}`],
        effects.kind === "tag" &&
          effects.after !== null && [
            refs.retainedUntil,
            effects.retained_until === null ? (
              refs.untilDeleted
            ) : (
              <Timestamp key="v" value={effects.retained_until} exact />
            ),
          ],
        effects.kind === "branch" &&
          effects.tags_made.length > 0 && [actionPage.tagsMade, effects.tags_made.join(", ")],
        effects.kind === "branch" &&
          effects.tags_removed.length > 0 && [actionPage.tagsRemoved, effects.tags_removed.join(", ")],
        effects.kind === "branch" &&
          effects.consumers_removed.length > 0 && [
            actionPage.consumersRemoved,
            effects.consumers_removed.join(", "),
          ],
      ]}
    />
  );
}

/** From where to where a consumer goes, and what that lets expire. */
export function Moved({ effects }: { effects: Of<"consumer"> }) {
  const { actionPage, fields, refs } = useMessages();
  const at = (snapshot: number | null) => (snapshot === null ? "–" : `#${snapshot}`);
  return (
    <KeyValue
      items={[
        [actionPage.what, actionPage.consumerActions[effects.action]],
        [fields.name, effects.name],
        [`${refs.nextSnapshot} · ${actionPage.before}`, at(effects.before)],
        [`${refs.nextSnapshot} · ${actionPage.after}`, at(effects.after)],
        effects.skipped > 0 && [actionPage.skipped, <Count key="v" value={effects.skipped} />],
        effects.repeated > 0 && [actionPage.repeated, <Count key="v" value={effects.repeated} />],
        [actionPage.heldFrom, `${at(effects.held_before)} → ${at(effects.held_after)}`],
        effects.released > 0 && [actionPage.released, <Count key="v" value={effects.released} />],
      ]}
    />
  );
}
