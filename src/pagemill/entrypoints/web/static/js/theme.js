// Runs before the first paint, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem("pagemill-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  delete document.documentElement.dataset.theme;
}
