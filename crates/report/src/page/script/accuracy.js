import { choice, h } from "./dom.js";
import { chart, legend } from "./chart.js";
import { lookOf } from "./looks.js";
import { distinct, isShare, named, percent, seriesName, short } from "./words.js";

// How good networks are over sizes: a small plot for each algorithm and family.

/** What a reader chose. @type {{metric: string, hidden: Set<string>, convention: string}} */
const accuracyChosen = { metric: "", hidden: new Set(), convention: "" };

/** The metric that the paper's main table shows. @type {Record<string, string>} */
const PAPER_METRICS = { mis: "node_f1", eccentricity: "graph_accuracy" };

/** @param {Page} page */
export function accuracySection(page) {
  const { accuracy } = page;
  if (accuracy.length === 0) return null;
  const lines = accuracy.flatMap((panel) => panel.lines);
  const models = distinct(lines.map((line) => line.model));
  const conventions = distinct(lines.map((line) => line.convention));
  if (!conventions.includes(accuracyChosen.convention)) accuracyChosen.convention = conventions[0];
  const families = distinct(accuracy.map((panel) => panel.family));
  const quotedSizes = accuracy.flatMap((panel) => panel.quoted.flatMap((quote) => quote.points.map(([nodes]) => nodes)));
  const sizes = distinct([...lines.flatMap((line) => line.points.map((point) => point.nodes)), ...quotedSizes]).sort((a, b) => a - b);
  const place = (/** @type {string} */ model) => models.indexOf(model);

  const entries = new Map();
  for (const line of lines) {
    if (line.convention === accuracyChosen.convention) {
      entries.set(seriesName({ ...line, convention: "" }), lookOf(place(line.model), line.hints));
    }
  }
  const quotes = new Map();
  for (const quote of accuracy.flatMap((panel) => panel.quoted)) {
    quotes.set(`${named(quote.model)}, the paper`, lookOf(place(quote.model), false, true));
  }
  const grid = h("div", { class: "panels" });
  grid.style.setProperty("--columns", String(Math.min(families.length, 3)));

  function show() {
    const rows = [];
    for (const algorithm of distinct(accuracy.map((panel) => panel.algorithm))) {
      const panels = accuracy.filter((panel) => panel.algorithm === algorithm);
      const metric = accuracyChosen.metric || mainMetric(algorithm, panels);
      const own = panels.map((panel) => ({ family: panel.family, lines: linesOf(panel, metric, place) }));
      const shown = own.map(({ family, lines }) => ({ family, lines: lines.filter((line) => !accuracyChosen.hidden.has(line.name)) }));
      rows.push(h("h3", {}, `${named(algorithm)}, ${named(metric)}`));
      for (const { family, lines } of shown) {
        rows.push(chart({
          title: named(family), xLabel: "nodes", xWords: String, logX: true, xTicks: sizes,
          logY: !isShare(metric),
          yWords: isShare(metric) ? (y) => percent(y, 0) : (y) => short(y, 1),
          yRange: rangeOf(own.flatMap((panel) => panel.lines), metric),
          lines,
        }));
      }
    }
    grid.replaceChildren(...rows);
  }
  show();

  const metrics = distinct(lines.map((line) => line.metric));
  /** @type {[string, string][]} */
  const options = [["", "as in the paper"], ...metrics.map((metric) => /** @type {[string, string]} */ ([metric, named(metric)]))];
  const all = [...entries, ...quotes].map(([name, look]) => ({ name, look }));
  return h("section", { "aria-labelledby": "sizes" },
    h("h2", { id: "sizes" }, "Over sizes"),
    h("p", { class: "note" }, "Mean over seeds, the band is one standard deviation to either side. Dashed: the paper's figures."),
    h("div", { class: "controls" },
      choice("measured", "metric", options, accuracyChosen.metric, (value) => {
        accuracyChosen.metric = value;
        show();
      }),
      conventions.length > 1 && choice("convention", "convention", conventions.map((name) => [name, name]), accuracyChosen.convention, (value) => {
        accuracyChosen.convention = value;
        show();
      })),
    legend(all, accuracyChosen.hidden, show),
    grid,
  );
}

/** @param {string} algorithm @param {Panel[]} panels */
function mainMetric(algorithm, panels) {
  const found = distinct(panels.flatMap((panel) => panel.lines.map((line) => line.metric)));
  const quoted = panels.flatMap((panel) => panel.quoted.map((quote) => quote.metric));
  const wanted = quoted[0] ?? PAPER_METRICS[algorithm] ?? "node_accuracy";
  return found.includes(wanted) ? wanted : found[0];
}

/** @param {Panel} panel @param {string} metric @param {(model: string) => number} place */
function linesOf(panel, metric, place) {
  const told = isShare(metric) ? percent : short;
  /** @type {import("./chart.js").ChartLine[]} */
  const lines = [];
  for (const quote of panel.quoted.filter((quote) => quote.metric === metric)) {
    lines.push({
      name: `${named(quote.model)}, the paper`,
      look: lookOf(place(quote.model), false, true),
      points: quote.points.map(([x, y]) => ({ x, y: y ?? NaN, told: told(y) })),
    });
  }
  const ours = panel.lines.filter((line) => line.metric === metric && line.convention === accuracyChosen.convention);
  for (const line of ours) {
    lines.push({
      name: seriesName({ ...line, convention: "" }),
      look: lookOf(place(line.model), line.hints),
      points: line.points.map(({ nodes, mean, deviation, seeds }) => ({
        x: nodes, y: mean ?? NaN, spread: deviation,
        told: deviation === null ? `${told(mean)} (one seed)` : `${told(mean)} ± ${told(deviation)} (${seeds} seeds)`,
      })),
    });
  }
  return lines;
}

/** The same range for all panels of an algorithm. @param {import("./chart.js").ChartLine[]} lines @param {string} metric @returns {[number, number] | undefined} */
function rangeOf(lines, metric) {
  const values = lines.flatMap((line) => line.points.map((point) => point.y)).filter((y) => Number.isFinite(y));
  if (values.length === 0) return undefined;
  if (!isShare(metric)) {
    const above = values.filter((value) => value > 0);
    return above.length > 0 ? [10 ** Math.floor(Math.log10(Math.min(...above))), 10 ** Math.ceil(Math.log10(Math.max(...above)) + 1e-9)] : undefined;
  }
  return [Math.min(Math.max(0, Math.floor(10 * Math.min(...values) - 0.2) / 10), 0.9), 1];
}
