// Questions whose refusals are shown over the plots and beside the field that they are about.
import {element} from "./elements.js";
import {Refusal, ask} from "./requests.js";

/**
 * What stands over the plots of a view: why there are no new ones. The old ones are dimmed until there are.
 * @param {HTMLElement} stage holds the plots; data-shown tells whether they are "current", being computed for the
 *   "first" time, "working" towards others, "stale" or "nothing"
 * @param {string} id of the message
 */
export function overPlots(stage, id) {
  const message = element("p", {class: "message", role: "alert", id}),
    outdated = element("p", {class: "quiet"}),
    root = element("div", {class: "notice", hidden: true}, message, outdated);
  stage.prepend(root);
  const isEmpty = () => ["first", "nothing", undefined].includes(stage.dataset.shown);
  return {
    message,
    /** A question was asked. */
    asked() {
      if (isEmpty()) stage.dataset.shown = "first";
      else if (stage.dataset.shown === "current") stage.dataset.shown = "working";
    },
    /** The answer is drawn. */
    drawn() {
      stage.dataset.shown = "current";
    },
    /**
     * Refusals that are placed elsewhere too.
     * @param {Refuse} placed
     * @returns {Refuse}
     */
    refusing: (placed) => (problem) => {
      placed(problem);
      root.hidden = !problem;
      if (!problem) return;
      outdated.textContent = isEmpty()
        ? "Nothing could be computed yet."
        : "What is shown below was computed before this change.";
      stage.dataset.shown = isEmpty() ? "nothing" : "stale";
    },
  };
}

/**
 * A message in the words of the page: by the label of its control, not by its key in a file.
 * @param {Problem} problem
 * @param {HTMLElement} field
 */
function inLabels({message, field: key}, field) {
  const label = field.querySelector("label")?.textContent ?? "";
  return key && message.startsWith(`${key} `) ? `${label} ${message.slice(key.length + 1)}` : `${label}: ${message}`;
}

/**
 * Messages go over the plots, and beside the field they are about.
 * @param {Record<string, any>} fields
 * @param {HTMLElement} general
 * @returns {Refuse}
 */
export function besideFields(fields, general) {
  return (problem) => {
    for (const field of Object.values(fields)) if (field.refuse) field.refuse("");
    general.textContent = "";
    if (!problem) return;
    const key = (problem.field || "").replace(/\[\d+\]/g, "");
    const hit = Object.entries(fields).find(([name]) => name === key || key.startsWith(`${name}.`));
    const field = hit && hit[1].refuse && !hit[1].hidden ? hit[1] : null;
    if (field) field.refuse(problem.message);
    general.textContent = field ? inLabels(problem, field) : problem.message;
  };
}

/**
 * The same, also where the server names the place in words: "[records] magnitude must …".
 * @param {Record<string, any>} fields
 * @param {HTMLElement} general
 * @returns {Refuse}
 */
export function besideNamedFields(fields, general) {
  const refuse = besideFields(fields, general);
  return (problem) => {
    if (!problem) {
      refuse(null);
      return;
    }
    const [, table, key] = problem.message.match(/^(?:\[([\w.]+)\] )?(\w+)/) || [];
    const guesses = [problem.field, `${table}.${key}`, `${table}.synthetic.${key}`, key];
    refuse({message: problem.message, field: guesses.find((name) => name && name in fields) || problem.field});
  };
}

/**
 * The answer to a question; null where a newer one was asked or where it was refused, which is shown.
 * @param {string} path
 * @param {any} body
 * @param {string} key
 * @param {Refuse} refuse
 */
export async function askOrRefuse(path, body, key, refuse) {
  try {
    return await ask(path, body, key);
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    refuse(problem);
    return null;
  }
}

/**
 * Measures from the change of an input to the frame after the new curves are drawn.
 * @param {number} begin
 */
export async function redrawn(begin) {
  await new Promise(requestAnimationFrame);
  performance.measure("redraw", {start: begin, end: performance.now()});
}
