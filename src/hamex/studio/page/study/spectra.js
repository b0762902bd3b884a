// Spectra of a motion: elastic ones follow every control, those of constant ductility come half a second later.
import {button, changeOf, choice, group, numberFields, toggle} from "../controls.js";
import {csv, element, save} from "../elements.js";
import {pageGift} from "../home/figures_page.js";
import {gift, pythonGift} from "../home/home.js";
import {askOrRefuse, besideNamedFields, overPlots, redrawn} from "../messages.js";
import * as Motions from "../motion.js";
import {latest, unpack} from "../requests.js";
import {LENGTHS} from "../units.js";
import {drawSpectra, panels, yieldingCurves} from "./spectra_plots.js";

const DUCTILITIES = [1.5, 2, 3, 4, 6, 8];
const MOST = 4, // ductilities at a time
  FINE = 200, // periods of the elastic spectrum
  COARSE = 48, // periods of those of constant ductility
  REST = 140; // milliseconds that a control rests
export const START = {
  motion: {...Motions.START},
  damping: 0.05,
  ductility: [2, 4],
  hardening: 0,
  from: 0.05,
  to: 4,
  logPeriod: true,
  logValue: false,
  length: "m",
};
/** @typedef {typeof START} State */

/**
 * @param {State} state
 * @param {number} count of periods
 */
const request = (state, count, more = {}) => ({
  units: {length: state.length, force: "kN"},
  motion: Motions.table(state.motion),
  damping: state.damping,
  periods: {start: state.from, stop: state.to, count, spacing: state.logPeriod ? "log" : "linear"},
  ...more,
});
/** @param {State} state */
const yieldingRequest = (state) =>
  request(state, COARSE, {ductility: [...state.ductility].sort((a, b) => a - b), hardening: state.hardening});

/** @type {Record<string, Field>} */
let fields;
/** @type {(state: State) => void} */
let showFields;
/** @type {ReturnType<typeof overPlots>} */
let over;
/** @type {Refuse} */
let refuse;
/** @type {ElasticSpectrum | null} */
let elastic = null;
/** @type {{answer: YieldingSpectrum, question: string} | null} */
let yielding = null;
/** @type {State} */
let shown;
let resting = 0;

/** @param {View} view */
export function mount(view) {
  const change = changeOf(view),
    field = numberFields(view.state, change);
  fields = {
    damping: field("damping", "Damping ratio", "damping", "of critical", {min: 0, max: 0.3, step: 0.005}),
    hardening: field(
      "hardening",
      "Hardening",
      "hardening",
      "of elastic",
      {min: 0, max: 0.3, step: 0.01},
      "stiffness after yield over elastic stiffness",
    ),
    "periods.start": field("periods.start", "Shortest period", "from", "s", {min: 0.02, max: 1, log: true}),
    "periods.stop": field("periods.stop", "Longest period", "to", "s", {min: 1, max: 10, log: true}),
  };
  const picks = {
    logPeriod: toggle({label: "Periods on a logarithmic axis", value: true, oninput: change("logPeriod")}),
    logValue: toggle({label: "Values on a logarithmic axis", value: false, oninput: change("logValue")}),
    length: choice({
      label: "Unit of length",
      options: LENGTHS,
      value: "m",
      oninput: change("length"),
    }),
  };
  const boxes = DUCTILITIES.map((value) =>
    toggle({
      label: `μ = ${value}`,
      value: false,
      name: `ductility ${value}`,
      oninput: (on) =>
        view.set({
          ductility: on
            ? [...view.state.ductility, value].slice(-MOST)
            : view.state.ductility.filter((/** @type {number} */ one) => one !== value),
        }),
    }),
  );
  const shaking = Motions.controls((patch) => view.set({motion: {...view.state.motion, ...patch}}));
  for (const one of Object.values(shaking.fields)) fields[one.dataset.name ?? ""] = one;
  const stage = element(
    "div",
    {class: "stage"},
    Object.values(panels).map((one) => one.root),
  );
  over = overPlots(stage, "spectra-message");
  refuse = over.refusing(besideNamedFields(fields, over.message));
  showFields = (state) => {
    fields.damping.set(state.damping);
    fields.hardening.set(state.hardening);
    fields["periods.start"].set(state.from);
    fields["periods.stop"].set(state.to);
    picks.logPeriod.set(state.logPeriod);
    picks.logValue.set(state.logValue);
    picks.length.set(state.length);
    boxes.forEach((box, i) => box.set(state.ductility.includes(DUCTILITIES[i])));
    shaking.show(state.motion);
  };
  return element(
    "div",
    {class: "bench split", "data-bench": "spectra"},
    element(
      "aside",
      {class: "controls stay", "aria-label": "Motion and oscillators"},
      shaking,
      group("Oscillators", fields.damping, fields["periods.start"], fields["periods.stop"]),
      group(
        "Constant ductility",
        element("div", {class: "row"}, boxes),
        element("p", {class: "quiet"}, `Up to ${MOST} ductilities: the largest strength that gives them.`),
        fields.hardening,
      ),
      group(
        "Axes and data",
        picks.logPeriod,
        picks.logValue,
        picks.length,
        element(
          "div",
          {class: "row"},
          button("Save CSV", saveCurves, {title: "elastic spectrum and strengths as a table"}),
          button("Start again", () => view.set(structuredClone(START))),
        ),
      ),
    ),
    stage,
  );
}

