import { changedAt, isWrong, momentsOf, valueWords, valuesAt } from "./tracks.js";
import { named, percent, short } from "./words.js";

// What is to be seen of an execution at one moment, before it is drawn.
//
// Moments are counted from 0, the inputs, over the steps of the algorithm, to the answer. What a
// network says is judged against what was recorded for the same moment; a network that did not
// learn the states in between is judged at the end only.

/** How nodes with a mask look; all others are filled. @type {Record<string, string>} */
const MASK_LOOKS = {
  reach_h: "reached", mark: "reached", visited_h: "reached", removed: "reached",
  in_queue: "waiting", msgphase_h: "waiting", leaf_h: "done", inmis_h: "solution", alive_h: "alive",
};

/** Masks of edges that say what is left of the graph. */
const REMAINING = ["Ain_h"];

/**
 * A feature as it is shown: its values, which of them are new, and what they should be.
 * @typedef {{track: Track, values: (number | null)[], changed: Set<number>, truth: (number | null)[] | null}} Shown
 */
/** @typedef {{look: string, isCurrent: boolean, isSource: boolean, isChanged: boolean, isWrong: boolean, notes: string[]}} SceneNode */
/** @typedef {{isMarked: boolean, isRemoved: boolean, isChanged: boolean, isWrong: boolean}} SceneEdge */
/** @typedef {{from: number, to: number, look: "own" | "right" | "wrong" | "truth"}} Arrow */
/**
 * @typedef {object} Scene
 * @property {string} title
 * @property {string} told
 * @property {Shown[]} shown
 * @property {SceneNode[]} nodes
 * @property {SceneEdge[]} edges
 * @property {Arrow[]} arrows
 * @property {number} wrong how many values are wrong
 */

/** The number of moments. @param {Episode} episode */
export function framesOf(episode) {
  return episode.steps + 2;
}

/** @param {Episode} episode @param {Answer | null} answer @param {number} frame @returns {Scene} */
export function sceneOf(episode, answer, frame) {
  const shown = shownAt(episode, answer, frame);
  const { drawing } = episode;
  const nodes = drawing.points.map((_, node) => nodeOf(node, episode, shown));
  const edges = edgesOf(episode, shown);
  const arrows = arrowsOf(shown);
  const wrong = shown.reduce((count, one) => count + wrongOf(one).size, 0);
  return { title: titleOf(episode, answer, frame), told: toldAt(episode, answer, frame, shown), shown, nodes, edges, arrows, wrong };
}

/** @param {Episode} episode @param {Answer | null} answer @param {number} frame @returns {Shown[]} */
function shownAt(episode, answer, frame) {
  const isBetween = frame > 0 && frame <= episode.steps;
  // Inputs that are new at some steps, such as random values.
  const fed = isBetween ? episode.inputs.filter((track) => momentsOf(track) > 1) : [];
  return [...saidAt(episode, answer, frame), ...fed.map((track) => ({ ...shownOf(track, frame - 1, null), changed: new Set() }))];
}

/** @param {Episode} episode @param {Answer | null} answer @param {number} frame @returns {Shown[]} */
function saidAt(episode, answer, frame) {
  if (frame === 0) return episode.inputs.map((track) => shownOf(track, 0, null));
  const isEnd = frame === episode.steps + 1;
  const moment = frame - 1;
  if (!answer) {
    return (isEnd ? episode.outputs : episode.hints).map((track) => shownOf(track, isEnd ? 0 : moment, null));
  }
  if (isEnd) {
    return answer.outputs.map((track) => ({ ...shownOf(track, momentsOf(track) - 1, recordedOf(episode.outputs, track, 0)), changed: new Set() }));
  }
  if (answer.hint_tracks.length > 0) {
    return answer.hint_tracks.map((track) => noticeable(shownOf(track, moment, recordedOf(episode.hints, track, moment)), moment));
  }
  const isSteps = answer.outputs.some((track) => momentsOf(track) > 1);
  return isSteps ? answer.outputs.map((track) => noticeable(shownOf(track, moment, null), moment)) : [];
}

/** @param {Track} track @param {number} moment @param {(number | null)[] | null} truth @returns {Shown} */
function shownOf(track, moment, truth) {
  // At an answer of one moment nothing is new.
  const changed = momentsOf(track) > 1 ? changedAt(track, moment) : new Set();
  return { track, values: valuesAt(track, moment), changed, truth };
}

