import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { viewQuery } from "../../api/databaseObjects";
import { Answer } from "../../app/Answer";
import { TypeBadge } from "../../app/cells";
import { Page } from "../../app/Page";
import { usePageParams } from "../../app/useSearch";
import { useMessages } from "../../i18n";
import { Card } from "../../ui/Card";
import { ViewRun } from "./ViewRun";
import { About, Code, Columns, Heading } from "./parts";

/** A view: the query that it stands for, in each dialect, and the columns that it shows. */
export function ViewPage(): ReactNode {
  const { wh = "", db = "", table = "" } = usePageParams();
  const { viewPage } = useMessages();
  const view = useQuery(viewQuery(wh, db, table));
  return (
    <Page
      title={`${wh} / ${db} / ${table}`}
      heading={<Heading of={{ warehouse: wh, database: db, name: table }} />}
      actions={<TypeBadge type="view" />}
    >
      <Answer query={view}>
        {(shown) => (
          <>
            <Card title={viewPage.query}>
              <Code label={viewPage.query} text={shown.query} />
            </Card>
            {Object.entries(shown.dialects).map(([dialect, text]) => (
              <Card key={dialect} title={viewPage.dialect(dialect)}>
                <Code label={viewPage.dialect(dialect)} text={text ?? ""} />
              </Card>
            ))}
            <ViewRun key={`${wh}/${db}/${table}`} view={shown} />
            <Columns label={viewPage.columns} rows={shown.columns} />
            <About of={shown} more={[[viewPage.keptBy, viewPage.keptByNames[shown.kept_by]]]} />
          </>
        )}
      </Answer>
    </Page>
  );
}
