import { h } from "./dom.js";
import { chart, legend } from "./chart.js";
import { lookOf } from "./looks.js";
import { byteWords, distinct, timeWords } from "./words.js";

// Memory and time over sizes, measured apart from the sweep.

/** @type {Set<string>} */
const scalingHidden = new Set();

/** 8 times as much each: 1 MiB, 8 MiB and so on. */
const EVEN_BYTES = Array.from({ length: 14 }, (_, power) => 2 ** 17 * 8 ** power);

/** @param {Page} page */
export function scalingSection(page) {
  const { scaling } = page;
  if (scaling.length === 0) return null;
  const ours = distinct(scaling.filter((line) => !line.quoted).map((line) => line.name));
  const quoted = distinct(scaling.filter((line) => line.quoted).map((line) => line.name));
  const lookFor = (/** @type {ScalingLine} */ line) =>
    line.quoted ? lookOf(ours.length + quoted.indexOf(line.name), false, true) : lookOf(ours.indexOf(line.name), false);
  const pair = h("div", { class: "pair" });
  const sizes = distinct(scaling.flatMap((line) => line.points.map((point) => point.nodes))).sort((a, b) => a - b);

  function show() {
    const shown = scaling.filter((line) => !scalingHidden.has(line.name));
    const plot = (/** @type {string} */ title, /** @type {"bytes" | "seconds"} */ what, /** @type {(y: number) => string} */ words) => {
      const lines = shown.map((line) => ({
        name: line.name, look: lookFor(line),
        points: line.points.flatMap((point) => {
          const y = point[what];
          return y === null ? [] : [{ x: point.nodes, y, told: words(y) }];
        }),
      }));
      return chart({ width: 560, title, xLabel: "nodes", xWords: sizeWords, xTicks: sizes, logX: true, logY: true, yWords: words, yTicks: what === "bytes" ? EVEN_BYTES : undefined, lines: lines.filter((line) => line.points.length > 0) });
    };
    pair.replaceChildren(plot("memory", "bytes", byteWords), plot("time", "seconds", timeWords));
  }
  show();
  const all = scaling.map((line) => ({ name: line.name, look: lookFor(line) }));
  return h("section", { "aria-labelledby": "scaling" },
    h("h2", { id: "scaling" }, "Scaling"),
    h("p", { class: "note" }, "Memory and time of BFS on one graph, both axes logarithmic. Dashed: the published code, as quoted."),
    legend(all, scalingHidden, show),
    pair,
  );
}

/** @param {number} nodes */
function sizeWords(nodes) {
  if (nodes >= 2 ** 20 && nodes % 2 ** 20 === 0) return `${nodes / 2 ** 20} Mi`;
  return nodes >= 1024 && nodes % 1024 === 0 ? `${nodes / 1024} Ki` : String(nodes);
}
