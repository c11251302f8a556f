import { infiniteQueryOptions } from "@tanstack/react-query";
import createClient, { type Middleware } from "openapi-fetch";
import { language } from "../preferences";
import { ApiProblem, toProblem } from "./problem";
import type { components, paths } from "./schema";
import { isUnattended, noteSession, noteSessionEnded } from "./sessionEnd";
import { noteWarming, progressOf } from "./warming";

export type Schemas = components["schemas"];

/** Query parameters by name; operators stand in the name, as in `level[ge]`. What is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly total?: number | null;
  readonly as_of?: string | null;
}

/** What a call of `api` gives back. */
export interface Reply<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The API, typed by its OpenAPI schema; the one place from which the browser calls it. Wrap calls in `answer`. */
export const api = createClient<paths>({ fetch: patiently });

const OPERATION = "/api/v1/operations/";

/** The reply; where the server is still at work and says so, the one to the same request sent again later. */
async function patiently(request: Request): Promise<Response> {
  try {
    for (;;) {
      const response = await fetch(request.clone());
      const goesOn = response.status === 202 && (response.headers.get("Location") ?? "").includes(OPERATION);
      if (!goesOn) return response;
      noteWarming(request.url, progressOf(await response.json().catch(() => null)));
      await pause(Number(response.headers.get("Retry-After") ?? 2), request.signal);
    }
  } finally {
    noteWarming(request.url, undefined);
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("given up", "AbortError"));
    });
  });
}

const sameForAll: Middleware = {
  onRequest({ request }) {
    request.headers.set("Accept-Language", language());
    if (request.method !== "GET") request.headers.set("X-CSRFToken", csrfToken());
    else if (isUnattended()) request.headers.set("Unattended", "?1");
    return request;
  },
  onResponse({ response }) {
    noteSession(response.headers.get("Session"));
  },
  onError({ request, error }) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    return new ApiProblem(toProblem(null, 0, askedOf(request.method, request.url)));
  },
};
api.use(sameForAll);

/**
 * The data of a reply.
 *
 * @throws ApiProblem for every reply that is not a success.
 */
export async function answer<Data>(call: Promise<Reply<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok) return data as Data;
  if (response.status === 401) noteSessionEnded();
  throw new ApiProblem(toProblem(error, response.status, askedOf("", response.url)));
}

/** The validator of a resource, for the change that follows: the API refuses it if somebody was faster. */
export async function validator(call: Promise<Reply<unknown>>): Promise<{ "If-Match": string }> {
  const { response, error } = await call;
  if (!response.ok) throw new ApiProblem(toProblem(error, response.status, askedOf("", response.url)));
  return { "If-Match": response.headers.get("ETag") ?? "" };
}

function askedOf(method: string, url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return `${method} ${decodeURIComponent(pathname)}${search}`.trim();
}

/** The sign-in page, which leads back here. */
export function signInAddress(): string {
  return `/sign-in?next=${encodeURIComponent(`${location.pathname}${location.search}`)}`;
}

export function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

/** A fresh Idempotency-Key: the same request sent twice with it is done once. */
export function idempotency(): { "Idempotency-Key": string } {
  return { "Idempotency-Key": crypto.randomUUID() };
}

/** How a list asks: the query text that its filters, sort and cursor make, and a signal to give up. */
export type Ask = {
  readonly querySerializer: () => string;
  readonly signal: AbortSignal;
};

export function queryText(query: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** What lists are exported as. */
export type SheetFormat = "csv" | "ndjson";

const SHEETS: Record<SheetFormat, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

interface ListOptions<Item> {
  readonly key: readonly unknown[];
  readonly ask: (how: Ask) => Promise<Reply<Page<Item>>>;
  readonly query?: Query;
  readonly staleTime?: number;
}

const PAGE_ITEMS = 200;

/**
 * A list, page by page; all pages of one list are of the same snapshot, which the cursor carries. `sheet` is the whole
 * of it with the same filters and what else is asked for of each row, as a file.
 */
export function listQuery<Item>({ key, ask, query = {}, staleTime = 5000 }: ListOptions<Item>) {
  const sheet = (format: SheetFormat): Promise<Blob> =>
    answer(
      // what `ask` types as a page is what the server was asked for: a file
      ask({
        querySerializer: () => queryText({ ...query, limit: undefined }),
        signal: new AbortController().signal,
        headers: { Accept: SHEETS[format] },
        parseAs: "blob",
      } as Ask) as Promise<Reply<unknown>> as Promise<Reply<Blob>>,
    );
  const pages = infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      answer(
        ask({ signal, querySerializer: () => queryText({ limit: PAGE_ITEMS, ...query, cursor: pageParam }) }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime,
  });
  return { ...pages, sheet };
}
