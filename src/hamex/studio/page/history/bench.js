// What the views of histories share: choices of schemes, the shaking, their layout, and the way to the curves.
import {choice} from "../controls.js";
import {element} from "../elements.js";
import {askOrRefuse, redrawn} from "../messages.js";
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
 * @param {{title: string, about: string, message: HTMLElement, groups: HTMLElement[], stage: HTMLElement}} parts
 */
export function layOut(root, {title, about, message, groups, stage}) {
  root.append(
    element("h1", {class: "spoken"}, title),
    element(
      "div",
      {class: "bench split"},
      element("aside", {class: "controls stay", "aria-label": about}, message, ...groups),
      stage,
    ),
  );
}

/**
 * Asks for a history, draws it, measures: from the change of an input to the frame after the new curves are drawn.
 * @template State
 * @param {{name: string, stage: Stage, refuse: Refuse, request: (state: State) => HistoryRequest,
 *   options: (state: State) => {viscosity?: boolean, storey?: number, isolated?: boolean}}} given
 */
export function runner({name, stage, refuse, request, options}) {
  let first = true;
  return latest(async (/** @type {State} */ state, /** @type {number} */ begin) => {
    const answer = await askOrRefuse("/api/history", request(state), `history-${name}`, refuse);
    if (!answer) return;
    refuse(null);
    stage.show(answer, {...options(state), fresh: first});
    first = false;
    await redrawn(begin);
  });
}
