// Table 2 and figures 10 to 13: section 6 of the paper live, digit by digit.
import {button, changeOf, choice, control, group} from "../controls.js";
import {element, save} from "../elements.js";
import {pageGift} from "../home/figures_page.js";
import {gift, pythonGift} from "../home/home.js";
import {askOrRefuse, besideNamedFields, overPlots, redrawn} from "../messages.js";
import {card, cardRow, panel} from "../panels.js";
import {get, latest, problemOf} from "../requests.js";
import {drawDisplacements, drawHalving, drawLoops, isNarrow} from "./section_six_plots.js";
import {tableCsv, tableTwo} from "./table_two.js";

export const START = {load: "end", parts: 1, viscosity: 1, kinematic: 0};
/** @typedef {typeof START} State */
/** @type {Options} */
const LOADS = [
  ["end", "at its end (the paper)"],
  ["average", "average of both ends"],
  ["mean", "mean over the step"],
];

/** @type {Record<keyof State, Field>} */
let fields;
/** @type {ReturnType<typeof overPlots>} */
let over;
/** @type {Refuse} */
let refuse;
/** @type {PaperAnswer | null} */
let answer = null;
/** @type {OpenSeesAnswer | null} */
let peer = null;
/** @type {ConvergenceStudy[] | null} */
let halvings = null;
let slowOnesAsked = false;
const cards = {
  digits: card("printed numbers met in every digit"),
  residual: card("energy residual"),
  newton: card("Newton iterations: this method, Newmark"),
  peer: card("OpenSees"),
};
const figures = {
  "figure-10": panel("Figure 10", "wide first", {size: "rows"}),
  "figure-11": panel("Figure 11", "wide", {size: "loops"}),
  "figure-12": panel("Figure 12", "wide", {size: "rows"}),
  "figure-13": panel("Figure 13", "wide", {size: "loops"}),
};
const halving = panel("Not in the paper: error against the step", "wide", {size: "tall"});
const table = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table 2"});
const remark = element("p", {class: "quiet"}, "\u00a0"),
  conventions = element("ol", {class: "quiet"});

/** @param {View} view */
export function mount(view) {
  const change = changeOf(view);
  fields = {
    load: choice({label: "Load of a step", options: LOADS, value: "end", oninput: change("load"), name: "load"}),
    parts: choice({
      label: "Step",
      options: [
        [1, "as in the paper"],
        [2, "half of it"],
        [4, "a quarter"],
        [8, "an eighth"],
      ],
      value: 1,
      oninput: (value) => view.set({parts: Number(value)}),
      name: "parts",
    }),
    viscosity: control({
      name: "viscosity",
      label: "Viscosity, times the paper's",
      unit: "×",
      min: 0,
      max: 4,
      step: 0.05,
      value: 1,
      oninput: change("viscosity"),
      help: "0: rate-independent plasticity",
    }),
    kinematic: control({
      name: "kinematic",
      label: "Hardening",
      unit: "kip/in",
      min: 0,
      max: 100,
      step: 1,
      value: 0,
      oninput: change("kinematic"),
      help: "none in the paper",
    }),
  };
  const stage = element(
    "div",
    {class: "stage"},
    element("div", {class: "panel wide first"}, cardRow(cards)),
    element(
      "figure",
      {class: "panel wide first"},
      element(
        "figcaption",
        {},
        element("span", {}, "Table 2. Final slip u₁ [milli-in] and momentum p [milli-in/s]"),
        element("span", {class: "quiet"}, "✓ every digit as printed, ≠ differs"),
      ),
      table,
    ),
    Object.values(figures).map((one) => one.root),
    halving.root,
  );
  over = overPlots(stage, "paper-message");
  refuse = over.refusing(besideNamedFields(fields, over.message));
  followWidth();
  return element(
    "div",
    {class: "bench split"},
    element(
      "aside",
      {class: "controls stay", "aria-label": "How the six cases are run"},
      group("How it is run", fields.load, fields.parts),
      group("The slider", fields.viscosity, fields.kinematic),
      button("As in the paper", () => view.set(START)),
      remark,
      element(
        "details",
        {class: "unsaid"},
        element("summary", {}, "What Table 2 needs and the paper does not say"),
        conventions,
      ),
    ),
    stage,
  );
}

