import { queryOptions } from "@tanstack/react-query";
import { answer, api, idempotency, listQuery, type Query, type Schemas } from "./client";
import type { TableRef } from "./tables";

export type Job = Schemas["Job"];
export type JobState = Job["state"];
export type JobEvent = Schemas["JobEvent"];
export type Plan = Schemas["Plan"];
export type PlanEffects = Schemas["PlanEffects"];
export type ExpireParams = Schemas["ExpireParamsRequest"];
export type NewPlan = Schemas["NewPlanRequest"];

const ENDED: ReadonlySet<JobState> = new Set([
  "succeeded",
  "failed",
  "failed_committed",
  "cancelled",
  "cancelled_committed",
] as const);

export function hasEnded(job: Pick<Job, "state">): boolean {
  return ENDED.has(job.state);
}

export const jobKeys = {
  all: ["jobs"] as const,
  list: (query: Query) => [...jobKeys.all, "list", query] as const,
  one: (id: string) => [...jobKeys.all, "one", id] as const,
  events: (id: string) => [...jobKeys.one(id), "events"] as const,
  plan: (id: string) => ["plans", id] as const,
};

const LIST_POLL_MILLIS = 5000;
const JOB_POLL_MILLIS = 10_000; // its page is told what happens; this is for what it was not told

export function jobsQuery(query: Query) {
  return {
    ...listQuery({
      key: jobKeys.list(query),
      ask: (how) => api.GET("/api/v1/jobs", how),
      query: { limit: 100, ...query },
    }),
    refetchInterval: LIST_POLL_MILLIS,
  };
}

/** A job, asked again now and then until it has ended. */
export function jobQuery(job: string) {
  return queryOptions({
    queryKey: jobKeys.one(job),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/jobs/{job}", { params: { path: { job } }, signal })),
    refetchInterval: (query) => (query.state.data && hasEnded(query.state.data) ? false : JOB_POLL_MILLIS),
  });
}

/** Events after a sequence number, oldest first. */
export function jobEvents(job: string, after: number): Promise<Schemas["JobEventPage"]> {
  const query = { after, limit: 1000 };
  return answer(api.GET("/api/v1/jobs/{job}/events", { params: { path: { job }, query } }));
}

/** The log from a byte on. */
export function jobLog(job: string, offset: number): Promise<Schemas["JobLog"]> {
  return answer(api.GET("/api/v1/jobs/{job}/logs", { params: { path: { job }, query: { offset } } }));
}

export function cancelJob(job: string): Promise<Job> {
  return answer(api.POST("/api/v1/jobs/{job}/cancel", { params: { path: { job } } }));
}

export function retryJob(job: string, again: Schemas["NewJobRequest"]): Promise<Job> {
  return answer(
    api.POST("/api/v1/jobs/{job}/retry", { params: { path: { job }, header: idempotency() }, body: again }),
  );
}

export function planQuery(plan: string) {
  return queryOptions({
    queryKey: jobKeys.plan(plan),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/plans/{plan}", { params: { path: { plan } }, signal })),
  });
}

/** Computes what an action would do; nothing is changed. */
export function makePlan(table: TableRef, plan: NewPlan): Promise<Plan> {
  const params = { path: { ...table }, header: idempotency() };
  return answer(
    api.POST("/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/plans", {
      params,
      body: plan,
    }),
  );
}

/** What a plan of an expiry would say, while its limits are being chosen. */
export function previewExpiry(
  table: TableRef,
  asked: Schemas["PlanPreviewQueryRequest"],
  signal: AbortSignal,
): Promise<Schemas["PlanPreview"]> {
  const params = { path: { ...table } };
  return answer(
    api.POST("/api/v1/warehouses/{warehouse}/databases/{database}/tables/{table}/plans/preview", {
      params,
      body: asked,
      signal,
    }),
  );
}

/** Starts the job of a plan. */
export function startJob(job: Schemas["NewJobRequest"]): Promise<Job> {
  return answer(api.POST("/api/v1/jobs", { params: { header: idempotency() }, body: job }));
}
