// The picture of a building: it moves, and plots follow its clock. Used by the studio and by pages taken home.
import {element, short} from "../elements.js";
import {card, cardRow, panel} from "../panels.js";
import {colours, curve, draw} from "../plots.js";
import {unpack} from "../requests.js";
import {besideName, comparisonPanel, peakWords} from "./comparison.js";
import {cursor, dot} from "./cursors.js";
import {drawEnergy, energyPanel} from "./energy.js";
import {Player} from "./player.js";
import {clock, component, extremes, range, springLoop} from "./series.js";
import * as Sketch from "./sketch.js";
import {endWords, leftAt, promiseWords, strengthPanel} from "./strength.js";

/**
 * An answer with its arrays read.
 * @param {HistoryAnswer} answer
 * @param {number} storey whose loop is shown, as far as there are so many
 * @param {boolean} isolated whether the lowest storey is one of isolators
 */
function read(answer, storey, isolated) {
  const count = answer.steps + 1,
    floors = answer.dofs.length,
    chosen = Math.min(storey, floors - 1);
  const u = unpack(answer.displacement),
    slip = unpack(answer.slip),
    [low, high] = extremes(u),
    times = clock(count, answer.step);
  return {
    answer,
    profiles: named(/** @type {Profiles} */ (answer.profiles), isolated),
    isolated,
    against: answer.against && {
      run: answer.against,
      name: besideName(answer.against),
      below: floors - answer.against.dofs.length, // storeys are counted from the roof: one may have isolators
      times: clock(answer.against.steps + 1, answer.against.step),
    },
    count,
    floors,
    chosen,
    u,
    slip,
    ground: unpack(answer.ground.values),
    loop: springLoop(answer, chosen),
    times,
    timeAxis: {title: "time [s]", range: [0, times[count - 1]]},
    scale: Math.max(-low, high) || 1,
    /** Where each storey slips for the first time. */
    firstSlip: Array.from({length: floors}, (_, k) => {
      const own = component(slip, k, count),
        first = own.findIndex((value) => value !== own[0]);
      return first < 0 ? Infinity : first;
    }),
  };
}
/** @typedef {ReturnType<typeof read>} BuildingHistory */

/**
 * Storeys of an isolated building are counted from its isolators on.
 * @param {Profiles} profiles
 * @param {boolean} isolated
 */
const named = (profiles, isolated) =>
  isolated ? {...profiles, storeys: ["the isolators", ...profiles.storeys.slice(0, -1)]} : profiles;

/**
 * The picture. show(answer) draws it; its parts are laid out by whoever owns it.
 * @param {(storey: number) => any} onpick
 * @param {{levels?: number, isolated?: boolean}} [first] the building that stands there until the first answer
 * @returns {Stage}
 */
export function buildingStage(onpick, {levels = 1, isolated: onIsolators = false} = {}) {
  const sketch = Sketch.building(onpick);
  const legend = element(
    "p",
    {class: "quiet legend"},
    element("span", {class: "key slips"}, "slips now"),
    element("span", {class: "key was"}, "has yielded"),
    element("span", {class: "key area", style: "--key:var(--blue)", hidden: true}, "strength left"),
    element("span", {}, "click a storey to see its loop"),
  );
  const status = element("span", {class: "quiet"}, "");
  const moving = element(
    "figure",
    {class: "panel first tower"},
    element("figcaption", {}, element("span", {}, "The building"), status),
    sketch.root,
    legend,
  );
  const numbers = numberBoard();
  const roof = panel("Roof and ground", "lecture"),
    loop = panel("Hysteresis of a storey", "loop lecture"),
    drifts = panel("Storey drift"),
    shears = panel("Storey shear"),
    energy = energyPanel("wide"),
    strength = strengthPanel(),
    beside = comparisonPanel();
  const cursors = [roof, energy, strength].map(cursor),
    point = dot(loop);
  /** @type {BuildingHistory | null} */
  let shown = null;

  const player = Player((time) => {
    if (!shown) return;
    const {answer, count, floors, u, slip, firstSlip} = shown;
    const i = Math.min(count - 1, Math.round(time / answer.step)),
      storeys = Array.from({length: floors}, (_, k) => k);
    sketch.move({
      u: storeys.map((k) => u[k * count + i]),
      slipping: storeys.map((k) => i > 0 && slip[k * count + i] !== slip[k * count + i - 1]),
      yielded: storeys.map((k) => i >= firstSlip[k]),
      scale: shown.scale,
      chosen: shown.chosen,
      isolated: shown.isolated,
      ground: shown.ground[i],
      groundPeak: answer.ground.peak,
      left: leftAt(answer, time),
    });
    for (const follow of cursors) follow(time);
    const j = shown.loop.place(i);
    point(shown.loop.u[j], shown.loop.f[j]);
  });
  moving.append(player.root);
  const still = /** @type {false[]} */ (new Array(levels).fill(false));
  sketch.move({
    u: still.map(Number),
    slipping: still,
    yielded: still,
    scale: 1,
    chosen: -1,
    isolated: onIsolators,
    ground: 0,
    groundPeak: 0,
  });

  /** @type {Stage["show"]} */
  function show(answer, {storey = 0, isolated = false, fresh = false} = {}) {
    const history = read(answer, storey, isolated);
    shown = history;
    numbers.show(answer, history);
    status.textContent = endWords(answer);
    /** @type {HTMLElement} */ (legend.children[2]).hidden = !answer.strength;
    drawRoof(roof, history);
    drawLoop(loop, history);
    drawProfiles(drifts, shears, history);
    drawEnergy(energy, answer, history.timeAxis);
    strength.show(answer, history.profiles.storeys, history.chosen, history.timeAxis);
    beside.show(answer);
    player.set(history.timeAxis.range[1], fresh ? answer.peaks.displacement.time : undefined);
  }
  return {
    parts: [
      moving,
      numbers.root,
      roof.root,
      loop.root,
      drifts.root,
      shears.root,
      energy.root,
      strength.root,
      beside.root,
    ],
    show,
    player,
    plots: {
      roof: roof.plot,
      hysteresis: loop.plot,
      drift: drifts.plot,
      shear: shears.plot,
      energy: energy.plot,
      strength: strength.plot,
    },
  };
}

