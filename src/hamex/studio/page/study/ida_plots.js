// The plots of an incremental dynamic analysis: curves of the records, and the fragility.
import {short} from "../elements.js";
import {colours, curve, draw, instead, mark} from "../plots.js";
import {unpack} from "../requests.js";
import {measureOf} from "./ida_file.js";

/** @import {Measure, State} from "./ida_file.js" */

const BEYOND = 2.2; // limits that the axis of demands reaches

/** @typedef {{label: string, im: Numbers, demand: Numbers}} RecordCurve intensities and demands of one record */
/**
 * What is known of an analysis.
 * @typedef {{state: State, curves: RecordCurve[], result: IdaResult | null, fit: FragilityFit | null,
 *   running: boolean}} Analysis
 */

/** @type {(state: State) => string} */
const intensityName = (state) => (state.intensity === "sa" ? `Sa(${short(state.period, 3)} s, 5 %) [g]` : "PGA [g]");

/** @type {(state: State, measure: Measure) => string} */
const demandName = (state, measure) =>
  ({
    drift_ratio: "storey drift ratio",
    collapse: "storey drift ratio",
    ductility: state.system === "frame" ? "storey ductility" : "ductility",
    displacement: `displacement [${state.length}]`,
  })[measure];

/**
 * All records in one line with gaps: a hundred records are one trace.
 * @param {RecordCurve[]} curves
 * @param {number} right end of the axis
 */
function joined(curves, right) {
  const x = /** @type {(number | null)[]} */ ([]),
    y = /** @type {(number | null)[]} */ ([]),
    text = /** @type {string[]} */ ([]);
  for (const {label, im, demand} of curves) {
    x.push(0);
    y.push(0);
    text.push(label);
    for (let i = 0; i < im.length; i++) {
      // A run that ran away ends the curve with a flat line.
      x.push(Number.isFinite(demand[i]) ? demand[i] : 10 * right);
      y.push(im[i]);
      text.push(label);
      if (!Number.isFinite(demand[i])) break;
    }
    x.push(null);
    y.push(null);
    text.push("");
  }
  return {x, y, text};
}

/**
 * @param {Panel} panel
 * @param {Analysis} analysis
 */
export function drawCurves({plot, note}, {state, curves, result, running}) {
  const colour = colours(),
    measure = measureOf(state),
    limit = state[measure],
    right = BEYOND * limit;
  const {x, y, text} = joined(curves, right);
  const seen = y.filter((value, i) => value !== null && Number(x[i]) <= right).map(Number);
  const top = 1.06 * Math.max(state.least, ...seen, ...(seen.length > 1 ? [] : [state.most]));
  const records = curve(x, y, {
    text,
    name: `${curves.length} record${curves.length === 1 ? "" : "s"}`,
    width: 0.8,
    color: colour.soft,
    opacity: 0.75,
    hover: "%{x:.4g}, %{y:.4g} g<br>%{text}<extra></extra>",
  });
  const words = `${measure === "collapse" ? "collapse" : "limit"} ${short(limit, 3)}`,
    {shapes, annotations} = mark(limit, words, {dash: "dash", ink: colour.bad});
  const empty = running ? "the first record …" : "Run: every record is scaled up<br>and a curve appears";
  draw(plot, [records, ...(result ? [...fractiles(result), ...capacities(result, curves, limit, right)] : [])], {
    xaxis: {title: demandName(state, measure), range: [0, right]},
    yaxis: {title: intensityName(state), range: [0, top]},
    shapes,
    annotations: [...annotations, ...(curves.length ? [] : [instead(empty)])],
    showlegend: true,
    margin: {t: 26},
  });
  note.textContent = result ? `${result.motions} motions` : "";
}

/** @param {IdaResult} result */
function fractiles({fractiles: {percent, demand: packedDemand, im: packedIm}}) {
  const colour = colours(),
    demand = unpack(packedDemand),
    im = unpack(packedIm),
    n = demand.length;
  return [
    {color: colour.green, dash: "dot"},
    {color: colour.blue, dash: "solid"},
    {color: colour.orange, dash: "dash"},
  ].map((look, k) =>
    curve([0, ...demand], [0, ...im.subarray(k * n, (k + 1) * n)], {
      ...look,
      width: 2.4,
      name: k === 1 ? "median" : `${percent[k]} %`,
      hover: `%{x:.3g}: %{y:.3g} g<extra>${percent[k]} %</extra>`,
    }),
  );
}

/**
 * Where records pass the limit, and where those end that never do.
 * @param {IdaResult} result
 * @param {RecordCurve[]} curves
 * @param {number} limit
 * @param {number} right end of the axis
 */
