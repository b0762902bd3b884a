// Incremental dynamic analysis: controls, a job whose curves come in one by one, what it found, what can be taken home.
import {button} from "../controls.js";
import {csv, element, lasting, save, say, short} from "../elements.js";
import {pageGift} from "../home/figures_page.js";
import {gift, pythonGift} from "../home/home.js";
import {overPlots} from "../messages.js";
import {card, cardRow, panel, progress} from "../panels.js";
import {Refusal, ask, get, problemOf, unpack, withdraw} from "../requests.js";
import {idaControls} from "./ida_controls.js";
import {measureOf, stateOf, studyFile} from "./ida_file.js";
import {drawCurves, drawFragility} from "./ida_plots.js";

/** @import {State} from "./ida_file.js" */
/** @import {RecordCurve} from "./ida_plots.js" */

const POLL = 120; // milliseconds between two questions for curves

/** @type {View} */
let view;
/** @type {ReturnType<typeof idaControls>} */
let controls;
/** @type {Refuse} */
let refuse;
/** @type {{id: string, total: number} | null} */
let job = null;
/** @type {RecordCurve[]} */
let curves = [];
/** @type {(IdaResult & {id: string}) | null} */
let result = null;
/** @type {State | null} settings of the analysis that is shown */
let ranWith = null;
let timer = 0;

const bar = progress("records done");
const go = button("Run", () => start(), {primary: true}),
  stop = button("Cancel", () => cancel());
const curvesPanel = panel("Curves of the records", "wide first", {size: "tall"}),
  fragilityPanel = panel("Fragility", "wide", {size: "tall"});
const cards = {
  median: card("median capacity θ"),
  dispersion: card("dispersion β"),
  censored: card("records never passing"),
  runs: card("runs"),
};
const row = cardRow(cards),
  margins = card("collapse margin ratio"); // stands in the row where collapse is sought
const flags = element("ul", {class: "quiet flags"});
const changed = element("span", {class: "quiet take"});
const files = {
  file: button("Study file", saveFile, {title: "TOML for `hamex ida`: the same numbers"}),
  runs: button("Runs as CSV", saveRuns),
  fit: button("Fragility as CSV", saveFit),
};

const stage = element("div", {class: "stage"}),
  over = overPlots(stage, "ida-message");

/** @param {View} given */
export function mount(given) {
  view = given;
  controls = idaControls(view, over.message);
  refuse = over.refusing(controls.refuse);
  curvesPanel.root.insertBefore(element("div", {class: "run"}, go, stop, bar, changed), curvesPanel.plot);
  fragilityPanel.root.append(flags);
  stage.append(
    curvesPanel.root,
    element("div", {class: "panel wide"}, row, element("div", {class: "row take"}, Object.values(files))),
    fragilityPanel.root,
  );
  return element("div", {class: "bench split", "data-bench": "ida"}, controls.root, stage);
}

export function show() {
  controls.show(stateOf(view));
  drawAll();
}

// ---------------------------------------------------------------- the job
async function start() {
  if (job) await cancel();
  const state = stateOf(view);
  refuse(null);
  buttons(true);
  bar.set(0, "making the motions …");
  /** @type {{id: string, total: number} | null} */
  let started;
  try {
    started = await ask("/api/study/ida", studyFile(state), "ida");
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    refuse(problem);
    buttons(false);
    bar.set(0, problem.field ? "not started: see the field" : "not started");
    return;
  }
  if (!started) return;
  curves = [];
  result = null;
  ranWith = state;
  job = started;
  say("analysis started");
  drawAll();
  poll();
}

/** @type {(curve: PackedCurve) => RecordCurve} */
const unpacked = ({label, im, demand}) => ({label, im: unpack(im), demand: unpack(demand)});

async function poll() {
  const mine = job;
  if (!mine) return;
  /** @type {IdaProgress} */
  let now;
  try {
    now = await get(`/api/study/ida/${mine.id}?since=${curves.length}`);
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (job === mine) ended(problem.message);
    return;
  }
  if (job !== mine) return;
  curves.push(...now.curves.map(unpacked));
  const left = now.left === null ? "" : `, ${lasting(now.left)} left`,
    share = now.done / now.total;
  bar.set(share, `${now.done} of ${now.total} records${now.state === "running" && now.done ? left : ""}`);
  if (now.state === "running") {
    if (now.curves.length) drawAll();
    timer = setTimeout(poll, POLL);
  } else if (now.result) {
    result = {...now.result, id: mine.id};
    curves = result.curves.map(unpacked);
    ended(`${now.total} records, ${result.runs} runs in ${lasting(result.seconds)}`, 1);
  } else ended(now.state === "cancelled" ? `cancelled after ${now.done} of ${now.total} records` : now.message, share);
}

function ended(/** @type {string} */ words, share = 0) {
  job = null;
  buttons(false);
  bar.set(share, words);
  say(words);
  drawAll();
}

async function cancel() {
  if (!job) return;
  const {id, total} = job;
  clearTimeout(timer);
  job = null;
  buttons(false);
  bar.set(curves.length / total, `cancelled after ${curves.length} of ${total} records`);
  say("analysis cancelled");
  drawAll();
  try {
    await withdraw(`/api/study/ida/${id}`);
  } catch {
    /* it is gone already */
  }
}

