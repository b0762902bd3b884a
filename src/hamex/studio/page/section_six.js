// Table 2 and figures 10 to 13: section 6 of the paper live, digit by digit.
import {button, choice, control, group} from "./controls.js";
import {element, save} from "./elements.js";
import * as Home from "./home.js";
import {colours, draw} from "./plots.js";
import {Refusal, ask, get, latest, unpack} from "./requests.js";
import {card, panel} from "./sheets.js";
import * as Sheets from "./sheets.js";

export const START = {load: "end", parts: 1, viscosity: 1, kinematic: 0};
const NARROW = 540; // pixels below which three loops stand one below the other
const HEAD = [
  "case",
  "step [s]",
  "slip printed [milli-in]",
  "slip",
  "momentum printed [milli-in/s]",
  "momentum",
  "Newmark slip",
  "Newmark momentum",
  "Newmark iterations",
  "energy residual",
];
const LOADS = [
  ["end", "at its end (the paper)"],
  ["average", "average of both ends"],
  ["mean", "mean over the step"],
];

let fields,
  refuse,
  answer = null,
  peer = null,
  study = null,
  asked = false;
const cards = {
  digits: card("printed numbers met in every digit"),
  residual: card("energy residual / largest work"),
  newton: card("Newton iterations: this method, Newmark"),
  peer: card("OpenSees"),
};
const figures = {
  "figure-10": panel("Figure 10", "wide first", "rows"),
  "figure-11": panel("Figure 11", "wide", "loops"),
  "figure-12": panel("Figure 12", "wide", "rows"),
  "figure-13": panel("Figure 13", "wide", "loops"),
};
const halving = panel("Not in the paper: error against the step", "wide", "tall");
const table = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table 2"});
const remark = element("p", {class: "quiet"}),
  conventions = element("ol", {class: "quiet"});

