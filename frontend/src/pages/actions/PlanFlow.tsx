import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ComponentType } from "react";
import { jobKeys, makePlan, startJob, type NewPlan, type Plan } from "../../api/jobs";
import { ApiProblem } from "../../api/problem";
import { tableKeys } from "../../api/tables";
import { Failed } from "../../app/Answer";
import { useOpenTable } from "../../app/table";
import { useFormat, useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmByName } from "../../ui/ConfirmByName";
import { Checkbox, TextField } from "../../ui/Field";
import { Loading, Notice } from "../../ui/States";
import { useNow } from "../../ui/Timestamp";
import styles from "./Actions.module.css";
import { PlanView } from "./PlanView";

export type Params = NewPlan["params"];

export interface FormProps {
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onPlan: (params: Params) => void;
}

interface PlanFlowProps {
  readonly kind: NewPlan["kind"];
  readonly Form: ComponentType<FormProps>;
}

/** Parameters → plan → confirmation → job. A plan that went stale is computed again on request. */
export function PlanFlow({ kind, Form }: PlanFlowProps) {
  const { actionPage } = useMessages();
  const { ref, pin } = useOpenTable();
  const plan = useMutation({
    // Branches are made, renamed and deleted from main, whatever is looked at.
    mutationFn: (params: Params) =>
      makePlan(ref, { kind, branch: kind === "branch" ? "main" : (pin.branch ?? "main"), params }),
  });
  const again = () => plan.variables !== undefined && plan.mutate(plan.variables);
  const shownInForm = plan.error instanceof ApiProblem && plan.error.problem.errors.length > 0;
  return (
    <>
      <Card title={actionPage.parameters}>
        <Form busy={plan.isPending} error={plan.error} onPlan={(params) => plan.mutate(params)} />
      </Card>
      {plan.isPending && <Loading rows={4} />}
      {plan.error !== null && !plan.isPending && (
        <Failed error={plan.error} {...(!shownInForm && { onRetry: again })} />
      )}
      {plan.data !== undefined && !plan.isPending && (
        <Review key={plan.data.id} plan={plan.data} onAgain={again} />
      )}
    </>
  );
}

function Review({ plan, onAgain }: { plan: Plan; onAgain: () => void }) {
  const { actionPage } = useMessages();
  const format = useFormat();
  const now = useNow(1000);
  const left = Date.parse(plan.expires_at) - now;
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that asked for the plan was disabled meanwhile, which drops the focus: go on from the plan.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={styles["review"]} aria-label={actionPage.plan}>
      <div className={styles["planhead"]}>
        <h2 ref={heading} tabIndex={-1}>
          {actionPage.plan}
        </h2>
        <code>{plan.id}</code>
        {plan.base !== null && <span className="muted">{actionPage.base(plan.base)}</span>}
        <span className="muted">
          {left > 0 ? actionPage.expiresIn(format.duration(left)) : actionPage.expired}
        </span>
        <Button look="quiet" icon="refresh" onClick={onAgain}>
          {actionPage.again}
        </Button>
      </div>
      <PlanView plan={plan} />
      {plan.blockers.length > 0 ? (
        <Notice tone="danger">{actionPage.blocked}</Notice>
      ) : plan.permitted ? (
        <Confirm plan={plan} expired={left <= 0} onAgain={onAgain} />
      ) : (
        <Notice tone="warn">{actionPage.notPermitted(plan.requires)}</Notice>
      )}
    </section>
  );
}

interface ConfirmProps {
  readonly plan: Plan;
  readonly expired: boolean;
  readonly onAgain: () => void;
}

function Confirm({ plan, expired, onAgain }: ConfirmProps) {
  const { actionPage, actions } = useMessages();
  const { ref } = useOpenTable();
  const client = useQueryClient();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: (given: { confirmation?: string; reason?: string }) =>
      startJob({ plan_id: plan.id, ...given }),
    onSuccess: (job) => {
      void client.invalidateQueries({ queryKey: jobKeys.all });
      void client.invalidateQueries({ queryKey: tableKeys.all(ref) });
      void navigate({ to: "/jobs/$job", params: { job: job.id } });
    },
  });
  const stale = start.error instanceof ApiProblem && start.error.problem.code === "plan-stale";
  return (
    <Card title={actionPage.confirm}>
      <div className={styles["confirm"]}>
        {plan.confirmation !== null ? (
          <ConfirmByName
            name={plan.confirmation}
            action={actions[plan.kind]}
            busy={start.isPending}
            disabled={expired}
            onConfirm={(given) => start.mutate(given)}
          />
        ) : (
          <SimpleConfirm
            plan={plan}
            busy={start.isPending || expired}
            onConfirm={(given) => start.mutate(given)}
          />
        )}
        {start.error !== null && <Failed error={start.error} {...(stale && { onRetry: onAgain })} />}
      </div>
    </Card>
  );
}

interface SimpleConfirmProps {
  readonly plan: Plan;
  readonly busy: boolean;
  readonly onConfirm: (given: { reason?: string }) => void;
}

/** Level 0 needs a button; level 1 also a tick at what it does. */
function SimpleConfirm({ plan, busy, onConfirm }: SimpleConfirmProps) {
  const { confirm, actions, actionPage } = useMessages();
  const [reason, setReason] = useState("");
  const [understood, setUnderstood] = useState(plan.level === 0);
  const missing = plan.reason_required && reason.trim() === "";
  return (
    <form
      className={styles["confirm"]}
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(reason.trim() === "" ? {} : { reason: reason.trim() });
      }}
    >
      <TextField
        label={confirm.reason}
        hint={confirm.reasonHint}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {plan.level > 0 && (
        <Checkbox label={actionPage.understood[plan.kind]} checked={understood} onChange={setUnderstood} />
      )}
      <div>
        <Button type="submit" look="primary" disabled={busy || missing || !understood}>
          {actions[plan.kind]}
        </Button>
      </div>
    </form>
  );
}
