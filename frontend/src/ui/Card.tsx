import type { ReactNode } from "react";
import styles from "./Card.module.css";

/** Cards side by side, as many as fit. */
export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles["cards"]}>{children}</div>;
}

interface CardProps {
  readonly title: ReactNode;
  readonly side?: ReactNode;
  readonly flush?: boolean;
  /** Below the others, as wide as all of them. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A titled block; `side` stands at the right of the title, `flush` lets the content touch the border. */
export function Card({ title, side, flush = false, wide = false, children }: CardProps) {
  return (
    <section className={`${styles["card"] ?? ""} ${wide ? (styles["wide"] ?? "") : ""}`}>
      <div className={styles["head"]}>
        <h2>{title}</h2>
        {side}
      </div>
      <div className={flush ? styles["flush"] : styles["body"]}>{children}</div>
    </section>
  );
}
