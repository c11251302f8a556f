import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { tablesQuery } from "../api/warehouses";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { SearchPalette } from "./SearchPalette";

const found = (query: string, name: string) => ({
  key: tablesQuery({ q: query, sort: "fit,name", limit: 12 }).queryKey,
  data: {
    pages: [{ items: [{ warehouse: "prod", database: "sales", name }], next: null }],
    pageParams: [null],
  },
});

test("an Enter that is faster than the search takes what was typed, not the list of a letter less", async () => {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const [before, after] = [found("o", "other"), found("or", "orders")];
  client.setQueryData(before.key, before.data as never);
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
  const field = await screen.findByRole("combobox");
  fireEvent.change(field, { target: { value: "o" } });
  expect(await screen.findByText("sales.other")).toBeTruthy();
  fireEvent.change(field, { target: { value: "or" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(router.state.location.pathname).toBe("/");
  await act(async () => client.setQueryData(after.key, after.data as never));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe("/w/prod/sales/orders/overview"));
});
