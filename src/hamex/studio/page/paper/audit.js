// The audit of the paper: items come while it runs; verdicts and words can be sought.
import {element, save, say} from "../elements.js";
import {pageGift} from "../home/figures_page.js";
import {gift} from "../home/home.js";
import {progress, segments} from "../panels.js";
import {get, problemOf} from "../requests.js";

const POLL = 350;
/** @type {[name: string, kind: string, sign: string][]} */
const VERDICTS = [
  ["holds", "holds", "✓"],
  ["misprint", "misprint", "✎"],
  ["holds with a condition", "condition", "◐"],
  ["not true in general", "not", "✗"],
];
export const START = {verdict: "all", words: ""};
/** @typedef {typeof START} State */

/** @type {{node: HTMLElement, judged: AuditItem, number: string, text: string}[]} */
const items = [];
/** @type {Map<string, HTMLElement>} by part and equation */
const drawings = new Map();
/** @type {View} */
let view;
/** @type {Segments} */
let chosen;
/** @type {HTMLInputElement} */
let search;
let running = false,
  finished = false,
  timer = 0,
  received = 0;
const bar = progress("equations and claims judged"),
  list = element("div", {class: "items"}),
  none = element("p", {class: "quiet", hidden: true}, "Nothing in the paper fits this choice.");
// Letters of the drawings stand once on the page, however many equations use them.
const letters = element("div", {class: "letters", "aria-hidden": "true", html: '<svg width="0" height="0"></svg>'});

/** @param {View} given */
export function mount(given) {
  view = given;
  chosen = segments(
    "Verdict",
    [["all", "All"], .../** @type {Options} */ (VERDICTS.map(([name, , sign]) => [name, `${sign} ${name}`]))],
    (verdict) => view.set({verdict}),
  );
  search = element("input", {
    type: "text",
    id: "audit-words",
    placeholder: "number or word",
    maxlength: 60,
    oninput: () => view.set({words: search.value}),
  });
  return element(
    "div",
    {class: "audit"},
    element(
      "p",
      {},
      "Every numbered equation, both tables and the claims made in words, compared with what follows from the " +
        "Lagrangian and the dissipation function. Each verdict is computed by SymPy in a process of its own, beside " +
        "the server; it takes half a minute.",
    ),
    bar,
    element(
      "div",
      {class: "row filters"},
      chosen,
      element("span", {class: "field find"}, element("label", {for: "audit-words"}, "Find"), search),
    ),
    letters,
    list,
    none,
  );
}

/** @param {State} state */
export function show(state) {
  chosen.set(state.verdict);
  if (document.activeElement !== search) search.value = state.words;
  filter(state);
  if (!running && !finished) {
    running = true;
    poll();
  }
}

async function poll() {
  /** @type {AuditProgress} */
  let now;
  try {
    now = await get(`/api/paper/audit?items=${items.length}&drawings=${received}`);
  } catch (thrown) {
    const problem = problemOf(thrown);
    running = false;
    bar.set(0, problem.message);
    return;
  }
  for (const item of now.items) add(item);
  for (const drawing of now.drawings) put(drawing);
  received += now.drawings.length;
  count();
  const going = now.state === "running" || now.drawn === "running";
  bar.set(
    now.total ? now.done / now.total : 0,
    now.state === "failed"
      ? now.why
      : now.state === "finished"
        ? `all ${now.total} judged${now.drawn === "running" ? ", equations are being drawn" : ""}`
        : now.total
          ? `${now.done} of ${now.total} judged`
          : "starting …",
  );
  filter(view.state);
  if (now.state === "finished" && !going) {
    finished = true;
    running = false;
    say("audit finished");
    return;
  }
  if (!going || !running) {
    running = false;
    return;
  }
  timer = setTimeout(poll, POLL);
}

export function leave() {
  clearTimeout(timer);
  running = false;
}

/**
 * A sentence begins large unless with a symbol; a dot over J needs a font with serifs, or it looks like a j.
 * @param {string} text
 */
function spelled(text) {
  const start = /^[a-z]{2,}[ ,:]/i.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return start.split("J̇").flatMap((part, i) => (i ? [element("span", {class: "letter"}, "J̇"), part] : [part]));
}

const words = (/** @type {string} */ text) => element("p", {}, text[0].toUpperCase() + text.slice(1));

