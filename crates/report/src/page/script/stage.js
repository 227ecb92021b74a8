import { s } from "./dom.js";
import { short } from "./words.js";

// A scene as a picture. Every meaning has a shape beside its colour.

const STAGE_WIDTH = 1000;

/** @typedef {{points: [number, number][], height: number, radius: number}} Placed */

/** Nodes in a box as wide as the stage. @param {Drawing} drawing @returns {Placed} */
export function placed({ points }) {
  const radius = points.length <= 20 ? 27 : points.length <= 40 ? 19 : 13;
  const margin = radius * 2.6;
  const xs = points.map(([x]) => x ?? 0);
  const ys = points.map(([, y]) => y ?? 0);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left || 1, Math.max(...ys) - top || 1];
  const scale = Math.min((STAGE_WIDTH - 2 * margin) / wide, (760 - 2 * margin) / high);
  const aside = (STAGE_WIDTH - wide * scale) / 2;
  return {
    radius,
    height: high * scale + 2 * margin,
    points: points.map((_, node) => [aside + (xs[node] - left) * scale, margin + (ys[node] - top) * scale]),
  };
}

/** @param {Episode} episode @param {Placed} place @param {import("./scene.js").Scene} scene @param {string} label */
export function stageOf(episode, place, scene, label) {
  const { points, radius, height } = place;
  const { edges, weights } = episode.drawing;
  const svg = s("svg", { viewBox: `0 0 ${STAGE_WIDTH} ${height.toFixed(0)}`, role: "img", "aria-label": label });
  scene.edges.forEach((edge, index) => {
    const [[x1, y1], [x2, y2]] = edges[index].map((node) => points[node]);
    const looks = ["g-edge", edge.isMarked && "marked", edge.isRemoved && "removed", edge.isChanged && "changed"].filter(Boolean);
    svg.append(s("line", { class: looks.join(" "), x1, y1, x2, y2, "data-edge": edges[index].join(" ") }));
    if (edge.isWrong) svg.append(crossOf((x1 + x2) / 2, (y1 + y2) / 2, radius * 0.5));
  });
  for (const look of /** @type {const} */ (["truth", "own", "right", "wrong"])) {
    for (const arrow of scene.arrows) if (arrow.look === look) svg.append(arrowOf(arrow, points, radius));
  }
  if (weights && points.length <= 40) {
    edges.forEach(([u, v], edge) => {
      const [x, y] = [(points[u][0] + points[v][0]) / 2, (points[u][1] + points[v][1]) / 2];
      svg.append(s("text", { class: "g-weight", x, y: y + 6, "font-size": 17, "text-anchor": "middle" }, short(weights[edge], 2)));
    });
  }
  scene.nodes.forEach((node, index) => svg.append(nodeMarks(node, index, points[index], radius)));
  return svg;
}

/** @param {import("./scene.js").SceneNode} node @param {number} index @param {[number, number]} point @param {number} radius */
function nodeMarks(node, index, [x, y], radius) {
  const group = s("g", { "data-node": index, "data-wrong": node.isWrong });
  if (node.isChanged) group.append(s("circle", { class: "g-halo", cx: x, cy: y, r: radius * 1.36 }));
  if (node.isSource) group.append(s("circle", { class: "g-source", cx: x, cy: y, r: radius * 1.2 }));
  if (node.isCurrent) group.append(s("circle", { class: "g-current", cx: x, cy: y, r: radius * 1.28 }));
  group.append(s("circle", { class: `g-node ${node.look}`.trim(), cx: x, cy: y, r: radius }));
  group.append(s("text", { class: "g-label", x, y, "font-size": radius > 15 ? radius * 0.82 : radius * 0.95 }, String(index)));
  if (radius > 15) {
    node.notes.forEach((note, line) => {
      group.append(s("text", { class: "g-note", x, y: y + radius + 19 + 19 * line, "font-size": 18 }, note));
    });
  }
  if (node.isWrong) {
    group.append(s("rect", { class: "g-wrong", x: x - radius * 1.15, y: y - radius * 1.15, width: radius * 2.3, height: radius * 2.3, rx: 4 }));
    group.append(crossOf(x + radius * 1.1, y - radius * 1.1, radius * 0.5));
  }
  return group;
}

