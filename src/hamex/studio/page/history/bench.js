// What the views of histories share: choices of schemes, the shaking, their layout, and the way to the curves.
import {choice} from "../controls.js";
import {element} from "../elements.js";
import {askOrRefuse, besideFields, overPlots, redrawn} from "../messages.js";
import * as Motions from "../motion.js";
import {latest} from "../requests.js";
import * as Problems from "./problems.js";

/**
 * Choices of a scheme and of what to compare with: another scheme, or the same structure with something changed.
 * @param {(key: string) => (value: any) => any} change
 * @param {Problems.Changes} [others]
 */
export const schemeChoices = (change, others = {}) => ({
  scheme: choice({
    label: "Scheme",
    options: Problems.SCHEMES,
    value: "galerkin-1",
    oninput: change("scheme"),
    name: "scheme",
  }),
  against: choice({
    label: "Compare with",
    options: Problems.AGAINST.concat(Object.entries(others).map(([key, {words}]) => [key, words])),
    value: "none",
    oninput: change("against"),
    name: "against",
  }),
});

/**
 * Controls of the shaking; another kind of motion brings its own duration.
 * @param {View} view
 * @param {{free?: boolean}} [options]
 */
export const shakingControls = (view, options) =>
  Motions.controls((patch) => {
    const motion = {...view.state.motion, ...patch};
    return view.set({motion, ...("kind" in patch ? {duration: Motions.duration(motion)} : {})});
  }, options);

/**
 * Controls on the left, what happens on the right.
 * @param {HTMLElement} root
 * @param {{about: string, groups: HTMLElement[], stage: HTMLElement}} parts
 */
export function layOut(root, {about, groups, stage}) {
  const controls = element("aside", {class: "controls stay", "aria-label": about}, ...groups),
    bench = element("div", {class: "bench split pictured"}, controls, stage);
  root.append(bench);
  // On a phone the picture stays above the controls; once these have gone below it, it goes out of the way.
  const leave = ([{isIntersecting, boundingClientRect}] = /** @type {IntersectionObserverEntry[]} */ ([])) =>
    bench.classList.toggle("past", !isIntersecting && boundingClientRect.top < 0);
  new IntersectionObserver(leave, {rootMargin: "-272px 0px 0px"}).observe(controls);
}

/**
 * Asks for a history, draws it, measures: from the change of an input to the frame after the new curves are drawn.
 * @template State
 * @param {{name: string, stage: Stage, plots: HTMLElement, fields: Record<string, any>,
 *   request: (state: State) => HistoryRequest,
 *   options: (state: State) => {viscosity?: boolean, storey?: number, isolated?: boolean}}} given
 */
export function runner({name, stage, plots, fields, request, options}) {
  let first = true;
  const over = overPlots(plots, `${name}-message`),
    refuse = over.refusing(besideFields(fields, over.message));
  return latest(async (/** @type {State} */ state, /** @type {number} */ begin) => {
    over.asked();
    const answer = await askOrRefuse("/api/history", request(state), `history-${name}`, refuse);
    if (!answer) return;
    refuse(null);
    stage.show(answer, {...options(state), fresh: first});
    over.drawn();
    first = false;
    await redrawn(begin);
  });
}
