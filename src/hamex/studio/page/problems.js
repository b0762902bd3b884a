// What the views of histories share: schemes, messages beside their fields, and the way from an input to the curves.
import {Refusal, ask, latest} from "./requests.js";

export const AGAINST = [
  ["none", "nothing"],
  ["newmark", "Newmark with Newton"],
  ["end", "the paper's (load at step end)"],
  ["galerkin-2", "Galerkin, degree 2"],
  ["galerkin-3", "Galerkin, degree 3"],
  ["discontinuous-1", "discontinuous, degree 1"],
  ["discontinuous-2", "discontinuous, degree 2"],
  ["leap_frog", "leap-frog"],
  ["galerkin-1", "Galerkin, degree 1"],
];
export const SCHEMES = [
  ["galerkin-1", "Galerkin, degree 1"],
  ["galerkin-2", "Galerkin, degree 2"],
  ["galerkin-3", "Galerkin, degree 3"],
  ["discontinuous-1", "discontinuous, degree 1"],
  ["discontinuous-2", "discontinuous, degree 2"],
  ["end", "the paper's (load at step end)"],
  ["newmark", "Newmark with Newton"],
];

/** The [scheme] table of a problem file. */
export function scheme(name, step) {
  const [kind, degree] = name.split("-");
  if (kind === "end") return {kind: "galerkin", step, load: "end"};
  if (kind === "galerkin") return {kind, step, ...(degree === "1" ? {} : {degree: Number(degree)})};
  if (kind === "discontinuous") return {kind: "discontinuous_galerkin", step, degree: Number(degree)};
  return {kind, step};
}

/** A whole number of steps that covers the wish. */
export const wholeSteps = (duration, step) =>
  Number((Math.max(1, Math.ceil(duration / step - 1e-6)) * step).toPrecision(12));

/** Messages go beside the field they are about, or to the top of the view. */
export function place(fields, general) {
  return (problem) => {
    for (const field of Object.values(fields)) if (field.refuse) field.refuse("");
    general.textContent = "";
    if (!problem) return;
    const key = (problem.field || "").replace(/\[\d+\]/g, "");
    const hit = Object.entries(fields).find(([name]) => name === key || key.startsWith(`${name}.`));
    if (hit && hit[1].refuse && !hit[1].hidden) hit[1].refuse(problem.message);
    else general.textContent = problem.message;
  };
}

/** Asks, draws, measures: from the change of an input to the frame after the new curves are drawn. */
export function runner({wish, stage, refuse, options}) {
  let first = true;
  return latest(async (state, begin) => {
    let answer;
    try {
      answer = await ask("/api/history", wish(state), `history-${stage.name}`);
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      refuse(problem);
      return;
    }
    if (!answer) return;
    refuse(null);
    stage.show(answer, {...options(state), fresh: first});
    stage.last = answer;
    first = false;
    await new Promise(requestAnimationFrame);
    performance.measure("redraw", {start: begin, end: performance.now()});
  });
}
