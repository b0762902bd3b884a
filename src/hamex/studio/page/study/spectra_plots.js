// The plots of spectra: acceleration and strength, displacement, tripartite, radial, reduction, and the motion.
import {short} from "../elements.js";
import {panel} from "../panels.js";
import {colours, curve, draw, instead} from "../plots.js";
import {unpack} from "../requests.js";

/** @import {State} from "./spectra.js" */

const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]; // of axes of periods
const DASHES = ["solid", "dash", "dashdot", "dot"];
export const panels = {
  acceleration: panel("Pseudo-acceleration, strength", "first"),
  displacement: panel("Displacement"),
  three: panel("Tripartite"),
  radial: panel("Acceleration over displacement"),
  reduction: panel("Strength reduction R"),
  ground: panel("Ground motion"),
};

/**
 * Curves of one ductility.
 * @typedef {{mu: number, T: Numbers, strength: Numbers, displacement: Numbers, reduction: Numbers,
 *   error: Numbers}} YieldingCurve
 */
/**
 * What is shown: `question` names the curves of constant ductility; while newer ones are waited for they are faint.
 * @typedef {{state: State, elastic: ElasticSpectrum, yielding: YieldingCurve[], question: string,
 *   waiting: boolean}} Spectra
 */

/**
 * Results by ductility as separate curves.
 * @param {YieldingSpectrum} answer
 * @returns {YieldingCurve[]}
 */
export function yieldingCurves(answer) {
  const T = unpack(answer.periods),
    row = (/** @type {Packed} */ table, /** @type {number} */ i) =>
      unpack(table).subarray(i * T.length, (i + 1) * T.length);
  return answer.ductility.map((mu, i) => ({
    mu,
    T,
    strength: row(answer.strength, i),
    displacement: row(answer.displacement, i),
    reduction: row(answer.strength_reduction, i),
    error: row(answer.displacement_error, i),
  }));
}

/** @param {Spectra} spectra */
export function drawSpectra(spectra) {
  drawAcceleration(spectra);
  drawDisplacement(spectra);
  drawTripartite(spectra.elastic);
  drawRadial(spectra);
  drawReduction(spectra);
  drawGround(spectra.elastic);
}

/** @type {Record<string, any[]>} what panels show */
const drawn = {};
/**
 * Whether a panel shows these values already.
 * @param {keyof typeof panels} name
 * @param {any[]} values
 */
function already(name, values) {
  const now = [...values, panels[name].plot.clientWidth],
    same = drawn[name] && now.every((value, i) => value === drawn[name][i]);
  drawn[name] = now;
  return same;
}

/**
 * One trace for each ductility, with a colour and a dash of its own.
 * @param {Spectra} spectra
 * @param {(one: YieldingCurve, color: string) => {x: Numbers, y: Numbers, hover: string} & Trace} shown
 */
function ductilityCurves({yielding, waiting}, shown) {
  const colour = colours(),
    tints = [colour.orange, colour.green, colour.pink, colour.red];
  return yielding.map((one, i) => {
    const {x, y, hover, ...more} = shown(one, tints[i]);
    return curve(x, y, {
      name: `μ = ${one.mu}`,
      width: 1.7,
      color: tints[i],
      dash: DASHES[i],
      opacity: waiting ? 0.35 : 1,
      hover: `${hover}<extra>μ = ${one.mu}</extra>`,
      ...more,
    });
  });
}

/**
 * @param {Numbers} x
 * @param {Numbers} y
 * @param {string} hover
 */
const elasticCurve = (x, y, hover) =>
  curve(x, y, {name: "elastic", width: 1.7, color: colours().blue, hover: `${hover}<extra>elastic</extra>`});

/** @param {State} state */
const periodAxis = (state) => ({
  title: "period [s]",
  type: state.logPeriod ? "log" : "linear",
  ...(state.logPeriod
    ? {tickvals: TICKS, range: [Math.log10(state.from), Math.log10(state.to)]}
    : {range: [0, state.to]}),
});

/**
 * @param {State} state
 * @param {string} title
 */
const valueAxis = (state, title) => ({
  title,
  type: state.logValue ? "log" : "linear",
  ...(state.logValue ? {exponentformat: "power"} : {rangemode: "tozero"}),
});

