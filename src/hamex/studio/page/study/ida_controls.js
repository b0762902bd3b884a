// Controls of an incremental dynamic analysis: structure, motions, intensities, limit, time and units.
import {button, choice, group, numberFields, toggle} from "../controls.js";
import {element} from "../elements.js";
import * as Laws from "../history/laws.js";
import {besideNamedFields} from "../messages.js";
import {LENGTH, LENGTHS, METRIC, STIFFNESS, converted, factor, massUnit} from "../units.js";
import {START, measureOf, stateOf} from "./ida_file.js";

/** @import {State} from "./ida_file.js" */

/** @type {{oscillator: Options, frame: Options}} */
const LIMITS = {
  oscillator: [
    ["ductility", "ductility"],
    ["displacement", "displacement"],
  ],
  frame: [
    ["drift_ratio", "storey drift ratio"],
    ["ductility", "storey ductility"],
    ["collapse", "collapse"],
  ],
};
const FRAME_ONLY = ["storeys", "height", "second", "frameLimit"],
  SYNTHETIC_ONLY = ["count", "magnitude", "distance", "vs30", "seed"],
  MEASURES = ["ductility", "drift_ratio", "displacement", "collapse"];

/** What changes with the unit of length. */
const QUANTITIES = {mass: STIFFNESS, viscosity: STIFFNESS, height: LENGTH, displacement: LENGTH};
const unitsOf = (/** @type {string} */ length) => ({...METRIC, length});

/**
 * The same structure in another unit of length.
 * @param {State} state
 * @param {string} length
 * @returns {State}
 */
const inLength = (state, length) => ({
  ...state,
  length,
  ...converted(state, QUANTITIES, unitsOf(state.length), unitsOf(length)),
});

/**
 * @param {(key: string, limits?: {step?: number}) => (value: any) => any} change
 */
function numberControls(change) {
  const field = numberFields(START, change);
  return {
    mass: field("model.mass", "Mass of a floor", "mass", "", {min: 1, max: 10000, log: true}),
    period: field("model.period", "First period", "period", "s", {min: 0.1, max: 4, log: true}, "elastic"),
    ratio: field("model.damping_ratio", "Damping ratio", "ratio", "of critical", {min: 0, max: 0.2, step: 0.005}),
    strength: field(
      "model.strength_ratio",
      "Strength",
      "strength",
      "of weight",
      {min: 0.02, max: 1, log: true},
      "yield force, or base shear at yield, over the weight",
    ),
    hardening: field(
      "model.kinematic",
      "Hardening",
      "hardening",
      "of elastic",
      {min: 0, max: 0.3, step: 0.005},
      "stiffness after yield over elastic stiffness",
    ),
    viscosity: field(
      "model.viscosity",
      "Viscosity",
      "viscosity",
      "",
      {min: 0, max: 2000, step: 10},
      "0: rate-independent plasticity",
    ),
    storeys: field("model.masses", "Storeys", "storeys", "", {min: 1, max: 40, step: 1}),
    height: field("model.heights", "Storey height", "height", "", {min: 1, max: 10, step: 0.1}),
    count: field("records.synthetic.count", "Records", "count", "", {min: 2, max: 200, step: 1}),
    seed: field(
      "records.synthetic.seed",
      "Seed",
      "seed",
      "",
      {min: 0, max: 200, step: 1},
      "the same seed gives the same motions",
    ),
    magnitude: field("records.synthetic.magnitude", "Magnitude", "magnitude", "", {min: 4, max: 8.5, step: 0.1}),
    distance: field("records.synthetic.distance", "Distance", "distance", "km", {min: 1, max: 300, log: true}),
    vs30: field("records.synthetic.vs30", "Site, vs30", "vs30", "m/s", {min: 150, max: 2000, log: true}),
    least: field("stripes.start", "From", "least", "g", {min: 0.01, max: 1, log: true}),
    most: field("stripes.stop", "To", "most", "g", {min: 0.2, max: 10, log: true}),
    levels: field("stripes.count", "Levels", "levels", "", {min: 2, max: 80, step: 1}),
    runs: field("hunt.runs", "Runs of a record", "runs", "", {min: 3, max: 40, step: 1}),
    tolerance: field("hunt.tolerance", "Down to", "tolerance", "of the level", {min: 0.001, max: 0.2, log: true}),
    ductility: field("limit.value", "Limit", "ductility", "", {min: 1, max: 20, step: 0.1}),
    drift_ratio: field("limit.value", "Limit", "drift_ratio", "", {min: 0.002, max: 0.1, log: true}),
    displacement: field("limit.value", "Limit", "displacement", "", {min: 0.001, max: 10, log: true}),
    collapse: field(
      "collapse.drift_ratio",
      "Storey drift ratio",
      "collapse",
      "",
      {min: 0.02, max: 0.3, log: true},
      "at which a run ends and counts as collapsed",
    ),
    mce: field(
      "fragility.mce",
      "Considered earthquake",
      "mce",
      "g",
      {min: 0.05, max: 4, log: true},
      "intensity of the maximum considered earthquake, over which the collapse margin is told",
    ),
    step: field("scheme.step", "Time step", "step", "s", {min: 0.001, max: 0.05, log: true}),
  };
}

/**
 * @param {View} view
 * @param {(key: string) => (value: any) => any} change
 */
