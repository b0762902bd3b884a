// States as steps of the browser's history: Back and Ctrl-Z undo, Forward and Ctrl-Y do it again.
import {say} from "./elements.js";

const QUIET = 150, // milliseconds after a change until it stands in the address
  GESTURE = 1000; // between changes of the same number by keys that are one step, as when it is typed
const NONE = {what: "", when: -Infinity};

const isTable = (/** @type {any} */ value) =>
  value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;

/**
 * Names of what differs between two states.
 * @param {any} before
 * @param {any} after
 * @returns {string[]}
 */
const changes = (before, after, above = "") =>
  Object.keys(after).flatMap((key) => {
    if (before[key] === after[key]) return [];
    return isTable(before[key]) && isTable(after[key])
      ? changes(before[key], after[key], `${above}${key}.`)
      : [`${above}${key}`];
  });

/** How many steps of this page lie below the present place in the history; null where it is new. */
const place = () => /** @type {number | null} */ (history.state?.step ?? null);

/**
 * Writes states into the address, each change as a step of its own.
 * @param {(name: string, state: any) => Promise<string>} addressOf
 */
export function historySteps(addressOf) {
  let written = "", // the address as far as this page knows
    seen = place() ?? -1, // the step that is shown
    top = seen, // the newest one
    timer = 0,
    arrivals = 0, // at places of the history
    last = NONE, // the change before
    isHeld = false, // by a pointer: a slider that is dragged
    writing = Promise.resolve();
  /** @type {{name: string, state: any, isStep: boolean} | null} */
  let due = null;

  /** Another place of the history, or an address that was typed: what was to be written belongs to the one before. */
  function arrive() {
    clearTimeout(timer);
    arrivals += 1;
    due = null;
    last = NONE;
    written = location.hash;
    if (place() === null) history.replaceState({step: (top = seen + 1)}, "");
    seen = place() ?? 0;
  }

  function flush() {
    clearTimeout(timer);
    const now = due,
      asked = arrivals;
    due = null;
    if (now)
      writing = writing.then(async () => {
        const address = await addressOf(now.name, now.state);
        if (asked !== arrivals || location.hash !== written) return; // somebody has gone elsewhere meanwhile
        if (now.isStep && address !== written) history.pushState({step: (top = seen += 1)}, "", address);
        else history.replaceState({step: seen}, "", address);
        written = address;
      });
    return writing;
  }

  async function undo() {
    await flush();
    if (seen > 0) {
      history.back();
      say("one step back");
    }
  }
  function redo() {
    if (seen < top) {
      history.forward();
      say("one step forward");
    }
  }
  document.addEventListener("pointerdown", () => {
    isHeld = true;
    last = NONE;
  });
  for (const end of ["pointerup", "pointercancel"])
    document.addEventListener(end, () => {
      isHeld = false;
      last = NONE;
    });
  window.addEventListener("popstate", () => {
    seen = place() ?? seen;
  });
  document.addEventListener("keydown", (event) => {
    const {key, ctrlKey, metaKey, altKey, shiftKey, target} = event;
    const isText = target instanceof Element && target.closest("textarea, input[type=text], [contenteditable], dialog");
    if (!(ctrlKey || metaKey) || altKey || isText) return; // a text has an undo of its own
    const letter = key.toLowerCase();
    if (letter !== "z" && letter !== "y") return;
    event.preventDefault();
    if (letter === "y" || shiftKey) redo();
    else undo();
  });

  return {
    arrive,
    /** Whether the address is one that was written here. */
    isWritten: () => location.hash !== "" && location.hash === written,
    /**
     * Writes a state in a moment; before it comes what was there until then, unless it is the same gesture.
     * @param {{name: string, state: any}} view
     * @param {any} [before] the state that it replaces, where it is a step
     */
    write({name, state}, before) {
      const what = before ? `${name}: ${changes(before, state)}` : "",
        now = performance.now(),
        isSame = what === last.what && (isHeld || now - last.when < GESTURE),
        isStep = before !== undefined && !isSame;
      if (isStep) flush();
      if (before) last = {what, when: now};
      due = {name, state, isStep: isStep || Boolean(due?.isStep)};
      clearTimeout(timer);
      timer = setTimeout(flush, QUIET);
    },
  };
}
