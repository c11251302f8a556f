import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { functionsQuery } from "../../api/databaseObjects";
import { usePart } from "../../app/Parts";
import { useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import styles from "./Functions.module.css";

/** The functions of a database, where it has any. */
export function Functions({ warehouse, database }: { warehouse: string; database: string }): ReactNode {
  const { viewPage } = useMessages();
  const answer = useQuery(functionsQuery(warehouse, database));
  usePart(viewPage.functions, answer);
  const items = answer.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Card title={viewPage.functions}>
      <ul className={styles["functions"]}>
        {items.map(({ name }) => (
          <li key={name}>
            <Link to="/w/$wh/$db/$table/function" params={{ wh: warehouse, db: database, table: name }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