function choices(view, change) {
  return {
    system: choice({
      label: "System",
      options: [
        ["oscillator", "oscillator"],
        ["frame", "shear frame"],
      ],
      value: "frame",
      oninput: change("system"),
      name: "system",
    }),
    second: toggle({label: "Second-order effect of the weight", value: true, oninput: change("second")}),
    length: choice({
      label: "Unit of length",
      options: LENGTHS,
      value: "m",
      oninput: (unit) => view.set({ida: inLength(stateOf(view), unit)}),
    }),
    suite: choice({
      label: "Motions",
      options: [
        ["synthetic", "synthetic suite"],
        ["el-centro", "El Centro 1940 alone"],
      ],
      value: "synthetic",
      oninput: change("suite"),
      name: "suite",
    }),
    intensity: choice({
      label: "Intensity",
      options: [
        ["sa", "Sa at the first period"],
        ["pga", "peak ground acceleration"],
      ],
      value: "sa",
      oninput: change("intensity"),
      name: "intensity",
    }),
    way: choice({
      label: "Scaled",
      options: [
        ["stripes", "to the same levels"],
        ["hunt", "to hunt the limit"],
        ["halve", "to the limit by halving"],
      ],
      value: "stripes",
      oninput: change("way"),
      name: "way",
    }),
    oscillatorLimit: choice({
      label: "Measure",
      options: LIMITS.oscillator,
      value: "ductility",
      oninput: change("oscillatorLimit"),
    }),
    frameLimit: choice({
      label: "Measure",
      options: LIMITS.frame,
      value: "drift_ratio",
      oninput: change("frameLimit"),
      name: "measure",
    }),
  };
}

/**
 * All controls: the column beside the plots, what shows a state, what shows a refusal.
 * @param {View} view
 * @param {HTMLElement} message over the plots
 */
export function idaControls(view, message) {
  /** @type {(key: string, limits?: {step?: number}) => (value: any) => any} */
  const change = (key, limits) => (value) =>
    view.set({ida: {...stateOf(view), [key]: limits?.step === 1 ? Math.round(value) : value}});
  const own = {
    get state() {
      return stateOf(view);
    },
    set: (/** @type {Partial<Laws.Law>} */ patch) => view.set({ida: {...stateOf(view), ...patch}}),
  };
  const numbers = numberControls(change),
    {law, "model.laws": wear} = Laws.lawControls(own, "Law of the springs", "model.laws"),
    picks = {...choices(view, change), law};
  /** @type {Fields} */
  const fields = {...numbers, ...picks};
  const named = Object.fromEntries(Object.values(numbers).map((one) => [one.dataset.name, one]));
  named["model.laws"] = named["model.law"] = wear;
  /** @type {Refuse} */
  const refuse = (problem) => {
    named["limit.value"] = numbers[measureOf(own.state)];
    besideNamedFields(named, message)(problem);
  };
  const root = element(
    "aside",
    {class: "controls stay", "aria-label": "System, motions and limit"},
    group(
      "Structure",
      picks.system,
      numbers.storeys,
      numbers.mass,
      numbers.period,
      numbers.ratio,
      numbers.strength,
      law,
      wear,
      numbers.hardening,
      numbers.viscosity,
      numbers.height,
      picks.second,
    ),
    group("Motions", picks.suite, numbers.count, numbers.magnitude, numbers.distance, numbers.vs30, numbers.seed),
    group(
      "Intensities",
      picks.intensity,
      picks.way,
      numbers.least,
      numbers.most,
      numbers.levels,
      numbers.runs,
      numbers.tolerance,
    ),
    group(
      "Limit",
      picks.oscillatorLimit,
      picks.frameLimit,
      numbers.ductility,
      numbers.drift_ratio,
      numbers.displacement,
      numbers.collapse,
      numbers.mce,
    ),
    group(
      "Time and units",
      numbers.step,
      picks.length,
      button("Start again", () => view.set({ida: structuredClone(START)})),
    ),
  );
  const show = (/** @type {State} */ state) => {
    showState(fields, state);
    wear.set(state);
  };
  return {root, refuse, show};
}

/**
 * Values, units and words of the fields; those that mean nothing are hidden.
 * @param {Fields} fields
 * @param {State} state
 */
function showState(fields, state) {
  const isFrame = state.system === "frame",
    hunts = state.way !== "stripes";
  const named = {mass: massUnit(state.length, METRIC.force), viscosity: `kN·s/${state.length}`};
  for (const [key, dimension] of Object.entries(QUANTITIES)) {
    const unit = named[/** @type {keyof typeof named} */ (key)] ?? state.length;
    fields[key].measure(unit, factor(dimension, METRIC, unitsOf(state.length)));
  }
  for (const [key, one] of Object.entries(fields)) one.set(state[/** @type {keyof State} */ (key)]);
  for (const key of FRAME_ONLY) fields[key].hidden = !isFrame;
  for (const key of SYNTHETIC_ONLY) fields[key].hidden = state.suite !== "synthetic";
  fields.oscillatorLimit.hidden = isFrame;
  fields.runs.hidden = !hunts;
  fields.tolerance.hidden = state.way !== "halve";
  fields.hardening.hidden = fields.viscosity.hidden = Laws.degrades(state);
  for (const key of MEASURES) fields[key].hidden = measureOf(state) !== key;
  fields.mce.hidden = measureOf(state) !== "collapse";
  fields.mass.rename(isFrame ? "Mass of a floor" : "Mass", named.mass);
  fields.period.rename(isFrame ? "First period" : "Period", "s");
  fields.levels.rename(hunts ? "Steps up to there" : "Levels", "");
}
