import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { meQuery } from "../api/session";
import { useMessages } from "../i18n";
import { buttonClass } from "../ui/Button";
import { Card } from "../ui/Card";
import { Empty } from "../ui/States";
import styles from "./FirstRun.module.css";

/** What stands where no warehouse is: the three steps to the first, or whom to ask. */
export function FirstRun(): ReactNode {
  const { home } = useMessages();
  const { data: me } = useQuery(meQuery);
  const may = me?.permissions_anywhere.includes("warehouse:manage") ?? false;
  if (!may) return <Empty title={home.firstRun}>{home.firstRunAsk}</Empty>;
  return (
    <Card title={home.firstRun}>
      <ol className={styles["steps"]}>
        {home.firstRunSteps.map(([step, detail]) => (
          <li key={step}>
            <strong>{step}</strong>
            <span className="muted">{detail}</span>
          </li>
        ))}
      </ol>
      <div>
        <Link to="/admin/warehouses" className={buttonClass("primary")}>
          {home.addWarehouse}
        </Link>
      </div>
    </Card>
  );
}
