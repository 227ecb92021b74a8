import { h, s } from "./dom.js";
import { markOf, sampleOf } from "./looks.js";
import { linear, logarithmic } from "./scale.js";

// Lines over an axis, with what they say at the pointer or, by arrow keys, at the focus.

const EDGE = { left: 46, right: 14, top: 26, bottom: 38 };

/** @typedef {{x: number, y: number, spread?: number | null, told: string}} ChartPoint */
/** @typedef {{name: string, look: import("./looks.js").Look, points: ChartPoint[], bare?: boolean}} ChartLine */
/**
 * @typedef {object} ChartOptions
 * @property {string} title
 * @property {string} xLabel
 * @property {(x: number) => string} xWords
 * @property {(y: number) => string} yWords
 * @property {boolean} [logX]
 * @property {boolean} [logY]
 * @property {number[]} [xTicks]
 * @property {number[]} [yTicks]
 * @property {[number, number]} [yRange]
 * @property {number | null} [marked] a place on the x axis to be marked
 * @property {string} [markedWords]
 * @property {number} [width] of the drawing, in which letters have 12
 * @property {ChartLine[]} lines
 */

/** @param {ChartOptions} options */
function sizeOf({ width = 400 }) {
  return { WIDTH: width, HEIGHT: width > 400 ? 300 : 250 };
}

