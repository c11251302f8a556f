import type { ReactNode } from "react";
import { useMessages } from "../i18n";
import { Button } from "./Button";
import { Icon } from "./Icon";
import styles from "./States.module.css";

/** A skeleton that shows itself after 150 ms, so that quick answers do not flicker. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const { states } = useMessages();
  const widths = Array.from({ length: rows }, (_, at) => `${92 - ((at * 17) % 46)}%`);
  return (
    <div className={styles["skeleton"]} role="status" aria-label={states.loading}>
      {widths.map((width, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- bars have no identity
        <div key={at} className={styles["bar"]} style={{ width }} />
      ))}
    </div>
  );
}

/** Why there is nothing here, and what to do about it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <section className={styles["state"]}>
      <h2>{title}</h2>
      {children !== undefined && <p className="muted">{children}</p>}
      {action !== undefined && <div className={styles["actions"]}>{action}</div>}
    </section>
  );
}

export interface Failure {
  readonly title: string;
  readonly detail?: string | null;
  readonly code?: string | null;
  readonly traceId?: string | null;
  /** What was asked, as the person would say it. */
  readonly asked?: string | null;
  readonly fields?: readonly { pointer: string; detail: string }[];
}

/** What was asked, what failed, under which code and trace; with retry and copy. */
export function ErrorState({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const { states, ui } = useMessages();
  const text = [failure.title, failure.detail, failure.asked, failure.code, failure.traceId]
    .filter(Boolean)
    .join("\n");
  return (
    <section className={`${styles["state"] ?? ""} ${styles["error"] ?? ""}`} role="alert">
      <h2>
        <Icon name="stop" />
        {failure.title}
      </h2>
      {failure.detail && <p>{failure.detail}</p>}
      {failure.fields?.map((field) => (
        <p key={field.pointer}>
          <code>{field.pointer}</code>: {field.detail}
        </p>
      ))}
      <p className={styles["facts"]}>
        {[failure.asked, failure.code, failure.traceId && `trace ${failure.traceId}`]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <div className={styles["actions"]}>
        {onRetry && (
          <Button icon="refresh" onClick={onRetry}>
            {states.retry}
          </Button>
        )}
        <Button icon="copy" look="quiet" onClick={() => void navigator.clipboard.writeText(text)}>
          {ui.copyShort}
        </Button>
      </div>
    </section>
  );
}

/** Which permission is missing, and who can grant it. */
export function Forbidden({
  detail,
  permission,
  grantors = [],
}: {
  detail?: string | null;
  permission?: string | null;
  grantors?: readonly string[];
}) {
  const { states } = useMessages();
  return (
    <section className={`${styles["state"] ?? ""} ${styles["forbidden"] ?? ""}`} role="alert">
      <h2>
        <Icon name="lock" />
        {states.forbidden}
      </h2>
      {detail && <p>{detail}</p>}
      {permission && (
        <p>
          {states.missingPermission} <code>{permission}</code>
        </p>
      )}
      <p className="muted">
        {grantors.length === 0 ? states.whoGrants : states.theseGrant(grantors.join(", "))}
      </p>
    </section>
  );
}

/** The thing existed, or may have: what stands next to it now. */
export function Gone({
  title,
  detail,
  children,
}: {
  title?: string;
  detail?: string | null;
  children?: ReactNode;
}) {
  const { states } = useMessages();
  return (
    <section className={styles["state"]} role="alert">
      <h2>
        <Icon name="info" />
        {title ?? states.gone}
      </h2>
      <p>{detail ?? states.goneDetail}</p>
      {children !== undefined && <div className={styles["actions"]}>{children}</div>}
    </section>
  );
}

const NOTICE_ICONS = { info: "info", warn: "warning", danger: "stop", ok: "check" } as const;

/** A line of advice above or within a page. */
export function Notice({
  tone = "info",
  children,
}: {
  tone?: keyof typeof NOTICE_ICONS;
  children: ReactNode;
}) {
  return (
    <div className={`${styles["notice"] ?? ""} ${styles[`notice${tone}`] ?? ""}`}>
      <Icon name={NOTICE_ICONS[tone]} />
      <div>{children}</div>
    </div>
  );
}