function buttons(/** @type {boolean} */ running) {
  go.disabled = running;
  stop.disabled = !running;
  go.textContent = running ? "Running …" : result ? "Run again" : "Run";
}

// A page that is closed takes its study with it.
window.addEventListener("pagehide", () => {
  if (job) fetch(`/api/study/ida/${job.id}`, {method: "DELETE", keepalive: true});
});

// ---------------------------------------------------------------- what it found
/** The fit, where there is one. */
const fitOf = () => (result && "median" in result.fragility ? result.fragility : null);

function drawAll() {
  const shown = {state: ranWith || stateOf(view), curves, result, fit: fitOf(), running: Boolean(job)};
  drawCurves(curvesPanel, shown);
  drawFragility(fragilityPanel, shown);
  showNumbers();
  files.runs.disabled = !result;
  files.fit.disabled = !shown.fit;
  const isStale = ranWith !== null && JSON.stringify(ranWith) !== JSON.stringify(stateOf(view));
  changed.textContent = isStale ? "The settings have changed since this run." : "";
  stage.dataset.shown = !ranWith ? "nothing" : isStale ? "stale" : "current";
  if (!job && !curves.length) buttons(false);
}

function showNumbers() {
  const fit = fitOf();
  cards.runs.value.textContent = result ? String(result.runs) : "–";
  cards.median.value.textContent = fit ? `${short(fit.median, 4)} g` : "–";
  cards.median.value.dataset.value = fit ? String(fit.median) : "";
  cards.median.label.textContent = fit
    ? `median capacity θ (${fit.interval.median.map((end) => short(end, 3)).join(" to ")})`
    : "median capacity θ";
  cards.dispersion.value.textContent = fit ? short(fit.dispersion, 3) : "–";
  cards.dispersion.value.dataset.value = fit ? String(fit.dispersion) : "";
  cards.dispersion.label.textContent = fit
    ? `dispersion β (${fit.interval.dispersion.map((end) => short(end, 2)).join(" to ")})`
    : "dispersion β";
  cards.censored.value.textContent = result
    ? `${result.capacities.filter((value) => value === null).length} of ${result.capacities.length}`
    : "–";
  const margin = fit?.margin ?? null;
  const falls = measureOf(ranWith || stateOf(view)) === "collapse";
  cards.censored.label.textContent = falls ? "records never collapsing" : "records never passing";
  if (falls) row.append(margins.root);
  else margins.root.remove();
  margins.value.textContent = margin ? short(margin.ratio, 3) : "–";
  if (margin) margins.value.dataset.value = String(margin.ratio);
  else delete margins.value.dataset.value;
  margins.label.textContent = margin
    ? `collapse margin ratio over ${short(margin.level, 3)} g, where P = ${short(margin.probability, 2)}`
    : "collapse margin ratio";
  flags.replaceChildren(
    ...(result ? [...(result.fragility.why ? [result.fragility.why] : []), ...result.flags] : []).map((words) =>
      element("li", {}, words),
    ),
  );
}

// ---------------------------------------------------------------- take home
async function saveFile() {
  try {
    const {name, text} = await ask("/api/study/ida/file", studyFile(ranWith || stateOf(view)));
    save(name, "application/toml", text);
  } catch (thrown) {
    const problem = problemOf(thrown);
    refuse(problem);
  }
}

async function saveRuns() {
  if (!result) return;
  try {
    save("runs.csv", "text/csv", await get(`/api/study/ida/${result.id}/runs.csv`));
  } catch (thrown) {
    const problem = problemOf(thrown);
    refuse(problem);
  }
}

function saveFit() {
  const fit = fitOf();
  if (!result || !fit) return;
  save(
    "fragility.csv",
    "text/csv",
    csv(
      [result.intensity, "probability", "90% from", "90% to"],
      [fit.im, fit.probability, fit.low, fit.high].map(unpack),
    ),
  );
}

/**
 * @param {View} given
 * @param {HTMLElement} sheet
 * @returns {Gift[]}
 */
export const gifts = (given, sheet) => [
  pythonGift(
    "/api/study/ida/python",
    () => studyFile(ranWith || stateOf(view)),
    () => "study.py",
  ),
  gift("Study file", "TOML for `hamex ida`: the same numbers", async () => {
    await saveFile();
    return "saved study.toml";
  }),
  gift("Runs", "every run as a row of CSV", async () => {
    if (!result) return "run the analysis first";
    await saveRuns();
    return "saved runs.csv";
  }),
  gift("Fragility", "the curve and its band as CSV", async () => {
    if (!fitOf()) return "there is no fragility yet";
    saveFit();
    return "saved fragility.csv";
  }),
  // Settings that have changed since the run are not those of the figures.
  pageGift(given, () =>
    result && ranWith
      ? {
          name: "ida.html",
          title: `${studyFile(ranWith).title}: incremental dynamic analysis`,
          sheet,
          ...(changed.textContent ? {words: ""} : {}),
        }
      : {why: "run the analysis first"},
  ),
];