/** A badge with a cross: something is wrong here. @param {number} x @param {number} y @param {number} size */
function crossOf(x, y, size) {
  const arm = size * 0.42;
  return s("g", { class: "g-cross-badge" },
    s("circle", { class: "g-badge", cx: x, cy: y, r: size }),
    s("path", { class: "g-cross", d: `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}` }));
}

/** @param {import("./scene.js").Arrow} arrow @param {[number, number][]} points @param {number} radius */
function arrowOf({ from, to, look }, points, radius) {
  const [[x1, y1], [x2, y2]] = [points[from], points[to]];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.max(11, radius * 0.62);
  const [tx, ty] = [x2 - ux * (radius + 4), y2 - uy * (radius + 4)];
  const [bx, by] = [tx - ux * head, ty - uy * head];
  const side = head * 0.55;
  const own = look === "own" ? "" : ` ${look}`;
  return s("g", { "data-arrow": `${from} ${to}`, "data-look": look },
    s("line", { class: `g-arrow${own}`, x1: x1 + ux * radius, y1: y1 + uy * radius, x2: bx, y2: by }),
    s("path", { class: `g-head${own}`, d: `M${tx} ${ty}L${bx - uy * side} ${by + ux * side}L${bx + uy * side} ${by - ux * side}Z` }));
}

/** Marks and what they mean, those that a scene has. @param {import("./scene.js").Scene[]} scenes @returns {[SVGSVGElement, string][]} */
export function keyOf(scenes) {
  const nodes = scenes.flatMap((scene) => scene.nodes);
  const has = (/** @type {string} */ look) => nodes.some((node) => node.look === look);
  const arrows = scenes.flatMap((scene) => scene.arrows);
  const plain = { look: "", isCurrent: false, isSource: false, isChanged: false, isWrong: false, notes: [] };
  const dot = (/** @type {object} */ marks) => {
    const group = nodeMarks({ ...plain, ...marks }, 0, [42, 34], 19);
    group.removeAttribute("data-node");
    group.removeAttribute("data-wrong");
    group.querySelector("text")?.remove();
    return s("svg", { viewBox: "0 0 84 68", "aria-hidden": "true" }, group);
  };
  const line = (/** @type {import("./scene.js").Arrow["look"]} */ look) => {
    const arrow = arrowOf({ from: 0, to: 1, look }, [[0, 34], [84, 34]], 0);
    arrow.removeAttribute("data-arrow");
    return s("svg", { viewBox: "0 0 84 68", "aria-hidden": "true" }, arrow);
  };
  /** @type {[boolean, SVGSVGElement, string][]} */
  const all = [
    [nodes.some((node) => node.isSource), dot({ isSource: true }), "start"],
    [nodes.some((node) => node.isCurrent), dot({ isCurrent: true }), "looked at"],
    [nodes.some((node) => node.isChanged), dot({ isChanged: true }), "changed in this step"],
    [has("reached"), dot({ look: "reached" }), "dealt with"],
    [has("waiting"), dot({ look: "waiting" }), "waiting"],
    [has("grey"), dot({ look: "grey" }), "entered"],
    [has("done"), dot({ look: "done" }), "finished"],
    [has("solution"), dot({ look: "solution" }), "part of the answer"],
    [has("faded"), dot({ look: "faded" }), "gone"],
    [arrows.some((arrow) => arrow.look === "own"), line("own"), "points to"],
    [arrows.some((arrow) => arrow.look === "right"), line("right"), "right pointer"],
    [nodes.some((node) => node.isWrong), dot({ isWrong: true }), "not as recorded"],
    [arrows.some((arrow) => arrow.look === "wrong"), line("wrong"), "wrong pointer"],
    [arrows.some((arrow) => arrow.look === "truth"), line("truth"), "recorded pointer"],
  ];
  return all.filter(([isThere]) => isThere).map(([, mark, words]) => [mark, words]);
}
