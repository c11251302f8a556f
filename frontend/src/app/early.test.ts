import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";

test("the header of the table at the address is asked for before anything is drawn", async () => {
  history.replaceState(null, "", "/w/lake/sales/orders/files?branch=dev");
  const asked = vi.fn<(request: Request) => Promise<Response>>(() => Promise.resolve(Response.json({})));
  vi.stubGlobal("fetch", asked);
  const { askEarly } = await import("./early");
  askEarly(new QueryClient());
  await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce());
  expect(asked.mock.calls[0]?.[0].url).toContain(
    "/api/v1/warehouses/lake/databases/sales/tables/orders?branch=dev",
  );
});
