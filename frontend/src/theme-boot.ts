// Runs as a classic script before the first paint, so it imports nothing: Vite must not turn it into a module.
(() => {
  let saved: { theme?: string; language?: string; density?: string } = {};
  try {
    saved = JSON.parse(localStorage.getItem("lakescope.preferences") ?? "{}") as typeof saved;
  } catch {
    // Storage is blocked or holds something else: the defaults below are right.
  }
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const dark = saved.theme === "dark" || (saved.theme !== "light" && prefersDark);
  root.dataset["theme"] = dark ? "dark" : "light";
  root.dataset["density"] = saved.density === "regular" ? "regular" : "compact";
  const system = navigator.language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
  root.lang = saved.language === "en" || saved.language === "zh-CN" ? saved.language : system;
})();