/** Peaks, residual and period, with the notes below. */
function numberBoard() {
  const cards = {
    displacement: card("peak roof displacement"),
    drift_ratio: card("peak drift ratio"),
    base_shear: card("peak base shear"),
    ductility: card("largest ductility"),
    residual: card("energy residual"),
    period: card("first period"),
  };
  cards.residual.value.id = "building-residual";
  const notes = element("p", {class: "quiet notes", role: "status"}),
    promises = element("p", {class: "quiet notes promises"});
  return {
    root: element("div", {class: "panel"}, cardRow(cards), notes, promises),
    /**
     * @param {HistoryAnswer} answer
     * @param {BuildingHistory} history
     */
    show(answer, {profiles, isolated}) {
      const {peaks, residual, period, notes: words} = answer;
      cards.displacement.value.textContent = peakWords(peaks.displacement, 4);
      cards.base_shear.value.textContent = peakWords(peaks.base_shear, 4);
      const ratio = isolated ? driftAbove(profiles) : (peaks.drift_ratio?.value ?? null);
      cards.drift_ratio.value.textContent = ratio === null ? "–" : `${short(100 * ratio, 3)} %`;
      cards.drift_ratio.label.textContent = isolated ? "peak drift ratio above the isolators" : "peak drift ratio";
      cards.ductility.value.textContent = peaks.ductility ? short(peaks.ductility.value, 3) : "elastic";
      cards.residual.value.textContent = short(residual, 3);
      cards.residual.value.dataset.value = String(residual);
      cards.period.value.textContent = period === null ? "–" : `${short(period)} s`;
      notes.textContent = words.join("; ");
      promises.textContent = promiseWords(answer);
    },
  };
}

/**
 * The largest drift ratio of the storeys on top of isolators.
 * @param {Profiles} profiles
 */
const driftAbove = ({drift, heights}) =>
  drift.slice(1).reduce((most, value, i) => Math.max(most, value / (heights[i + 1] ?? Infinity)), 0);

/**
 * @param {Panel} panel
 * @param {BuildingHistory} history
 */
function drawRoof({plot, note}, {answer, u, floors, count, ground, times, timeAxis, against}) {
  const colour = colours(),
    roof = component(u, floors - 1, count);
  note.textContent = against ? `dashed: ${against.name}` : "";
  draw(
    plot,
    [
      curve(times, roof, {name: "roof", color: colour.blue, hover: "%{x:.2f} s, %{y:.4g}<extra>roof</extra>"}),
      ...(against ? [roofBeside(against, colour)] : []),
      curve(times, ground, {
        yaxis: "y2",
        name: "ground",
        width: 0.9,
        color: colour.soft,
        hover: "%{y:.3g} g<extra>ground</extra>",
      }),
    ],
    {
      xaxis: {...timeAxis, anchor: "y2"},
      yaxis: {title: `roof [${answer.units.length}]`, domain: [0.42, 1]},
      yaxis2: {title: `${answer.ground.kind} [${answer.ground.unit}]`, domain: [0, 0.32]},
    },
  );
}

/**
 * @param {NonNullable<BuildingHistory["against"]>} against
 * @param {Colours} colour
 */
