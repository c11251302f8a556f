import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { tablesQuery } from "../api/warehouses";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { SearchPalette } from "./SearchPalette";

const found = (query: string, ...names: readonly string[]) => ({
  key: tablesQuery({ q: query, sort: "fit,name", limit: 12 }).queryKey,
  data: {
    pages: [{ items: names.map((name) => ({ warehouse: "prod", database: "sales", name })), next: null }],
    pageParams: [null],
  },
});

/** The open palette, whose search knows what the client is told, and the router that it leads. */
async function opened(client: QueryClient) {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  const root = createRootRoute({
    component: () => <SearchPalette open onClose={() => undefined} onHelp={() => undefined} />,
  });
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ getParentRoute: () => root, path: "/w/$wh/$db/$table/overview" }),
    ]),
    history: createMemoryHistory(),
  });
  await act(() => router.load());
  render(
    <LanguageProvider initial={{ locale: "en", messages: en }}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </LanguageProvider>,
  );
  return { router, field: await screen.findByRole("combobox") };
}

const forGood = () =>
  new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });

test("an Enter that is faster than the search takes what was typed, not the list of a letter less", async () => {
  const client = forGood();
  const [before, after] = [found("o", "other"), found("or", "orders")];
  client.setQueryData(before.key, before.data as never);
  const { router, field } = await opened(client);
  fireEvent.change(field, { target: { value: "o" } });
  expect(await screen.findByText("sales.other")).toBeTruthy();
  fireEvent.change(field, { target: { value: "or" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(router.state.location.pathname).toBe("/");
  await act(async () => client.setQueryData(after.key, after.data as never));
  await waitFor(() => expect(router.state.location.pathname).toBe("/w/prod/sales/orders/overview"));
});

test("a hit that was gone to stays chosen where an answer puts others before it", async () => {
  const client = forGood();
  const [before, after] = [
    found("or", "orders", "orders_old"),
    found("or", "floors", "orders", "orders_old"),
  ];
  client.setQueryData(before.key, before.data as never);
  const { router, field } = await opened(client);
  fireEvent.change(field, { target: { value: "or" } });
  expect(await screen.findByText("sales.orders_old")).toBeTruthy();
  fireEvent.keyDown(field, { key: "ArrowDown" });
  await act(async () => client.setQueryData(after.key, after.data as never));
  expect(await screen.findByText("sales.floors")).toBeTruthy();
  fireEvent.keyDown(field, { key: "Enter" });
  await waitFor(() => expect(router.state.location.pathname).toBe("/w/prod/sales/orders_old/overview"));
});
