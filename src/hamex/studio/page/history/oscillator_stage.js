// The picture of an oscillator: it moves, and plots follow its clock. Used by the studio and by pages taken home.
import {element, short} from "../elements.js";
import {card, cardRow, panel} from "../panels.js";
import {colours, curve, draw, mark} from "../plots.js";
import {unpack} from "../requests.js";
import {besideName, comparisonPanel, peakWords} from "./comparison.js";
import {cursor, dot} from "./cursors.js";
import {drawEnergy, energyPanel} from "./energy.js";
import {Player} from "./player.js";
import {clock, extremes, range, springLoop} from "./series.js";
import * as Sketch from "./sketch.js";
import {endWords, promiseWords, strengthPanel} from "./strength.js";

const AT_REST = {
  u: 0,
  slip: 0,
  scale: 1,
  ground: 0,
  groundPeak: 0,
  yields: true,
  viscosity: true,
  law: "slider",
  slipping: false,
  groundWords: "",
};

/**
 * An answer with its arrays read.
 * @param {HistoryAnswer} answer
 */
function read(answer) {
  const u = unpack(answer.displacement),
    [low, high] = extremes(u),
    times = clock(u.length, answer.step);
  return {
    answer,
    u,
    slip: unpack(answer.slip),
    ground: unpack(answer.ground.values),
    loop: springLoop(answer),
    times,
    timeAxis: {title: "time [s]", range: [0, times[times.length - 1]]},
    yields: answer.yield_deformation[0] !== null,
    scale: Math.max(-low, high) || 1,
    against: answer.against && {
      run: answer.against,
      name: besideName(answer.against),
      u: unpack(answer.against.displacement),
      loop: springLoop(answer.against),
      times: clock(answer.against.steps + 1, answer.against.step),
    },
  };
}
/** @typedef {ReturnType<typeof read>} OscillatorHistory */

/**
 * The picture. show(answer) draws it; its parts are laid out by whoever owns it.
 * @returns {Stage}
 */
export function oscillatorStage() {
  const sketch = Sketch.oscillator();
  const caption = element("span", {class: "quiet figures"}, "");
  const moving = element(
    "figure",
    {class: "panel first"},
    element("figcaption", {}, element("span", {}, "The system"), caption),
    sketch.root,
  );
  const numbers = numberBoard();
  const legend = element(
    "p",
    {class: "quiet legend"},
    element("span", {class: "key area", style: "--key:var(--blue)"}, "displacement"),
    element("span", {class: "key area", style: "--key:var(--red)"}, "slip"),
    element("span", {class: "key dashed", style: "--key:var(--orange)", hidden: true}, ""),
  );
  const ground = panel("Ground acceleration"),
    motion = panel("Displacement, slip", "lecture", {legend}),
    loop = panel("Hysteresis", "loop lecture"),
    energy = energyPanel(),
    periods = panel("Spectrum of the motion"),
    strength = strengthPanel(),
    beside = comparisonPanel();
  const cursors = [ground, motion, energy, strength].map(cursor),
    point = dot(loop);
  const groundChanged = changes(),
    periodsChanged = changes();
  /** @type {(OscillatorHistory & {viscosity: boolean, law: string}) | null} */
  let shown = null;

  const player = Player((time) => {
    if (!shown) return;
    const {answer, u, slip} = shown;
    const i = Math.min(u.length - 1, Math.round(time / answer.step)),
      ground = shown.ground[i];
    sketch.move({
      u: u[i],
      slip: slip[i],
      scale: shown.scale,
      ground,
      groundPeak: answer.ground.peak,
      yields: shown.yields,
      viscosity: shown.viscosity,
      law: shown.law,
      slipping: i > 0 && slip[i] !== slip[i - 1],
      groundWords: `${answer.ground.kind === "ground" ? "ground acceleration" : "force"} ${short(ground, 3)} ${answer.ground.unit}`,
    });
    const slipWords = shown.yields ? `, slip = ${short(slip[i], 3)} ${answer.units.length}` : "";
    caption.textContent = `u = ${short(u[i], 3)} ${answer.units.length}${slipWords}`;
    for (const follow of cursors) follow(time);
    const j = shown.loop.place(i);
    point(shown.loop.u[j], shown.loop.f[j]);
  });
  moving.append(player.root);
  sketch.move(AT_REST);

  /** @type {Stage["show"]} */
  function show(answer, {viscosity = true, law = "slider", fresh = false} = {}) {
    const history = read(answer);
    shown = {...history, viscosity, law};
    numbers.show(answer);
    ground.words.textContent = answer.ground.kind === "ground" ? "Ground acceleration" : "Force on the mass";
    ground.note.textContent = `${answer.ground.source}, peak ${short(answer.ground.peak, 3)} ${answer.ground.unit}`;
    const end = history.timeAxis.range[1];
    if (groundChanged(history.ground, `${end}${answer.ground.unit}`)) drawGround(ground, history);
    drawMotion(motion, history);
    drawLoop(loop, history);
    drawEnergy(energy, answer, history.timeAxis);
    strength.show(answer, ["the spring"], 0, history.timeAxis);
    const {spectrum, period} = answer;
    periods.root.hidden = !spectrum;
    if (spectrum && period !== null && periodsChanged(unpack(spectrum.values), `${period}`))
      drawSpectrum(periods, spectrum, period);
    beside.show(answer);
    player.set(end, fresh ? answer.peaks.displacement.time : undefined);
  }
  return {
    parts: [
      moving,
      loop.root,
      numbers.root,
      motion.root,
      energy.root,
      strength.root,
      ground.root,
      periods.root,
      beside.root,
    ],
    show,
    player,
    plots: {
      "ground-motion": ground.plot,
      displacement: motion.plot,
      hysteresis: loop.plot,
      energy: energy.plot,
      spectrum: periods.plot,
      strength: strength.plot,
    },
  };
}

