// Controls of the waves: what a state holds, what it asks the studio, and the fields that change it.
import {button, changeOf, choice, group, numberFields, toggle} from "../controls.js";
import {element, rounded, short} from "../elements.js";
import {segments} from "../panels.js";

/** Numbers as the page shows them: GPa, MPa, cm², mm, µs. */
export const START = {
  kind: "bar",
  length: 1,
  elements: 100,
  modulus: 210,
  density: 7850,
  area: 1,
  farEnd: "fixed",
  event: "struck",
  stress: 200,
  width: 0.2,
  place: 0.5,
  yields: false,
  yieldStress: 120,
  viscosity: 2,
  relaxation: 0,
  shape: "rectangle",
  across: 0.6,
  up: 0.4,
  cells: 32,
  tension: 2000,
  surfaceMass: 0.26,
  air: 0,
  start: "plucked",
  deflection: 10,
  velocity: 5,
  x: 0.3,
  y: 0.4,
  patch: 0.2,
  courant: 0.5,
  crossings: 4,
  scheme: "galerkin",
  turn: 25,
  tilt: 35,
  part: "density",
  scene: "",
};
/** @typedef {typeof START} State */

/** @type {Record<string, number>} what one of a state is in metres, newtons and seconds, where it is another unit */
const SCALES = {
  modulus: 1e9,
  area: 1e-4,
  stress: 1e6,
  yieldStress: 1e6,
  viscosity: 1e6,
  relaxation: 1e-6,
  deflection: 1e-3,
};
/**
 * A number of a state as it is sent, without the rounding of its conversion.
 * @param {State} state
 * @param {keyof State & keyof typeof SCALES} key
 */
const sent = (state, key) => rounded(/** @type {number} */ (state[key]) * SCALES[key], 12);

/**
 * The path of the question and the table that goes there, in metres, newtons, seconds and kilograms.
 * @param {State} state
 * @returns {{path: string, table: Record<string, any>}}
 */
export function question(state) {
  const {courant, crossings, scheme} = state,
    march = {courant, crossings, scheme};
  if (state.kind === "bar")
    return {
      path: "/api/waves/bar",
      table: {
        ...march,
        length: state.length,
        elements: state.elements,
        modulus: sent(state, "modulus"),
        density: state.density,
        area: sent(state, "area"),
        far_end: state.farEnd,
        event: state.event,
        stress: sent(state, "stress"),
        width: state.width,
        place: state.place,
        damping: sent(state, "relaxation"),
        ...(state.yields ? {yield_stress: sent(state, "yieldStress"), viscosity: sent(state, "viscosity")} : {}),
      },
    };
  return {
    path: "/api/waves/membrane",
    table: {
      ...march,
      shape: state.shape,
      width: state.across,
      height: state.up,
      elements: state.cells,
      tension: state.tension,
      surface_mass: state.surfaceMass,
      damping: state.air,
      event: state.start,
      deflection: sent(state, "deflection"),
      velocity: state.velocity,
      x: state.x,
      y: state.y,
      patch: state.patch,
    },
  };
}

/** @type {Record<string, keyof State>} the symbol of a derivation that a control moves */
const SYMBOLS = {
  rho: "density",
  A_1111: "modulus",
  mu: "surfaceMass",
  N: "tension",
  c: "air",
  F_y: "yieldStress",
  eta: "viscosity",
  "the step": "courant",
};

/**
 * Fields by the keys of the state.
 * @param {View} view
 */
