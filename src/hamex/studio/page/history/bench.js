// What the views of histories share: choices of schemes, the shaking, their layout, and the way to the curves.
import {changeOf, choice, numberFields} from "../controls.js";
import {element} from "../elements.js";
import {askOrRefuse, besideFields, overPlots, redrawn} from "../messages.js";
import * as Motions from "../motion.js";
import {latest} from "../requests.js";
import {problemGifts} from "./gifts.js";
import * as Problems from "./problems.js";

/**
 * Choices of a scheme, of its promise, and of what to compare with: another scheme, or the same structure with something changed.
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
  promise: choice({
    label: "Promise of one solution",
    options: Problems.PROMISES,
    value: "beforehand",
    oninput: change("promise"),
    name: "promise",
  }),
});

/**
 * Controls of the shaking; another kind of motion brings its own duration.
 * @param {View} view
 * @param {{free?: boolean}} [options]
 */
const shakingControls = (view, options) =>
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
function runner({name, stage, plots, fields, request, options}) {
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

/**
 * A view of histories: controls on the left by which its problem is set, what becomes of it on the right.
 * @template {{motion: any, length?: string}} State
 * @param {object} given
 * @param {string} given.name
 * @param {string} given.title
 * @param {State} given.start
 * @param {string} given.about what the controls set
 * @param {string} [given.look] class of the stage
 * @param {boolean} [given.free] whether it may move without being shaken
 * @param {(view: View, change: (key: string) => (value: any) => any, field: ReturnType<typeof numberFields>) =>
 *   Record<string, any>} given.fields controls by their names for the server, or by their own
 * @param {(controls: Record<string, any>, view: View) => HTMLElement[]} given.groups
 * @param {Record<string, keyof State>} given.shown what of the state a control shows
 * @param {(state: State, controls: Record<string, any>) => void} given.adapt units, options and which controls there are
 * @param {(view: View) => Stage} given.stage
 * @param {(state: State) => HistoryRequest} given.request
 * @param {(state: State) => {viscosity?: boolean, storey?: number, isolated?: boolean}} given.options of the picture
 * @param {(state: State) => import("./gifts.js").Varied<State>[]} given.varied what a page of its own may vary
 * @returns {ViewDescription}
 */
export function historyView({name, title, start, about, look = "", free = false, fields, groups, ...given}) {
  const {shown, adapt, stage: stageOf, request, options, varied} = given;
  /** @type {Stage} */
  let stage;
  /** @type {Record<string, any>} */
  let controls;
  /** @type {ReturnType<typeof runner<State>>} */
  let run;
  return {
    name,
    title,
    start,
    mount(root, view) {
      const change = changeOf(view),
        motion = shakingControls(view, {free});
      controls = {...fields(view, change, numberFields(view.state, change)), motion};
      for (const one of Object.values(motion.fields)) controls[one.dataset.name ?? ""] = one;
      stage = stageOf(view);
      const plots = element("div", {class: `stage ${look}`}, stage.parts);
      run = runner({name, stage, plots, fields: controls, request, options});
      layOut(root, {about, groups: groups(controls, view), stage: plots});
    },
    show(/** @type {State} */ state) {
      const begin = performance.now();
      adapt(state, controls);
      for (const [control, key] of Object.entries(shown)) controls[control].set(state[key]);
      controls.motion.show(state.motion, state.length);
      return run(state, begin);
    },
    leave: () => stage.player.pause(),
    gifts: (view) => problemGifts({view, request, plots: stage.plots, varied: varied(view.state)}),
  };
}
