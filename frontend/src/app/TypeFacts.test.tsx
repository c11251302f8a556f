import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { TypeFacts } from "./TypeFacts";

const FACTS = {
  type: "format-table",
  format: "csv",
  location: "/lake/db.db/t",
  refused: null,
  can_be_read: true,
  materialized: null,
};

test("what is known of a table by its type says why it cannot be told, and is asked for again", async () => {
  const fetched = vi.fn<() => Promise<Response>>();
  vi.stubGlobal("fetch", fetched);
  fetched.mockResolvedValueOnce(
    new Response(JSON.stringify({ title: "The store is away" }), { status: 503 }),
  );
  fetched.mockResolvedValueOnce(Response.json(FACTS));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <LanguageProvider initial={{ locale: "en", messages: en }}>
        <TypeFacts tableRef={{ warehouse: "lake", database: "db", table: "t" }} />
      </LanguageProvider>
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: en.states.retry }));
  expect(await screen.findByText("csv")).toBeTruthy();
});