/** Peaks, residual and period, with the notes below. */
function numberBoard() {
  /** @type {Record<string, Card>} */
  const cards = {
    displacement: card("peak displacement"),
    force: card("peak spring force, step mean"),
    ductility: card("ductility"),
    residual_slip: card("residual slip"),
    residual: card("energy residual"),
    period: card("elastic period"),
  };
  cards.residual.value.id = "residual";
  const notes = element("p", {class: "quiet notes", role: "status"}),
    promises = element("p", {class: "quiet notes promises"}),
    root = element("div", {class: "panel wide"}, cardRow(cards), notes, promises);
  root.title =
    "The energy residual is the largest imbalance over the largest work: a check of the arithmetic, not of accuracy.";
  return {
    root,
    /** @param {HistoryAnswer} answer */
    show(answer) {
      for (const [name, one] of Object.entries(cards))
        if (answer.peaks[name]) one.value.textContent = peakWords(answer.peaks[name], 4);
      if (!answer.peaks.ductility) cards.ductility.value.textContent = "elastic";
      cards.residual.value.textContent = short(answer.residual, 3);
      cards.residual.value.dataset.value = String(answer.residual);
      cards.period.value.textContent = `${short(answer.period)} s`;
      cards.displacement.value.dataset.value = String(answer.peaks.displacement.value);
      const words = [endWords(answer), ...answer.notes, ...(answer.against ? answer.against.notes : [])];
      notes.textContent = words.filter(Boolean).join("; ");
      promises.textContent = promiseWords(answer);
    },
  };
}

/** Tells whether values, their key or the theme are others than the time before: what is the same stays drawn. */
function changes() {
  /** @type {{values: Numbers, key: string} | null} */
  let before = null;
  return (/** @type {Numbers} */ values, /** @type {string} */ given) => {
    const key = `${given}${colours().dark}`,
      last = before;
    if (
      last &&
      key === last.key &&
      values.length === last.values.length &&
      values.every((value, i) => value === last.values[i])
    )
      return false;
    before = {values, key};
    return true;
  };
}

/**
 * @param {Panel} panel
 * @param {OscillatorHistory} history
 */
function drawGround({plot}, {times, ground, timeAxis, answer}) {
  draw(plot, [curve(times, ground, {width: 1, color: colours().soft, hover: "%{x:.2f} s, %{y:.3g}<extra></extra>"})], {
    xaxis: timeAxis,
    yaxis: {title: `${answer.ground.kind} [${answer.ground.unit}]`},
  });
}

