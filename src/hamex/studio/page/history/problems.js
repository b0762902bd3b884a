// Problem files: what the views of histories write into them, beside the model.

/** @type {Record<string, string>} */
const NAMES = {
  none: "nothing",
  newmark: "Newmark with Newton",
  linear: "Newmark, linear acceleration",
  end: "the paper's (load at step end)",
  "galerkin-1": "Galerkin, degree 1",
  "galerkin-2": "Galerkin, degree 2",
  "galerkin-3": "Galerkin, degree 3",
  "discontinuous-1": "discontinuous, degree 1",
  "discontinuous-2": "discontinuous, degree 2",
  leap_frog: "leap-frog",
};
/**
 * @param {...string} keys
 * @returns {Options}
 */
const named = (...keys) => keys.map((key) => [key, NAMES[key]]);

export const SCHEMES = named(
  "galerkin-1",
  "galerkin-2",
  "galerkin-3",
  "discontinuous-1",
  "discontinuous-2",
  "end",
  "newmark",
  "linear",
);
export const AGAINST = named(
  "none",
  "newmark",
  "end",
  "galerkin-2",
  "galerkin-3",
  "discontinuous-1",
  "discontinuous-2",
  "leap_frog",
  "galerkin-1",
);

/** @type {Options} of one solution per step, as solve takes it */
export const PROMISES = [
  ["beforehand", "beforehand"],
  ["cut", "cut into shorter steps"],
  ["reported", "reported"],
];
export const START = {promise: "beforehand"};

/**
 * The promise of a problem file, where it is not the one that holds anyway.
 * @param {typeof START} state
 */
export const promised = ({promise}) => (promise === START.promise ? {} : {promise});

/**
 * The [scheme] table of a problem file.
 * @param {string} name
 * @param {number} step
 */
export function scheme(name, step) {
  const [kind, degree] = name.split("-");
  if (kind === "linear") return {kind: "newmark", step, beta: 1 / 6};
  if (kind === "end") return {kind: "galerkin", step, load: "end"};
  if (kind === "galerkin") return {kind, step, ...(degree === "1" ? {} : {degree: Number(degree)})};
  if (kind === "discontinuous") return {kind: "discontinuous_galerkin", step, degree: Number(degree)};
  return {kind, step};
}

/** @typedef {Record<string, {words: string, change: any}>} Changes the same structure with something changed */

/**
 * What is run beside a problem: the same by another scheme, with error bars, or another problem by the same scheme.
 * @template {{against: string, step: number}} State
 * @param {State} state
 * @param {(state: State) => Record<string, any>} problem
 * @param {Changes} changes
 */
export function beside(state, problem, changes) {
  if (state.against === "none") return {};
  const other = changes[state.against];
  if (other) return {beside: {...problem({...state, ...other.change}), title: other.words}};
  return {against: scheme(state.against, state.step), error: true};
}

/**
 * A whole number of steps that covers a duration.
 * @param {number} duration
 * @param {number} step
 */
export const wholeSteps = (duration, step) =>
  Number((Math.max(1, Math.ceil(duration / step - 1e-6)) * step).toPrecision(12));
