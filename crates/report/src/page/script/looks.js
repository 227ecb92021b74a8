import { s } from "./dom.js";

// How series look: a colour and a shape for each model, hollow with hints, dashed where quoted.

/** @typedef {{colour: number, shape: number, hollow: boolean, quoted: boolean}} Look */

/** @param {number} place of the model @param {boolean} hollow @param {boolean} [quoted] @returns {Look} */
export function lookOf(place, hollow, quoted = false) {
  return { colour: place % 6, shape: place % 5, hollow, quoted };
}

/** A mark in the look's shape. @param {Look} look @param {number} x @param {number} y @param {number} size */
export function markOf(look, x, y, size) {
  const path = (/** @type {[number, number][]} */ ...points) =>
    points.map(([dx, dy], place) => `${place ? "L" : "M"}${(x + dx * size).toFixed(2)} ${(y + dy * size).toFixed(2)}`).join("") + "Z";
  const attributes = { class: look.hollow ? "mark-hollow" : "mark-fill" };
  switch (look.shape) {
    case 0: return s("circle", { ...attributes, cx: x.toFixed(2), cy: y.toFixed(2), r: size });
    case 1: return s("path", { ...attributes, d: path([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]) });
    case 2: return s("path", { ...attributes, d: path([0, -1.2], [1.1, 0.8], [-1.1, 0.8]) });
    case 3: return s("path", { ...attributes, d: path([0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]) });
    default: return s("path", { ...attributes, d: path([-1.1, -0.8], [1.1, -0.8], [0, 1.2]) });
  }
}

/** A line with its mark, for legends. @param {Look} look */
export function sampleOf(look) {
  const line = s("line", { class: `mark-line line${look.quoted ? " quoted" : ""}`, x1: 1, x2: 33, y1: 8, y2: 8, "stroke-width": 2, "stroke-dasharray": look.quoted ? "5 4" : null });
  return s("svg", { viewBox: "0 0 34 16", class: `s${look.colour}`, "aria-hidden": "true" }, line, !look.quoted && markOf(look, 17, 8, 4));
}