/**
 * @param {Panel} panel
 * @param {OscillatorHistory} history
 */
function drawMotion({root, plot}, {answer, times, u, slip, yields, against, timeAxis}) {
  const colour = colours();
  const lines = [
    curve(times, u, {name: "displacement", color: colour.blue, hover: "%{x:.2f} s, %{y:.4g}<extra></extra>"}),
  ];
  if (yields)
    lines.push(curve(times, slip, {name: "slip", width: 1.6, color: colour.red, hover: "%{y:.4g}<extra>slip</extra>"}));
  if (against)
    lines.push(
      curve(against.times, against.u, {
        name: against.name,
        width: 1.3,
        color: colour.orange,
        dash: "dash",
        hover: "%{y:.4g}<extra></extra>",
      }),
    );
  lines.push(...peakBar(answer, u, colour.blue), ...(against ? peakBar(against.run, against.u, colour.orange) : []));
  draw(plot, lines, {xaxis: timeAxis, yaxis: displacementAxis(answer, u, slip, against?.u)});
  const [, slipKey, againstKey] = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".key"));
  slipKey.hidden = !yields;
  againstKey.hidden = !against;
  againstKey.textContent = against ? against.name : "";
}

/**
 * The largest displacement with its error bar, where there is one.
 * @param {Run} run
 * @param {Numbers} u
 * @param {string} color
 */
function peakBar(run, u, color) {
  const peak = run.peaks.displacement;
  if (!peak.error) return [];
  const side = Math.sign(u[Math.min(u.length - 1, Math.round(peak.time / run.step))]);
  return [
    {
      x: [peak.time],
      y: [side * peak.value],
      mode: "markers",
      marker: {color, size: 6, symbol: "diamond"},
      showlegend: false,
      error_y: {array: [peak.error], color, thickness: 1.6, width: 6},
      hovertemplate: `peak ${peakWords(peak)}<extra></extra>`,
    },
  ];
}

/**
 * The same axis for the history and the loop.
 * @param {HistoryAnswer} answer
 * @param {...(Numbers | undefined)} shown
 */
const displacementAxis = (answer, ...shown) => ({
  title: `displacement [${answer.units.length}]`,
  range: range(extremes(...shown.map((values) => values ?? []))),
});

/**
 * @param {Panel} panel
 * @param {OscillatorHistory} history
 */
function drawLoop({plot, note}, {answer, loop, u, slip, against}) {
  const colour = colours();
  const lines = [curve(loop.u, loop.f, {name: "this scheme", width: 1.2, color: colour.blue})];
  if (against)
    lines.push(
      curve(against.loop.u, against.loop.f, {name: against.name, width: 1.1, color: colour.orange, dash: "dash"}),
    );
  note.textContent = loop.words;
  draw(plot, lines, {
    xaxis: displacementAxis(answer, u, slip, against?.u),
    yaxis: {
      title: `spring force [${answer.units.force}]`,
      range: range(extremes(loop.f, against ? against.loop.f : [])),
    },
  });
}

/**
 * @param {Panel} panel
 * @param {NonNullable<HistoryAnswer["spectrum"]>} spectrum
 * @param {number} period of the oscillator
 */
function drawSpectrum({plot, note}, spectrum, period) {
  const colour = colours();
  note.textContent = `elastic, ${short(100 * spectrum.damping, 3)} % damping`;
  draw(
    plot,
    [
      curve(unpack(spectrum.periods), unpack(spectrum.values), {
        width: 1.5,
        color: colour.green,
        hover: "T %{x:.3g} s, %{y:.3g} g<extra></extra>",
      }),
    ],
    {
      xaxis: {title: "period [s]", type: "log", tickvals: [0.05, 0.1, 0.2, 0.5, 1, 2, 5]},
      yaxis: {title: "pseudo-acceleration [g]", rangemode: "tozero"},
      ...mark(period, `T = ${short(period, 3)} s`, {log: true, dash: "dot", ink: colour.ink}),
    },
  );
}
