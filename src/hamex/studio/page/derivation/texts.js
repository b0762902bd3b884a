// The texts of a system: fields, Lagrangian, dissipation, loads, constraints, and what the letters mean.
import {element} from "../elements.js";
import {meaningLines, words} from "./systems.js";

/** @import {Places} from "./places.js" */
/** @import {State} from "./systems.js" */

const REST = 350; // milliseconds that the keyboard rests before a text is read
const MOST_LOADS = 8;

/** @typedef {Field & {input: HTMLInputElement | HTMLTextAreaElement}} TextField */

/**
 * A text with its message, and a caret below the column that the message names.
 * @param {string} label
 * @param {string} name
 * @param {() => void} oninput
 * @param {{lines?: number, help?: string, inline?: boolean}} [options]
 * @returns {TextField}
 */
function textField(label, name, oninput, {lines = 0, help = "", inline = false} = {}) {
  const id = `derivation-${name.replace(/\W/g, "-")}`;
  const input = element(lines ? "textarea" : "input", {
    id,
    class: "formula",
    rows: lines || null,
    type: lines ? null : "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "aria-describedby": `${id}-message`,
    oninput,
  });
  const message = element("p", {class: "message", role: "alert", id: `${id}-message`}),
    caret = element("pre", {class: "caret", "aria-hidden": "true", hidden: true});
  const root = element(
    "div",
    {class: inline ? "box inline" : "box", "data-name": name},
    element("label", {for: id}, label),
    help ? element("span", {class: "quiet"}, help) : null,
    input,
    caret,
    message,
  );
  root.input = input;
  root.set = (/** @type {string} */ text) => {
    if (document.activeElement !== input) input.value = text;
  };
  root.refuse = (/** @type {string} */ words) => {
    const column = (words.match(/^column (\d+): /) || [])[1];
    message.textContent = words;
    input.setAttribute("aria-invalid", words ? "true" : "false");
    caret.hidden = !column;
    if (column) {
      const at = Number(column) - 1,
        from = Math.max(0, at - 18);
      caret.textContent = `${input.value.replaceAll("\n", " ").slice(from, from + 34)}\n${" ".repeat(at - from)}^`;
    }
  };
  return root;
}

/**
 * The texts; `ontyped` gets them when one was changed: what was a system of the library is now one's own.
 * @param {Places} places
 * @param {(texts: Partial<State>) => void} ontyped
 */
export function systemTexts(places, ontyped) {
  let waiting = 0;
  function typed() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      ontyped({
        system: "",
        fields: fields.input.value,
        lagrangian: lagrangian.input.value,
        dissipation: dissipation.input.value,
        loads: Object.fromEntries(
          Object.entries(loads)
            .map(([name, one]) => [name, one.input.value])
            .filter(([, text]) => text.trim()),
        ),
        constraints: constraints.input.value,
        meanings: meanings.input.value,
      });
    }, REST);
  }
  /** @type {(label: string, name: string, options: {lines?: number, help?: string, inline?: boolean}) => TextField} */
  const box = (label, name, options) => places.add(name, textField(label, name, typed, options));

  const fields = box("Fields", "fields", {inline: true}),
    lagrangian = box("Lagrangian L", "lagrangian", {lines: 2, help: "u' is a rate; write every *"}),
    dissipation = box("Dissipation φ", "dissipation", {lines: 2, help: "its slopes in the rates are forces"}),
    constraints = box("Constraints", "constraints", {lines: 2, help: "one a line: what is zero, as x^2 + y^2 - l^2"}),
    meanings = box("Meanings", "meanings", {lines: 6, help: "one a line: m: mass [unit]"});
  places.add("loads", dissipation);
  /** @type {Record<string, TextField>} by the field that they act on */
  let loads = {};
  const loadBoxes = element("div", {class: "boxes"}),
    fold = element("details", {class: "more"}, element("summary", {}, "Meanings of the letters"), meanings),
    notes = element("p", {class: "message notes", role: "status"}),
    wordless = element(
      "p",
      {class: "quiet", hidden: true},
      "This system cannot be typed: it has fields of space, or a dissipation in pieces. " +
        "Choose another one to change its text.",
    );

  /**
   * One box for every field that a load may act on.
   * @param {string[]} names
   */
  function buildLoads(names) {
    if (names.join() === Object.keys(loads).join()) return;
    places.drop(/^loads\./);
    loads = Object.fromEntries(names.map((name) => [name, box(`Load on ${name}`, `loads.${name}`, {inline: true})]));
    loadBoxes.replaceChildren(...Object.values(loads));
  }

  /**
   * The texts of a state: those of the library come with the answer, and some systems have none.
   * @param {State} state
   * @param {SystemAnswer | null} about
   */
  function show(state, about) {
    if (state.system && about?.name !== state.system) return; // not read yet
    const library = state.system && about ? about.text : null,
      text = state.system ? library : state;
    const fieldText = library ? library.fields.join(", ") : text ? state.fields : "";
    fields.set(fieldText);
    lagrangian.set(text ? text.lagrangian : "");
    dissipation.set(text ? text.dissipation : "");
    constraints.set(library ? library.constraints.join("\n") : text ? state.constraints : "");
    meanings.set(library ? meaningLines(library.meanings) : text ? state.meanings : "");
    for (const one of [fields, lagrangian, dissipation, constraints, fold]) one.hidden = text === null;
    wordless.hidden = text !== null;
    const read = about ? about.symbols.filter(({kind}) => kind === "field").map(({name}) => name) : [],
      names = words(fieldText).length ? words(fieldText) : read;
    buildLoads(text ? names.slice(0, MOST_LOADS) : []);
    for (const [name, one] of Object.entries(loads)) one.set((text && text.loads && text.loads[name]) || "");
  }
  return {nodes: [wordless, fields, lagrangian, dissipation, loadBoxes, constraints, notes, fold], notes, show};
}
