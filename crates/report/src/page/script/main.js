import { accuracySection } from "./accuracy.js";
import { curvesSection } from "./curves.js";
import { keepLooking, liveSection } from "./live.js";
import { overviewOf } from "./overview.js";
import { playerSection } from "./player.js";
import { scalingSection } from "./scaling.js";
import { tableSection } from "./tables.js";
import { themeButton } from "./theme.js";

// Puts the page together from its data, and again when there is new data.

const themeToggle = themeButton();

/** Sections that are drawn, and what they were drawn from. @type {Map<string, {data: string, element: HTMLElement | null}>} */
const drawn = new Map();

/** @param {Page} page */
function showPage(page) {
  const header = /** @type {HTMLElement} */ (document.getElementById("header"));
  const main = /** @type {HTMLElement} */ (document.getElementById("content"));
  document.title = page.title;
  const tables = page.tables.map((table) => /** @type {[string, string, unknown, () => HTMLElement]} */ ([table.name, table.title, table, () => tableSection(table)]));
  /** @type {[string, string, unknown, () => HTMLElement | null][]} */
  const sections = [
    ["live", "Progress", page.live, () => liveSection(page)],
    ...tables.slice(0, 1),
    ["sizes", "Over sizes", page.accuracy, () => accuracySection(page)],
    ["player", "Step by step", page.episodes, () => playerSection(page)],
    ["training", "Training", page.curves, () => curvesSection(page)],
    ["scaling", "Scaling", page.scaling, () => scalingSection(page)],
    ...tables.slice(1),
  ];
  const elements = sections.flatMap(([id, , source, draw]) => {
    const data = JSON.stringify(source);
    const before = drawn.get(id);
    // What has not changed stays as it is, with whatever the reader does there.
    const element = before && before.data === data ? before.element : draw();
    drawn.set(id, { data, element });
    return element ? [element] : [];
  });
  const there = sections.filter(([id]) => drawn.get(id)?.element);
  const [top, left] = [window.scrollY, window.scrollX];
  if (elements.some((element, place) => main.children[place] !== element) || main.children.length !== elements.length) {
    main.replaceChildren(...elements);
  }
  const links = there.map(([id, title]) => /** @type {[string, string]} */ ([id, title]));
  header.replaceChildren(...overviewOf(page, themeToggle, links));
  if (drawn.size > 0) window.scrollTo({ left, top, behavior: "instant" });
}

const pageData = /** @type {Page} */ (JSON.parse(document.getElementById("data")?.textContent ?? "{}"));
showPage(pageData);
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" });
keepLooking(pageData, showPage);