function fieldsOf(view) {
  const change = changeOf(view),
    field = numberFields(view.state, change);
  const pick = (/** @type {string} */ key, /** @type {string} */ label, /** @type {Options} */ options) =>
    choice({name: key, label, options, value: view.state[key], oninput: change(key)});
  const whole = (/** @type {string} */ key) => (/** @type {number} */ value) => view.set({[key]: Math.round(value)});
  const count = numberFields(view.state, whole);
  /** @type {Record<string, any>} */
  const fields = {
    length: field("length", "Length", "length", "m", {min: 0.1, max: 100, log: true}),
    modulus: field("modulus", "Modulus of elasticity E", "modulus", "GPa", {min: 0.01, max: 1000, log: true}),
    density: field("density", "Density ρ", "density", "kg/m³", {min: 100, max: 20000, log: true}),
    area: field("area", "Area of the section", "area", "cm²", {min: 0.01, max: 1000, log: true}),
    event: pick("event", "At the start it is", [
      ["struck", "struck at x = 0"],
      ["pushed", "pushed at x = 0, and on"],
      ["plucked", "let go from a bump"],
      ["thrown", "thrown to the right"],
    ]),
    farEnd: pick("farEnd", "Far end", [
      ["fixed", "fixed"],
      ["free", "free"],
      ["wall", "at a wall"],
      ["endless", "endless"],
    ]),
    stress: field(
      "stress",
      "Stress of the wave",
      "stress",
      "MPa",
      {min: 1, max: 1000, log: true},
      "if it stays elastic",
    ),
    width: field("width", "Length of the blow", "width", "m", {min: 0.02, max: 2, log: true}, "in the bar"),
    place: field("place", "Place of the bump", "place", "of length", {min: 0, max: 1, step: 0.01}),
    yields: toggle({name: "yields", label: "The bar yields", value: view.state.yields, oninput: change("yields")}),
    yieldStress: field("yieldStress", "Yield stress", "yieldStress", "MPa", {min: 1, max: 1000, log: true}),
    viscosity: field(
      "viscosity",
      "Viscosity of yielding",
      "viscosity",
      "MPa·s",
      {min: 0, max: 20, step: 0.1},
      "0: rate-independent plasticity",
    ),
    relaxation: field(
      "relaxation",
      "Internal damping τ",
      "relaxation",
      "µs",
      {min: 0, max: 20, step: 0.1},
      "of Kelvin and Voigt: stress E(ε + τ dε/dt)",
    ),
    elements: count("elements", "Elements", "elements", "", {min: 10, max: 400, step: 1}),
    shape: pick("shape", "Shape", [
      ["rectangle", "rectangle"],
      ["disc", "disc"],
    ]),
    across: field("across", "Width", "across", "m", {min: 0.05, max: 5, log: true}, "the diameter of a disc"),
    up: field("up", "Height", "up", "m", {min: 0.05, max: 5, log: true}),
    tension: field("tension", "Tension N", "tension", "N/m", {min: 10, max: 20000, log: true}),
    surfaceMass: field("surfaceMass", "Mass per area μ", "surfaceMass", "kg/m²", {min: 0.01, max: 10, log: true}),
    air: field("air", "Damping of the air c", "air", "N·s/m³", {min: 0, max: 100, step: 0.5}),
    start: pick("start", "At the start it is", [
      ["plucked", "let go from a bump"],
      ["struck", "struck"],
    ]),
    deflection: field("deflection", "Height of the bump", "deflection", "mm", {min: 0.1, max: 100, log: true}),
    velocity: field("velocity", "Velocity of the blow", "velocity", "m/s", {min: 0.1, max: 50, log: true}),
    x: field("x", "Place along x", "x", "of width", {min: 0.05, max: 0.95, step: 0.01}),
    y: field("y", "Place along y", "y", "of height", {min: 0.05, max: 0.95, step: 0.01}),
    patch: field("patch", "Width of the blow", "patch", "m", {min: 0.02, max: 1, log: true}),
    cells: count("cells", "Elements along x", "cells", "", {min: 8, max: 64, step: 1}),
    courant: field(
      "courant",
      "Courant number",
      "courant",
      "",
      {min: 0.05, max: 5, log: true},
      "the time step over the time that a wave takes through one element; without unit",
    ),
    crossings: field(
      "crossings",
      "Duration",
      "crossings",
      "crossings",
      {min: 0.5, max: 20, step: 0.5},
      "times that a wave takes from end to end",
    ),
    scheme: pick("scheme", "Scheme", [
      ["galerkin", "Galerkin, degree 1"],
      ["leapfrog", "leap-frog, explicit"],
    ]),
    turn: field("turn", "Turned by", "turn", "°", {min: -180, max: 180, step: 1}),
    tilt: field("tilt", "Seen from above by", "tilt", "°", {min: 5, max: 85, step: 1}),
  };
  for (const [symbol, key] of Object.entries(SYMBOLS)) fields[key].dataset.symbol = symbol;
  return fields;
}

