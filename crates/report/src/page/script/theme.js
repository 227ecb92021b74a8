import { h } from "./dom.js";

// Light or dark: as the reader's system is, until the button says otherwise.

const KEPT = "salsa-theme";

/** What was chosen before; pages from files may have nowhere to keep it. */
function keptTheme() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {string} theme */
function keepTheme(theme) {
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // It lasts until the page is closed.
  }
}

/** The button, which also sets the theme of the page. */
export function themeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = keptTheme();
  const button = h("button", {
    class: "theme",
    type: "button",
    click: () => {
      chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      keepTheme(chosen);
      apply();
    },
  });
  function apply() {
    const theme = chosen ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page in ${theme === "dark" ? "light" : "dark"} colours`);
  }
  system.addEventListener("change", apply);
  apply();
  return button;
}
