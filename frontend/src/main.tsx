// The order of the cascade layers is in tokens.css, so it has to come before the styles of any component.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/devices.css";
import { QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import { I18nProvider } from "react-aria-components";
import { ApiProblem } from "./api/problem";
import { askEarly } from "./app/early";
import { router } from "./app/routes";
import { LanguageProvider, loadMessages, useLocale } from "./i18n";
import { applyToDocument, followSystemTheme, language } from "./preferences";
import { ToastProvider } from "./ui/Toast";

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      gcTime: 10 * 60_000,
      // Our own problems are answers; only a missing or a 5xx reply may differ the next time.
      retry: (failures, error) =>
        failures < 2 &&
        error instanceof ApiProblem &&
        (error.problem.status === 0 || error.problem.status >= 502),
    },
  },
});

function App() {
  const locale = useLocale();
  const client = useQueryClient();
  const asked = useRef(locale);
  useEffect(() => {
    if (asked.current === locale) return;
    asked.current = locale;
    void client.invalidateQueries(); // answers hold sentences too
  }, [client, locale]);
  return (
    <I18nProvider locale={locale}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </I18nProvider>
  );
}

/** React Aria adds an inline <style> unless an element with this id exists; styles/base.css holds its rule. */
function holdPressableStyle(): void {
  const meta = document.createElement("meta");
  meta.id = "react-aria-pressable-style";
  document.head.append(meta);
}

/** A page left open over an update asks for chunks that are gone: load the new shell, at most once a minute. */
function reloadAfterUpdate(): void {
  addEventListener("vite:preloadError", () => {
    const last = Number(sessionStorage.getItem("lakescope.reloaded") ?? 0);
    if (Date.now() - last < 60_000) return;
    sessionStorage.setItem("lakescope.reloaded", String(Date.now()));
    location.reload();
  });
}

async function start(): Promise<void> {
  holdPressableStyle();
  reloadAfterUpdate();
  applyToDocument();
  followSystemTheme();
  askEarly(queryClient);
  const locale = language();
  const messages = await loadMessages(locale);
  const root = document.getElementById("root");
  if (root === null) throw new Error("the shell has no #root");
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LanguageProvider initial={{ locale, messages }}>
          <App />
        </LanguageProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

void start();
