import type { ReactNode } from "react";
import { useFormat } from "../i18n";
import styles from "./EventList.module.css";

export interface EventItem {
  readonly id: string;
  readonly at: string; // RFC 3339
  readonly kind: ReactNode;
  readonly text: ReactNode;
}

/** What happened, in order. */
export function EventList({ items }: { items: readonly EventItem[] }) {
  const format = useFormat();
  return (
    <ol className={styles["list"]}>
      {items.map((item) => (
        <li key={item.id} className={styles["event"]}>
          <time className="muted" dateTime={item.at} title={format.time(item.at)}>
            {format.clock(item.at)}
          </time>
          <span>{item.kind}</span>
          <span>{item.text}</span>
        </li>
      ))}
    </ol>
  );
}
