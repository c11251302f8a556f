/** A reply of the API that is not what was asked for, as RFC 9457 problem details; or a request that got none. */
export interface Problem {
  readonly status: number; // 0: no reply
  readonly code: string;
  readonly title: string;
  readonly detail: string | null;
  readonly traceId: string | null;
  /** Method and address, as a person would repeat it. */
  readonly asked: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** Further members, by code: for instance `permission`, `latest`, `commits_since`. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export class ApiProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.title}`);
    this.name = "ApiProblem";
    this.problem = problem;
  }
}

/** The problem in the body of a failed reply; anything else becomes a problem of its status. */
export function toProblem(body: unknown, status: number, asked: string): Problem {
  const known: Record<string, unknown> = isRecord(body) ? body : {};
  const { code, title, detail, trace_id: traceId, errors, ...extra } = known;
  return {
    status,
    code: text(code) ?? (status === 0 ? "no-reply" : `http-${status}`),
    title: text(title) ?? (status === 0 ? "No reply" : `HTTP ${status}`),
    detail: text(detail),
    traceId: text(traceId),
    asked,
    errors: Array.isArray(errors) ? errors.filter(isRecord).map(toFieldError) : [],
    extra,
  };
}

function toFieldError(error: Record<string, unknown>): { pointer: string; detail: string } {
  return {
    pointer: text(error["pointer"]) ?? "",
    detail: text(error["detail"]) ?? text(error["code"]) ?? "",
  };
}

/** The message for one field of a form, by its name at the end of the pointer. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof ApiProblem)) return null;
  return error.problem.errors.find((e) => e.pointer.split("/").at(-1) === field)?.detail ?? null;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
