import { queryOptions } from "@tanstack/react-query";
import { answer, api, validator, type Schemas } from "./client";

export type Me = Schemas["Me"];
export type Permission = Me["permissions"][number];

/** Who is signed in, and what that person may do everywhere and anywhere. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/me", { signal })),
  staleTime: 60_000,
});

export const metaQuery = queryOptions({
  queryKey: ["meta"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/meta", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Tells the server that somebody is there, by asking it who. */
export function extendSession(): Promise<Me> {
  return answer(api.GET("/api/v1/me"));
}

/** The user name of who is signed in, or null: nobody is, or there is no reply. */
export async function whoIsSignedIn(): Promise<string | null> {
  const { data } = await api.GET("/api/v1/me").catch(() => ({ data: undefined }));
  return data?.username ?? null;
}

export async function updateMe(change: Schemas["PatchedMeUpdateRequest"]): Promise<Me> {
  const header = await validator(api.GET("/api/v1/me"));
  return answer(api.PATCH("/api/v1/me", { params: { header }, body: change }));
}

export function changePassword(passwords: Schemas["PasswordRequest"]): Promise<unknown> {
  return answer(api.POST("/api/v1/me/password", { body: passwords }));
}
