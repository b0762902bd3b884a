// Pieces that the study and the paper view share: panels, cards, parts of a view, CSV, messages in their places.
import {button} from "./controls.js";
import {element} from "./elements.js";
import * as Problems from "./problems.js";
import {Refusal} from "./requests.js";

/** A figure with its caption, a place for a remark, and a plot. */
export function panel(title, extra = "", size = "") {
  const plot = element("div", {class: `plot ${size}`});
  const words = element("span", {}, title),
    note = element("span", {class: "quiet figures"});
  return {
    root: element("figure", {class: `panel ${extra}`}, element("figcaption", {}, words, note), plot),
    plot,
    note,
    words,
  };
}

export function card(words) {
  const value = element("b", {}, "–"),
    label = element("span", {}, words);
  return {root: element("div", {class: "card"}, value, label), value, label};
}

/** Buttons of which one is pressed: the parts of a view. */
export function segments(label, options, oninput) {
  const buttons = options.map(([key, words]) => {
    const one = button(words, () => oninput(key));
    one.dataset.part = key;
    return one;
  });
  const root = element("div", {class: "segments", role: "group", "aria-label": label}, buttons);
  root.set = (key) => {
    for (const one of buttons) one.setAttribute("aria-pressed", one.dataset.part === key);
  };
  return root;
}

/** Seconds in words. */
export const lasting = (seconds) =>
  seconds < 10
    ? `${Math.max(seconds, 0.1).toFixed(1)} s`
    : seconds < 60
      ? `${seconds.toFixed(0)} s`
      : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

/** Columns of equal length as CSV; what is not a number stays empty. */
export function csv(head, columns) {
  const rows = Array.from(columns[0], (_, i) =>
    columns.map((column) => (Number.isFinite(column[i]) ? column[i] : "")).join(","),
  );
  const quoted = (name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  return `${[head.map(quoted).join(","), ...rows].join("\n")}\n`;
}

/** A bar with its words; both are always there, so that nothing jumps. */
export function progress(label) {
  const bar = element("progress", {max: 1, value: 0, "aria-label": label}),
    words = element("span", {class: "quiet figures"});
  const root = element("div", {class: "progress"}, bar, words);
  root.set = (share, text) => {
    bar.value = share;
    words.textContent = text;
  };
  return root;
}

/** Messages beside their fields, also where the server names the place in words: "[records] magnitude must …". */
export function placed(fields, general) {
  const put = Problems.place(fields, general);
  return (problem) => {
    if (!problem) {
      put(null);
      return;
    }
    const [, table, key] = problem.message.match(/^(?:\[([\w.]+)\] )?(\w+)/) || [];
    const guesses = [problem.field, `${table}.${key}`, `${table}.synthetic.${key}`, key];
    put(new Refusal(problem.message, guesses.find((name) => name in fields) || problem.field, problem.status));
  };
}

export const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
export const GRAVITY = {m: 9.80665, cm: 980.665, mm: 9806.65, in: 9.80665 / 0.0254, ft: 9.80665 / 0.3048};
