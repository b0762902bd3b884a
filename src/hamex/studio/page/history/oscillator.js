// The oscillator view: controls on the left, what happens on the right.
import {button, choice, group, toggle} from "../controls.js";
import {element, rounded, say} from "../elements.js";
import * as Motions from "../motion.js";
import {FORCE, FORCES, GRAVITY, LENGTH, LENGTHS, METRIC, STIFFNESS, converted, factor, massUnit} from "../units.js";
import {historyView, schemeChoices} from "./bench.js";
import * as Laws from "./laws.js";
import {oscillatorStage} from "./oscillator_stage.js";
import * as Problems from "./problems.js";

const START = {
  length: "m",
  force: "kN",
  mass: 100,
  byPeriod: true,
  period: 0.5,
  stiffness: 15800,
  byRatio: true,
  ratio: 0.05,
  damping: 125,
  yields: true,
  byStrength: false,
  yieldForce: 150,
  strength: 0.15,
  viscosity: 200,
  kinematic: 400,
  isotropic: 0,
  scheme: "galerkin-1",
  step: 0.01,
  duration: 40,
  against: "none",
  bars: false,
  motion: {...Motions.START},
  ...Laws.START,
  ...Problems.START,
  scene: "",
};
/** @typedef {typeof START} State */
/** What changes with the units; periods, ratios and motions in g do not. */
const QUANTITIES = {
  mass: STIFFNESS,
  stiffness: STIFFNESS,
  damping: STIFFNESS,
  yieldForce: FORCE,
  viscosity: STIFFNESS,
  kinematic: STIFFNESS,
  isotropic: STIFFNESS,
};

/** @type {Problems.Changes} what it can be compared with */
const WITHOUT = {"without-yielding": {words: "the same, elastic", change: {yields: false}}};

/**
 * The slider, or another law of the same strength.
 * @param {State} state
 */
function lawOf(state) {
  const {mass, length} = state;
  if (Laws.degrades(state)) {
    const force = state.byStrength ? rounded(state.strength * mass * GRAVITY[length], 8) : state.yieldForce,
      stiffness = state.byPeriod ? mass * ((2 * Math.PI) / state.period) ** 2 : state.stiffness;
    return {law: Laws.table(state, force, stiffness)};
  }
  return {
    ...(state.byStrength ? {strength_ratio: state.strength} : {yield_force: state.yieldForce}),
    viscosity: state.viscosity,
    kinematic: state.kinematic,
    isotropic: state.isotropic,
  };
}

/**
 * The problem file of a state.
 * @param {State} state
 */
function problem(state) {
  const law = state.yields ? lawOf(state) : {};
  const free = state.motion.kind === "none";
  return {
    title: "Oscillator of the studio",
    duration: Problems.wholeSteps(state.duration, state.step),
    units: {length: state.length, force: state.force},
    model: {
      kind: "oscillator",
      mass: state.mass,
      ...(state.byPeriod ? {period: state.period} : {stiffness: state.stiffness}),
      ...(state.byRatio ? {damping_ratio: state.ratio} : {damping: state.damping}),
      ...law,
    },
    ...(free
      ? {load: {kind: "none"}, start: {displacement: state.motion.start}}
      : {motion: Motions.table(state.motion, state.step)}),
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
  error: state.bars,
  ...Problems.beside(state, problem, WITHOUT),
});

/**
 * Numbers by their names for the server.
 * @param {ReturnType<typeof import("../controls.js").numberFields>} field
 */
