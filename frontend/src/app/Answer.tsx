import type { ReactNode } from "react";
import { ApiProblem } from "../api/problem";
import { useMessages } from "../i18n";
import { ErrorState, Forbidden, Loading } from "../ui/States";
import { GoneSnapshot } from "./GoneSnapshot";
import { usePart } from "./Parts";

interface AnswerProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly children: (data: Data) => ReactNode;
  readonly skeleton?: ReactNode;
  /** What to offer when the snapshot is gone. */
  readonly gone?: ReactNode;
  /** What of a page this is, where there is more: the banner at its top names it while it cannot be read. */
  readonly part?: string;
}

/** The page of a query's answer, or the state that stands in for it. Old data stays while it is asked again. */
export function Answer<Data>({ query, children, skeleton, gone, part }: AnswerProps<Data>) {
  usePart(part, query);
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return skeleton ?? <Loading />;
  return <Failed error={query.error} onRetry={() => void query.refetch()} gone={gone} />;
}

const GONE: ReadonlySet<string> = new Set(["snapshot-expired", "snapshot-replaced"]);

export function Failed({ error, onRetry, gone }: { error: Error; onRetry?: () => void; gone?: ReactNode }) {
  const { states } = useMessages();
  if (!(error instanceof ApiProblem)) {
    return (
      <ErrorState failure={{ title: states.broken, detail: error.message }} {...(onRetry && { onRetry })} />
    );
  }
  const { problem } = error;
  if (problem.status === 403) {
    const { permission, grantors } = problem.extra;
    return (
      <Forbidden
        detail={problem.detail}
        permission={typeof permission === "string" ? permission : null}
        grantors={Array.isArray(grantors) ? grantors.map(String) : []}
      />
    );
  }
  if (GONE.has(problem.code)) return <GoneSnapshot problem={problem}>{gone}</GoneSnapshot>;
  const failure = {
    title: problem.status === 0 ? states.noReply : problem.title,
    detail: problem.status === 0 ? states.noReplyDetail : problem.detail,
    code: problem.code,
    traceId: problem.traceId,
    asked: problem.asked,
    fields: problem.errors,
  };
  return <ErrorState failure={failure} {...(onRetry && { onRetry })} />;
}
