import { choice, h } from "./dom.js";
import { distinct, labelled, percent, short } from "./words.js";

// Tables that are sorted by their headings and filtered by their labels.

/** Rows from which a table can be filtered. */
const LONG = 9;

/** What a reader chose, by the name of the table. @type {Map<string, Chosen>} */
const chosenOf = new Map();

/** @typedef {{column: number | null, descending: boolean, filters: Map<number, string>}} Chosen */

/** @param {Table} table @returns {Chosen} */
function choicesOf(table) {
  let chosen = chosenOf.get(table.name);
  if (!chosen) {
    chosen = { column: null, descending: false, filters: new Map() };
    chosenOf.set(table.name, chosen);
  }
  return chosen;
}

/** A table with its title and notes. @param {Table} table */
export function tableSection(table) {
  const chosen = choicesOf(table);
  const body = h("tbody");
  const count = h("span", { class: "note", role: "status" });
  /** @type {HTMLTableCellElement[]} */
  const heads = [];
  [...table.labels, ...table.columns].forEach((title, column) => {
    const button = h("button", { type: "button", click: () => sortBy(column) }, labelled(title));
    heads.push(h("th", { scope: "col", class: column < table.labels.length ? "label" : null }, button));
  });

  /** @param {number} column */
  function sortBy(column) {
    const isNumber = column >= table.labels.length;
    // Figures show their largest first; a third click gives the first order back.
    if (chosen.column !== column) Object.assign(chosen, { column, descending: isNumber });
    else if (chosen.descending === isNumber) chosen.descending = !isNumber;
    else chosen.column = null;
    show();
  }

  function show() {
    heads.forEach((head, column) => {
      const isSorted = column === chosen.column;
      head.setAttribute("aria-sort", isSorted ? (chosen.descending ? "descending" : "ascending") : "none");
    });
    const kept = table.rows.filter((row) =>
      [...chosen.filters].every(([label, value]) => value === "" || row.labels[label] === value),
    );
    body.replaceChildren(...inOrder(kept, table, chosen).map((row) => rowOf(row)));
    count.textContent = kept.length < table.rows.length ? `${kept.length} of ${table.rows.length} rows` : "";
  }

  const filters = table.rows.length < LONG ? [] : filtersOf(table, chosen, show);
  show();
  return h("section", { class: "table", "data-table": table.name, "aria-labelledby": table.name },
    h("h2", { id: table.name }, table.title),
    filters.length > 0 && h("div", { class: "controls" }, ...filters, count),
    h("div", { class: "box", tabindex: 0, role: "region", "aria-label": `${table.title}, scrolls sideways` },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body)),
    table.notes.length > 0 && h("ul", { class: "notes" }, ...table.notes.map((note) => h("li", {}, note))),
  );
}

/** @param {Table} table @param {Chosen} chosen @param {() => void} show */
function filtersOf(table, chosen, show) {
  return table.labels.flatMap((title, label) => {
    const values = distinct(table.rows.map((row) => row.labels[label]));
    if (values.length < 2 || values.length > 12) return [];
    /** @type {[string, string][]} */
    const options = [["", "all"], ...values.map((value) => /** @type {[string, string]} */ ([value, labelled(value)]))];
    return [choice(labelled(title), `${table.name}-${title}`, options, chosen.filters.get(label) ?? "", (value) => {
      chosen.filters.set(label, value);
      show();
    })];
  });
}

/** @param {Row[]} rows @param {Table} table @param {Chosen} chosen */
function inOrder(rows, table, { column, descending }) {
  if (column === null) return rows;
  const value = (/** @type {Row} */ row) =>
    column < table.labels.length ? row.labels[column] : valueOf(row.cells[column - table.labels.length]);
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    // What is missing stands last either way.
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = typeof x === "number" && typeof y === "number" ? x - y
      : String(x).localeCompare(String(y), "en", { numeric: true });
    return descending ? -order : order;
  });
}

/** What a cell is sorted by. @param {Cell} cell @returns {number | string | null} */
function valueOf(cell) {
  switch (cell.kind) {
    case "figure": return cell.summary.mean;
    case "difference": return awayOf(cell);
    case "text": return cell.text;
    default: return null;
  }
}

/** @param {Row} row */
function rowOf(row) {
  const labels = row.labels.map((label, place) =>
    place === 0 ? h("th", { scope: "row", class: "label" }, labelled(label)) : h("td", { class: "label" }, labelled(label)));
  return h("tr", {}, ...labels, ...row.cells.map(cellOf));
}

/** @param {Cell} cell */
function cellOf(cell) {
  switch (cell.kind) {
    case "figure": return h("td", { class: cell.best ? "best" : null }, ...figureOf(cell.summary, cell.scale));
    case "difference": return h("td", {}, differenceOf(cell));
    case "text": return h("td", { class: "words" }, cell.text);
    default: return h("td", { class: "missing" }, "–");
  }
}

/** @param {Summary} summary @param {Scale} scale @returns {(Node | string)[]} */
function figureOf(summary, scale) {
  const words = (/** @type {number | null} */ value) => (scale === "percent" ? percent(value) : short(value));
  const { mean, deviation } = summary;
  return deviation === null ? [words(mean)] : [words(mean), h("span", { class: "spread" }, ` ± ${words(deviation)}`)];
}

/** @param {Extract<Cell, {kind: "difference"}>} cell */
function awayOf(cell) {
  return cell.ours.mean === null ? null : cell.ours.mean - cell.theirs;
}

/** The marks are those of the notes. @param {Extract<Cell, {kind: "difference"}>} cell */
function differenceOf(cell) {
  const away = awayOf(cell);
  const words = cell.scale === "percent" ? percent(away) : short(away);
  const sign = (away ?? 0) > 0 ? "+" : "";
  const within = cell.within_noise;
  const mark = within === null ? "?" : within ? "" : "*";
  const told = within === null ? "one seed does not tell" : within ? "within the noise" : "beyond the noise";
  return h("span", { class: within === null ? "spread" : within ? "within" : "outside", title: told }, `${sign}${words}`, mark && h("sup", {}, mark));
}
