import { h } from "./dom.js";
import { named } from "./words.js";

// What the report is about, above everything.

/**
 * @param {Page} page
 * @param {HTMLElement} button of the theme
 * @param {[string, string][]} sections addresses and titles
 */
export function overviewOf(page, button, sections) {
  const { overview } = page;
  /** @type {[string, string | null][]} */
  const facts = [
    ["sweep", overview.sweeps.join(", ") || null],
    ["networks", overview.networks.toLocaleString("en")],
    ["algorithms", overview.algorithms.map(named).join(", ")],
    ["models", overview.models.map(named).join(", ")],
    ["seeds", String(overview.seeds)],
    ["answers judged", overview.answers.toLocaleString("en")],
    ["computed on", overview.devices.join(", ") || null],
    ["graphs of suite", overview.suites.join(", ") || null],
    ["salsa", overview.versions.join(", ") || null],
  ];
  const shown = facts.filter(([, value]) => value !== null && value !== "");
  const links = sections.map(([id, title]) => h("li", {}, h("a", { href: `#${id}` }, title)));
  return [
    h("div", { class: "top" }, h("h1", {}, page.title), button),
    h("dl", { class: "facts" }, ...shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h("nav", { class: "contents", "aria-label": "Contents" }, h("ul", {}, ...links)),
  ];
}
