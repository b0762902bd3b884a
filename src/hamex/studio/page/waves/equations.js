// The derivation beside the waves: of the density, and of the step that marches it.
import {element} from "../elements.js";
import {derivationDocument} from "../derivation/document.js";
import {Places} from "../derivation/places.js";
import {symbolLights} from "../derivation/symbols.js";
import {patiently} from "../derivation/systems.js";
import {segments} from "../panels.js";
import {linkTo} from "../views.js";

/** @import {State} from "./controls.js" */

/**
 * The system of the library that is derived, and how it belongs to the run.
 * @param {State} state
 * @returns {{system: string, words: string}}
 */
function derived({kind, part, yields}) {
  if (part === "density")
    return kind === "bar"
      ? {
          system: "elastic-1d",
          words: "The elastic bar, u and J for a unit of area. Yielding comes with the step, element by element.",
        }
      : {system: "membrane", words: "The membrane that is run here."};
  if (kind === "membrane")
    return {
      system: "damped",
      words: "On elements the density gives M, C and K. Every mode is an oscillator with such a step.",
    };
  return {
    system: yields ? "viscoplastic" : "forced",
    words:
      "On elements every node is a mass and every element a spring of flexibility a = l/(EA)" +
      `${yields ? ", with a slider" : ""}: the step of one, with matrices for its numbers.`,
  };
}

/**
 * @param {{view: View, root: HTMLElement, controls: HTMLElement, valueOf: (name: string) => number | undefined}} given
 */
export function waveEquations({view, root, controls, valueOf}) {
  const words = element("span"),
    more = element("a", {href: "#derivation"}, "Open in the derivation view");
  const part = segments(
    "What is derived",
    [
      ["density", "The density"],
      ["step", "The step"],
    ],
    (key) => view.set({part: key}),
  );
  let shown = "";
  /** @type {MathSymbol[]} */
  let known = [];
  const symbols = symbolLights({root, controls, find: (name) => known.find((one) => one.name === name), valueOf});
  const derivation = derivationDocument({
    places: new Places(),
    isShown: (key) => key === shown,
    onderived: settle,
    onclick: symbols.follow,
    ticket: "derive-waves",
  });
  derivation.index.open = false;
  // Above what comes late and may be of any length, so that they stay where they are.
  derivation.root.prepend(part, element("p", {class: "quiet"}, words, " ", more), derivation.index);
  // It scrolls in its own box where it stands beside the waves; the keyboard reaches it.
  derivation.root.tabIndex = 0;
  derivation.root.setAttribute("aria-label", "Derivation");

  /** The same document may stand in another view: its headings have names of their own here. */
  function settle() {
    for (const node of derivation.root.querySelectorAll("[id^=derivation-], [aria-labelledby^=derivation-]"))
      for (const name of ["id", "aria-labelledby"])
        if (node.getAttribute(name)?.startsWith("derivation-"))
          node.setAttribute(name, `waves-${node.getAttribute(name)}`);
    const step = view.state.part === "step" && derivation.root.querySelector("h2[id$=the-time-step]");
    if (derivation.root.scrollHeight > derivation.root.clientHeight + 1)
      derivation.root.scrollTop = step ? step.offsetTop - part.offsetHeight - 8 : 0;
    symbols.relight();
  }

  return {
    root: derivation.root,
    meaning: symbols.meaning,
    leave: symbols.leave,
    /** @param {State} state */
    async show(state) {
      part.set(state.part);
      const {system, words: said} = derived(state);
      words.textContent = said;
      if (system === shown) return;
      shown = system;
      linkTo("derivation", {system}).then((address) => more.setAttribute("href", address));
      derivation.derive(system, {system});
      const about = await patiently("/read", {system}, "waves-read").catch(() => null);
      if (about && shown === system) known = about.symbols;
    },
  };
}
