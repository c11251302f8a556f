import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LanguageProvider } from "../i18n";
import { en } from "../i18n/en";
import { ConfirmByName, type Confirmation } from "./ConfirmByName";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function show() {
  const onConfirm = vi.fn<(confirmation: Confirmation) => void>();
  render(
    <LanguageProvider initial={{ locale: "en", messages: en }}>
      <ConfirmByName name="prod.sales.orders" action="Roll back" busy={false} onConfirm={onConfirm} />
    </LanguageProvider>,
  );
  return onConfirm;
}

function fill(name: string, reason: string) {
  fireEvent.change(screen.getByLabelText("Type prod.sales.orders to confirm"), { target: { value: name } });
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: reason } });
}

const button = () => screen.getByRole<HTMLButtonElement>("button");

test("the button stays disarmed for five seconds after the right name", () => {
  show();
  fill("prod.sales.orders", "INC-1");
  expect(button().disabled).toBe(true);
  act(() => void vi.advanceTimersByTime(5000));
  expect(button().disabled).toBe(false);
});

test("another name never arms it", () => {
  show();
  fill("prod.sales.order", "INC-1");
  act(() => void vi.advanceTimersByTime(60_000));
  expect(button().disabled).toBe(true);
});

test("a reason is needed", () => {
  show();
  fill("prod.sales.orders", "  ");
  act(() => void vi.advanceTimersByTime(60_000));
  expect(button().disabled).toBe(true);
});

test("a change of the name disarms it again", () => {
  show();
  fill("prod.sales.orders", "INC-1");
  act(() => void vi.advanceTimersByTime(5000));
  fill("prod.sales.order", "INC-1");
  fill("prod.sales.orders", "INC-1");
  expect(button().disabled).toBe(true);
});

test("it hands on what was typed", () => {
  const onConfirm = show();
  fill("prod.sales.orders", " INC-1 ");
  act(() => void vi.advanceTimersByTime(5000));
  fireEvent.click(button());
  expect(onConfirm).toHaveBeenCalledWith({ confirmation: "prod.sales.orders", reason: "INC-1" });
});