function capacities(result, curves, limit, right) {
  const colour = colours(),
    records = result.capacities.map((value, i) => ({value, ...curves[i]})),
    passed = records.filter(({value}) => value !== null),
    never = records.filter(({value}) => value === null);
  const traces = [
    {
      x: passed.map(() => limit),
      y: passed.map(({value}) => value),
      text: passed.map(({label}) => label),
      name: result.collapse ? "collapsed" : "limit passed",
      mode: "markers",
      marker: {color: colour.red, size: 6, line: {color: colour.paper, width: 1}},
      hovertemplate: "capacity %{y:.4g} g<br>%{text}<extra></extra>",
    },
    {
      x: never.map(({demand}) => Math.min(right, Number(demand.at(-1)))),
      y: never.map(({im}) => im.at(-1)),
      name: result.collapse ? "never collapsed" : "never passed",
      mode: "markers",
      marker: {color: colour.paper, size: 8, line: {color: colour.ink, width: 1.5}},
      hovertemplate: "censored at %{y:.4g} g<extra></extra>",
    },
  ];
  return never.length ? traces : traces.slice(0, 1);
}

/**
 * @param {Panel} panel
 * @param {Analysis} analysis
 */
export function drawFragility({plot, note, words}, {state, result, fit}) {
  words.textContent = result ? `P(${result.limit_name})` : "Fragility";
  note.textContent = fit ? `θ = ${short(fit.median, 4)} g, β = ${short(fit.dispersion, 3)}` : "";
  const empty = result ? "no curve can be fitted; the reason stands below" : "comes when all records are done",
    right = fit ? Math.max(unpack(fit.im).at(-1) ?? 0, 1.1 * (fit.margin?.level ?? 0)) : state.most;
  draw(plot, fit ? [...fitted(fit), data(fit), ...censored(fit)] : [], {
    xaxis: {title: intensityName(state), rangemode: "tozero", range: [0, right]},
    yaxis: {title: "probability", range: [-0.03, 1.03]},
    margin: {t: 26},
    ...(fit ? {showlegend: true, ...marks(fit, right)} : {annotations: [instead(empty)]}),
  });
}

/**
 * The median, and the earthquake over which its margin is told.
 * @param {FragilityFit} fit
 * @param {number} right end of the axis
 */
function marks({median, margin}, right) {
  if (!margin) return {shapes: medianLines(median)};
  const anchor = margin.level > 0.6 * right ? "right" : "left",
    {shapes, annotations} = mark(margin.level, "considered", {dash: "dot", ink: colours().bad, anchor});
  return {shapes: [...medianLines(median), ...shapes], annotations};
}

/** @param {number} median */
function medianLines(median) {
  const line = {color: colours().soft, width: 1, dash: "dot"};
  return [
    {type: "line", x0: median, x1: median, y0: 0, y1: 0.5, line},
    {type: "line", x0: 0, x1: median, y0: 0.5, y1: 0.5, line},
  ];
}

/**
 * The fitted curve in its band.
 * @param {FragilityFit} fit
 */
function fitted(fit) {
  const colour = colours(),
    im = unpack(fit.im);
  const edge = {width: 0, color: colour.blue};
  return [
    curve(im, unpack(fit.low), {...edge, showlegend: false}),
    curve(im, unpack(fit.high), {
      ...edge,
      fill: "tonexty",
      fillcolor: colour.dark ? "rgba(86,180,233,.25)" : "rgba(0,114,178,.17)",
      name: `90 % band, ${fit.resamples} bootstraps`,
    }),
    curve(im, unpack(fit.probability), {
      width: 2.4,
      color: colour.blue,
      name: "lognormal fit",
      hover: "%{x:.4g} g: %{y:.3f}<extra></extra>",
    }),
  ];
}

/**
 * What was fitted: the sorted capacities, or the share of motions that passed at each level.
 * @param {FragilityFit} fit
 */
function data({points}) {
  const {ink, paper} = colours(),
    hovertemplate = "%{x:.4g} g: %{y:.3f}<extra></extra>";
  return points.steps
    ? {
        x: [0, ...points.im],
        y: [0, ...points.share],
        mode: "lines+markers",
        line: {width: 1, color: ink, shape: "hv"},
        marker: {size: 5, color: paper, line: {color: ink, width: 1.2}},
        name: "capacities",
        hovertemplate,
      }
    : {
        x: points.im,
        y: points.share,
        mode: "markers",
        marker: {size: 7, color: paper, line: {color: ink, width: 1.4}},
        name: "share of the motions",
        hovertemplate,
      };
}

/** @param {FragilityFit} fit */
const censored = (fit) =>
  fit.censored.length
    ? [
        {
          x: fit.censored,
          y: fit.censored.map(() => 0),
          mode: "markers",
          marker: {symbol: "line-ns", size: 10, line: {color: colours().ink, width: 1.5}},
          name: `${fit.censored.length} censored`,
          hovertemplate: "tried up to %{x:.4g} g<extra></extra>",
        },
      ]
    : [];
