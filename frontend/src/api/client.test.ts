import { afterEach, expect, test, vi } from "vitest";
import { answer, api, listQuery, queryText } from "./client";
import { ApiProblem } from "./problem";
import { onWarming, warming } from "./warming";

const fetched = vi.fn<(request: Request) => Promise<Response>>();
vi.stubGlobal("fetch", fetched);
afterEach(() => fetched.mockReset());

function reply(status: number, body: unknown, type = "application/json"): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } });
}

test("a change carries the CSRF token of the cookie", async () => {
  document.cookie = "csrftoken=abc123;path=/";
  fetched.mockResolvedValue(reply(202, { id: "j-1" }));
  await answer(api.POST("/api/v1/jobs/{job}/cancel", { params: { path: { job: "j-1" } } }));
  expect(fetched.mock.calls[0]?.[0].headers.get("X-CSRFToken")).toBe("abc123");
});

test("every call says the language of the pages", async () => {
  fetched.mockResolvedValue(reply(200, {}));
  await answer(api.GET("/api/v1/meta"));
  expect(fetched.mock.calls[0]?.[0].headers.get("Accept-Language")).toBe("en");
});

test("a problem document becomes an error with its code", async () => {
  fetched.mockResolvedValue(reply(409, { code: "table-busy", title: "Busy" }, "application/problem+json"));
  const asking = answer(api.GET("/api/v1/meta"));
  await expect(asking).rejects.toMatchObject({ problem: { code: "table-busy", status: 409 } });
});

test("no reply at all is a problem of its own", async () => {
  fetched.mockRejectedValue(new TypeError("failed to fetch"));
  await expect(answer(api.GET("/api/v1/meta"))).rejects.toBeInstanceOf(ApiProblem);
});

test("names in an address are percent-encoded", async () => {
  fetched.mockResolvedValue(reply(200, {}));
  await answer(api.GET("/api/v1/warehouses/{warehouse}", { params: { path: { warehouse: "a b/c" } } }));
  expect(fetched.mock.calls[0]?.[0].url).toContain("/warehouses/a%20b%2Fc");
});

test("parameters without a value are left out of the query", () => {
  expect(queryText({ "level[ge]": 1, q: "", at: undefined, cursor: null })).toBe("level%5Bge%5D=1");
});

test("the next page is asked with the cursor of the last", () => {
  const list = listQuery<string>({ key: ["x"], ask: () => Promise.reject(new Error("not asked")) });
  expect(list.getNextPageParam({ items: [], next: "c2" }, [], null, [])).toBe("c2");
});

test("work that goes on is asked for again until it is done", async () => {
  const later = { Location: "/api/v1/operations/o-1", "Retry-After": "0" };
  const progress = { done: 120, total: 480, unit: "manifests" };
  fetched.mockResolvedValueOnce(new Response(JSON.stringify({ progress }), { status: 202, headers: later }));
  fetched.mockResolvedValueOnce(reply(200, { product: "Lakescope" }));
  const said: unknown[] = [];
  const stop = onWarming(() => said.push([...warming().values()]));
  expect(await answer(api.GET("/api/v1/meta"))).toEqual({ product: "Lakescope" });
  expect(fetched).toHaveBeenCalledTimes(2);
  expect(said).toEqual([[progress], []]);
  stop();
});