/** Plots stand side by side or one below the other: those of another width are laid out anew. */
function followWidth() {
  let wasNarrow = /** @type {boolean | null} */ (null);
  new ResizeObserver(([{contentRect}]) => {
    if (!contentRect.width) return;
    const narrow = isNarrow(halving.plot);
    for (const {plot} of [figures["figure-11"], figures["figure-13"], halving]) plot.classList.toggle("below", narrow);
    if (wasNarrow !== null && wasNarrow !== narrow) drawAll();
    wasNarrow = narrow;
  }).observe(halving.plot);
}

/** @param {State} state */
const request = ({load, parts, viscosity, kinematic}) => ({load, parts, viscosity, kinematic});

const run = latest(async (/** @type {State} */ state, /** @type {number} */ begin) => {
  over.asked();
  const newest = await askOrRefuse("/api/paper", request(state), "paper", refuse);
  if (!newest) return;
  refuse(null);
  answer = newest;
  drawAll();
  over.drawn();
  await redrawn(begin);
  if (!slowOnesAsked) {
    slowOnesAsked = true;
    askSlowOnes();
  }
});

/** What takes a second comes behind: OpenSees, and the halving of the step. */
async function askSlowOnes() {
  try {
    peer = await get("/api/paper/opensees");
    drawTable();
  } catch (thrown) {
    const problem = problemOf(thrown);
    cards.peer.value.textContent = "–";
    cards.peer.label.textContent = `OpenSees: ${problem.message}`;
  }
  try {
    halvings = (await get("/api/paper/convergence")).studies;
    if (halvings) drawHalving(halving, halvings);
  } catch (thrown) {
    const problem = problemOf(thrown);
    halving.note.textContent = problem.message;
  }
}

/** @param {State} state */
export function show(state) {
  const begin = performance.now();
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(START))) fields[key].set(state[key]);
  return run(state, begin);
}

function drawAll() {
  if (!answer) return;
  const resonant = answer.rows.filter((row) => row.resonant),
    record = answer.rows.filter((row) => !row.resonant);
  for (const [name, one] of Object.entries(figures)) one.words.textContent = answer.captions[name];
  drawDisplacements(figures["figure-10"], resonant);
  drawLoops(figures["figure-11"], resonant);
  drawDisplacements(figures["figure-12"], record);
  drawLoops(figures["figure-13"], record);
  remark.textContent = answer.paper
    ? "These are the paper's own settings."
    : "Not the paper's settings: the digits of Table 2 need not come out.";
  conventions.replaceChildren(...answer.conventions.map((words) => element("li", {}, words)));
  drawTable();
  if (halvings) drawHalving(halving, halvings);
}

function drawTable() {
  if (!answer) return;
  cards.digits.value.textContent = `${answer.matches} of ${answer.numbers}`;
  cards.residual.value.textContent = answer.residual.toExponential(1);
  const iterations = answer.rows.reduce((sum, row) => sum + (row.newmark.iterations || 0), 0);
  cards.newton.value.textContent = `0, ${iterations.toLocaleString("en")}`;
  if (peer) {
    cards.peer.value.textContent = peer.live ? "run live" : "recorded";
    cards.peer.label.textContent = `OpenSees ${peer.version}${peer.live ? "" : `: ${peer.reason}`}`;
    cards.peer.root.title = peer.eta_honoured
      ? "A probe run shows that this release honours the viscosity."
      : "This release ignores the viscosity: it solves another model.";
  }
  table.replaceChildren(tableTwo(answer.rows, peer));
}

/**
 * @param {View} view
 * @param {HTMLElement} sheet
 * @returns {Gift[]}
 */
export const gifts = (view, sheet) => [
  pythonGift(
    "/api/paper/python",
    () => request(view.state),
    () => "table-2.py",
  ),
  gift("CSV", "Table 2 with all digits", async () => {
    if (!answer) return "there is no table yet";
    save("table-2.csv", "text/csv", tableCsv(answer.rows));
    return "saved table-2.csv";
  }),
  pageGift(view, () =>
    answer
      ? {name: "section-6.html", title: "Section 6 of the paper: figures 10–13 and Table 2", sheet}
      : {why: "there is no table yet"},
  ),
];