/** Numbers of networks move a little all the time: only what would count as wrong is a change. @param {Shown} shown @param {number} moment @returns {Shown} */
function noticeable(shown, moment) {
  if (shown.track.quantity !== "scalar" || moment === 0) return shown;
  const before = valuesAt(shown.track, moment - 1);
  return { ...shown, changed: new Set([...shown.changed].filter((index) => isWrong(shown.track, shown.values[index], before[index]))) };
}

/** @param {Track[]} tracks @param {Track} like @param {number} moment */
function recordedOf(tracks, like, moment) {
  const found = tracks.find((track) => track.name === like.name);
  return found ? valuesAt(found, moment) : null;
}

/** The places where a network is wrong. @param {Shown} shown @returns {Set<number>} */
export function wrongOf({ track, values, truth }) {
  return new Set(truth ? values.flatMap((value, index) => (isWrong(track, value, truth[index]) ? [index] : [])) : []);
}

/** @param {number} node @param {Episode} episode @param {Shown[]} shown @returns {SceneNode} */
function nodeOf(node, episode, shown) {
  /** @type {SceneNode} */
  const scene = { look: "", isCurrent: false, isSource: node === episode.source, isChanged: false, isWrong: false, notes: [] };
  for (const one of shown) {
    const { track, values, changed } = one;
    if (track.quantity === "mask_one") {
      if (values[0] === node && (track.name === "u" || track.place === "graph" || !shown.some((other) => other.track.name === "u"))) scene.isCurrent = true;
      scene.isWrong ||= one.truth !== null && values[0] !== one.truth[0] && values[0] === node && track.name === "u";
      continue;
    }
    if (track.place !== "node") continue;
    scene.isChanged ||= changed.has(node);
    scene.isWrong ||= wrongOf(one).has(node);
    const value = values[node];
    if (track.quantity === "mask") {
      const look = MASK_LOOKS[track.name] ?? (episode.outputs.some((output) => output.name === track.name.replace(/_h$/, "")) ? "solution" : "reached");
      if (look === "alive") scene.look = value ? scene.look : scene.look || "faded";
      else if (value) scene.look = look;
    } else if (track.quantity === "categorical") {
      scene.look = ["", "grey", "done"][value ?? 0] ?? "";
      if ((value ?? 0) > 2) scene.notes.push(`class ${value}`);
    }
  }
  const notes = notesOf(shown).map(({ values }) => noteWords(values[node]));
  if (notes.length > 0) scene.notes.push(notes.join(" | "));
  return scene;
}

/** A number with as many digits as there is room for. @param {number | null} value */
function noteWords(value) {
  return value === null ? "–" : String(Number(value.toFixed(2)));
}

/** The numbers that are written below nodes, two at most. @param {Shown[]} shown */
export function notesOf(shown) {
  return shown.filter(({ track }) => track.quantity === "scalar" && track.place === "node").slice(0, 2);
}

/** @param {Episode} episode @param {Shown[]} shown @returns {SceneEdge[]} */
function edgesOf(episode, shown) {
  const { edges, entries } = episode.drawing;
  const scenes = edges.map(() => ({ isMarked: false, isRemoved: false, isChanged: false, isWrong: false }));
  const place = new Map(edges.flatMap(([u, v], edge) => [[`${u} ${v}`, edge], [`${v} ${u}`, edge]]));
  for (const one of shown.filter(({ track }) => track.place === "edge" && track.quantity === "mask")) {
    const remaining = REMAINING.includes(one.track.name);
    const wrong = wrongOf(one);
    /** @type {Set<number>} */
    const set = new Set();
    entries.forEach(([u, v], entry) => {
      const edge = place.get(`${u} ${v}`);
      if (edge === undefined) return;
      if (one.values[entry]) set.add(edge);
      scenes[edge].isChanged ||= one.changed.has(entry);
      scenes[edge].isWrong ||= wrong.has(entry);
    });
    scenes.forEach((scene, edge) => {
      if (remaining) scene.isRemoved = !set.has(edge);
      else scene.isMarked ||= set.has(edge);
    });
  }
  return scenes;
}

