// Figures 10 to 13 of the paper, and one that it has not: the error against the step.
import {colours, corner, curve, draw} from "../plots.js";
import {unpack} from "../requests.js";
import {heading} from "./table_two.js";

const NARROW = 540; // pixels below which plots stand one below the other
export const isNarrow = (/** @type {HTMLElement} */ plot) => plot.clientWidth < NARROW;

/** How both methods are drawn. */
function looks() {
  const colour = colours();
  return {fresh: {width: 1.7, color: colour.red, dash: "dot"}, old: {width: 1, color: colour.blue}};
}

/** A layout to which axes and words are added. */
const begun = () => ({annotations: /** @type {Layout[]} */ ([]), showlegend: true, margin: {t: 30}});

/** The end of an axis' name: none for the first, 2, 3 … */
const suffix = (/** @type {number} */ i) => (i ? String(i + 1) : "");

/**
 * Displacements of three cases, one below the other.
 * @param {Panel} panel
 * @param {PaperRow[]} rows
 */
export function drawDisplacements({plot}, rows) {
  const {fresh, old} = looks(),
    high = 1 / rows.length,
    gap = 0.05;
  /** @type {Trace[]} */
  const traces = [];
  /** @type {Layout} */
  const layout = begun();
  rows.forEach((row, i) => {
    const u = unpack(row.displacement),
      t = Float64Array.from(u, (_, k) => k * row.spacing),
      axes = {xaxis: "x", yaxis: `y${suffix(i)}`, showlegend: !i};
    if (!row.newmark.why)
      traces.push(
        curve(t, unpack(row.newmark.displacement), {
          ...axes,
          ...old,
          name: "Newmark with Newton-Raphson",
          hover: "%{x:.2f} s: %{y:.4g}<extra>Newmark</extra>",
        }),
      );
    traces.push(
      curve(t, u, {
        ...axes,
        ...fresh,
        name: "this method, eqs. (66)–(68)",
        hover: "%{x:.2f} s: %{y:.4g}<extra>this method</extra>",
      }),
    );
    layout[`yaxis${suffix(i)}`] = {
      title: "u [milli-in]",
      domain: [1 - (i + 1) * high + (i < rows.length - 1 ? gap : 0), 1 - i * high],
    };
    layout.annotations.push({
      ...corner(heading(row), {x: 1, y: 1 - i * high, right: true}),
      bgcolor: colours().paper,
    });
  });
  draw(plot, traces, {...layout, xaxis: {title: "time [s]", range: [0, 40], anchor: `y${rows.length}`}});
}

/**
 * Loops of three cases, side by side where there is room.
 * @param {Panel} panel
 * @param {PaperRow[]} rows
 */
export function drawLoops({plot}, rows) {
  const {fresh, old} = looks(),
    below = isNarrow(plot),
    share = 1 / rows.length,
    gap = 0.06;
  /** @type {Trace[]} */
  const traces = [];
  /** @type {Layout} */
  const layout = begun();
  rows.forEach((row, i) => {
    const n = suffix(i),
      axes = {xaxis: `x${n}`, yaxis: `y${n}`, showlegend: !i};
    if (!row.newmark.why)
      traces.push(
        curve(unpack(row.newmark.displacement), unpack(row.newmark.force), {
          ...axes,
          ...old,
          name: "Newmark, at the nodes",
        }),
      );
    traces.push(
      curve(unpack(row.mean_displacement), unpack(row.force), {
        ...axes,
        ...fresh,
        name: "this method, step means (88)–(89)",
      }),
    );
    const along = [i * share + (i ? gap / 2 : 0), (i + 1) * share - (i < rows.length - 1 ? gap / 2 : 0)],
      down = [1 - (i + 1) * share + (i < rows.length - 1 ? gap : 0), 1 - i * share - (i ? 0.03 : 0)];
    layout[`xaxis${n}`] = {
      title: below && i < rows.length - 1 ? "" : "u [milli-in]",
      domain: below ? [0, 1] : along,
      anchor: `y${n}`,
    };
    layout[`yaxis${n}`] = {
      title: below || !i ? "spring force [kip]" : "",
      domain: below ? down : [0, 1],
      anchor: `x${n}`,
      ...(i && !below ? {matches: "y", showticklabels: false} : {}),
    };
    layout.annotations.push(corner(heading(row), {x: below ? 0.02 : along[0] + 0.01, y: below ? down[1] : 1}));
  });
  draw(plot, traces, layout);
}

/**
 * Errors of three methods against the step, for two cases.
 * @param {Panel} panel
 * @param {ConvergenceStudy[]} studies
 */
export function drawHalving({plot, note}, studies) {
  const colour = colours(),
    below = isNarrow(plot);
  /** @type {Trace[]} */
  const traces = [];
  /** @type {Layout} */
  const layout = begun();
  const methods = [
    {key: "end", name: "load at the end (paper)", color: colour.red, symbol: "circle"},
    {key: "newmark", name: "Newmark with Newton-Raphson", color: colour.blue, symbol: "square"},
    {key: "average", name: "average load", color: colour.green, symbol: "diamond"},
  ];
  const ticks = plot.clientWidth < 900 ? [0.0005, 0.002, 0.01] : [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02];
  studies.forEach(({case: loading, steps, errors, orders}, i) => {
    const n = suffix(i),
      domain = below ? [0, 1] : i ? [0.53, 1] : [0, 0.47],
      down = !below ? [0, 1] : i ? [0, 0.44] : [0.56, 1];
    for (const {key, name, color, symbol} of methods) {
      traces.push(
        curve(steps, errors[key], {
          xaxis: `x${n}`,
          yaxis: `y${n}`,
          name,
          showlegend: !i,
          mode: "lines+markers",
          width: 1.5,
          color,
          marker: {symbol, size: 7},
          hover: "h = %{x:.3g} s: %{y:.2e}<extra></extra>",
        }),
      );
      layout.annotations.push({
        xref: `x${n}`,
        yref: `y${n}`,
        x: Math.log10(Number(steps.at(-1))),
        y: Math.log10(Number(errors[key].at(-1))),
        text: `order ${orders[key].toFixed(1)}`,
        showarrow: false,
        yshift: key === "end" ? 26 : -14, // curves rise to the right
        xanchor: "left",
        font: {size: 11, color},
      });
    }
    layout[`xaxis${n}`] = {
      title: "step h [s]",
      type: "log",
      domain,
      anchor: `y${n}`,
      tickvals: ticks,
      ticktext: ticks.map(String),
      tickangle: 0,
    };
    layout[`yaxis${n}`] = {
      title: i && !below ? "" : "relative RMS error of u",
      type: "log",
      domain: down,
      anchor: `x${n}`,
      exponentformat: "power",
      dtick: 1,
      ...(i ? {matches: "y", showticklabels: below} : {}),
    };
    layout.annotations.push(corner(loading, {x: domain[0] + 0.01, y: down[1]}));
  });
  draw(plot, traces, layout);
  note.textContent = "against an own run at 0.02/1024 s";
}
