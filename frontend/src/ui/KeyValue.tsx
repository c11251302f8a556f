import { Fragment, type ReactNode } from "react";
import styles from "./KeyValue.module.css";

export type KeyValueItem = readonly [key: string, value: ReactNode] | false | null;

interface Props {
  items: readonly KeyValueItem[];
  /** Values aligned right, for numbers. */
  end?: boolean;
  /** The keys are identifiers, such as options, and no words of the reader's language. */
  code?: boolean;
}

/** Facts as a list of name and value; false entries are left out. */
export function KeyValue({ items, end = false, code = false }: Props) {
  return (
    <dl className={`${styles["list"] ?? ""} ${end ? (styles["end"] ?? "") : ""}`}>
      {items.map(
        (item) =>
          item && (
            <Fragment key={item[0]}>
              <dt>{code ? <code>{item[0]}</code> : item[0]}</dt>
              <dd>{item[1] ?? "–"}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
