import { h } from "./dom.js";
import { wrongOf } from "./scene.js";
import { valueWords } from "./tracks.js";

// The values of a scene as a list, node by node.

/** @param {import("./scene.js").Scene} scene @param {number} nNodes */
export function valuesOf(scene, nNodes) {
  const single = scene.shown.filter(({ track }) => track.place === "graph" || track.quantity === "mask_one");
  const onNodes = scene.shown.filter(({ track }) => track.place === "node" && track.quantity !== "mask_one");
  const facts = single.map((one) => h("div", {}, h("dt", {}, one.track.name), h("dd", { class: wrongOf(one).has(0) ? "wrong-value" : null }, ...wordsOf(one, 0))));
  const parts = [];
  if (facts.length > 0) parts.push(h("dl", { class: "facts" }, ...facts));
  if (onNodes.length > 0) {
    const wrong = onNodes.map(wrongOf);
    const rows = Array.from({ length: nNodes }, (_, node) => {
      const isChanged = onNodes.some(({ changed }) => changed.has(node));
      return h("tr", { class: isChanged ? "changed" : null, "data-row": node },
        h("th", { scope: "row", class: "label" }, node),
        ...onNodes.map((one, place) => h("td", { class: wrong[place].has(node) ? "wrong-value" : null }, ...wordsOf(one, node))));
    });
    const heads = onNodes.map(({ track }) => h("th", { scope: "col" }, track.name));
    parts.push(h("div", { class: "box", tabindex: 0, role: "region", "aria-label": "Values of the nodes" },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "label" }, "node"), ...heads)), h("tbody", {}, ...rows))));
  }
  return parts;
}

/** A value, and what it should be. @param {import("./scene.js").Shown} shown @param {number} place @returns {(Node | string)[]} */
function wordsOf(shown, place) {
  const words = valueWords(shown.track, shown.values[place]);
  if (!wrongOf(shown).has(place) || !shown.truth) return [words];
  return [`✗ ${words}`, h("span", { class: "truth-value" }, ` (${valueWords(shown.track, shown.truth[place])})`)];
}
