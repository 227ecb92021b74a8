// Elements in one call. Texts are never read as markup.

/** @typedef {Record<string, string | number | boolean | EventListener | null | undefined>} Attributes */
/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * A labelled choice.
 * @param {string} label
 * @param {string} name of the control, for whoever looks for it
 * @param {[string, string][]} options values and what is shown
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function choice(label, name, options, chosen, choose) {
  const select = h("select", { name, change: () => choose(select.value) });
  for (const [value, shown] of options) {
    select.append(h("option", { value, selected: value === chosen }, shown));
  }
  return h("label", {}, label, select);
}
