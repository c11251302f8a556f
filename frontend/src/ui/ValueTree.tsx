import { useState } from "react";
import { useMessages } from "../i18n";
import styles from "./ValueTree.module.css";

/** A nested value as a tree: each object and list opens and closes, by mouse and by keyboard. */
export function ValueTree({ label, value }: { label: string; value: unknown }) {
  return (
    <ul className={styles["tree"]} role="tree" aria-label={label}>
      <Node name={null} value={value} open />
    </ul>
  );
}

function Node({ name, value, open }: { name: string | null; value: unknown; open: boolean }) {
  const { data } = useMessages();
  const [expanded, setExpanded] = useState(open);
  const title = name === null ? null : <span className={styles["name"]}>{name}: </span>;
  if (value === null || typeof value !== "object") {
    return (
      <li role="treeitem" aria-selected={false} className={styles["leaf"]}>
        {title}
        {value === null ? (
          <em className="muted">NULL</em>
        ) : value === "" ? (
          <em className="muted">{data.emptyText}</em>
        ) : (
          String(value as string | number | boolean)
        )}
      </li>
    );
  }
  const members = Object.entries(value);
  return (
    <li role="treeitem" aria-expanded={expanded} aria-selected={false}>
      <button type="button" className={styles["fold"]} onClick={() => setExpanded(!expanded)}>
        <span aria-hidden="true">{expanded ? "▾" : "▸"}</span> {title}
        <span className="muted">{data.members(members.length)}</span>
      </button>
      {expanded && (
        <ul role="group">
          {members.map(([key, member]) => (
            <Node key={key} name={key} value={member} open={members.length <= 20} />
          ))}
        </ul>
      )}
    </li>
  );
}
