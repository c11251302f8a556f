import { queryOptions } from "@tanstack/react-query";
import { answer, api, idempotency, listQuery, validator, type Query, type Schemas } from "./client";

export type User = Schemas["User"];
export type NewUser = Schemas["NewUser"];
export type RoleBinding = Schemas["RoleBinding"];
export type MaskingPolicy = Schemas["MaskingPolicy"];
export type Token = Schemas["Token"];
export type NewToken = Schemas["NewToken"];
export type AuditEvent = Schemas["AuditEvent"];
export type AuditDay = Schemas["AuditDay"];

export const accessKeys = {
  users: ["users"] as const,
  bindings: ["role-bindings"] as const,
  masking: ["masking-policies"] as const,
  tokens: ["tokens"] as const,
  audit: (query: Query) => ["audit", query] as const,
  auditDays: (query: Query) => ["audit-days", query] as const,
  auditDay: (day: string) => ["audit-day", day] as const,
};

export const usersQuery = listQuery({ key: accessKeys.users, ask: (how) => api.GET("/api/v1/users", how) });

export const bindingsQuery = listQuery({
  key: accessKeys.bindings,
  ask: (how) => api.GET("/api/v1/role-bindings", how),
});

export const maskingPoliciesQuery = listQuery({
  key: accessKeys.masking,
  ask: (how) => api.GET("/api/v1/masking-policies", how),
});

export const tokensQuery = listQuery({
  key: accessKeys.tokens,
  ask: (how) => api.GET("/api/v1/tokens", how),
});

/** Who did what, newest first. */
export function auditQuery(query: Query) {
  return listQuery({
    key: accessKeys.audit(query),
    ask: (how) => api.GET("/api/v1/audit-events", how),
    query,
  });
}

/** The days of the audit log, each with the head of its chain. */
export function auditDaysQuery(query: Query) {
  return listQuery({
    key: accessKeys.auditDays(query),
    ask: (how) => api.GET("/api/v1/audit-days", how),
    query,
  });
}

/** Whether the entries of a day are as they were written: all of them are read for it, so only on demand. */
export function auditDayQuery(day: string) {
  return queryOptions({
    queryKey: accessKeys.auditDay(day),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/audit-days/{day}", { params: { path: { day } }, signal })),
    enabled: false,
  });
}

/** A new person, with the one-time link by which a password is chosen. */
export function createUser(user: Schemas["UserRequest"]): Promise<NewUser> {
  return answer(api.POST("/api/v1/users", { body: user }));
}

export async function setUserActive(user: number, active: boolean): Promise<User> {
  const params = { path: { user } };
  const header = await validator(api.GET("/api/v1/users/{user}", { params }));
  return answer(
    api.PATCH("/api/v1/users/{user}", { params: { ...params, header }, body: { is_active: active } }),
  );
}

export function createBinding(binding: Schemas["RoleBindingRequest"]): Promise<RoleBinding> {
  return answer(api.POST("/api/v1/role-bindings", { body: binding }));
}

export async function removeBinding(binding: number): Promise<void> {
  const params = { path: { binding } };
  const header = await validator(api.GET("/api/v1/role-bindings/{binding}", { params }));
  await answer(api.DELETE("/api/v1/role-bindings/{binding}", { params: { ...params, header } }));
}

/** How values of a column are told from now on to who does not see through the mask. */
export function createMaskingPolicy(policy: Schemas["MaskingPolicyRequest"]): Promise<MaskingPolicy> {
  return answer(api.POST("/api/v1/masking-policies", { body: policy }));
}

export async function removeMaskingPolicy(policy: number): Promise<void> {
  const params = { path: { policy } };
  const header = await validator(api.GET("/api/v1/masking-policies/{policy}", { params }));
  await answer(api.DELETE("/api/v1/masking-policies/{policy}", { params: { ...params, header } }));
}

/** A new token; its secret is in this reply and nowhere else. */
export function createToken(token: Schemas["TokenRequest"]): Promise<NewToken> {
  return answer(api.POST("/api/v1/tokens", { params: { header: idempotency() }, body: token }));
}

export async function revokeToken(token: string): Promise<void> {
  const params = { path: { token } };
  const header = await validator(api.GET("/api/v1/tokens/{token}", { params }));
  await answer(api.DELETE("/api/v1/tokens/{token}", { params: { ...params, header } }));
}
