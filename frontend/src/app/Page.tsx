import { use, useEffect, type ReactNode } from "react";
import { Parts } from "./Parts";
import styles from "./Shell.module.css";
import { OpenTableContext } from "./table";

interface PageProps {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page outside of a table: heading, actions, content. */
export function Page({ title, heading, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className={styles["page"]}>
      <div className={styles["title"]}>
        <h1>{heading ?? title}</h1>
        {actions}
      </div>
      <Parts>{children}</Parts>
    </div>
  );
}

/** A tab of a table; its heading stands in the table's header. Dimmed while the next snapshot is on its way. */
export function TablePage({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  const isBehind = use(OpenTableContext)?.isBehind ?? false;
  return (
    <div className={styles["page"]} aria-busy={isBehind}>
      <Parts>{children}</Parts>
    </div>
  );
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Lakescope`;
  }, [title]);
}