/** @param {Spectra} spectra */
function drawAcceleration(spectra) {
  const {state, elastic} = spectra,
    T = unpack(elastic.periods),
    psa = unpack(elastic.pseudo_acceleration);
  draw(
    panels.acceleration.plot,
    [
      elasticCurve(T, psa, "T %{x:.3g} s: %{y:.4g} g"),
      ...ductilityCurves(spectra, ({T: x, strength: y}) => ({x, y, hover: "T %{x:.3g} s: %{y:.4g} of the weight"})),
    ],
    {xaxis: periodAxis(state), yaxis: valueAxis(state, "PSa [g],  f<sub>y</sub>/W"), showlegend: true},
  );
  const top = psa.indexOf(Math.max(...psa));
  panels.acceleration.note.textContent = `up to ${short(psa[top], 3)} g at ${short(T[top], 3)} s`;
}

/** @param {Spectra} spectra */
function drawDisplacement(spectra) {
  const {state, elastic, yielding} = spectra,
    hover = `T %{x:.3g} s: %{y:.4g} ${elastic.length}`;
  draw(
    panels.displacement.plot,
    [
      elasticCurve(unpack(elastic.periods), unpack(elastic.displacement), hover),
      ...ductilityCurves(spectra, ({T: x, displacement: y, error}, color) => ({
        x,
        y,
        hover,
        error_y: {array: error, color, thickness: 1, width: 0},
      })),
    ],
    {
      xaxis: periodAxis(state),
      yaxis: valueAxis(state, `largest displacement [${elastic.length}]`),
      showlegend: true,
    },
  );
  panels.displacement.note.textContent = yielding.length ? "error bars: from half and a quarter of the step" : "";
}

/**
 * Lines of constant acceleration rise, lines of constant displacement fall; both are read along them.
 * @param {ElasticSpectrum} elastic
 */
function drawTripartite({periods, pseudo_velocity, g, length}) {
  const colour = colours(),
    T = unpack(periods),
    psv = unpack(pseudo_velocity);
  const low = Math.min(...psv.filter((v) => v > 0)),
    high = Math.max(...psv);
  const bottom = 10 ** (Math.floor(2 * Math.log10(low)) / 2),
    top = 10 ** (Math.ceil(2 * Math.log10(1.3 * high)) / 2),
    [from, to] = [T[0], T[T.length - 1]];
  /** @type {Trace[]} */
  const guides = [];
  /** @type {Layout[]} */
  const words = [];
  for (let k = -6; k <= 6; k++)
    for (const rising of [true, false]) {
      const size = 10 ** k,
        at = (/** @type {number} */ t) => (rising ? (size * g * t) / (2 * Math.PI) : (size * 2 * Math.PI) / t);
      const inverse = (/** @type {number} */ v) => (rising ? (v * 2 * Math.PI) / (size * g) : (size * 2 * Math.PI) / v);
      const span = [
        Math.max(from, Math.min(inverse(bottom), inverse(top))),
        Math.min(to, Math.max(inverse(bottom), inverse(top))),
      ];
      if (!(span[1] > span[0] * 1.02)) continue;
      guides.push(
        curve(span, span.map(at), {
          width: 0.8,
          color: colour.soft,
          dash: rising ? "solid" : "dot",
          showlegend: false,
        }),
      );
      const place = rising ? span[1] / (span[1] / span[0]) ** 0.04 : span[0] * (span[1] / span[0]) ** 0.04;
      words.push({
        x: Math.log10(place),
        y: Math.log10(at(place)),
        text: `${Number(size.toPrecision(1))} ${rising ? "g" : length}`,
        showarrow: false,
        font: {size: 10, color: colour.soft},
        bgcolor: colour.paper,
        xanchor: rising ? "right" : "left",
      });
    }
  draw(
    panels.three.plot,
    [
      ...guides,
      curve(T, psv, {width: 1.8, color: colour.blue, hover: `T %{x:.3g} s: %{y:.4g} ${length}/s<extra></extra>`}),
    ],
    {
      xaxis: {title: "period [s]", type: "log", tickvals: TICKS, range: [Math.log10(from), Math.log10(to)]},
      annotations: words,
      yaxis: {
        title: `PSv [${length}/s]`,
        type: "log",
        range: [Math.log10(bottom), Math.log10(top)],
        tickvals: [1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4],
        exponentformat: "power",
      },
    },
  );
  panels.three.note.textContent = "solid: acceleration; dotted: displacement";
}

