import { Fragment, type ReactNode } from "react";
import styles from "./KeyValue.module.css";

export type KeyValueItem = readonly [key: string, value: ReactNode] | false | null;

/** Facts as a list of name and value; false entries are left out. `end` aligns values right, for numbers. */
export function KeyValue({ items, end = false }: { items: readonly KeyValueItem[]; end?: boolean }) {
  return (
    <dl className={`${styles["list"] ?? ""} ${end ? (styles["end"] ?? "") : ""}`}>
      {items.map(
        (item) =>
          item && (
            <Fragment key={item[0]}>
              <dt>{item[0]}</dt>
              <dd>{item[1] ?? "–"}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
