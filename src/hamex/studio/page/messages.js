// Questions whose refusals are shown beside the field that they are about.
import {Refusal, ask} from "./requests.js";

/**
 * Messages go beside the field they are about, or to the top of the view.
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
    if (hit && hit[1].refuse && !hit[1].hidden) hit[1].refuse(problem.message);
    else general.textContent = problem.message;
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
