// What views are laid out with: figures with their captions, cards of numbers, parts to choose from, a bar of progress.
import {button} from "./controls.js";
import {element} from "./elements.js";

/**
 * A figure with its caption, a place for a remark, and a plot.
 * @param {string} title
 * @param {string} [extra] classes of the panel
 * @param {{size?: string, legend?: HTMLElement}} [options] a class of the plot; what stands above it
 * @returns {Panel}
 */
export function panel(title, extra = "", {size = "", legend} = {}) {
  const plot = element("div", {class: `plot ${size}`});
  const words = element("span", {}, title),
    note = element("span", {class: "quiet figures"});
  const root = element("figure", {class: `panel ${extra}`}, element("figcaption", {}, words, note), legend, plot);
  return {root, plot, note, words};
}

/**
 * A number with its words.
 * @param {string} words
 * @returns {Card}
 */
export function card(words) {
  const value = element("b", {}, "–"),
    label = element("span", {}, words);
  return {root: element("div", {class: "card"}, value, label), value, label};
}

/**
 * Cards in a row.
 * @param {Record<string, Card>} cards
 */
export const cardRow = (cards) =>
  element(
    "div",
    {class: "cards"},
    Object.values(cards).map((one) => one.root),
  );

/**
 * Buttons of which one is pressed: the parts of a view.
 * @param {string} label
 * @param {Options} options
 * @param {(key: string) => any} oninput
 * @returns {Segments}
 */
export function segments(label, options, oninput) {
  const buttons = options.map(([key, words]) => {
    const one = button(words, () => oninput(key));
    one.dataset.part = key;
    return one;
  });
  const root = element("div", {class: "segments", role: "group", "aria-label": label}, buttons);
  root.set = (/** @type {string} */ key) => {
    for (const one of buttons) one.setAttribute("aria-pressed", one.dataset.part === key);
  };
  return root;
}

/**
 * A bar with its words; both are always there, so that nothing jumps.
 * @param {string} label
 * @returns {Progress}
 */
export function progress(label) {
  const bar = element("progress", {max: 1, value: 0, "aria-label": label}),
    words = element("span", {class: "quiet figures"});
  const root = element("div", {class: "progress"}, bar, words);
  root.set = (/** @type {number} */ share, /** @type {string} */ text) => {
    bar.value = share;
    words.textContent = text;
  };
  return root;
}