/** @type {Record<string, Record<string, keyof State>>} keys of the tables whose names are not those of the state */
const NAMED = {
  bar: {far_end: "farEnd", yield_stress: "yieldStress", damping: "relaxation"},
  membrane: {
    width: "across",
    height: "up",
    elements: "cells",
    surface_mass: "surfaceMass",
    damping: "air",
    event: "start",
  },
};

/** @param {View} view */
export function waveControls(view) {
  const fields = fieldsOf(view),
    which = segments(
      "What the waves run in",
      [
        ["bar", "Bar"],
        ["membrane", "Membrane"],
      ],
      (kind) => view.set({kind}),
    );
  const take = (/** @type {string} */ keys) => keys.split(" ").map((key) => fields[key]);
  const groups = {
    which,
    bar: group("Bar", ...take("length modulus density area")),
    membrane: group("Membrane", ...take("shape across up tension surfaceMass air")),
    event: group("What happens", ...take("event farEnd stress width place start deflection velocity x y patch")),
    losses: group("Yielding and damping", ...take("yields yieldStress viscosity relaxation")),
    march: group("Mesh and step", ...take("elements cells courant crossings scheme")),
    seen: group("Picture", ...take("turn tilt"), element("p", {class: "quiet"}, "Or drag the picture.")),
    reset: button("Start again", () => view.reset()),
  };
  return {
    groups: Object.values(groups),
    /**
     * Fields by the names that the studio has for them.
     * @param {State} state
     */
    named: ({kind}) => ({...fields, ...pointed(NAMED[kind], fields)}),
    /**
     * A refusal with its number as the page shows it.
     * @param {Problem | null} problem
     * @param {State} state
     */
    inUnits(problem, {kind}) {
      const name = problem?.field ?? "",
        key = NAMED[kind][name] ?? name,
        unit = fields[key]?.querySelector(".unit")?.textContent;
      if (!problem || !unit) return problem;
      const number = (/** @type {string} */ _, /** @type {string} */ got) =>
        `got ${short(Number(got) / (SCALES[key] ?? 1))} ${unit}`;
      return {...problem, message: problem.message.replace(/got (-?[\d.e+-]+)$/, number)};
    },
    /** @param {State} state */
    show(state) {
      const isBar = state.kind === "bar",
        isDisc = state.shape === "disc";
      which.set(state.kind);
      for (const [key, field] of Object.entries(fields)) field.set(state[/** @type {keyof State} */ (key)]);
      groups.bar.hidden = groups.losses.hidden = !isBar;
      groups.membrane.hidden = groups.seen.hidden = isBar;
      hide(fields, "event farEnd stress elements", !isBar);
      hide(fields, "start x y patch cells", isBar);
      hide(fields, "width", !isBar || !["struck", "plucked"].includes(state.event));
      hide(fields, "place", !isBar || state.event !== "plucked");
      hide(fields, "deflection", isBar || state.start !== "plucked");
      hide(fields, "velocity", isBar || state.start !== "struck");
      hide(fields, "up", isDisc);
      hide(fields, "yieldStress viscosity", !state.yields);
      fields.across.rename(isDisc ? "Diameter" : "Width", "m");
    },
  };
}

/**
 * @param {Record<string, string>} names
 * @param {Record<string, any>} fields
 */
const pointed = (names, fields) => Object.fromEntries(Object.entries(names).map(([name, key]) => [name, fields[key]]));

/**
 * @param {Record<string, any>} fields
 * @param {string} keys
 * @param {boolean} isHidden
 */
function hide(fields, keys, isHidden) {
  for (const key of keys.split(" ")) fields[key].hidden = isHidden;
}
