// Laws that springs may have instead of a slider: offered with the numbers that their constructors take, in yield forces
// and yield deformations, so that storeys of any strength share them.
import {choice, control} from "../controls.js";
import {element, rounded} from "../elements.js";

/** @type {OfferedLaw[]} as the server wrote them into the page */
const LAWS = JSON.parse(document.getElementById("laws")?.textContent ?? "[]");
/** @type {Record<string, string>} */
const UNITS = {force: "× Fy", length: "× uy"};
const SLIDER = "slider";

export const START = {law: SLIDER, wear: /** @type {Record<string, number | string>} */ ({})};
/** @typedef {typeof START} Law */

/** @type {(law: string) => OfferedLaw | undefined} */
const offered = (law) => LAWS.find(({kind}) => kind === law);

/**
 * Whether the state has another law than a slider.
 * @param {Law} state
 */
export const degrades = ({law}) => offered(law) !== undefined;

/**
 * What the law is called.
 * @param {Law} state
 */
export const lawName = ({law}) => offered(law)?.name ?? SLIDER;

/**
 * The table of a law, for a spring of this strength and stiffness.
 * @param {Law} state
 * @param {number} force
 * @param {number} stiffness
 */
export function table({law, wear}, force, stiffness) {
  const one = offered(law);
  if (!one) return {};
  const scales = /** @type {Record<string, number>} */ ({force, length: force / stiffness});
  /** @type {Record<string, number | string>} */
  const numbers = {};
  for (const {name, unit, value, seen} of one.numbers) {
    const given = wear[name] ?? value;
    if (!seen && given === value) continue; // what the constructor takes by itself
    numbers[name] = typeof given === "number" ? rounded(given * (scales[unit] ?? 1), 8) : given;
  }
  return {kind: law, ...(one.yields ? {yield_force: force} : {}), ...numbers};
}

/**
 * Range of a number: from nothing to four times its value, or to 1 where it is a share.
 * @param {OfferedNumber} number
 */
function limits({value, unit}) {
  const most = typeof value === "number" && value > 0 ? value : 1;
  const max = unit === "1" && most <= 1 ? 1 : 4 * most;
  return {min: 0, max, step: max / 100};
}

/**
 * @param {OfferedNumber} number
 * @param {string} place of the law in a problem file
 * @param {(value: any) => any} oninput
 */
function field({name, unit, value, words, meaning}, place, oninput) {
  const label = name.replaceAll("_", " ");
  if (words)
    return choice({label, options: words.map((word) => [word, word]), value, oninput, name: `${place}.${name}`});
  return control({
    name: `${place}.${name}`,
    label,
    unit: UNITS[unit] ?? "",
    value: Number(value),
    help: meaning,
    oninput,
    ...limits({name, unit, value, words, meaning, seen: true}),
  });
}

/**
 * The choice of a law, and the numbers of the one that is chosen; those that it is not seen with are folded.
 * @param {{state: any, set: (patch: Partial<Law>) => any}} view whose state has the law
 * @param {string} label
 * @param {string} place
 */
export function lawControls(view, label, place) {
  const about = element("p", {class: "quiet"}),
    seen = element("div", {class: "fields"}),
    more = element("div", {class: "fields"}),
    folded = element("details", {class: "group more"}, element("summary", {}, "More of its numbers"), more),
    root = /** @type {Field} */ (element("div", {class: "law", hidden: true}, about, seen, folded));
  /** @type {Record<string, Field>} */
  let fields = {};
  let drawn = SLIDER;
  root.refuse = (words) => {
    for (const one of Object.values(fields)) one.refuse("");
    const hit = Object.entries(fields).find(([name]) => words && new RegExp(`\\b${name}\\b`).test(words));
    if (hit) hit[1].refuse(words);
  };
  root.set = (/** @type {Law} */ state) => {
    const one = offered(state.law);
    root.hidden = !one;
    if (!one) return;
    if (drawn !== state.law) {
      drawn = state.law;
      fields = Object.fromEntries(
        one.numbers.map((number) => [
          number.name,
          field(number, place, (value) => view.set({wear: {...view.state.wear, [number.name]: value}})),
        ]),
      );
      about.textContent = `${one.about}. Fy, uy: force and deformation at yield.`;
      seen.replaceChildren(...one.numbers.filter((number) => number.seen).map(({name}) => fields[name]));
      more.replaceChildren(...one.numbers.filter((number) => !number.seen).map(({name}) => fields[name]));
      folded.hidden = !more.childElementCount;
    }
    for (const {name, value} of one.numbers) fields[name].set(state.wear[name] ?? value);
  };
  return {
    law: choice({
      label,
      options: [[SLIDER, "slider"], ...LAWS.map(({kind, name}) => /** @type {[string, string]} */ ([kind, name]))],
      value: SLIDER,
      oninput: (law) => view.set({law, wear: {}}),
      name: "law",
    }),
    [place]: root,
  };
}
