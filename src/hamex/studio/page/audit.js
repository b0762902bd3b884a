// The audit of the paper: items come while it runs; verdicts and words can be sought.
import {element, save, say} from "./elements.js";
import * as Home from "./home.js";
import {get} from "./requests.js";
import {progress, segments} from "./sheets.js";

const POLL = 350;
const VERDICTS = [
  ["holds", "holds", "✓"],
  ["misprint", "misprint", "✎"],
  ["holds with a condition", "condition", "◐"],
  ["not true in general", "not", "✗"],
];
export const START = {verdict: "all", words: ""};
const items = [],
  drawings = new Map();
let view,
  chosen,
  search,
  running = false,
  finished = false,
  timer = 0,
  received = 0;
const bar = progress("equations and claims judged"),
  list = element("div", {class: "items"}),
  none = element("p", {class: "quiet", hidden: true}, "Nothing in the paper fits this choice.");
// Letters of the drawings stand once on the page, however many equations use them.
const letters = element("div", {class: "letters", "aria-hidden": "true", html: '<svg width="0" height="0"></svg>'});

export function mount(given) {
  view = given;
  chosen = segments(
    "Verdict",
    [["all", "All"], ...VERDICTS.map(([name, , sign]) => [name, `${sign} ${name}`])],
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
  let told;
  try {
    told = await get(`/api/paper/audit?items=${items.length}&drawings=${received}`);
  } catch (problem) {
    running = false;
    bar.set(0, problem.message);
    return;
  }
  for (const item of told.items) add(item);
  for (const drawing of told.drawings) put(drawing);
  received += told.drawings.length;
  count();
  const going = told.state === "running" || told.drawn === "running";
  bar.set(
    told.total ? told.done / told.total : 0,
    told.state === "failed"
      ? "the audit ended with an error"
      : told.state === "finished"
        ? `all ${told.total} judged${told.drawn === "running" ? ", equations are being drawn" : ""}`
        : told.total
          ? `${told.done} of ${told.total} judged`
          : "starting …",
  );
  filter(view.state);
  if (told.state === "finished" && !going) {
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

/** A sentence begins large unless with a symbol; a dot over J needs a font with serifs, or it looks like a j. */
function spelled(text) {
  const start = /^[a-z]{2,}[ ,:]/i.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return start.split("J̇").flatMap((part, i) => (i ? [element("span", {class: "letter"}, "J̇"), part] : [part]));
}

const words = (text) => element("p", {}, text[0].toUpperCase() + text.slice(1));

function add(item) {
  const number = /^\d+$/.test(item.equation),
    [, kind, sign] = VERDICTS.find(([name]) => name === item.verdict) || VERDICTS[0];
  const title = number
    ? `(${item.equation})`
    : item.equation.replace("claim: ", "").replace(/^./, (letter) => letter.toUpperCase());
  const differs = item.verdict !== "holds" && item.correct !== item.printed,
    told = item.correct === "as derived; see the evidence";
  const slot = (part, text) =>
    number && !(part === "correct" && told)
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
  if (!items.length || items.at(-1).section !== item.section)
    list.append(element("h2", {"data-section": item.section}, item.section));
  items.push({
    node,
    told: item,
    section: item.section,
    verdict: item.verdict,
    number: number ? item.equation : "",
    text: `${title} ${item.kind} ${item.evidence} ${item.reading} ${number ? "" : item.printed}`.toLowerCase(),
  });
  list.append(node);
  for (const part of ["printed", "correct"]) fill(`${part} ${item.equation}`, node);
}

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

function fill(key, node) {
  const slot = node.querySelector(`[data-slot="${key}"]`);
  if (slot && drawings.has(key)) slot.replaceChildren(...drawings.get(key).cloneNode(true).children);
}

function count() {
  for (const one of chosen.children) {
    const verdict = one.dataset.part,
      found = VERDICTS.find(([name]) => name === verdict);
    one.textContent = found
      ? `${found[2]} ${verdict} ${items.filter((item) => item.verdict === verdict).length}`
      : `All ${items.length}`;
  }
}

function filter(state) {
  const sought = state.words.trim().toLowerCase(),
    number = /^\(?\d+\)?$/.test(sought) ? sought.replace(/[()]/g, "") : null,
    sections = new Set();
  for (const item of items) {
    const seen =
      (state.verdict === "all" || item.verdict === state.verdict) &&
      (!sought || (number !== null ? item.number === number : item.text.includes(sought)));
    item.node.hidden = !seen;
    if (seen) sections.add(item.section);
  }
  for (const head of list.querySelectorAll("h2")) head.hidden = !sections.has(head.dataset.section);
  none.hidden = sections.size > 0 || !items.length;
}

function csv() {
  const quoted = (words) => `"${words.replaceAll('"', '""')}"`,
    head = ["equation", "section", "kind", "verdict", "printed", "correct", "evidence"];
  save(
    "audit.csv",
    "text/csv",
    [head, ...items.map(({told}) => head.map((name) => quoted(told[name])))]
      .map((row) => `${row.join(",")}\n`)
      .join(""),
  );
}

export const gifts = (given, sheet) => [
  Home.gift("CSV", "every item judged so far, with its evidence", async () => {
    if (!items.length) return "nothing is judged yet";
    csv();
    return "saved audit.csv";
  }),
  Home.pageGift(given, () =>
    items.length
      ? {name: "audit.html", title: "Audit of every equation of the paper", sheet}
      : {why: "nothing is judged yet"},
  ),
];