export function mount(view) {
  const change = (key) => (value) => view.set({[key]: value});
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
  const general = element("p", {class: "message", role: "alert", id: "paper-message"});
  refuse = Sheets.placed(fields, general);
  return element(
    "div",
    {class: "bench split"},
    element(
      "aside",
      {class: "controls stay", "aria-label": "How the six cases are run"},
      general,
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
    element(
      "div",
      {class: "stage"},
      element(
        "div",
        {class: "panel wide first"},
        element(
          "div",
          {class: "cards"},
          Object.values(cards).map((one) => one.root),
        ),
      ),
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
    ),
  );
}

const request = ({load, parts, viscosity, kinematic}) => ({load, parts, viscosity, kinematic});

const run = latest(async (state, begin) => {
  let found;
  try {
    found = await ask("/api/paper", request(state), "paper");
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    refuse(problem);
    return;
  }
  if (!found) return;
  refuse(null);
  answer = found;
  drawAll();
  await new Promise(requestAnimationFrame);
  performance.measure("redraw", {start: begin, end: performance.now()});
  if (!asked) {
    asked = true;
    beside();
  }
});

/** What takes a second comes behind: OpenSees, and the halving of the step. */
async function beside() {
  try {
    peer = await get("/api/paper/opensees");
    drawTable();
  } catch (problem) {
    cards.peer.value.textContent = "–";
    cards.peer.label.textContent = `OpenSees: ${problem.message}`;
  }
  try {
    study = await get("/api/paper/convergence");
    drawHalving();
  } catch (problem) {
    halving.note.textContent = problem.message;
  }
}

export function show(state) {
  const begin = performance.now();
  for (const key of Object.keys(START)) fields[key].set(state[key]);
  return run(state, begin);
}

// ---------------------------------------------------------------- drawing
function drawAll() {
  const resonant = answer.rows.filter((row) => row.resonant),
    record = answer.rows.filter((row) => !row.resonant);
  for (const [name, one] of Object.entries(figures)) one.words.textContent = answer.captions[name];
  displacement(figures["figure-10"], resonant);
  hysteresis(figures["figure-11"], resonant);
  displacement(figures["figure-12"], record);
  hysteresis(figures["figure-13"], record);
  remark.textContent = answer.paper
    ? "These are the paper's own settings."
    : "Not the paper's settings: the digits of Table 2 need not come out.";
  conventions.replaceChildren(...answer.conventions.map((words) => element("li", {}, words)));
  drawTable();
  if (study) drawHalving();
}

const heading = (row) => row.parameter + (row.resonant ? " s" : "");
const looks = (colour) => ({fresh: {width: 1.7, color: colour.red, dash: "dot"}, old: {width: 1, color: colour.blue}});

function displacement({plot}, rows) {
  const colour = colours(),
    {fresh, old} = looks(colour),
    traces = [],
    layout = {annotations: /** @type {any[]} */ ([]), showlegend: true, margin: {t: 30}},
    high = 1 / rows.length,
    gap = 0.05;
  rows.forEach((row, i) => {
    const u = unpack(row.displacement),
      t = Float64Array.from(u, (_, k) => k * row.spacing),
      n = i ? i + 1 : "";
    const axes = {x: t, xaxis: "x", yaxis: `y${n}`};
    if (!row.newmark.why)
      traces.push({
        ...axes,
        y: unpack(row.newmark.displacement),
        name: "Newmark with Newton-Raphson",
        showlegend: !i,
        mode: "lines",
        line: old,
        hovertemplate: "%{x:.2f} s: %{y:.4g}<extra>Newmark</extra>",
      });
    traces.push({
      ...axes,
      y: u,
      name: "this method, eqs. (66)–(68)",
      showlegend: !i,
      mode: "lines",
      line: fresh,
      hovertemplate: "%{x:.2f} s: %{y:.4g}<extra>this method</extra>",
    });
    layout[`yaxis${n}`] = {
      title: "u [milli-in]",
      domain: [1 - (i + 1) * high + (i < rows.length - 1 ? gap : 0), 1 - i * high],
    };
    layout.annotations.push({
      xref: "paper",
      yref: "paper",
      x: 1,
      xanchor: "right",
      y: 1 - i * high,
      yanchor: "top",
      text: heading(row),
      showarrow: false,
      bgcolor: colour.paper,
      font: {size: 12},
    });
  });
  draw(plot, traces, {...layout, xaxis: {title: "time [s]", range: [0, 40], anchor: `y${rows.length}`}});
}

function hysteresis({plot}, rows) {
  const colour = colours(),
    {fresh, old} = looks(colour),
    traces = [],
    layout = {annotations: /** @type {any[]} */ ([]), showlegend: true, margin: {t: 30}};
  const below = plot.clientWidth < NARROW,
    share = 1 / rows.length,
    gap = 0.06;
  plot.classList.toggle("below", below);
  rows.forEach((row, i) => {
    const n = i ? i + 1 : "",
      axes = {xaxis: `x${n}`, yaxis: `y${n}`};
    if (!row.newmark.why)
      traces.push({
        ...axes,
        x: unpack(row.newmark.displacement),
        y: unpack(row.newmark.force),
        name: "Newmark, at the nodes",
        showlegend: !i,
        mode: "lines",
        line: old,
        hoverinfo: "skip",
      });
    traces.push({
      ...axes,
      x: unpack(row.mean_displacement),
      y: unpack(row.force),
      name: "this method, step means (88)–(89)",
      showlegend: !i,
      mode: "lines",
      line: fresh,
      hoverinfo: "skip",
    });
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
    layout.annotations.push({
      xref: "paper",
      yref: "paper",
      x: below ? 0.02 : along[0] + 0.01,
      xanchor: "left",
      y: below ? down[1] : 1,
      yanchor: "top",
      text: heading(row),
      showarrow: false,
      font: {size: 12},
    });
  });
  draw(plot, traces, layout);
}

/** The computed number with its verdict, by sign and colour and, for those who hear the page, by word. */
const computed = ({computed: digits, match}) => [
  digits,
  element(
    "span",
    {
      class: match ? "good" : "bad",
      role: "img",
      "aria-label": match ? "matches" : "differs",
      title: match ? "every digit as printed" : "differs from the print",
    },
    match ? " ✓" : " ≠",
  ),
];

function drawTable() {
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
  const head = element(
    "thead",
    {},
    element(
      "tr",
      {},
      element("th", {rowspan: 2, scope: "col"}, "Case"),
      element("th", {colspan: 2, scope: "colgroup"}, "slip u₁"),
      element("th", {colspan: 2, scope: "colgroup"}, "momentum p"),
      element("th", {colspan: 3, scope: "colgroup"}, "Newmark"),
      element("th", {colspan: 2, scope: "colgroup"}, peer && !peer.live ? "OpenSees, recorded" : "OpenSees"),
      element("th", {rowspan: 2, scope: "col"}, "residual"),
    ),
    element(
      "tr",
      {},
      ["printed", "computed", "printed", "computed", "u₁", "p", "iterations", "u₁", "p"].map((words) =>
        element("th", {scope: "col"}, words),
      ),
    ),
  );
  const rows = answer.rows.map((row) => {
    const other = peer ? peer.cases[row.name] : null,
      {newmark} = row;
    const cells = [
      row.slip.printed,
      computed(row.slip),
      row.momentum.printed,
      computed(row.momentum),
      ...(newmark.why ? ["–", "–", "–"] : [newmark.slip, newmark.momentum, newmark.iterations.toLocaleString("en")]),
      other ? other.slip : "…",
      other ? other.momentum : "…",
      row.residual.toExponential(0),
    ];
    return element(
      "tr",
      {"data-case": row.name},
      element("th", {scope: "row"}, `${row.case}, ${heading(row)}`),
      cells.map((cell) => element("td", {}, cell)),
    );
  });
  table.replaceChildren(element("table", {}, head, element("tbody", {}, rows)));
}

function drawHalving() {
  const colour = colours(),
    traces = [],
    layout = {annotations: /** @type {any[]} */ ([]), showlegend: true, margin: {t: 30}};
  const ways = [
    ["end", "load at the end (paper)", colour.red, "circle"],
    ["newmark", "Newmark with Newton-Raphson", colour.blue, "square"],
    ["average", "average load", colour.green, "diamond"],
  ];
  const below = halving.plot.clientWidth < NARROW;
  halving.plot.classList.toggle("below", below);
  study.studies.forEach((one, i) => {
    const n = i ? i + 1 : "",
      domain = below ? [0, 1] : i ? [0.53, 1] : [0, 0.47],
      down = !below ? [0, 1] : i ? [0, 0.44] : [0.56, 1];
    for (const [key, name, tint, symbol] of ways) {
      traces.push({
        x: one.steps,
        y: one.errors[key],
        xaxis: `x${n}`,
        yaxis: `y${n}`,
        name,
        showlegend: !i,
        mode: "lines+markers",
        line: {width: 1.5, color: tint},
        marker: {symbol, size: 7},
        hovertemplate: "h = %{x:.3g} s: %{y:.2e}<extra></extra>",
      });
      layout.annotations.push({
        xref: `x${n}`,
        yref: `y${n}`,
        x: Math.log10(one.steps.at(-1)),
        y: Math.log10(one.errors[key].at(-1)),
        text: `order ${one.orders[key].toFixed(1)}`,
        showarrow: false,
        yshift: key === "end" ? 14 : -14,
        xanchor: "left",
        font: {size: 11, color: tint},
      });
    }
    layout[`xaxis${n}`] = {
      title: "step h [s]",
      type: "log",
      domain,
      anchor: `y${n}`,
      tickvals: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02],
      ticktext: ["0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"],
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
    layout.annotations.push({
      xref: "paper",
      yref: "paper",
      x: domain[0] + 0.01,
      xanchor: "left",
      y: down[1],
      yanchor: "top",
      text: one.case,
      showarrow: false,
    });
  });
  draw(halving.plot, traces, layout);
  halving.note.textContent = "against an own run at 0.02/1024 s";
}

function csv() {
  const rows = answer.rows.map((row) =>
    [
      `"${row.case}, ${heading(row)}"`,
      row.step,
      row.slip.printed,
      row.slip.value,
      row.momentum.printed,
      row.momentum.value,
      row.newmark.slip,
      row.newmark.momentum,
      row.newmark.iterations,
      row.residual,
    ].join(","),
  );
  save("table-2.csv", "text/csv", `${[HEAD.join(","), ...rows].join("\n")}\n`);
}

export const gifts = (view, sheet) => [
  Home.pythonGift(
    "/api/paper/python",
    () => request(view.state),
    () => "table-2.py",
  ),
  Home.gift("CSV", "Table 2 with all digits", async () => {
    if (!answer) return "there is no table yet";
    csv();
    return "saved table-2.csv";
  }),
  Home.pageGift(view, () =>
    answer
      ? {name: "section-6.html", title: "Section 6 of the paper: figures 10–13 and Table 2", sheet}
      : {why: "there is no table yet"},
  ),
];
