// The waves: a bar or a membrane that moves, its energies, and the derivation beside it.
import {csv, element, rounded, save, short} from "../elements.js";
import {codeGift, gift} from "../home/home.js";
import {layOut} from "../history/bench.js";
import {cursor} from "../history/cursors.js";
import {drawEnergy, energyPanel} from "../history/energy.js";
import {Player} from "../history/player.js";
import {clock} from "../history/series.js";
import {askOrRefuse, besideNamedFields, overPlots, redrawn} from "../messages.js";
import {card, cardRow, panel} from "../panels.js";
import {colours, curve, draw} from "../plots.js";
import {latest, unpack} from "../requests.js";
import {movingBar, spaceTime} from "./bar.js";
import {START, question, waveControls} from "./controls.js";
import {waveEquations} from "./equations.js";
import {movingMembrane} from "./membrane.js";

/** @import {State} from "./controls.js" */

const PLAYED = 8; // seconds in which a run is played
/** @type {View} */
let view;
/** @type {ReturnType<typeof build>} */
let parts;
/** The run that is shown, the question it answers, and the state that asked. */
const shown = {
  answer: /** @type {WaveAnswer | null} */ (null),
  question: "",
  state: START,
};

/** @type {ViewDescription["mount"]} */
function mount(root, given) {
  view = given;
  parts = build(root);
}

/**
 * All that the view consists of, laid out.
 * @param {HTMLElement} root
 */
function build(root) {
  const bar = movingBar(),
    membrane = movingMembrane(),
    over = spaceTime(),
    note = element("span", {class: "quiet figures"}),
    title = element("span");
  const player = Player(paint, (time, length) => timeWords(time / length));
  const picture = element(
    "figure",
    {class: "panel first"},
    element("figcaption", {}, title, note),
    bar.root,
    membrane.root,
    player.root,
  );
  turned(membrane.root);
  const diagram = element(
    "figure",
    {class: "panel diagram"},
    element(
      "figcaption",
      {},
      element("span", {}, "Stress over place and time"),
      element("span", {class: "quiet"}, "blue is compression, orange is tension"),
    ),
    over.root,
  );
  const energy = energyPanel("balance"),
    history = panel("Deflection where it began", "history"),
    cursors = [energy, history].map(cursor);
  const cards = {
    speed: card("wave speed"),
    crossing: card("from end to end"),
    one: card(""),
    two: card(""),
    residual: card("energy residual"),
    steps: card("steps"),
  };
  cards.residual.value.id = "waves-residual";
  const notes = element("p", {class: "quiet notes", role: "status"}),
    numbers = element("div", {class: "panel numbers"}, cardRow(cards), notes),
    code = element("pre", {class: "code", tabindex: "0", "aria-label": "Python code"}),
    script = element("details", {class: "panel script"}, element("summary", {}, "The same run in Python"), code);
  const controls = waveControls(view);
  const stage = element("div", {class: "stage"}, picture, numbers, diagram, history.root, energy.root, script);
  layOut(root, {about: "Waves", groups: controls.groups, stage});
  const equations = waveEquations({
    view,
    root,
    controls: /** @type {HTMLElement} */ (root.querySelector(".controls")),
    valueOf,
  });
  stage.append(equations.root);
  root.append(equations.meaning);
  return {
    stage,
    bar,
    membrane,
    over,
    title,
    note,
    player,
    diagram,
    energy,
    history,
    cursors,
    cards,
    notes,
    code,
    controls,
    equations,
    message: overPlots(stage, "waves-message"),
  };
}

/**
 * The number that a letter of the derivation stands for, in metres, newtons, seconds and kilograms.
 * @param {string} name
 */
function valueOf(name) {
  const {modulus, density, tension, surfaceMass, air} = view.state;
  if (name === "the step") return shown.answer?.time_step;
  /** @type {Record<string, number>} */
  const numbers =
    view.state.kind === "bar" ? {rho: density, A_1111: 1e-9 / modulus} : {mu: surfaceMass, N: tension, c: air};
  return numbers[name];
}

