// The building view: a shear frame of N storeys.
import {button, choice, control, group} from "../controls.js";
import {element, rounded} from "../elements.js";
import * as Motions from "../motion.js";
import {GRAVITY, massUnit} from "../units.js";
import {historyView, schemeChoices} from "./bench.js";
import {buildingStage} from "./building_stage.js";
import * as Features from "./features.js";
import * as Laws from "./laws.js";
import * as Problems from "./problems.js";

const START = {
  storeys: 10,
  mass: 100,
  stiffness: 150000,
  taper: 0.5,
  ratio: 0.05,
  damped: "rayleigh",
  strength: 0.15,
  pattern: "code",
  viscosity: 200,
  hardening: 0.02,
  height: 3,
  weak: 0,
  weakness: 0.6,
  scheme: "galerkin-1",
  step: 0.01,
  duration: 40,
  against: "none",
  storey: 7,
  motion: {...Motions.START},
  ...Features.START,
  ...Laws.START,
  ...Problems.START,
  scene: "",
};
/** @typedef {typeof START} State */

/**
 * Stiffnesses go straight from the first storey to the last.
 * @param {State} state
 */
const stiffnessesOf = ({stiffness, taper, storeys}) =>
  Array.from({length: storeys}, (_, i) =>
    rounded(stiffness * (storeys === 1 ? 1 : 1 + ((taper - 1) * i) / (storeys - 1)), 8),
  );

/**
 * Storey strengths: the base's share of the weight, carried up as loads that grow with height ask for, or the same.
 * @param {State} state
 */
function strengths({storeys, mass, strength, pattern, weak, weakness}) {
  const total = (storeys * (storeys + 1)) / 2,
    base = strength * storeys * mass * GRAVITY.m;
  return Array.from({length: storeys}, (_, i) => {
    const above = total - (i * (i + 1)) / 2;
    return rounded(base * (pattern === "code" ? above / total : 1) * (weak === i + 1 ? weakness : 1), 8);
  });
}

/**
 * Rayleigh's through the first and third modes; a frame of one or two storeys has fewer.
 * @param {State} state
 */
function damping({damped, ratio, storeys}) {
  if (damped === "modal") return {kind: "modal", ratio};
  return storeys === 1 ? {kind: "ratio", ratio} : {kind: "rayleigh", ratio, modes: [1, Math.min(3, storeys)]};
}

/**
 * The problem file of a state.
 * @param {State} state
 */
function problem(state) {
  const {storeys: n} = state,
    stiffnesses = stiffnessesOf(state);
  return {
    title: `Building of ${n} storeys`,
    duration: Problems.wholeSteps(state.duration, state.step),
    units: {length: "m", force: "kN"},
    model: Features.furnished(
      {
        kind: "shear_frame",
        masses: new Array(n).fill(state.mass),
        stiffnesses,
        heights: state.height,
        damping: damping(state),
        laws: strengths(state).map((limit, i) =>
          Laws.degrades(state)
            ? Laws.table(state, limit, stiffnesses[i])
            : {
                yield_force: limit,
                viscosity: state.viscosity,
                kinematic: rounded(state.hardening * stiffnesses[i], 8),
              },
        ),
      },
      state,
    ),
    motion: Motions.table(state.motion, state.step),
    scheme: Problems.scheme(state.scheme, state.step),
    ...Problems.promised(state),
  };
}
/**
 * @param {State} state
 * @returns {HistoryRequest}
 */
const request = (state) => ({
  problem: problem(state),
  ...Problems.beside(state, problem, Features.WITHOUT),
});
/**
 * Storeys from the ground up, isolators counted as one.
 * @param {State} state
 */
const levels = ({storeys, isolated}) => storeys + (isolated ? 1 : 0);

let floors = 0;

/**
 * Numbers by their names for the server, or by their own.
 * @param {View} view
 * @param {ReturnType<typeof import("../controls.js").numberFields>} field
 */
function numbers(view, field) {
  const whole = (/** @type {number} */ value) => Math.max(1, Math.min(100, Math.round(value)));
  return {
    storeys: control({
      name: "storeys",
      label: "Storeys",
      min: 1,
      max: 40,
      step: 1,
      value: 10,
      oninput: (value) => view.set({storeys: whole(value), storey: Math.min(view.state.storey, whole(value) - 1)}),
    }),
    "model.masses": field("model.masses", "Mass of a floor", "mass", massUnit("m", "kN"), {
      min: 1,
      max: 5000,
      log: true,
    }),
    "model.stiffnesses": field("model.stiffnesses", "Stiffness of the first storey", "stiffness", "kN/m", {
      min: 1000,
      max: 5e6,
      log: true,
    }),
    taper: field("taper", "Stiffness at the top", "taper", "of the first", {min: 0.1, max: 1, step: 0.05}),
    "model.damping": field("model.damping", "Damping", "ratio", "of critical", {min: 0, max: 0.2, step: 0.005}),
    "model.heights": field("model.heights", "Storey height", "height", "m", {min: 2, max: 6, step: 0.1}),
    strength: field("strength", "Base shear strength", "strength", "of weight", {min: 0.01, max: 2, log: true}),
    "model.laws.viscosity": field("model.laws.viscosity", "Viscosity", "viscosity", "kN·s/m", {
      min: 0,
      max: 20000,
      step: 50,
    }),
    hardening: field("hardening", "Hardening", "hardening", "of stiffness", {min: 0, max: 0.3, step: 0.005}),
    weakness: field("weakness", "Its strength", "weakness", "of the rule", {min: 0.1, max: 1, step: 0.05}),
    "scheme.step": field("scheme.step", "Time step", "step", "s", {min: 0.001, max: 0.1, log: true}),
    duration: field("duration", "Duration", "duration", "s", {min: 1, max: 120, step: 1}),
  };
}