function numbers(field) {
  return {
    "model.mass": field("model.mass", "Mass", "mass", "", {min: 1, max: 10000, log: true}, "force·s²/length"),
    "model.period": field("model.period", "Period", "period", "s", {min: 0.05, max: 5, log: true}, "elastic, undamped"),
    "model.stiffness": field("model.stiffness", "Stiffness", "stiffness", "", {min: 10, max: 1e6, log: true}),
    "model.damping_ratio": field("model.damping_ratio", "Damping ratio", "ratio", "of critical", {
      min: 0,
      max: 0.5,
      step: 0.005,
    }),
    "model.damping": field("model.damping", "Damping coefficient", "damping", "", {min: 0, max: 5000, step: 5}),
    "model.yield_force": field("model.yield_force", "Yield force", "yieldForce", "", {min: 1, max: 10000, log: true}),
    "model.strength_ratio": field(
      "model.strength_ratio",
      "Strength ratio",
      "strength",
      "of weight",
      {min: 0.005, max: 3, log: true},
      "yield force over the weight, mass × g",
    ),
    "model.viscosity": field(
      "model.viscosity",
      "Viscosity of the slider",
      "viscosity",
      "",
      {min: 0, max: 5000, step: 10},
      "0: rate-independent plasticity",
    ),
    "model.kinematic": field(
      "model.kinematic",
      "Kinematic hardening",
      "kinematic",
      "",
      {min: 0, max: 10000, step: 20},
      "moves the yield limits",
    ),
    "model.isotropic": field(
      "model.isotropic",
      "Isotropic hardening",
      "isotropic",
      "",
      {min: 0, max: 10000, step: 20},
      "widens them",
    ),
    "scheme.step": field("scheme.step", "Time step", "step", "s", {min: 0.0005, max: 0.2, log: true}),
    duration: field("duration", "Duration", "duration", "s", {min: 1, max: 120, step: 1}),
  };
}

/**
 * @param {View} view
 * @param {(key: string) => (value: any) => any} change
 */
function choices(view, change) {
  return {
    stiff: choice({
      label: "Spring given by",
      options: [
        ["true", "period"],
        ["false", "stiffness"],
      ],
      value: "true",
      oninput: (value) => switchStiffness(view, value === "true"),
    }),
    damp: choice({
      label: "Damping given by",
      options: [
        ["true", "ratio"],
        ["false", "coefficient"],
      ],
      value: "true",
      oninput: (value) => view.set({byRatio: value === "true"}),
    }),
    yields: toggle({label: "The spring yields", value: true, oninput: change("yields")}),
    strong: choice({
      label: "Strength given by",
      options: [
        ["false", "yield force"],
        ["true", "ratio to weight"],
      ],
      value: "false",
      oninput: (value) => switchStrength(view, value === "true"),
    }),
    length: choice({
      label: "Unit of length",
      options: LENGTHS,
      value: "m",
      oninput: (length) => switchUnits(view, {length}),
    }),
    force: choice({
      label: "Unit of force",
      options: FORCES,
      value: "kN",
      oninput: (force) => switchUnits(view, {force}),
    }),
    ...schemeChoices(change, WITHOUT),
    bars: toggle({label: "Error bars on the peaks", value: false, oninput: change("bars")}),
  };
}

/**
 * @param {Record<string, any>} controls
 * @param {View} view
 */
const groups = (controls, view) => [
  group(
    "Structure",
    controls["model.mass"],
    controls.stiff,
    controls["model.period"],
    controls["model.stiffness"],
    controls.damp,
    controls["model.damping_ratio"],
    controls["model.damping"],
  ),
  group(
    "Spring",
    controls.yields,
    controls.law,
    controls.strong,
    controls["model.yield_force"],
    controls["model.strength_ratio"],
    controls["model.law"],
    controls["model.viscosity"],
    controls["model.kinematic"],
    controls["model.isotropic"],
  ),
  controls.motion,
  group("Time", controls["scheme.step"], controls.duration, controls.scheme, controls.promise),
  group(
    "Compare",
    controls.against,
    controls.bars,
    element("p", {class: "quiet"}, "Error bars come from halving the step twice."),
  ),
  group(
    "Units",
    controls.length,
    controls.force,
    button("Start again", () => view.reset()),
  ),
];

/**
 * The same spring, said the other way.
 * @param {View} view
 * @param {boolean} byPeriod
 */
function switchStiffness(view, byPeriod) {
  const {mass, period, stiffness} = view.state;
  view.set({
    byPeriod,
    ...(byPeriod
      ? {period: rounded(2 * Math.PI * Math.sqrt(mass / stiffness))}
      : {stiffness: rounded(mass * ((2 * Math.PI) / period) ** 2)}),
  });
}

/**
 * The same strength, said the other way.
 * @param {View} view
 * @param {boolean} byStrength
 */
function switchStrength(view, byStrength) {
  const {mass, strength, yieldForce, length} = view.state;
  const weight = mass * GRAVITY[length];
  view.set({
    byStrength,
    ...(byStrength ? {strength: rounded(yieldForce / weight)} : {yieldForce: rounded(strength * weight)}),
  });
}