const askElastic = latest(async (/** @type {State} */ state, /** @type {number} */ begin) => {
  over.asked();
  const answer = await askOrRefuse("/api/study/spectrum", request(state, FINE), "spectrum", refuse);
  if (!answer) return;
  refuse(null);
  elastic = answer;
  if (!state.ductility.length) yielding = null;
  drawAll(state);
  over.drawn();
  await redrawn(begin);
});

const askYielding = latest(async (/** @type {State} */ state) => {
  const question = yieldingRequest(state),
    answer = await askOrRefuse("/api/study/spectrum", question, "yielding", refuse);
  if (!answer) return;
  yielding = shown.ductility.length ? {answer, question: JSON.stringify(question)} : null;
  drawAll(shown);
});

/**
 * Whether the curves of constant ductility are those of the state.
 * @param {State} state
 */
const isCurrent = (state) => yielding !== null && yielding.question === JSON.stringify(yieldingRequest(state));

/** @param {State} state */
export function show(state) {
  const begin = performance.now();
  shown = state;
  showFields(state);
  // Half a second of work: asked for when the control rests. Until then the old curves are shown faintly.
  clearTimeout(resting);
  if (state.ductility.length)
    resting = setTimeout(() => {
      if (!isCurrent(state)) askYielding(state);
    }, REST);
  return askElastic(state, begin);
}

/** @param {State} state */
function drawAll(state) {
  if (!elastic) return;
  drawSpectra({
    state,
    elastic,
    yielding: yielding ? yieldingCurves(yielding.answer) : [],
    question: yielding ? yielding.question : "",
    waiting: yielding !== null && !isCurrent(state),
  });
}

function saveCurves() {
  if (!elastic) return;
  const {length} = elastic;
  save(
    "spectrum.csv",
    "text/csv",
    csv(
      ["period [s]", "displacement", "pseudo_velocity", "pseudo_acceleration"].map(
        (name, i) => name + ["", ` [${length}]`, ` [${length}/s]`, " [g]"][i],
      ),
      [elastic.periods, elastic.displacement, elastic.pseudo_velocity, elastic.pseudo_acceleration].map(unpack),
    ),
  );
  if (!yielding) return;
  const curves = yieldingCurves(yielding.answer);
  save(
    "spectrum-yielding.csv",
    "text/csv",
    csv(
      [
        "period [s]",
        ...curves.flatMap(({mu}) => [
          `strength over weight, ductility ${mu}`,
          `displacement [${length}], ductility ${mu}`,
        ]),
      ],
      [curves[0].T, ...curves.flatMap((one) => [one.strength, one.displacement])],
    ),
  );
}

/**
 * Both spectra in one question, for the script.
 * @param {State} state
 */
function script(state) {
  const fine = request(state, FINE);
  return state.ductility.length ? {...yieldingRequest(state), elastic: fine.periods} : fine;
}

/**
 * @param {View} view
 * @param {HTMLElement} sheet
 * @returns {Gift[]}
 */
export const gifts = (view, sheet) => [
  pythonGift(
    "/api/study/spectrum/python",
    () => script(view.state),
    () => "spectrum.py",
  ),
  gift("CSV", "the spectra as tables", async () => {
    saveCurves();
    return "saved";
  }),
  pageGift(view, () =>
    elastic
      ? {name: "spectra.html", title: `Spectra of ${panels.ground.words.textContent}`, sheet}
      : {why: "there is no spectrum yet"},
  ),
];
