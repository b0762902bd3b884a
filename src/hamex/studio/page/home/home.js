// Take home: a link to the state, and what the view gives.
import {button} from "../controls.js";
import {byId, element, save} from "../elements.js";
import {ask, problemOf} from "../requests.js";
import {currentView, permalink} from "../views.js";

function report(/** @type {string} */ words) {
  byId("home-said").textContent = words;
}

/**
 * A row: a button and what it gives. Trouble is said below.
 * @param {string} label
 * @param {string} about
 * @param {() => Promise<string | void>} run
 * @returns {Gift}
 */
export function gift(label, about, run) {
  const node = button(label, async () => {
    node.disabled = true;
    report("");
    try {
      report((await run()) || "");
    } catch (thrown) {
      const problem = problemOf(thrown);
      report(problem.message);
    } finally {
      node.disabled = false;
    }
  });
  return [node, element("span", {class: "quiet"}, about)];
}

/**
 * A file that the server writes.
 * @param {string} path
 * @param {any} body
 * @param {string} name
 * @param {string} type
 */
export async function fetched(path, body, name, type) {
  save(name, type, await ask(path, body));
  return `saved ${name}`;
}

/**
 * Shows code below the gifts.
 * @param {string} text
 */
function showCode(text) {
  byId("home-code").replaceChildren(element("pre", {class: "code", tabindex: "0", "aria-label": "Python code"}, text));
}

/**
 * Code that the server writes, saved and shown; `write` gives its text.
 * @param {() => Promise<string>} write
 * @param {() => string} name
 */
export function codeGift(write, name) {
  return gift("Python", "a script that gives these numbers, bit for bit", async () => {
    const text = await write();
    showCode(text);
    save(name(), "text/x-python", text);
    return "saved; it is also shown below";
  });
}

/**
 * @param {string} path
 * @param {() => any} body
 * @param {() => string} name
 */
export const pythonGift = (path, body, name) => codeGift(async () => (await ask(path, body())).text(), name);

async function open() {
  const view = currentView(),
    body = byId("home-body");
  const address = await permalink();
  const link = element("input", {
    type: "text",
    readonly: true,
    value: address,
    "aria-label": "link to this state",
    id: "permalink",
    style: "width:100%",
  });
  body.replaceChildren(
    element(
      "div",
      {class: "gifts"},
      ...gift("Copy link", "the whole state is in the address", async () => {
        link.select();
        try {
          await navigator.clipboard.writeText(address);
        } catch {
          document.execCommand("copy");
        }
        return "copied";
      }),
      ...(view.gifts ? view.gifts(view) : []).flat(),
    ),
    link,
    element("p", {id: "home-said", class: "quiet", role: "status"}),
    element("div", {id: "home-code"}),
  );
  byId("home").showModal();
}

/** The button that opens it. */
export function offer() {
  byId("home-open").addEventListener("click", open);
}
