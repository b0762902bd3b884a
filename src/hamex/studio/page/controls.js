// Controls: what can be set on a page.
import {element, fresh, rounded, short} from "./elements.js";

/**
 * @param {HTMLElement} node
 * @param {HTMLElement} input
 * @param {string} message
 */
function complain(node, input, message) {
  node.textContent = message || "";
  input.setAttribute("aria-invalid", message ? "true" : "false");
}

/**
 * A range and a typed number that move together. A typed value may lie outside the range.
 * @param {{label: string, unit?: string, min: number, max: number, step?: number, log?: boolean, value: number,
 *   help?: string, digits?: number, oninput: (value: number) => any, name?: string}} given
 * @returns {Field}
 */
export function control({label, unit = "", min, max, step, log = false, value, help = "", digits = 4, oninput, name}) {
  const id = fresh("field"),
    written = {min, max, step: step || (max - min) / 500, larger: 1};
  const places = 1000;
  const toRange = (/** @type {number} */ x) =>
    log ? (places * Math.log(Math.max(x, min) / min)) / Math.log(max / min) : x;
  const fromRange = (/** @type {string} */ y) => {
    if (!log) return Number(y);
    if (Number(y) <= 0) return min;
    return Number((min * Math.exp((Number(y) / places) * Math.log(max / min))).toPrecision(3));
  };
  const range = element("input", {
    type: "range",
    min: log ? 0 : min,
    max: log ? places : max,
    step: log ? 1 : written.step,
    "aria-label": `${label}, range`,
    tabindex: "0",
  });
  const typed = element("input", {
    type: "number",
    id,
    step: "any",
    inputmode: "decimal",
    "aria-describedby": `${id}-message`,
  });
  const message = element("p", {class: "message", id: `${id}-message`, role: "alert"});
  const root = element(
    "div",
    {class: "field", "data-name": name || label, title: help},
    element("label", {for: id}, label),
    element("span", {class: "typed"}, typed, element("span", {class: "unit"}, unit)),
    range,
    message,
  );
  root.set = (/** @type {number | null} */ x) => {
    // What is being typed or dragged and means this number stays as it is: rounding must not hold it back.
    const isMeant = (/** @type {HTMLElement} */ input, /** @type {() => number} */ meaning) =>
      document.activeElement === input && meaning() === x;
    if (!isMeant(typed, () => typed.valueAsNumber)) typed.value = x === null ? "" : Number(x.toPrecision(digits + 3));
    if (!isMeant(range, () => fromRange(range.value))) range.value = toRange(x === null ? min : x);
    range.setAttribute("aria-valuetext", `${short(x, digits)} ${unit}`);
  };
  root.refuse = (/** @type {string} */ words) => complain(message, typed, words);
  root.rename = (/** @type {string} */ words, /** @type {string} */ newUnit) => {
    root.querySelector("label").textContent = words;
    root.querySelector(".unit").textContent = unit = newUnit;
  };
  // Another unit, in which numbers are larger by a factor: the range begins and ends at round numbers of it.
  root.measure = (/** @type {string} */ newUnit, /** @type {number} */ larger) => {
    if (newUnit === unit && larger === written.larger) return;
    root.rename(root.querySelector("label").textContent, newUnit);
    written.larger = larger;
    min = rounded(written.min * larger, 1);
    max = rounded(written.max * larger, 1);
    if (!log) Object.assign(range, {min, max, step: rounded(written.step * larger, 1)});
  };
  range.addEventListener("input", () => {
    const x = fromRange(range.value);
    typed.value = Number(x.toPrecision(digits + 3));
    root.refuse("");
    oninput(x);
  });
  typed.addEventListener("input", () => {
    if (typed.value === "" || !Number.isFinite(typed.valueAsNumber)) {
      root.refuse("a number is needed");
      return;
    }
    root.refuse("");
    range.value = toRange(typed.valueAsNumber);
    oninput(typed.valueAsNumber);
  });
  typed.addEventListener("blur", () => root.dispatchEvent(new Event("settled")));
  root.set(value);
  return root;
}

/**
 * Makes controls of numbers of a state: their name for the server, label, key in the state, unit, limits and help.
 * @param {any} state
 * @param {(key: string, limits: {step?: number}) => (value: number) => any} change
 */
export const numberFields =
  (state, change) =>
  /**
   * @param {string} name
   * @param {string} label
   * @param {string} key
   * @param {string} unit
   * @param {{min: number, max: number, step?: number, log?: boolean}} limits
   * @param {string} [help]
   */
  (name, label, key, unit, limits, help) =>
    control({name, label, unit, value: state[key], oninput: change(key, limits), help, ...limits});

/**
 * The same change for every key of a view's state.
 * @param {View} view
 */
export const changeOf = (view) => (/** @type {string} */ key) => (/** @type {any} */ value) => view.set({[key]: value});

/**
 * One of several.
 * @param {{label: string, options: Options, value: any, oninput: (value: string) => any, name?: string}} given
 * @returns {Field}
 */
export function choice({label, options, value, oninput, name}) {
  const id = fresh("field");
  const select = element(
    "select",
    {id},
    options.map(([key, words]) => element("option", {value: key}, words)),
  );
  const message = element("p", {class: "message", role: "alert"});
  const root = element(
    "div",
    {class: "field pick", "data-name": name || label},
    element("label", {for: id}, label),
    select,
    message,
  );
  root.set = (/** @type {any} */ x) => {
    select.value = String(x);
  };
  root.refuse = (/** @type {string} */ words) => complain(message, select, words);
  select.addEventListener("input", () => {
    root.refuse("");
    oninput(select.value);
  });
  root.set(value);
  return root;
}

/**
 * Yes or no.
 * @param {{label: string, value: boolean, oninput: (value: boolean) => any, name?: string}} given
 * @returns {Field}
 */
export function toggle({label, value, oninput, name}) {
  const id = fresh("field");
  const box = element("input", {type: "checkbox", id});
  const root = element("div", {class: "toggle", "data-name": name || label}, box, element("label", {for: id}, label));
  root.set = (/** @type {boolean} */ x) => {
    box.checked = Boolean(x);
  };
  box.addEventListener("input", () => oninput(box.checked));
  root.set(value);
  return root;
}

/**
 * @param {string} text
 * @param {() => any} onclick
 */
export const button = (text, onclick, {primary = false, title = ""} = {}) =>
  element("button", {type: "button", class: primary ? "primary" : "", title: title || null, onclick}, text);

/**
 * Inputs that belong together; on a phone all but the first of a view start folded, so that the picture stays near.
 * @param {string} legend
 * @param {...any} children
 */
export function group(legend, ...children) {
  const folded = matchMedia("(max-width: 760px)").matches;
  return element("details", {class: "group", open: !folded}, element("summary", {}, legend), ...children);
}