function roofBeside({run, name, times}, colour) {
  const moved = component(unpack(run.displacement), run.dofs.length - 1, run.steps + 1);
  return curve(times, moved, {
    name,
    color: colour.orange,
    dash: "dash",
    hover: `%{x:.2f} s, %{y:.4g}<extra>${name}</extra>`,
  });
}

/**
 * @param {Panel} panel
 * @param {BuildingHistory} history
 */
function drawLoop({plot, words, note}, {answer, profiles, loop, chosen, against}) {
  const colour = colours();
  const lines = [curve(loop.u, loop.f, {width: 1.1, color: colour.blue})],
    other = against && chosen >= against.below ? springLoop(against.run, chosen - against.below) : null;
  if (other) lines.push(curve(other.u, other.f, {width: 1, color: colour.orange, dash: "dash"}));
  words.textContent = `Hysteresis of ${profiles.storeys[chosen]}`;
  note.textContent = loop.words;
  draw(plot, lines, {
    xaxis: {title: `drift [${answer.units.length}]`, range: range(extremes(loop.u, other?.u ?? []))},
    yaxis: {title: `spring force [${answer.units.force}]`, range: range(extremes(loop.f, other?.f ?? []))},
  });
}

/**
 * Largest drift and shear of every storey; those that yield are hatched.
 * @param {Panel} drifts
 * @param {Panel} shears
 * @param {BuildingHistory} history
 */
function drawProfiles(drifts, shears, {answer, profiles, floors, chosen, isolated, against}) {
  const colour = colours(),
    {units} = answer,
    first = isolated ? 0 : 1, // isolators are storey 0
    storeys = profiles.storeys.map((_, i) => i),
    yielded = profiles.ductility.map((value) => value !== null && value > 1);
  /** @type {(values: number[], unit: string) => Trace[]} */
  const bars = (values, unit) =>
    [
      {hatched: false, color: colour.blue, shape: ""},
      {hatched: true, color: colour.orange, shape: "/"},
    ].map(({hatched, color, shape}) => {
      const own = storeys.filter((i) => yielded[i] === hatched);
      return {
        x: own.map((i) => values[i]),
        y: own.map((i) => i + first),
        type: "bar",
        orientation: "h",
        marker: {color, pattern: {shape, fillmode: "overlay", fgcolor: colour.paper, solidity: 0.15}},
        hovertemplate: `storey %{y}: %{x:.4g} ${unit}<extra></extra>`,
      };
    });
  const profile = {
    yaxis: {
      title: "storey",
      dtick: Math.ceil(floors / 10),
      range: [first - 0.7, floors + first - 0.3],
      zeroline: false,
    },
    bargap: 0.25,
    barmode: "overlay",
    shapes: [
      {
        type: "rect",
        xref: "paper",
        x0: 0,
        x1: 1,
        y0: chosen + first - 0.5,
        y1: chosen + first + 0.5,
        line: {width: 0},
        fillcolor: colour.accent,
        opacity: 0.14,
        layer: "below",
      },
    ],
  };
  const {residual} = profiles,
    left = residual ? storeys.filter((i) => yielded[i]) : [],
    residuals = {
      x: left.map((i) => Math.abs(residual ? residual[i] : 0)),
      y: left.map((i) => i + first),
      mode: "markers",
      marker: {color: colour.ink, symbol: "diamond", size: 6},
      hovertemplate: "residual %{x:.3g}<extra></extra>",
    };
  /** @type {(values: number[], unit: string) => Trace[]} */
  const beside = (values, unit) =>
    against
      ? [
          curve(
            values,
            values.map((_, i) => i + against.below + first),
            {
              color: colour.orange,
              dash: "dash",
              mode: "lines+markers",
              marker: {color: colour.orange, symbol: "circle-open", size: 8},
              hover: `storey %{y}: %{x:.4g} ${unit}<extra>${against.name}</extra>`,
            },
          ),
        ]
      : [];
  const others = against?.run.profiles;
  const drifted = [...bars(profiles.drift, units.length), ...(left.length ? [residuals] : [])];
  draw(drifts.plot, [...drifted, ...beside(others?.drift ?? [], units.length)], {
    ...profile,
    xaxis: {title: `largest drift [${units.length}]${left.length ? "; ◆ residual" : ""}`},
  });
  draw(shears.plot, [...bars(profiles.shear, units.force), ...beside(others?.shear ?? [], units.force)], {
    ...profile,
    xaxis: {title: `largest shear [${units.force}]`},
  });
  const ending = profiles.swings ? "; it still swings at the end: a longer run tells what is left" : "";
  drifts.note.textContent = yielded.some(Boolean)
    ? `${yielded.filter(Boolean).length} of ${floors} storeys yield (hatched)${ending}`
    : "no storey yields";
}