/** @type {{turn: number, tilt: number} | null} from where a picture is seen that is being dragged */
let dragged = null;

/**
 * A picture that is dragged turns; where it is left is one step that can be undone.
 * @param {HTMLCanvasElement} canvas
 */
function turned(canvas) {
  canvas.addEventListener("pointerdown", ({pointerId, pointerType}) => {
    if (pointerType === "touch") return; // a finger scrolls the page
    const {turn, tilt} = view.state;
    dragged = {turn, tilt};
    canvas.setPointerCapture(pointerId);
  });
  canvas.addEventListener("pointermove", ({movementX, movementY}) => {
    if (!dragged) return;
    const turn = ((dragged.turn - 0.5 * movementX + 540) % 360) - 180;
    dragged = {turn, tilt: Math.min(85, Math.max(5, dragged.tilt + 0.5 * movementY))};
    paint(parts.player.time);
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, () => {
      const left = dragged;
      dragged = null;
      if (left) view.set(left);
    });
}

/**
 * The clock in the time of the waves.
 * @param {number} share of the run
 */
function timeWords(share) {
  const end = shown.answer ? 1000 * shown.answer.step * (shown.answer.pictures - 1) : 1,
    places = Math.max(0, 2 - Math.floor(Math.log10(end))); // always as many: the clock keeps its width
  return `${(share * end).toFixed(places)} of ${end.toFixed(places)} ms`;
}

/**
 * The picture at a time of the player.
 * @param {number} time
 */
function paint(time) {
  const {answer, state} = shown;
  if (!answer) return;
  const at = ((answer.pictures - 1) * time) / PLAYED,
    now = 1000 * at * answer.step;
  if (state.kind === "bar") {
    const {farEnd, event, length, yields, yieldStress, width} = state,
      told = {farEnd, event, length, pulse: width / answer.speed, limit: yields ? 1e6 * yieldStress : null};
    parts.bar.show({answer, told, at});
    parts.over.show({answer, told, at});
  } else parts.membrane.show({answer, at, seen: dragged ?? view.state});
  for (const follow of parts.cursors) follow(now);
}

/** @param {State} state */
function show(state) {
  const begin = performance.now();
  parts.controls.show(state);
  parts.equations.show(state);
  if (!shown.answer) showKind(state.kind === "bar");
  const {path, table} = question(state),
    asked = JSON.stringify([path, table]);
  if (asked === shown.question && parts.stage.dataset.shown === "current") {
    drawAll(); // another theme, another side of the picture
    return undefined;
  }
  return run(state, begin);
}

const run = latest(async (/** @type {State} */ state, /** @type {number} */ begin) => {
  const {message, controls} = parts,
    {path, table} = question(state),
    beside = besideNamedFields(controls.named(state), message.message),
    refuse = message.refusing((problem) => beside(controls.inUnits(problem, state)));
  message.asked();
  const answer = await askOrRefuse(path, table, "waves", refuse);
  if (!answer) return;
  refuse(null);
  const isFirst = !shown.answer,
    isOther = shown.state.kind !== state.kind;
  Object.assign(shown, {answer, state, question: JSON.stringify([path, table])});
  drawAll();
  parts.player.set(PLAYED, isFirst || isOther ? 0.3 * PLAYED : undefined);
  message.drawn();
  if (isFirst && !matchMedia("(prefers-reduced-motion: reduce)").matches)
    parts.player.root.querySelector("button").click();
  await redrawn(begin);
});

/** All that does not move with the clock. */
function drawAll() {
  const {answer, state} = shown;
  if (!answer) return;
  const isBar = state.kind === "bar",
    seconds = answer.step * (answer.pictures - 1),
    timeAxis = {title: "time [ms]", range: [0, 1000 * seconds]};
  showKind(isBar);
  parts.note.textContent = slowed(rounded(PLAYED / seconds, 2).toLocaleString("en"));
  showNumbers(answer, isBar);
  parts.code.textContent = answer.code;
  const units = {length: "m", force: "N", energy: "J"};
  drawEnergy(parts.energy, /** @type {any} */ ({...answer, units, step: 1000 * answer.step}), timeAxis);
  if (isBar) parts.over.repaint();
  else drawHistory(answer, timeAxis);
  paint(parts.player.time);
}

/** @type {(times: string) => string} */
const slowed = (times) => `slowed ${times} times, displacements enlarged`;

/**
 * What is laid out for a bar and what for a membrane, in words that are as long as those of an answer.
 * @param {boolean} isBar
 */
function showKind(isBar) {
  const {bar, diagram, membrane, history, title, note, cards} = parts;
  bar.root.hidden = diagram.hidden = !isBar;
  membrane.root.hidden = history.root.hidden = isBar;
  title.textContent = isBar ? "The bar" : "The membrane";
  note.textContent = slowed("…");
  cards.speed.label.textContent = isBar ? "wave speed √(E/\u2060ρ)" : "wave speed √(N/\u2060μ)";
  cards.one.label.textContent = isBar ? "largest stress" : "first frequency, exact";
  cards.two.label.textContent = isBar ? "largest displacement" : "largest deflection";
  cards.steps.label.textContent = "steps of … µs";
}

/**
 * @param {WaveAnswer} answer
 * @param {boolean} isBar
 */
function showNumbers(answer, isBar) {
  const {cards, notes} = parts,
    {speed, crossing, largest, residual, steps, time_step} = answer;
  cards.speed.value.textContent = `${short(speed)} m/s`;
  cards.speed.value.dataset.value = String(speed);
  cards.crossing.value.textContent = `${short(1000 * crossing)} ms`;
  cards.one.value.textContent = isBar ? `${short(largest.stress / 1e6)} MPa` : `${short(answer.frequency)} Hz`;
  cards.two.value.textContent = `${short(1000 * largest.displacement)} mm`;
  cards.residual.value.textContent = short(residual, 3);
  cards.residual.value.dataset.value = String(residual);
  cards.steps.value.textContent = `${steps}`;
  cards.steps.label.textContent = `steps of ${short(1e6 * time_step, 3)} µs`;
  notes.textContent = answer.notes.join("; ");
}

/**
 * The node that is nearest to the blow.
 * @param {WaveAnswer} answer
 * @param {Layout} timeAxis
 */
function drawHistory({displacement, nodes, nearest, pictures, step}, timeAxis) {
  const values = Float64Array.from({length: pictures}, (_, i) => 1000 * displacement[i * nodes + nearest]);
  draw(
    parts.history.plot,
    [
      curve(clock(pictures, 1000 * step), values, {
        color: colours().blue,
        hover: "%{x:.3g} ms, %{y:.3g} mm<extra></extra>",
      }),
    ],
    {xaxis: timeAxis, yaxis: {title: "deflection [mm]"}},
  );
}

/** @returns {Gift[]} */
function gifts() {
  const {answer, state} = shown;
  if (!answer) return [];
  return [
    codeGift(
      async () => answer.code,
      () => `${state.kind}.py`,
    ),
    gift("CSV", "the energies [J], one row per picture", async () => {
      const columns = Object.values(answer.energy).map(unpack);
      save(
        `${state.kind}.csv`,
        "text/csv",
        csv(["time", ...Object.keys(answer.energy)], [clock(answer.pictures, answer.step), ...columns]),
      );
      return `saved ${state.kind}.csv`;
    }),
  ];
}

/** @type {ViewDescription} */
export const wavesView = {
  name: "waves",
  title: "Waves",
  start: START,
  mount,
  show,
  leave() {
    parts.equations.leave();
    parts.player.pause();
  },
  gifts,
};
