import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { Part, Parts } from "./Parts";

const LOST = new Error("the store does not answer");

function page(storage: { data: unknown; error: Error | null }, retry = () => undefined) {
  return (
    <LanguageProvider initial={{ locale: "en", messages: en }}>
      <Parts>
        <Part name="Storage" query={{ ...storage, refetch: retry }} />
        <Part name="Commits" query={{ data: [], error: LOST, refetch: retry }} />
      </Parts>
    </LanguageProvider>
  );
}

test("a part that could not be read is named until it is there, and is tried again alone", () => {
  const retry = vi.fn<() => undefined>();
  const { rerender } = render(page({ data: undefined, error: LOST }, retry));
  expect(screen.getByRole("status").textContent).toContain("1 part of this page could not be read");
  const button = screen.getByRole("button", { name: "Try again: Storage" });
  fireEvent.click(button);
  expect(retry).toHaveBeenCalledOnce();
  rerender(page({ data: undefined, error: null }, retry)); // on its way: the button stays in hand, and does nothing
  expect(screen.getByRole("button", { name: "Try again: Storage" })).toBe(button);
  fireEvent.click(button);
  expect(retry).toHaveBeenCalledOnce();
  rerender(page({ data: {}, error: null }, retry));
  expect(screen.getByRole("status").textContent).toBe("");
});
