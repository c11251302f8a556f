import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { keepOpenNodes } from "../api/warehouses";
import { setPreferences } from "../preferences";
import { useOpenNodes } from "./useOpenNodes";

const kept = vi.hoisted(() => ({ open: [] as string[] }));
vi.mock("../api/warehouses", () => ({
  openNodesQuery: { queryKey: ["open nodes"], queryFn: () => Promise.resolve({ open: kept.open }) },
  keepOpenNodes: vi.fn<(open: readonly string[]) => Promise<unknown>>(() => Promise.resolve({})),
}));
vi.mock("./useSearch", () => ({ usePageParams: () => ({ wh: "lake", db: "sales" }) }));

function openNodes() {
  const client = new QueryClient();
  return renderHook(() => useOpenNodes(), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  }).result;
}

afterEach(() => {
  vi.useRealTimers();
  vi.mocked(keepOpenNodes).mockClear();
});

test("what was left open elsewhere is open here, beside the way to the page in view", async () => {
  kept.open = ["other"];
  setPreferences({ expanded: ["old"] });
  const found = openNodes();
  await waitFor(() => expect(found.current).toEqual(["other", "lake", "lake/sales"]));
});

test("the server is told of a change once there is quiet, and of nothing that it knows", async () => {
  kept.open = ["lake", "lake/sales"];
  setPreferences({ expanded: [] });
  const found = openNodes();
  await waitFor(() => expect(found.current).toEqual(kept.open));
  vi.useFakeTimers();
  act(() => setPreferences({ expanded: ["lake"] }));
  act(() => setPreferences({ expanded: [] }));
  act(() => void vi.advanceTimersByTime(10_000));
  expect(vi.mocked(keepOpenNodes).mock.calls).toEqual([[[]]]);
});
