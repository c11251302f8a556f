import type { ReactNode } from "react";
import { NotFound } from "../../app/NotFound";
import { TablePage } from "../../app/Page";
import { tableName, useOpenTable } from "../../app/table";
import { hasAction } from "../../app/tableTypes";
import { useMessages } from "../../i18n";
import { BranchForm } from "./BranchForm";
import { CompactForm, VectorsForm } from "./CompactForm";
import { ConsumerForm } from "./ConsumerForm";
import { AnalyzeForm, FileIndexForm, ManifestsForm, OptionsForm } from "./UpkeepForms";
import { ExpireForm } from "./ExpireForm";
import { PartitionsForm } from "./PartitionsForm";
import { PlanFlow } from "./PlanFlow";
import { RefreshForm } from "./RefreshForm";
import { RestoreForm } from "./RestoreForm";
import { RollbackForm } from "./RollbackForm";
import { TagForm } from "./TagForm";
import { usePageParams } from "../../app/useSearch";
import { WriteForm } from "./WriteForm";

const FORMS = {
  refresh: RefreshForm,
  write: WriteForm,
  compact: CompactForm,
  vectors: VectorsForm,
  rollback: RollbackForm,
  restore: RestoreForm,
  expire: ExpireForm,
  tag: TagForm,
  branch: BranchForm,
  consumer: ConsumerForm,
  partitions: PartitionsForm,
  options: OptionsForm,
  file_index: FileIndexForm,
  manifests: ManifestsForm,
  analyze: AnalyzeForm,
};

function isKind(kind: string): kind is keyof typeof FORMS {
  return Object.hasOwn(FORMS, kind);
}

/** An action on a table: parameters, then the plan, then the confirmation. */
export function ActionPage(): ReactNode {
  const { actions, actionPage } = useMessages();
  const { kind = "" } = usePageParams();
  const { ref, summary } = useOpenTable();
  if (!isKind(kind) || !hasAction(summary.type, kind)) return <NotFound />;
  return (
    <TablePage title={`${tableName(ref)} · ${actions[kind]}`}>
      <h2>{actionPage.titles[kind](tableName(ref))}</h2>
      <p className="muted" style={{ maxWidth: "72ch" }}>
        {actionPage.intros[kind]}
      </p>
      <PlanFlow key={kind} kind={kind} Form={FORMS[kind]} />
    </TablePage>
  );
}
