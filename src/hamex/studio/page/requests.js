// Requests to the studio and its answers.

export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string | null} field what it is about
   * @param {number} status of the answer, 0 without one
   */
  constructor(message, field, status) {
    super(message);
    this.field = field;
    this.status = status;
  }
}

/**
 * What was thrown, as something to show.
 * @param {unknown} thrown
 * @returns {Problem}
 */
export const problemOf = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * A typed array, from base64 where it is not one already.
 * @param {Packed} array
 * @returns {Numbers}
 */
export function unpack(array) {
  if (!("bdata" in array)) return array;
  const letters = atob(array.bdata),
    bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return array.dtype === "f8" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

/**
 * JSON with arrays behind it: length of the JSON, the JSON, the arrays, read where they lie.
 * @param {ArrayBuffer} buffer
 */
function unframe(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)), (_, value) =>
    value && value.dtype === "f4" && "at" in value
      ? new Float32Array(buffer, 4 + length + value.at, value.length)
      : value,
  );
}

/**
 * What an answer holds; a connection may be lost on the way.
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function read(response) {
  const type = response.headers.get("content-type") || "";
  if (type.includes("x-hamex")) return unframe(await response.arrayBuffer());
  return type.includes("json") ? response.json() : response.blob();
}

const tickets = new Map();

/**
 * @param {string} path
 * @param {RequestInit} options
 * @param {string} [key] only the newest question under it is answered
 * @returns {Promise<any>}
 */
async function request(path, options, key) {
  const ticket = Symbol(path);
  if (key) tickets.set(key, ticket);
  let response, answer;
  try {
    response = await fetch(path, options);
    answer = await read(response);
  } catch {
    throw new Refusal("the studio does not answer; is `hamex studio` still running?", null, 0);
  }
  if (key && tickets.get(key) !== ticket) return null;
  if (!response.ok)
    throw new Refusal(
      answer.message || `the studio refused (${response.status})`,
      answer.field || null,
      response.status,
    );
  return answer;
}
/** @type {(path: string, body: any, key?: string) => Promise<any>} */
export const ask = (path, body, key) =>
  request(path, {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)}, key);
/** @type {(path: string) => Promise<any>} */
export const get = (path) => request(path, {});
/** @type {(path: string) => Promise<any>} */
export const withdraw = (path) => request(path, {method: "DELETE"});

let working = 0;
const busy = (/** @type {number} */ change) => {
  working += change;
  document.documentElement.dataset.busy = working ? "yes" : "no";
};

/**
 * One question at a time: while the server works, only the newest one is kept. What is shown is never older than
 * the previous answer, and a dragged control shows every answer that there was time for. One that fails takes none of
 * the others with it: the newest is asked all the same.
 * @template {any[]} Question
 * @param {(...question: Question) => Promise<any>} work
 */
export function latest(work) {
  let running = false,
    newest = /** @type {Question | null} */ (null);
  return async function run(/** @type {Question} */ ...question) {
    newest = question;
    if (running) return;
    running = true;
    busy(1);
    try {
      while (newest) {
        const now = /** @type {Question} */ (newest);
        newest = null;
        try {
          await work(...now);
        } catch (problem) {
          if (!newest) throw problem;
          reportError(problem);
        }
      }
    } finally {
      running = false;
      busy(-1);
    }
  };
}