/** The pointer that becomes the answer, or the first. @param {Shown[]} shown @returns {Arrow[]} */
function arrowsOf(shown) {
  const pointers = shown.filter(({ track }) => track.quantity === "pointer");
  const one = pointers.find(({ track }) => track.name === "pi_h" || track.name === "pi") ?? pointers[0];
  if (!one) return [];
  const wrong = wrongOf(one);
  /** @type {Arrow[]} */
  const arrows = [];
  one.values.forEach((to, from) => {
    const truth = one.truth?.[from];
    if (wrong.has(from) && typeof truth === "number" && truth !== from) arrows.push({ from, to: truth, look: "truth" });
    if (to !== null && to !== from) arrows.push({ from, to, look: wrong.has(from) ? "wrong" : one.truth ? "right" : "own" });
  });
  return arrows;
}

/** @param {Episode} episode @param {Answer | null} answer @param {number} frame */
function titleOf(episode, answer, frame) {
  if (frame === 0) return "Inputs";
  if (frame === episode.steps + 1) return answer ? "Answer of the network" : "Answer";
  return `Step ${frame} of ${episode.steps}`;
}

/** @param {Episode} episode @param {Answer | null} answer @param {number} frame @param {Shown[]} shown */
function toldAt(episode, answer, frame, shown) {
  if (frame === 0) {
    const { points, edges, weights } = episode.drawing;
    const from = episode.source === null ? "" : `, starting at node ${episode.source}`;
    return `${points.length} nodes, ${edges.length} edges${weights ? " with weights" : ""}${from}.`;
  }
  if (frame === episode.steps + 1) return answer && shown.every((one) => wrongOf(one).size === 0) ? "All as recorded." : outputWords(shown);
  if (answer && shown.length === 0) return "This network gives an answer at the end only.";
  const about = answer && shown.every((one) => one.truth === null) ? "Its answer so far, which nobody asked for yet. " : "";
  const parts = shown.flatMap(({ track, values, changed }) => {
    if (changed.size === 0) return [];
    if (track.quantity === "mask_one") return [`${track.name} is node ${values[0]}`];
    if (track.place === "graph") return [`${track.name} is ${valueWords(track, values[0])}`];
    if (track.place === "edge") return [`${track.name} of ${changed.size} ${changed.size === 1 ? "direction" : "directions"}`];
    const places = [...changed];
    const words = places.slice(0, 6).map((node) => (track.quantity === "mask" ? `${node}${values[node] ? "" : " no more"}`
      : track.quantity === "pointer" ? `${node} → ${values[node]}` : `${node}: ${valueWords(track, values[node])}`));
    return [`${track.name} ${words.join(", ")}${places.length > 6 ? ` and ${places.length - 6} more` : ""}`];
  });
  return about + (parts.length > 0 ? `${parts.join("; ")}.` : "Nothing changes.");
}

/** @param {Shown[]} shown */
function outputWords(shown) {
  const graph = shown.filter(({ track }) => track.place === "graph");
  if (graph.length > 0) return graph.map(({ track, values }) => `${named(track.name)} is ${valueWords(track, values[0])}.`).join(" ");
  const masks = shown.filter(({ track }) => track.quantity === "mask" && track.place === "node");
  return masks.map(({ track, values }) => `${track.name}: ${values.flatMap((value, node) => (value ? [node] : [])).join(", ")}.`).join(" ");
}

/** Words whose numbers have few digits. @param {string} words */
function shortened(words) {
  return words.replace(/-?\d+\.\d{3,}/g, (number) => short(Number(number)));
}

/** @param {Answer} answer */
export function judgementWords({ judgement, outputs }) {
  const measured = judgement.measured.map(([metric, value]) =>
    (metric === "squared_error" ? `squared error ${short(value)}` : `${named(metric)} ${percent(value)}%`));
  const graph = outputs.filter((track) => track.place === "graph").map((track) => `${named(track.name)} ${valueWords(track, valuesAt(track, momentsOf(track) - 1)[0])}`);
  const valid = judgement.valid === null ? []
    : [judgement.valid ? "a valid answer" : `not a valid answer${judgement.violation ? `: ${shortened(judgement.violation)}` : ""}`];
  return `${[...graph, ...measured, ...valid].join("; ")}.`;
}
