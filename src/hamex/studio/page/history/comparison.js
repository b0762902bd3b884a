// A run in words: its scheme, its peaks with their error bars, and two runs side by side.
import {element, short} from "../elements.js";

/** @param {Run} run */
const iterationWords = (run) =>
  !run.iterations
    ? "no iterations"
    : run.iterations.kind === "iterations"
      ? `${run.iterations.total} Newton iterations, at most ${run.iterations.most} in a step`
      : `${run.iterations.total} linear solves, at most ${run.iterations.most} in a step`;

/**
 * A peak with its error bar and unit.
 * @param {Peak | undefined} peak
 */
export const peakWords = (peak, digits = 5) => {
  if (!peak) return "–";
  const bar = peak.error === null || peak.error === undefined ? "" : ` ± ${short(peak.error, 2)}`;
  return `${short(peak.value, digits)}${bar} ${peak.unit === "1" ? "" : peak.unit}`;
};

/** @type {Record<string, string>} */
const SCHEMES = {
  Galerkin: "Galerkin",
  DiscontinuousGalerkin: "discontinuous Galerkin",
  Newmark: "Newmark with Newton",
  LeapFrog: "leap-frog",
  PiecewiseExact: "piecewise exact",
};

/**
 * What a scheme calls itself, in words: "Galerkin(step=0.01, degree=2, …)" is "Galerkin, degree 2".
 * @param {string} written
 */
export function schemeName(written) {
  const name = SCHEMES[written.split("(")[0]] || written,
    degree = /degree=(\d+)/.exec(written);
  if (/^Newmark.*beta=0\.16/.test(written)) return "Newmark, linear acceleration";
  return `${name}${degree ? `, degree ${degree[1]}` : ""}${written.includes("load='end'") ? ", load at step end" : ""}`;
}

/**
 * What stands beside a run: another problem by its title, another scheme by its name.
 * @param {Run} against
 */
export const besideName = (against) => against.title || schemeName(against.scheme);

/** The place for two runs side by side. */
export function comparisonPanel() {
  const root = element(
    "figure",
    {class: "panel wide", hidden: true},
    element("figcaption", {}, element("span", {}, "Side by side")),
    element("div"),
  );
  return {
    root,
    /** @param {HistoryAnswer} answer */
    show(answer) {
      root.hidden = !answer.against;
      if (answer.against) root.lastElementChild.replaceChildren(comparison(answer, answer.against));
    },
  };
}

/**
 * Peaks with their error bars, balance, iterations.
 * @param {Run} run
 * @param {Run} against
 */
function comparison(run, against) {
  const rows = [
    ["displacement", "peak displacement"],
    ["force", "peak spring force, step mean"],
    ["slip", "peak slip"],
    ["residual_slip", "residual slip"],
    ["storey_drift", "peak storey drift"],
    ["base_shear", "peak base shear"],
  ].filter(([name]) => run.peaks[name]);
  const line = (/** @type {string} */ words, /** @type {string} */ one, /** @type {string} */ two) =>
    element("tr", {}, element("th", {scope: "row"}, words), element("td", {}, one), element("td", {}, two));
  return element(
    "div",
    {class: "scroll"},
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td"),
          element("th", {scope: "col"}, against.title ? "as it is" : schemeName(run.scheme)),
          element("th", {scope: "col"}, besideName(against)),
        ),
      ),
      element(
        "tbody",
        {},
        ...rows.map(([name, words]) => line(words, peakWords(run.peaks[name]), peakWords(against.peaks[name]))),
        line("energy residual", short(run.residual, 3), short(against.residual, 3)),
        line("work", iterationWords(run), iterationWords(against)),
      ),
    ),
  );
}
