import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const backend = process.env["LAKESCOPE_URL"] ?? "http://127.0.0.1:8000";

export default defineConfig(({ command }) => ({
  plugins: [react()],
  // Django serves the build; in development Vite serves the pages and hands the rest to a running console.
  base: command === "build" ? "/static/" : "/",
  server: {
    proxy: Object.fromEntries(
      ["/api", "/sign-in", "/sign-out", "/setup", "/static"].map((p) => [p, backend]),
    ),
  },
  build: {
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: ["src/main.tsx", "src/theme-boot.ts"] },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    testTimeout: 60_000, // guards against hanging: no test measures the machine
    setupFiles: ["src/test-setup.ts"],
    env: { TZ: "UTC" },
  },
}));
