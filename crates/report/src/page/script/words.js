// Names and numbers as people read them.

/** @type {Record<string, string>} */
const NAMES = {
  bfs: "BFS", dfs: "DFS", dijkstra: "Dijkstra", mst: "MST", mis: "MIS", eccentricity: "Eccentricity",
  bellman_ford: "Bellman-Ford", articulation_points: "Articulation points", bridges: "Bridges",
  components: "Components", k_core: "Core numbers",
  gin: "GIN(E)", pgn: "PGN", recgnn: "RecGNN",
  er: "Erdős-Rényi", ws: "Watts-Strogatz", delaunay: "Delaunay",
  node_accuracy: "node accuracy", graph_accuracy: "graph accuracy", node_f1: "node F1",
  squared_error: "squared error", valid: "valid answers",
};

/** @param {string} name */
export function named(name) {
  return NAMES[name] ?? name.replaceAll("_", " ");
}

/** A name where there is a better one, else as it is. @param {string} name */
export function labelled(name) {
  return NAMES[name] ?? name.replace(/^[a-z]+(?= \(|, )/, (word) => NAMES[word] ?? word);
}

/** Whether a metric is a share from 0 to 1. @param {string} metric */
export function isShare(metric) {
  return metric !== "squared_error";
}

/**
 * Networks that differ in their seeds only, in words.
 * @param {{model: string, hints: boolean, convention?: string, label?: string}} series
 */
export function seriesName(series) {
  const hints = series.hints ? " with hints" : "";
  const release = series.convention === "release" ? ", release" : "";
  return named(series.model) + hints + release + (series.label ? `, ${series.label}` : "");
}

/**
 * A number with a few significant digits.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function short(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "−");
  return minus(String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size)))))));
}

/** A share in percent. @param {number | null | undefined} value @param {number} [decimals] */
export function percent(value, decimals = 1) {
  return value === null || value === undefined ? "–" : minus((100 * value).toFixed(decimals));
}

/** @param {string} text */
function minus(text) {
  return text.replace("-", "−");
}

/** @param {number} bytes */
export function byteWords(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${short(bytes)} ${units[unit]}`;
}

/** @param {number} seconds */
export function timeWords(seconds) {
  if (seconds < 1e-3) return `${short(seconds * 1e6)} µs`;
  if (seconds < 1) return `${short(seconds * 1e3)} ms`;
  return `${short(seconds)} s`;
}

/** What is there once each, in order. @template T @param {T[]} values */
export function distinct(values) {
  return [...new Set(values)];
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