/** @param {ChartOptions} options */
export function chart(options) {
  const { WIDTH, HEIGHT } = sizeOf(options);
  const { title, lines } = options;
  const points = lines.flatMap((line) => line.points).filter((point) => fits(point, options));
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${lines.map((line) => line.name).join(", ") || "nothing to show"}` });
  svg.append(s("text", { class: "title", x: EDGE.left, y: 14 }, title));
  const box = h("div", { class: "chart" }, svg);
  if (points.length === 0) {
    svg.append(s("text", { x: EDGE.left, y: HEIGHT / 2 }, "nothing to show"));
    return box;
  }
  const [xAxis, yAxis] = axesOf(points, options);
  svg.append(...frameOf(options, xAxis, yAxis));
  for (const line of lines) svg.append(lineOf(line, xAxis, yAxis, options));
  lookInto(box, svg, options, xAxis);
  return box;
}

/** Whether a point can be shown. @param {ChartPoint} point @param {ChartOptions} options */
function fits({ x, y }, { logX, logY }) {
  return Number.isFinite(x) && Number.isFinite(y) && (!logX || x > 0) && (!logY || y > 0);
}

/** @param {ChartPoint[]} points @param {ChartOptions} options */
function axesOf(points, options) {
  const { logX, logY, xTicks, yTicks, yRange } = options;
  const { WIDTH, HEIGHT } = sizeOf(options);
  const xs = points.map((point) => point.x);
  const ys = points.flatMap(({ y, spread }) => {
    const ends = spread ? [y - spread, y, y + spread] : [y];
    return logY ? ends.filter((end) => end > 0) : ends;
  });
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = yRange ?? [Math.min(...ys), Math.max(...ys)];
  /** @type {[number, number]} */
  const across = [EDGE.left, WIDTH - EDGE.right];
  /** @type {[number, number]} */
  const up = [HEIGHT - EDGE.bottom, EDGE.top];
  const xAxis = logX ? logarithmic(left, right, across, xTicks) : linear(left, right, across);
  if (!logX && xTicks) xAxis.ticks = xTicks;
  return [xAxis, logY ? logarithmic(low, high, up, yTicks?.filter((tick) => tick >= low && tick <= high)) : linear(low, high, up, 4)];
}

/** @param {ChartOptions} options @param {import("./scale.js").Axis} xAxis @param {import("./scale.js").Axis} yAxis */
function frameOf(options, xAxis, yAxis) {
  const { WIDTH, HEIGHT } = sizeOf(options);
  const [bottom, right] = [HEIGHT - EDGE.bottom, WIDTH - EDGE.right];
  const parts = [];
  for (const tick of yAxis.ticks) {
    const y = yAxis.at(tick);
    parts.push(s("line", { class: "grid", x1: EDGE.left, x2: right, y1: y, y2: y }));
    parts.push(s("text", { x: EDGE.left - 6, y: y + 4, "text-anchor": "end" }, options.yWords(tick)));
  }
  parts.push(s("line", { class: "axis", x1: EDGE.left, x2: right, y1: bottom, y2: bottom }));
  let last = -Infinity;
  for (const tick of xAxis.ticks) {
    const [x, words] = [xAxis.at(tick), options.xWords(tick)];
    parts.push(s("line", { class: "axis", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
    // Neighbouring words must not run into each other.
    if (x - last < 7 * words.length + 6) continue;
    last = x;
    parts.push(s("text", { x, y: bottom + 17, "text-anchor": "middle" }, words));
  }
  parts.push(s("text", { x: right, y: HEIGHT - 5, "text-anchor": "end" }, options.xLabel));
  if (typeof options.marked === "number" && options.marked >= xAxis.low && options.marked <= xAxis.high) {
    const x = xAxis.at(options.marked);
    const side = x > WIDTH * 0.6 ? "end" : "start";
    parts.push(s("line", { class: "cross", x1: x, x2: x, y1: EDGE.top, y2: bottom }));
    parts.push(s("text", { x: x + (side === "end" ? -5 : 5), y: EDGE.top + 10, "text-anchor": side }, options.markedWords ?? ""));
  }
  return parts;
}

/** @param {ChartLine} line @param {import("./scale.js").Axis} xAxis @param {import("./scale.js").Axis} yAxis @param {ChartOptions} options */
function lineOf(line, xAxis, yAxis, options) {
  const group = s("g", { class: `s${line.look.colour}`, "data-line": line.name });
  const points = line.points.filter((point) => fits(point, options));
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const inside = Math.min(Math.max(y, yAxis.low), yAxis.high);
    return `${xAxis.at(x).toFixed(1)} ${yAxis.at(inside).toFixed(1)}`;
  };
  const wide = points.filter((point) => typeof point.spread === "number");
  if (wide.some((point) => point.spread)) {
    const above = wide.map(({ x, y, spread }) => at(x, y + (spread ?? 0)));
    const below = wide.map(({ x, y, spread }) => at(x, y - (spread ?? 0))).reverse();
    group.append(s("path", { class: "band mark-band", d: `M${above.join("L")}L${below.join("L")}Z` }));
  }
  const d = points.map(({ x, y }, place) => `${place ? "L" : "M"}${at(x, y)}`).join("");
  group.append(s("path", { class: `line mark-line${line.look.quoted ? " quoted" : ""}`, d }));
  if (!line.bare && !line.look.quoted) {
    for (const { x, y } of points) {
      const inside = Math.min(Math.max(y, yAxis.low), yAxis.high);
      group.append(markOf(line.look, xAxis.at(x), yAxis.at(inside), 3.6));
    }
  }
  return group;
}

/**
 * Tells what all lines say at one place.
 * @param {HTMLElement} box @param {SVGSVGElement} svg @param {ChartOptions} options @param {import("./scale.js").Axis} xAxis
 */
function lookInto(box, svg, options, xAxis) {
  const { WIDTH, HEIGHT } = sizeOf(options);
  const places = [...new Set(options.lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const cross = s("line", { class: "cross", y1: EDGE.top, y2: HEIGHT - EDGE.bottom, visibility: "hidden" });
  svg.append(cross);
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  box.append(tip);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `${options.title}; arrow keys read its values`);
  let place = -1;

  /** @param {number} index */
  function show(index) {
    place = Math.min(Math.max(index, 0), places.length - 1);
    const value = places[place];
    const x = xAxis.at(value);
    cross.setAttribute("x1", String(x));
    cross.setAttribute("x2", String(x));
    cross.setAttribute("visibility", "visible");
    const rows = options.lines.flatMap((line) => {
      const point = line.points.find((candidate) => candidate.x === value);
      return point ? [{ line, point }] : [];
    });
    rows.sort((a, b) => b.point.y - a.point.y);
    const cells = rows.slice(0, 12).map(({ line, point }) =>
      h("tr", {}, h("td", {}, sampleOf(line.look)), h("td", {}, line.name), h("td", {}, point.told)));
    tip.replaceChildren(h("b", {}, `${options.xLabel}: ${options.xWords(value)}`), h("table", {}, h("tbody", {}, ...cells)));
    tip.hidden = false;
    const share = x / WIDTH;
    const room = box.clientWidth;
    const left = Math.min(Math.max(share * room + (share > 0.5 ? -tip.offsetWidth - 10 : 10), 0), Math.max(room - tip.offsetWidth, 0));
    tip.style.left = `${left}px`;
    tip.style.top = `${box.clientHeight * 0.14}px`;
  }
  function hide() {
    tip.hidden = true;
    cross.setAttribute("visibility", "hidden");
  }
  box.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    const x = ((event.clientX - bounds.left) / bounds.width) * WIDTH;
    const distance = (/** @type {number} */ value) => Math.abs(xAxis.at(value) - x);
    show(places.reduce((best, value, index) => (distance(value) < distance(places[best]) ? index : best), 0));
  });
  box.addEventListener("pointerleave", hide);
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    const moves = { ArrowRight: place + 1, ArrowLeft: place < 0 ? places.length - 1 : place - 1, Home: 0, End: places.length - 1 };
    if (event.key === "Escape") hide();
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(moves[/** @type {keyof typeof moves} */ (event.key)]);
  });
}

/** What the lines are, where none can be hidden. @param {ChartLine[]} lines */
export function lineNames(lines) {
  const names = lines.map(({ name, look }) => h("li", {}, sampleOf(look), name));
  return h("ul", { class: "key" }, ...names);
}

/**
 * Lines to be shown or hidden.
 * @param {{name: string, look: import("./looks.js").Look}[]} entries
 * @param {Set<string>} hidden
 * @param {() => void} changed
 */
export function legend(entries, hidden, changed) {
  const buttons = entries.map(({ name, look }) => {
    const button = h("button", {
      type: "button",
      "aria-pressed": String(!hidden.has(name)),
      click: () => {
        if (!hidden.delete(name)) hidden.add(name);
        button.setAttribute("aria-pressed", String(!hidden.has(name)));
        changed();
      },
    }, sampleOf(look), name);
    return button;
  });
  return h("div", { class: "legend", role: "group", "aria-label": "Lines to show" }, ...buttons);
}