/**
 * The same structure in other units.
 * @param {View} view
 * @param {Partial<import("../units.js").Units>} changed
 */
function switchUnits(view, changed) {
  const {length, force, motion} = view.state,
    from = {length, force},
    to = {...from, ...changed};
  view.set({
    ...to,
    ...converted(view.state, QUANTITIES, from, to),
    motion: {...motion, ...converted(motion, {start: LENGTH}, from, to)},
  });
  say(`the same structure in ${to.force} and ${to.length}`);
}

/** @type {Record<string, keyof State>} the number of the state that a control shows */
const SHOWN = {
  "model.mass": "mass",
  "model.period": "period",
  "model.stiffness": "stiffness",
  "model.damping_ratio": "ratio",
  "model.damping": "damping",
  "model.yield_force": "yieldForce",
  "model.strength_ratio": "strength",
  "model.viscosity": "viscosity",
  "model.kinematic": "kinematic",
  "model.isotropic": "isotropic",
  "scheme.step": "step",
  duration: "duration",
  stiff: "byPeriod",
  damp: "byRatio",
  yields: "yields",
  strong: "byStrength",
  length: "length",
  force: "force",
  scheme: "scheme",
  promise: "promise",
  against: "against",
  bars: "bars",
  law: "law",
};

/**
 * Units, and what there is to set.
 * @param {State} state
 * @param {Record<string, any>} controls
 */
function adapt(state, controls) {
  const {length, force} = state;
  const units = {
    "model.mass": massUnit(length, force),
    "model.stiffness": `${force}/${length}`,
    "model.damping": `${force}·s/${length}`,
    "model.yield_force": force,
    "model.viscosity": `${force}·s/${length}`,
    "model.kinematic": `${force}/${length}`,
    "model.isotropic": `${force}/${length}`,
  };
  for (const [name, unit] of Object.entries(units)) {
    const quantity = QUANTITIES[/** @type {keyof typeof QUANTITIES} */ (SHOWN[name])];
    controls[name].measure(unit, factor(quantity, METRIC, {length, force}));
  }
  controls["model.period"].hidden = !state.byPeriod;
  controls["model.stiffness"].hidden = state.byPeriod;
  controls["model.damping_ratio"].hidden = !state.byRatio;
  controls["model.damping"].hidden = state.byRatio;
  controls["model.yield_force"].hidden = !state.yields || state.byStrength;
  controls["model.strength_ratio"].hidden = !state.yields || !state.byStrength;
  controls.strong.hidden = controls.law.hidden = !state.yields;
  controls["model.law"].set({...state, law: state.yields ? state.law : ""});
  controls["model.viscosity"].hidden =
    controls["model.kinematic"].hidden =
    controls["model.isotropic"].hidden =
      !state.yields || Laws.degrades(state);
}

/** @type {import("./gifts.js").Varied<State>[]} */
const VARIED = [
  ["yieldForce", "Yield force", (state) => state.force],
  ["period", "Period", () => "s"],
  ["ratio", "Damping ratio", () => ""],
  ["viscosity", "Viscosity", (state) => `${state.force}·s/${state.length}`],
  ["scale", "Scale of the motion", () => "×"],
];

export const oscillatorView = historyView({
  name: "oscillator",
  title: "Oscillator",
  start: START,
  about: "What it is and what shakes it",
  free: true,
  fields: (view, change, field) => ({
    ...numbers(field),
    ...choices(view, change),
    ...Laws.lawControls(view, "Law of the spring", "model.law"),
  }),
  groups,
  shown: SHOWN,
  adapt,
  stage: oscillatorStage,
  request,
  options: (state) => ({viscosity: state.viscosity > 0 && !Laws.degrades(state), law: Laws.lawName(state)}),
  varied: (state) => {
    const has = {
      yieldForce: state.yields && !state.byStrength,
      period: state.byPeriod,
      ratio: state.byRatio,
      viscosity: state.yields && !Laws.degrades(state),
      scale: state.motion.kind !== "none",
    };
    return VARIED.filter(([key]) => has[/** @type {keyof typeof has} */ (key)]);
  },
});