/**
 * Acceleration over displacement: a period is a ray.
 * @param {Spectra} spectra
 */
function drawRadial(spectra) {
  const {elastic, yielding} = spectra,
    {g, length} = elastic,
    colour = colours(),
    sd = unpack(elastic.displacement),
    psa = unpack(elastic.pseudo_acceleration);
  const right = 1.06 * Math.max(...sd, ...yielding.flatMap((one) => [...one.displacement].filter(Number.isFinite))),
    high = 1.1 * Math.max(...psa);
  /** @type {Trace[]} */
  const rays = [];
  /** @type {Layout[]} */
  const words = [];
  for (const period of [0.2, 0.5, 1, 2, 3, 5]) {
    const slope = ((2 * Math.PI) / period) ** 2 / g,
      x = Math.min(right, high / slope);
    if (x < 0.06 * right || slope * x < 0.06 * high) continue;
    rays.push(curve([0, x], [0, slope * x], {width: 0.8, color: colour.line, showlegend: false}));
    words.push({
      x,
      y: slope * x,
      text: `${period} s`,
      showarrow: false,
      font: {size: 10, color: colour.soft},
      xanchor: "right",
      yanchor: "top",
    });
  }
  const hover = `%{x:.3g} ${length}, %{y:.3g} g`;
  draw(
    panels.radial.plot,
    [
      ...rays,
      elasticCurve(sd, psa, hover),
      ...ductilityCurves(spectra, ({displacement: x, strength: y}) => ({x, y, hover})),
    ],
    {
      xaxis: {title: `displacement [${length}]`, range: [0, right]},
      yaxis: {title: "PSa [g],  f<sub>y</sub>/W", range: [0, high]},
      annotations: words,
      showlegend: true,
    },
  );
  panels.radial.note.textContent = "rays: periods";
}

/** @param {Spectra} spectra */
function drawReduction(spectra) {
  const {state, yielding, question, waiting} = spectra,
    colour = colours();
  if (already("reduction", [question, waiting, state.logPeriod, state.from, state.to, colour.dark])) return;
  const lines = ductilityCurves(spectra, ({T: x, reduction: y}) => ({x, y, hover: "T %{x:.3g} s: R = %{y:.3g}"}));
  const equalities = yielding.map(({mu}) => ({
    xref: "paper",
    x: 1,
    xanchor: "left", // behind the end of its line, where no curve is
    y: mu,
    text: ` R = μ = ${mu}`,
    showarrow: false,
    font: {size: 11, color: colour.soft},
  }));
  draw(panels.reduction.plot, lines, {
    xaxis: periodAxis(state),
    yaxis: {title: "demand / strength", rangemode: "tozero"},
    showlegend: true,
    annotations: lines.length ? equalities : [instead("choose a ductility")],
    margin: {r: 70},
    shapes: yielding.map(({mu}) => ({
      type: "line",
      xref: "paper",
      x0: 0,
      x1: 1,
      y0: mu,
      y1: mu,
      line: {color: colour.soft, width: 0.8, dash: "dot"},
    })),
  });
}

/** @param {ElasticSpectrum} elastic */
function drawGround({motion}) {
  const colour = colours(),
    kind = motion.kind === "recorded" ? "" : `${motion.kind}, `;
  panels.ground.note.textContent = `${kind}peak ${short(motion.peak, 3)} g`;
  panels.ground.words.textContent = motion.source.length > 60 ? `${motion.source.slice(0, 57)}…` : motion.source;
  if (already("ground", [motion.acceleration.bdata, colour.dark])) return;
  const a = unpack(motion.acceleration),
    t = Float64Array.from(a, (_, i) => i * motion.step);
  draw(
    panels.ground.plot,
    [curve(t, a, {width: 1, color: colour.soft, hover: "%{x:.2f} s: %{y:.3g} g<extra></extra>"})],
    {xaxis: {title: "time [s]", range: [0, t[t.length - 1]]}, yaxis: {title: "acceleration [g]"}},
  );
}
