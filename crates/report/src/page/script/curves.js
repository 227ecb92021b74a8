import { choice, h } from "./dom.js";
import { chart, legend, lineNames } from "./chart.js";
import { lookOf } from "./looks.js";
import { distinct, isShare, named, percent, seriesName, short } from "./words.js";

// Losses and validation over epochs: all trainings of an algorithm, or one.

/** What a reader chose. @type {{algorithm: string, cell: string, hidden: Set<string>}} */
const curvesChosen = { algorithm: "", cell: "", hidden: new Set() };

/** @param {Page} page */
export function curvesSection(page) {
  const { curves } = page;
  if (curves.length === 0) return null;
  const algorithms = distinct(curves.map((curve) => curve.algorithm));
  if (!algorithms.includes(curvesChosen.algorithm)) curvesChosen.algorithm = algorithms[0];
  const models = distinct(curves.map((curve) => curve.model));
  const place = (/** @type {string} */ model) => models.indexOf(model);
  const section = h("section", { "aria-labelledby": "training" });

  function show() {
    const own = curves.filter((curve) => curve.algorithm === curvesChosen.algorithm);
    const one = own.find((curve) => curve.cell === curvesChosen.cell);
    /** @type {[string, string][]} */
    const cells = [["", `all ${own.length}`], ...own.map((curve) => /** @type {[string, string]} */ ([curve.cell, `${seriesName(curve)}, seed ${curve.seed}`]))];
    const focused = section.contains(document.activeElement) ? document.activeElement?.getAttribute("name") : null;
    section.replaceChildren(
      h("h2", { id: "training" }, "Training"),
      h("p", { class: "note" }, one ? toldOf(one) : "The loss on the validation split and what was measured there, every training a line."),
      h("div", { class: "controls" },
        choice("algorithm", "training-algorithm", algorithms.map((name) => [name, named(name)]), curvesChosen.algorithm, (value) => {
          Object.assign(curvesChosen, { algorithm: value, cell: "" });
          show();
        }),
        choice("training", "training-cell", cells, one ? one.cell : "", (value) => {
          curvesChosen.cell = value;
          show();
        })),
      ...(one ? [ofOne(one, place)] : ofAll(own, place, show)),
    );
    if (focused) /** @type {HTMLElement | null} */ (section.querySelector(`[name="${focused}"]`))?.focus();
  }
  show();
  return section;
}

/** @param {Curve} curve */
function toldOf(curve) {
  const ended = curve.stopped_early ? "stopped early" : "all epochs";
  const best = curve.best_epoch === null ? "" : `; the weights after epoch ${curve.best_epoch + 1} were evaluated`;
  return `${curve.cell}: ${curve.epochs_done} epochs (${ended})${best}.`;
}

/** @param {Curve} curve @param {(number | null)[]} values @param {(y: number) => string} words */
function pointsOf(curve, values, words) {
  return curve.epochs.flatMap((epoch, index) => {
    const y = values[index];
    return y === null || y === undefined ? [] : [{ x: epoch + 1, y, told: words(y) }];
  });
}

/** @param {Curve} curve @param {(model: string) => number} place */
function ofOne(curve, place) {
  const common = { width: 560, xLabel: "epoch", xWords: (/** @type {number} */ x) => String(x), marked: curve.best_epoch === null ? null : curve.best_epoch + 1, markedWords: "best" };
  const own = place(curve.model);
  const losses = [
    { name: "training", look: lookOf(own, false, true), points: pointsOf(curve, curve.train, short), bare: true },
    { name: "validation", look: lookOf(own, false), points: pointsOf(curve, curve.validation_loss, short), bare: curve.epochs.length > 30 },
  ];
  const loss = chart({ ...common, title: "loss", logY: true, yWords: (y) => short(y, 1), lines: losses });
  const metrics = Object.entries(curve.validation);
  const shares = metrics.filter(([metric]) => isShare(metric));
  const [shown, words] = shares.length > 0 ? [shares, (/** @type {number} */ y) => percent(y)] : [metrics, (/** @type {number} */ y) => short(y)];
  const lines = shown.map(([metric, values], index) => ({
    name: named(metric), look: lookOf(own + index, index > 0), points: pointsOf(curve, values, words), bare: curve.epochs.length > 30,
  }));
  const measured = chart({
    ...common, title: shares.length > 0 ? "on the validation split, percent" : shown.map(([metric]) => named(metric)).join(", "),
    logY: shares.length === 0, yWords: shares.length > 0 ? (y) => percent(y, 0) : (y) => short(y, 1),
    lines,
  });
  return h("div", { class: "pair" }, h("div", {}, loss, lineNames(losses)), h("div", {}, measured, lineNames(lines)));
}

/** @param {Curve[]} curves @param {(model: string) => number} place @param {() => void} changed */
function ofAll(curves, place, changed) {
  const entries = new Map(curves.map((curve) => [seriesName(curve), lookOf(place(curve.model), curve.hints, curve.hints)]));
  const shown = curves.filter((curve) => !curvesChosen.hidden.has(seriesName(curve)));
  const common = { width: 560, xLabel: "epoch", xWords: (/** @type {number} */ x) => String(x) };
  const lines = (/** @type {(curve: Curve) => (number | null)[]} */ values, /** @type {(y: number) => string} */ words) =>
    shown.map((curve) => ({
      name: `${seriesName(curve)}, seed ${curve.seed}`, bare: true,
      look: lookOf(place(curve.model), curve.hints, curve.hints), points: pointsOf(curve, values(curve), words),
    }));
  const metrics = distinct(curves.flatMap((curve) => Object.keys(curve.validation)));
  const metric = ["node_accuracy", "node_f1"].find((name) => metrics.includes(name)) ?? metrics[0];
  const loss = chart({ ...common, title: "validation loss", logY: true, yWords: (y) => short(y, 1), lines: lines((curve) => curve.validation_loss, short) });
  const measured = metric && chart({
    ...common, title: isShare(metric) ? `${named(metric)}, percent` : named(metric), logY: !isShare(metric),
    yWords: isShare(metric) ? (y) => percent(y, 0) : (y) => short(y, 1),
    lines: lines((curve) => curve.validation[metric] ?? [], isShare(metric) ? percent : short),
  });
  const all = [...entries].map(([name, look]) => ({ name, look }));
  return [legend(all, curvesChosen.hidden, changed), h("div", { class: "pair" }, loss, measured)];
}
