import { expect, test } from "vitest";
import { ApiProblem, fieldError, toProblem } from "./problem";

test("problem details are kept, with what the code adds", () => {
  const problem = toProblem(
    {
      code: "plan-stale",
      title: "The table changed",
      detail: "Plan again.",
      trace_id: "4bf9",
      latest: "43~77aa",
    },
    409,
    "POST /jobs",
  );
  expect(problem).toMatchObject({ code: "plan-stale", traceId: "4bf9", extra: { latest: "43~77aa" } });
});

test("a reply that is no problem document is named by its status", () => {
  expect(toProblem("<html>", 502, "GET /me")).toMatchObject({
    code: "http-502",
    title: "HTTP 502",
    detail: null,
  });
});

test("no reply at all has a code too", () => {
  expect(toProblem(null, 0, "GET /me").code).toBe("no-reply");
});

test("the message for a field is found by the end of its pointer", () => {
  const problem = toProblem(
    { errors: [{ pointer: "#/params/source/path", code: "required", detail: "Missing." }] },
    400,
    "POST /plans",
  );
  expect(fieldError(new ApiProblem(problem), "path")).toBe("Missing.");
  expect(fieldError(new ApiProblem(problem), "mode")).toBeNull();
});
