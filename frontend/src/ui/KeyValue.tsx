import { Fragment, type ReactNode } from "react";
import styles from "./KeyValue.module.css";

/** A name, its value, and how the value comes about where that needs saying. */
export type KeyValueItem = readonly [key: string, value: ReactNode, how?: string] | false | null;

interface Props {
  items: readonly KeyValueItem[];
  /** Values aligned right, for numbers. */
  end?: boolean;
  /** As many side by side as there is room for. */
  across?: boolean;
  /** The keys are identifiers, such as options, and no words of the reader's language. */
  code?: boolean;
}

/** Facts as a list of name and value; false entries are left out. */
export function KeyValue({ items, end = false, across = false, code = false }: Props) {
  const Pair = across ? "div" : Fragment;
  return (
    <dl className={`${styles[across ? "across" : "list"] ?? ""} ${end ? (styles["end"] ?? "") : ""}`}>
      {items.map(
        (item) =>
          item && (
            <Pair key={item[0]}>
              <dt>
                {code ? <code>{item[0]}</code> : item[0]}
                {item[2] !== undefined && <How text={item[2]} />}
              </dt>
              <dd>{item[1] ?? "–"}</dd>
            </Pair>
          ),
      )}
    </dl>
  );
}

/** A sign that says, pointed at or in focus, how a number was come to; drawn by the style, so that it is no text. */
function How({ text }: { text: string }) {
  return <button type="button" className={styles["how"]} aria-label={text} data-how={text} />;
}
