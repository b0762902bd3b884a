// Systems of the derivation view: what a state asks for, of the library or typed, with numbers and without.
import {ask, get} from "../requests.js";

/** A pendulum with friction, as somebody would type it. */
export const EXAMPLE = {
  fields: "theta",
  lagrangian: "m*l^2*theta'^2/2 + m*g*l*cos(theta)",
  dissipation: "c*theta'^2/2",
  loads: /** @type {Record<string, string>} */ ({}),
  constraints: "",
  meanings:
    "theta: angle from the vertical [rad]\nm: mass [force s²/length]\nl: length [length]\n" +
    "g: gravity [length/s²]\nc: friction of the pivot [force length s]",
};
/** Numbers as a system brings them. */
export const UNTOUCHED = {
  parameters: /** @type {Record<string, number>} */ ({}),
  shapes: /** @type {Record<string, LoadShape>} */ ({}),
  start: /** @type {Record<string, number>} */ ({}),
};
export const MARCH = {duration: 10, step: 0.02, degree: 1, jumps: false};
export const START = {
  system: "viscoplastic",
  ...EXAMPLE,
  ...UNTOUCHED,
  ...MARCH,
  plane: /** @type {[string, string] | null} */ (null),
  section: "", // where to begin to read
  scene: "",
};
/** @typedef {typeof START} State */
/** @typedef {ReturnType<typeof runRequest>} RunRequest */

/** @type {(text: string) => string[]} */
export const words = (text) => text.split(/[\s,;]+/).filter(Boolean);

/**
 * Lines `name: meaning [unit]` as a table.
 * @param {string} text
 */
function meaningTable(text) {
  /** @type {Record<string, string>} */
  const table = {};
  for (const line of text.split("\n")) {
    const at = line.search(/[:=]/);
    if (at > 0 && line.slice(at + 1).trim()) table[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return table;
}

/**
 * The other way round.
 * @param {Record<string, string>} table
 */
export const meaningLines = (table) =>
  Object.entries(table)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join("\n");

/**
 * The system of a state.
 * @param {State} state
 */
export function systemRequest(state) {
  if (state.system) return {system: state.system};
  const loads = Object.fromEntries(Object.entries(state.loads).filter(([, text]) => text.trim()));
  return {
    fields: words(state.fields),
    lagrangian: state.lagrangian,
    dissipation: state.dissipation,
    loads,
    constraints: state.constraints
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
    meanings: meaningTable(state.meanings),
  };
}

/**
 * What is given at the start, or the sides of what follows from it.
 * @param {State} state
 * @param {SystemAnswer} about
 * @param {boolean} near
 */
const startValues = (state, about, near) =>
  Object.fromEntries(
    about.starts.filter(({kind}) => (kind === "near") === near).map(({key, value}) => [key, state.start[key] ?? value]),
  );

/**
 * The same with numbers; the step divides the duration, as a run needs it.
 * @param {State} state
 * @param {SystemAnswer} about
 */
export function runRequest(state, about) {
  const steps = Math.max(1, Math.round(state.duration / state.step));
  return {
    ...systemRequest(state),
    parameters: Object.fromEntries(
      about.symbols
        .filter(({kind}) => kind === "parameter")
        .map(({name, value}) => [name, state.parameters[name] ?? value]),
    ),
    start: startValues(state, about, false),
    near: startValues(state, about, true),
    shapes: Object.fromEntries(
      Object.entries(about.shapes).map(([name, shape]) => [name, state.shapes[name] ?? shape]),
    ),
    duration: state.duration,
    step: state.duration / steps,
    degree: state.degree,
    jumps: state.jumps,
  };
}

/**
 * Ask, and ask the same again while the server works on it.
 * @param {string} path
 * @param {any} [body]
 * @param {string} [key]
 */
export async function patiently(path, body, key) {
  for (;;) {
    const answer = await (body ? ask(`/api/derive${path}`, body, key) : get("/api/derive"));
    if (!answer || !answer.working) return answer;
  }
}