/** @param {AuditItem} item */
function add(item) {
  const number = /^\d+$/.test(item.equation),
    [, kind, sign] = VERDICTS.find(([name]) => name === item.verdict) || VERDICTS[0];
  const title = number
    ? `(${item.equation})`
    : item.equation.replace("claim: ", "").replace(/^./, (letter) => letter.toUpperCase());
  const differs = item.verdict !== "holds" && item.correct !== item.printed,
    inEvidence = item.correct === "as derived; see the evidence";
  const slot = (/** @type {string} */ part, /** @type {string} */ text) =>
    number && !(part === "correct" && inEvidence)
      ? element(
          "div",
          {class: "slot", "data-slot": `${part} ${item.equation}`},
          element("div", {class: "equation waiting"}, "…"),
        )
      : words(text);
  const node = element(
    "section",
    {class: "item", "data-verdict": item.verdict, "data-equation": item.equation},
    element(
      "h3",
      {},
      title,
      element("span", {class: "kind"}, item.kind),
      element("span", {class: `tag ${kind}`}, `${sign} ${item.verdict}`),
    ),
    slot("printed", item.printed),
    ...(differs
      ? [
          element(
            "div",
            {class: "better"},
            element("b", {}, number ? "should read" : "rather"),
            slot("correct", item.correct),
          ),
        ]
      : []),
    element("p", {class: "evidence"}, spelled(item.evidence)),
  );
  if (items.at(-1)?.judged.section !== item.section)
    list.append(element("h2", {"data-section": item.section}, item.section));
  items.push({
    node,
    judged: item,
    number: number ? item.equation : "",
    text: `${title} ${item.kind} ${item.evidence} ${item.reading} ${number ? "" : item.printed}`.toLowerCase(),
  });
  list.append(node);
  for (const part of ["printed", "correct"]) fill(`${part} ${item.equation}`, node);
}

/** @param {AuditDrawing} drawing */
function put({equation, part, html}) {
  const holder = element("div", {html});
  for (const letter of holder.querySelectorAll("symbol")) {
    if (letters.firstChild.querySelector(`#${letter.id}`)) letter.remove();
    else letters.firstChild.append(letter);
  }
  drawings.set(`${part} ${equation}`, holder);
  const item = list.querySelector(`[data-equation="${equation}"]`);
  if (item) fill(`${part} ${equation}`, item);
}

// What has to be scrolled sideways can be reached by the keyboard.
const reach = new ResizeObserver((entries) => {
  const wide = entries.map(({target}) => target.scrollWidth > target.clientWidth);
  entries.forEach(({target}, i) =>
    wide[i] ? target.setAttribute("tabindex", "0") : target.removeAttribute("tabindex"),
  );
});

/**
 * Puts a drawing into its place, as soon as both are there.
 * @param {string} key
 * @param {HTMLElement} node
 */
function fill(key, node) {
  const slot = node.querySelector(`[data-slot="${key}"]`),
    drawing = drawings.get(key);
  if (!slot || !drawing) return;
  slot.replaceChildren(.../** @type {HTMLElement} */ (drawing.cloneNode(true)).children);
  for (const equation of slot.querySelectorAll(".equation")) reach.observe(equation);
}

function count() {
  for (const one of /** @type {HTMLCollectionOf<HTMLElement>} */ (chosen.children)) {
    const verdict = VERDICTS.find(([name]) => name === one.dataset.part);
    one.textContent = verdict
      ? `${verdict[2]} ${verdict[0]} ${items.filter(({judged}) => judged.verdict === verdict[0]).length}`
      : `All ${items.length}`;
  }
}

/** @param {State} state */
function filter(state) {
  const sought = state.words.trim().toLowerCase(),
    number = /^\(?\d+\)?$/.test(sought) ? sought.replace(/[()]/g, "") : null,
    sections = new Set();
  for (const item of items) {
    const seen =
      (state.verdict === "all" || item.judged.verdict === state.verdict) &&
      (!sought || (number !== null ? item.number === number : item.text.includes(sought)));
    item.node.hidden = !seen;
    if (seen) sections.add(item.judged.section);
  }
  for (const head of list.querySelectorAll("h2")) head.hidden = !sections.has(head.dataset.section);
  none.hidden = sections.size > 0 || !items.length;
}

function csv() {
  const quoted = (/** @type {string} */ words) => `"${words.replaceAll('"', '""')}"`,
    head = /** @type {(keyof AuditItem)[]} */ ([
      "equation",
      "section",
      "kind",
      "verdict",
      "printed",
      "correct",
      "evidence",
    ]);
  save(
    "audit.csv",
    "text/csv",
    [head, ...items.map(({judged}) => head.map((name) => quoted(judged[name])))]
      .map((row) => `${row.join(",")}\n`)
      .join(""),
  );
}

/**
 * @param {View} given
 * @param {HTMLElement} sheet
 * @returns {Gift[]}
 */
export const gifts = (given, sheet) => [
  gift("CSV", "every item judged so far, with its evidence", async () => {
    if (!items.length) return "nothing is judged yet";
    csv();
    return "saved audit.csv";
  }),
  pageGift(given, () =>
    items.length
      ? {name: "audit.html", title: "Audit of every equation of the paper", sheet}
      : {why: "nothing is judged yet"},
  ),
];
