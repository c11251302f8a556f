import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { hexLines, ValueCell } from "./ValueCell";

afterEach(cleanup);

function show(type: string, value: unknown) {
  render(
    <LanguageProvider initial={{ locale: "en", messages: en }}>
      <ValueCell name="v" type={type} value={value} />
    </LanguageProvider>,
  );
}

test("null is not empty, and short values are shown as they are", () => {
  show("STRING", null);
  expect(screen.getByText("NULL")).toBeTruthy();
  cleanup();
  show("STRING", "short");
  expect(screen.getByText("short")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("a long text is folded, and whole in a window of its own", () => {
  const text = "x".repeat(500);
  show("STRING", text);
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByRole("region", { name: "v" }).textContent).toBe(text);
});

test("bytes are told by their number, and shown with offsets", () => {
  show("BYTES", "00ff".repeat(10));
  fireEvent.click(screen.getByRole("button", { name: /20/ }));
  expect(screen.getByRole("region", { name: "v" }).textContent).toContain("00000010  00 ff 00 ff");
  expect(hexLines("")).toBe("");
});

test("a nested value is a tree", () => {
  show("ROW<a INT, b ARRAY<INT>>", { a: 1, b: [7, null] });
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByRole("tree", { name: "v" }).textContent).toContain("7");
});
