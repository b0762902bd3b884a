// What a building may have beside its storeys: gravity that pulls where it leans, isolators below, dampers within; and
// the same building without one of these.
import {control, toggle} from "../controls.js";
import {rounded} from "../elements.js";
import {GRAVITY} from "../units.js";

const STIFFER = 10; // isolators before they slip, over after

export const START = {
  elastic: false,
  pdelta: false,
  isolated: false,
  isolatorPeriod: 2.5,
  isolatorStrength: 0.05,
  dampers: 0,
};
/** @typedef {typeof START} Features */

/** @type {Record<string, {words: string, change: Partial<Features>}>} what a building can be compared with */
export const WITHOUT = {
  "without-yielding": {words: "the same, elastic", change: {elastic: true}},
  "without-gravity": {words: "the same without P-Δ", change: {pdelta: false}},
  "without-isolators": {words: "the same without isolators", change: {isolated: false}},
  "without-dampers": {words: "the same without dampers", change: {dampers: 0}},
};

/**
 * The first storey of an isolated building: the period is that of the rigid building on isolators that slip, the
 * strength a share of all weight.
 * @param {Features & {mass: number, storeys: number}} state
 */
function isolators({mass, storeys, isolatorPeriod, isolatorStrength}) {
  const all = mass * (storeys + 1),
    after = all * ((2 * Math.PI) / isolatorPeriod) ** 2,
    before = STIFFER * after;
  return {
    stiffness: rounded(before, 8),
    law: {
      yield_force: rounded(isolatorStrength * all * GRAVITY.m, 8),
      kinematic: rounded((after * before) / (before - after), 8), // in series with the elastic part
    },
  };
}

/**
 * A shear frame with what the state adds to it.
 * @template {{masses: number[], stiffnesses: number[], laws: any[]}} Frame
 * @param {Frame} frame
 * @param {Features & {mass: number, storeys: number}} state
 */
export function furnished(frame, state) {
  const laws = state.elastic ? frame.laws.map(() => ({})) : frame.laws,
    below = state.isolated ? [isolators(state)] : [],
    masses = [...below.map(() => state.mass), ...frame.masses];
  return {
    ...frame,
    masses,
    stiffnesses: [...below.map((one) => one.stiffness), ...frame.stiffnesses],
    laws: [...below.map((one) => one.law), ...laws],
    ...(state.pdelta ? {weights: masses.map((mass) => rounded(mass * GRAVITY.m, 8))} : {}),
    ...(state.dampers > 0
      ? {
          links: frame.masses.map((_, i) => ({
            kind: "viscous_damper",
            start: i + below.length,
            end: i + 1 + below.length,
            coefficient: state.dampers,
          })),
        }
      : {}),
  };
}

/**
 * @param {(key: string) => (value: any) => any} change
 * @param {ReturnType<typeof import("../controls.js").numberFields>} field
 */
export const featureControls = (change, field) => ({
  pdelta: toggle({label: "Gravity pulls where it leans (P-Δ)", value: false, oninput: change("pdelta")}),
  "model.links": control({
    name: "model.links",
    label: "Dampers of each storey",
    unit: "kN·s/m",
    min: 0,
    max: 20000,
    step: 100,
    value: 0,
    oninput: change("dampers"),
  }),
  isolated: toggle({label: "Isolators below it", value: false, oninput: change("isolated")}),
  isolatorPeriod: field("isolatorPeriod", "Period on isolators", "isolatorPeriod", "s", {min: 1, max: 6, step: 0.1}),
  isolatorStrength: field("isolatorStrength", "They slip at", "isolatorStrength", "of weight", {
    min: 0.01,
    max: 0.3,
    step: 0.005,
  }),
});

/** @type {Record<string, keyof Features>} the number of the state that a control shows */
export const SHOWN = {
  pdelta: "pdelta",
  "model.links": "dampers",
  isolated: "isolated",
  isolatorPeriod: "isolatorPeriod",
  isolatorStrength: "isolatorStrength",
};
