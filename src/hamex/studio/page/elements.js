// Nodes of the page, numbers in words, files to save.

const DRAWN = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "polyline", "polygon", "title", "defs"]);

/**
 * A node with its attributes and what stands in it; `on…` are listeners, `html` is its inside.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...any} children nodes, texts, lists of them; null stands for nothing
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const node = DRAWN.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "html") node.innerHTML = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * The node of that id, which the page has.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

let count = 0;
/**
 * An id that no other node has.
 * @param {string} word
 */
export const fresh = (word) => `${word}-${++count}`;
/**
 * Words for those who listen to the page.
 * @param {string} words
 */
export const say = (words) => {
  const node = byId("spoken");
  if (node) node.textContent = words;
};

/**
 * A number in so many digits, as short as it can be said.
 * @param {number | null} value
 * @returns {string}
 */
export function short(value, digits = 4) {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  return text.includes("e") ? text.replace(/\.?0*e/, "e") : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * A number with no more digits than a file should show.
 * @param {number} value
 */
export const rounded = (value, digits = 6) => Number(value.toPrecision(digits));

/**
 * Seconds in words.
 * @param {number} seconds
 */
export const lasting = (seconds) =>
  seconds < 10
    ? `${Math.max(seconds, 0.1).toFixed(1)} s`
    : seconds < 60
      ? `${seconds.toFixed(0)} s`
      : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

/**
 * A file for the reader.
 * @param {string} name
 * @param {string} type
 * @param {Blob | string} content
 */
export function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], {type});
  const link = element("a", {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Columns of equal length as CSV; what is not a number stays empty.
 * @param {string[]} head
 * @param {Numbers[]} columns
 */
export function csv(head, columns) {
  const rows = Array.from(columns[0], (_, i) =>
    columns.map((column) => (Number.isFinite(column[i]) ? column[i] : "")).join(","),
  );
  const quoted = (/** @type {string} */ name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  return `${[head.map(quoted).join(","), ...rows].join("\n")}\n`;
}
