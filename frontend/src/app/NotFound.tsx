import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { useMessages } from "../i18n";
import { Empty } from "../ui/States";
import { Page } from "./Page";

export function NotFound(): ReactNode {
  const { states } = useMessages();
  return (
    <Page title={states.notFound}>
      <Empty title={states.noSuchPage} action={<Link to="/">{states.toHome}</Link>} />
    </Page>
  );
}
