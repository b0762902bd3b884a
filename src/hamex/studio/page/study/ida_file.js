// The study file of an incremental dynamic analysis: a system, a suite of motions, intensities, a limit.
import {rounded} from "../elements.js";
import * as Laws from "../history/laws.js";
import {GRAVITY} from "../units.js";

export const START = {
  system: "frame",
  length: "m",
  mass: 100,
  period: 1,
  ratio: 0.05,
  strength: 0.12,
  hardening: 0.03,
  viscosity: 0,
  storeys: 6,
  height: 3.2,
  second: true,
  suite: "synthetic",
  count: 40,
  seed: 1,
  magnitude: 7,
  distance: 12,
  vs30: 400,
  intensity: "sa",
  way: "stripes",
  least: 0.05,
  most: 1.5,
  levels: 20,
  runs: 12,
  oscillatorLimit: "ductility",
  frameLimit: "drift_ratio",
  ductility: 4,
  drift_ratio: 0.02,
  displacement: 0.1,
  collapse: 0.1,
  mce: 0.25,
  tolerance: 0.01,
  step: 0.01,
  ...Laws.START,
};
/** @typedef {typeof START} State */
/** @typedef {"ductility" | "drift_ratio" | "displacement" | "collapse"} Measure */

/**
 * The state of a view; links of earlier versions lack what came later.
 * @param {View} view
 * @returns {State}
 */
export const stateOf = (view) => ({...START, ...view.state.ida});

/** @type {(state: State) => Measure} */
export const measureOf = (state) =>
  /** @type {Measure} */ (state.system === "frame" ? state.frameLimit : state.oscillatorLimit);

/**
 * The study file of a state, as JSON.
 * @param {State} state
 */
export function studyFile(state) {
  const measure = measureOf(state),
    period = rounded(state.period);
  return {
    title: state.system === "frame" ? `Shear frame of ${state.storeys} storeys` : "Oscillator",
    units: {length: state.length, force: "kN"},
    model: state.system === "frame" ? frame(state) : oscillator(state),
    records:
      state.suite === "synthetic"
        ? {
            synthetic: {
              count: state.count,
              seed: state.seed,
              magnitude: state.magnitude,
              distance: state.distance,
              vs30: state.vs30,
            },
          }
        : {name: "el-centro"},
    intensity: state.intensity === "sa" ? {kind: "sa", period} : {kind: "pga"},
    ...(state.way === "stripes"
      ? {stripes: {start: state.least, stop: state.most, count: state.levels}}
      : {hunt: hunt(state)}),
    ...(measure === "collapse"
      ? {
          limit: {measure: "drift_ratio", value: state.collapse},
          collapse: {drift_ratio: state.collapse},
          fragility: {mce: state.mce},
        }
      : {limit: {measure, value: state[measure]}}),
    scheme: {kind: "galerkin", step: state.step},
  };
}

/**
 * Steps up to the limit; by halving they grow, and what was stepped over is halved.
 * @param {State} state
 */
function hunt({way, least, most, levels, runs, tolerance}) {
  const step = rounded(most / levels);
  return {
    first: least,
    step,
    ...(way === "halve" ? {growth: step, tolerance} : {}),
    runs,
    largest: rounded(4 * most),
  };
}

/** @type {(stiffness: number, hardening: number) => number} */
const kinematic = (stiffness, hardening) => rounded((stiffness * hardening) / (1 - hardening));

/** @param {State} state */
function oscillator(state) {
  const stiffness = state.mass * ((2 * Math.PI) / state.period) ** 2,
    force = rounded(state.strength * state.mass * GRAVITY[state.length], 8);
  return {
    kind: "oscillator",
    mass: state.mass,
    period: rounded(state.period),
    damping_ratio: state.ratio,
    ...(Laws.degrades(state)
      ? {law: Laws.table(state, force, stiffness)}
      : {
          strength_ratio: state.strength,
          viscosity: state.viscosity,
          kinematic: kinematic(stiffness, state.hardening),
        }),
  };
}

/**
 * Equal floors; the stiffness gives the first period, strengths follow forces that grow with height.
 * @param {State} state
 */
function frame(state) {
  const {storeys: n, mass, period, ratio, strength, hardening, viscosity, height, second, length} = state;
  const stiffness = rounded((mass * ((2 * Math.PI) / period) ** 2) / (4 * Math.sin(Math.PI / (2 * (2 * n + 1))) ** 2));
  const weight = mass * GRAVITY[length];
  const laws = Array.from({length: n}, (_, i) => {
    const limit = rounded(strength * n * weight * (1 - (i * (i + 1)) / (n * (n + 1))));
    return Laws.degrades(state)
      ? Laws.table(state, limit, stiffness)
      : {yield_force: limit, viscosity, kinematic: kinematic(stiffness, hardening)};
  });
  return {
    kind: "shear_frame",
    masses: new Array(n).fill(mass),
    stiffnesses: stiffness,
    heights: height,
    laws,
    damping: n > 1 ? {kind: "rayleigh", ratio, modes: [1, Math.min(n, 3)]} : {kind: "ratio", ratio},
    ...(second ? {weights: rounded(weight)} : {}),
  };
}
