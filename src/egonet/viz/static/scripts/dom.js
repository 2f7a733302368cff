// Construction of elements: text is inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return a new HTML element with attributes and children (elements or text). */
function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Return a new SVG element with attributes and children. */
function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Set attributes (functions become listeners) and append children. */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Return the element with an id. */
function byId(id) {
  return document.getElementById(id);
}

/** Return a number with thousands separators: 12,345. */
function grouped(number) {
  return number.toLocaleString("en-US");
}

/** Return a count with its noun: "1 node", "2 nodes". */
function counted(number, one, many) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Return text cut to a length, with an ellipsis. */
function clipped(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Return whether the reader prefers reduced motion. */
function prefersReducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
