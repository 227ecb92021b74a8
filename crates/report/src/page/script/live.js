import { h } from "./dom.js";
import { counted, short } from "./words.js";

// A sweep that goes on: how far it has come, asked for again and again.

/** @param {Page} page */
export function liveSection({ live }) {
  if (!live) return null;
  const rows = live.each.map((cell) => h("tr", {},
    h("th", { scope: "row", class: "label" }, cell.cell),
    h("td", { class: "label" }, cell.state),
    h("td", {}, h("progress", { value: cell.done, max: 1, "aria-label": `${cell.cell}: ${Math.round(100 * cell.done)}%` })),
    h("td", { class: "label" }, cell.told),
    h("td", {}, cell.loss === null ? "" : short(cell.loss)),
    h("td", { class: "label" }, cell.holder)));
  const heads = ["cell", "state", "progress", "where", "loss", "who"];
  return h("section", { class: "live", "aria-labelledby": "live" },
    h("h2", { id: "live" }, `${live.sweep}: ${live.finished} of ${counted(live.cells, "cell")} finished`),
    h("progress", { value: live.finished, max: Math.max(live.cells, 1), "aria-label": "Finished cells" }),
    rows.length > 0 && h("div", { class: "box", tabindex: 0, role: "region", "aria-label": "Cells on their way" },
      h("table", {},
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col", class: head === "loss" || head === "progress" ? null : "label" }, h("span", { class: "plain" }, head))))),
        h("tbody", {}, ...rows))),
    h("p", { class: "note", id: "live-told", role: "status" }, `Looks again every ${live.refresh_seconds} seconds.`),
  );
}

/**
 * Asks for new data for as long as the page is open.
 * @param {Page} page
 * @param {(page: Page) => void} show
 */
export function keepLooking(page, show) {
  if (!page.live) return;
  let seen = "";
  let isLost = false;
  const wait = 1000 * page.live.refresh_seconds;
  async function look() {
    try {
      const answer = await fetch("page.json", { cache: "no-store", headers: seen ? { "If-None-Match": seen } : {} });
      if (answer.status === 200) {
        seen = answer.headers.get("ETag") ?? "";
        show(await answer.json());
      } else if (answer.status !== 304) throw new Error(`answer ${answer.status}`);
      else if (isLost) tellOf("It is there again.", false);
      isLost = false;
    } catch {
      isLost = true;
      tellOf("salsa serve does not answer; this is how it was when it last did.", true);
    }
    setTimeout(look, wait);
  }
  setTimeout(look, wait);
}

/** @param {string} words @param {boolean} isLost */
function tellOf(words, isLost) {
  const place = document.getElementById("live-told");
  if (!place) return;
  place.textContent = words;
  place.classList.toggle("lost", isLost);
}