/**
 * @param {View} view
 * @param {(key: string) => (value: any) => any} change
 */
function choices(view, change) {
  return {
    damped: choice({
      label: "Damping of",
      options: [
        ["rayleigh", "modes 1 and 3"],
        ["modal", "every mode"],
      ],
      value: "rayleigh",
      oninput: change("damped"),
    }),
    pattern: choice({
      label: "Strength up the height",
      options: [
        ["code", "code-like"],
        ["uniform", "uniform"],
      ],
      value: "code",
      oninput: change("pattern"),
    }),
    weak: choice({
      label: "A weak storey",
      options: [[0, "none"]],
      value: 0,
      oninput: (value) => view.set({weak: Number(value)}),
    }),
    ...schemeChoices(change, Features.WITHOUT),
    storey: choice({
      label: "Loop of storey",
      options: [[0, "1"]],
      value: 0,
      oninput: (value) => view.set({storey: Number(value)}),
    }),
  };
}

/**
 * @param {Record<string, any>} controls
 * @param {View} view
 */
const groups = (controls, view) => [
  group(
    "Building",
    controls.storeys,
    controls["model.masses"],
    controls["model.stiffnesses"],
    controls.taper,
    controls["model.heights"],
    controls["model.damping"],
    controls.damped,
  ),
  group(
    "Strength",
    controls.strength,
    controls.pattern,
    controls.law,
    controls["model.laws"],
    controls["model.laws.viscosity"],
    controls.hardening,
    controls.weak,
    controls.weakness,
  ),
  group(
    "Gravity, isolators, dampers",
    controls.pdelta,
    controls["model.links"],
    controls.isolated,
    controls.isolatorPeriod,
    controls.isolatorStrength,
  ),
  controls.motion,
  group("Time", controls["scheme.step"], controls.duration, controls.scheme, controls.promise),
  group(
    "Look closer",
    controls.storey,
    controls.against,
    button("Start again", () => view.reset()),
  ),
];

/**
 * What the picture needs to know of a state.
 * @param {State} state
 */
const options = (state) => ({storey: state.storey, isolated: state.isolated});

/**
 * Storeys to choose from, behind other options.
 * @param {Field} field
 * @param {number} count
 * @param {number} from the value of the first storey
 * @param {string[]} first what comes before it
 */
function numbered(field, count, from, first) {
  const options = [
    ...first.map((words, i) => [i, words]),
    ...Array.from({length: count}, (_, i) => [i + from, String(i + 1)]),
  ];
  field
    .querySelector("select")
    ?.replaceChildren(...options.map(([value, words]) => element("option", {value}, String(words))));
}

/** @type {Record<string, keyof State>} the number of the state that a control shows */
const SHOWN = {
  storeys: "storeys",
  "model.masses": "mass",
  "model.stiffnesses": "stiffness",
  taper: "taper",
  "model.damping": "ratio",
  "model.heights": "height",
  strength: "strength",
  "model.laws.viscosity": "viscosity",
  hardening: "hardening",
  weakness: "weakness",
  "scheme.step": "step",
  duration: "duration",
  pattern: "pattern",
  damped: "damped",
  weak: "weak",
  scheme: "scheme",
  promise: "promise",
  against: "against",
  storey: "storey",
  law: "law",
  ...Features.SHOWN,
};

/**
 * Storeys to choose from, and what there is to set.
 * @param {State} state
 * @param {Record<string, any>} controls
 */
function adapt(state, controls) {
  if (levels(state) !== floors) {
    floors = levels(state);
    const below = floors - state.storeys;
    numbered(controls.storey, state.storeys, below, below ? ["isolators"] : []);
    numbered(controls.weak, state.storeys, 1, ["none"]);
  }
  controls.weakness.hidden = !state.weak;
  controls["model.laws"].set(state);
  controls["model.laws.viscosity"].hidden = controls.hardening.hidden = Laws.degrades(state);
  controls.isolatorPeriod.hidden = controls.isolatorStrength.hidden = !state.isolated;
}

export const buildingView = historyView({
  name: "building",
  title: "Building",
  start: START,
  about: "The building and what shakes it",
  look: "building",
  fields: (view, change, field) => ({
    ...numbers(view, field),
    ...choices(view, change),
    ...Features.featureControls(change, field),
    ...Laws.lawControls(view, "Law of the storeys", "model.laws"),
  }),
  groups,
  shown: SHOWN,
  adapt,
  stage: (view) =>
    buildingStage((storey) => view.set({storey}), {levels: levels(view.state), isolated: view.state.isolated}),
  request,
  options,
  varied: () => [
    ["strength", "Base shear strength", () => "of weight"],
    ["scale", "Scale of the motion", () => "×"],
    ["ratio", "Damping ratio", () => ""],
  ],
});
