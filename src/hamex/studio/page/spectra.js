// Spectra of a motion: elastic ones follow every control, those of constant ductility come half a second later.
import {button, choice, control, group, toggle} from "./controls.js";
import {element, save, short} from "./elements.js";
import * as Home from "./home.js";
import * as Motions from "./motion.js";
import {colours, draw} from "./plots.js";
import {Refusal, ask, latest, unpack} from "./requests.js";
import {TICKS, csv, panel} from "./sheets.js";
import * as Sheets from "./sheets.js";

const DUCTILITIES = [1.5, 2, 3, 4, 6, 8];
const MOST = 4,
  FINE = 200,
  COARSE = 48,
  REST = 140;
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

const request = (state, count, more = {}) => ({
  units: {length: state.length, force: "kN"},
  motion: Motions.table(state.motion),
  damping: state.damping,
  periods: {start: state.from, stop: state.to, count, spacing: state.logPeriod ? "log" : "linear"},
  ...more,
});
const yielding = (state) =>
  request(state, COARSE, {ductility: [...state.ductility].sort((a, b) => a - b), hardening: state.hardening});

/** @type {any} */
let fields,
  refuse,
  elastic = null,
  inelastic = null,
  shown = null,
  resting = 0;
const panels = {
  acceleration: panel("Pseudo-acceleration, strength", "first"),
  displacement: panel("Displacement"),
  three: panel("Tripartite"),
  radial: panel("Acceleration over displacement"),
  reduction: panel("Strength reduction R"),
  ground: panel("Ground motion"),
};

export function mount(view) {
  const change = (key) => (value) => view.set({[key]: value});
  const field = (name, label, key, unit, limits, help) =>
    control({name, label, unit, value: view.state[key], oninput: change(key), help, ...limits});
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
      options: ["m", "cm", "mm", "in", "ft"].map((unit) => [unit, unit]),
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
            : view.state.ductility.filter((one) => one !== value),
        }),
    }),
  );
  const shaking = Motions.controls((patch) => view.set({motion: {...view.state.motion, ...patch}}));
  for (const one of Object.values(shaking.fields)) fields[one.dataset.name] = one;
  const general = element("p", {class: "message", role: "alert", id: "spectra-message"});
  refuse = Sheets.placed(fields, general);
  fields.show = (state) => {
    for (const [name, key] of Object.entries({
      damping: "damping",
      hardening: "hardening",
      "periods.start": "from",
      "periods.stop": "to",
    }))
      fields[name].set(state[key]);
    for (const [key, pick] of Object.entries(picks)) pick.set(state[key]);
    boxes.forEach((box, i) => box.set(state.ductility.includes(DUCTILITIES[i])));
    shaking.show(state.motion);
  };
  return element(
    "div",
    {class: "bench split", "data-bench": "spectra"},
    element(
      "aside",
      {class: "controls stay", "aria-label": "Motion and oscillators"},
      general,
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
    element(
      "div",
      {class: "stage"},
      Object.values(panels).map((one) => one.root),
    ),
  );
}

const askElastic = latest(async (state, begin) => {
  const answer = await answered(request(state, FINE), "spectrum");
  if (!answer) return;
  refuse(null);
  elastic = answer;
  if (!state.ductility.length) inelastic = null;
  drawAll(state);
  await new Promise(requestAnimationFrame);
  performance.measure("redraw", {start: begin, end: performance.now()});
});

const askYielding = latest(async (state) => {
  const wish = yielding(state),
    answer = await answered(wish, "yielding");
  if (!answer) return;
  inelastic = shown.ductility.length ? {...answer, wish: JSON.stringify(wish)} : null;
  if (elastic) drawAll(shown);
});

async function answered(body, key) {
  try {
    return await ask("/api/study/spectrum", body, key);
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    refuse(problem);
    return null;
  }
}

export function show(state) {
  const begin = performance.now();
  shown = state;
  fields.show(state);
  // Half a second of work: asked for when the control rests. Until then the old curves are shown faintly.
  clearTimeout(resting);
  if (state.ductility.length)
    resting = setTimeout(() => {
      if (!inelastic || inelastic.wish !== JSON.stringify(yielding(state))) askYielding(state);
    }, REST);
  return askElastic(state, begin);
}

// ---------------------------------------------------------------- drawing
/** Whether a panel shows these values already. */
const drawn = {};
function already(name, values) {
  const now = [...values, panels[name].plot.clientWidth],
    same = drawn[name] && now.every((value, i) => value === drawn[name][i]);
  drawn[name] = now;
  return same;
}

const tints = (colour) => [colour.orange, colour.green, colour.pink, colour.red];
const DASHES = ["solid", "dash", "dashdot", "dot"];

function drawAll(state) {
  const colour = colours(),
    {length, g} = elastic;
  const T = unpack(elastic.periods),
    psa = unpack(elastic.pseudo_acceleration),
    sd = unpack(elastic.displacement),
    psv = unpack(elastic.pseudo_velocity);
  const several = inelastic ? curves(inelastic) : [],
    waiting = several.length && inelastic.wish !== JSON.stringify(yielding(state));
  const tint = tints(colour);
  const line = (x, y, name, color, more = {}) => ({
    x,
    y,
    name,
    opacity: waiting && name !== "elastic" ? 0.35 : 1,
    mode: "lines",
    line: {width: 1.7, color, dash: more.dash || "solid"},
    hovertemplate: more.hover || "%{x:.3g}, %{y:.4g}<extra></extra>",
    ...more.trace,
  });
  const period = {
    title: "period [s]",
    type: state.logPeriod ? "log" : "linear",
    ...(state.logPeriod
      ? {tickvals: TICKS, range: [Math.log10(state.from), Math.log10(state.to)]}
      : {range: [0, state.to]}),
  };
  const value = (title) => ({
    title,
    type: state.logValue ? "log" : "linear",
    ...(state.logValue ? {exponentformat: "power"} : {rangemode: "tozero"}),
  });

  draw(
    panels.acceleration.plot,
    [
      line(T, psa, "elastic", colour.blue, {hover: "T %{x:.3g} s: %{y:.4g} g<extra>elastic</extra>"}),
      ...several.map((one, i) =>
        line(one.T, one.strength, `μ = ${one.mu}`, tint[i], {
          dash: DASHES[i],
          hover: `T %{x:.3g} s: %{y:.4g} of the weight<extra>μ = ${one.mu}</extra>`,
        }),
      ),
    ],
    {xaxis: period, yaxis: value("PSa [g],  f<sub>y</sub>/W"), showlegend: true},
  );
  const top = psa.indexOf(Math.max(...psa));
  panels.acceleration.note.textContent = `up to ${short(psa[top], 3)} g at ${short(T[top], 3)} s`;

  draw(
    panels.displacement.plot,
    [
      line(T, sd, "elastic", colour.blue, {hover: `T %{x:.3g} s: %{y:.4g} ${length}<extra>elastic</extra>`}),
      ...several.map((one, i) =>
        line(one.T, one.displacement, `μ = ${one.mu}`, tint[i], {
          dash: DASHES[i],
          hover: `T %{x:.3g} s: %{y:.4g} ${length}<extra>μ = ${one.mu}</extra>`,
          trace: {error_y: {array: one.error, color: tint[i], thickness: 1, width: 0}},
        }),
      ),
    ],
    {xaxis: period, yaxis: value(`largest displacement [${length}]`), showlegend: true},
  );
  panels.displacement.note.textContent = several.length ? "error bars: change at half the step" : "";

  tripartite(T, psv, g, length, colour);
  adrs(sd, psa, several, length, g, colour, tint, waiting);

  if (!already("reduction", [inelastic && inelastic.wish, waiting, state.logPeriod, state.from, state.to, colour.dark]))
    draw(
      panels.reduction.plot,
      several.length
        ? several.map((one, i) =>
            line(one.T, one.reduction, `μ = ${one.mu}`, tint[i], {
              dash: DASHES[i],
              hover: `T %{x:.3g} s: R = %{y:.3g}<extra>μ = ${one.mu}</extra>`,
            }),
          )
        : [],
      {
        xaxis: period,
        yaxis: {title: "elastic demand / strength", rangemode: "tozero"},
        showlegend: true,
        annotations: several.length
          ? several.map((one) => ({
              xref: "paper",
              x: 1,
              xanchor: "right",
              y: one.mu,
              yanchor: "bottom",
              text: `R = μ = ${one.mu}`,
              showarrow: false,
              font: {size: 10, color: colour.soft},
            }))
          : [
              {
                xref: "paper",
                yref: "paper",
                x: 0.5,
                y: 0.5,
                text: "choose a ductility",
                showarrow: false,
                font: {color: colour.soft},
              },
            ],
        shapes: several.map((one) => ({
          type: "line",
          xref: "paper",
          x0: 0,
          x1: 1,
          y0: one.mu,
          y1: one.mu,
          line: {color: colour.soft, width: 0.8, dash: "dot"},
        })),
      },
    );

  const {motion} = elastic,
    a = unpack(motion.acceleration),
    t = Float64Array.from(a, (_, i) => i * motion.step);
  const kind = motion.kind === "recorded" ? "" : `${motion.kind}, `;
  panels.ground.note.textContent = `${kind}peak ${short(motion.peak, 3)} g`;
  panels.ground.words.textContent = motion.source.length > 60 ? `${motion.source.slice(0, 57)}…` : motion.source;
  if (!already("ground", [motion.acceleration.bdata, colour.dark]))
    draw(
      panels.ground.plot,
      [
        {
          x: t,
          y: a,
          mode: "lines",
          line: {width: 1, color: colour.soft},
          hovertemplate: "%{x:.2f} s: %{y:.3g} g<extra></extra>",
        },
      ],
      {xaxis: {title: "time [s]", range: [0, t[t.length - 1]]}, yaxis: {title: "acceleration [g]"}},
    );
}

/** Results by ductility as separate curves. */
function curves(answer) {
  const T = unpack(answer.periods),
    n = T.length;
  const table = Object.fromEntries(
    ["strength", "displacement", "strength_reduction", "displacement_error"].map((name) => [
      name,
      unpack(answer[name]),
    ]),
  );
  const row = (name, i) => table[name].subarray(i * n, (i + 1) * n);
  return answer.ductility.map((mu, i) => ({
    mu,
    T,
    strength: row("strength", i),
    displacement: row("displacement", i),
    reduction: row("strength_reduction", i),
    error: row("displacement_error", i),
  }));
}

/** Lines of constant acceleration rise, lines of constant displacement fall; both are read along them. */
function tripartite(T, psv, g, length, colour) {
  const low = Math.min(...psv.filter((v) => v > 0)),
    high = Math.max(...psv);
  const bottom = 10 ** (Math.floor(2 * Math.log10(low)) / 2),
    top = 10 ** (Math.ceil(2 * Math.log10(1.3 * high)) / 2),
    [from, to] = [T[0], T[T.length - 1]];
  const guides = [],
    words = [];
  for (let k = -6; k <= 6; k++)
    for (const rising of [true, false]) {
      const size = 10 ** k,
        at = (t) => (rising ? (size * g * t) / (2 * Math.PI) : (size * 2 * Math.PI) / t);
      const inverse = (v) => (rising ? (v * 2 * Math.PI) / (size * g) : (size * 2 * Math.PI) / v);
      const span = [
        Math.max(from, Math.min(inverse(bottom), inverse(top))),
        Math.min(to, Math.max(inverse(bottom), inverse(top))),
      ];
      if (!(span[1] > span[0] * 1.02)) continue;
      guides.push({
        x: span,
        y: span.map(at),
        mode: "lines",
        line: {width: 0.8, color: colour.soft, dash: rising ? "solid" : "dot"},
        hoverinfo: "skip",
        showlegend: false,
      });
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
      {
        x: T,
        y: psv,
        mode: "lines",
        line: {width: 1.8, color: colour.blue},
        hovertemplate: `T %{x:.3g} s: %{y:.4g} ${length}/s<extra></extra>`,
      },
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

function adrs(sd, psa, several, length, g, colour, tint, waiting) {
  const right = 1.06 * Math.max(...sd, ...several.flatMap((one) => [...one.displacement].filter(Number.isFinite))),
    high = 1.1 * Math.max(...psa);
  const rays = [],
    words = [];
  for (const period of [0.2, 0.5, 1, 2, 3, 5]) {
    const slope = ((2 * Math.PI) / period) ** 2 / g,
      x = Math.min(right, high / slope);
    if (x < 0.06 * right || slope * x < 0.04 * high) continue;
    rays.push({
      x: [0, x],
      y: [0, slope * x],
      mode: "lines",
      line: {width: 0.8, color: colour.line},
      hoverinfo: "skip",
      showlegend: false,
    });
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
  draw(
    panels.radial.plot,
    [
      ...rays,
      {
        x: sd,
        y: psa,
        name: "elastic",
        mode: "lines",
        line: {width: 1.7, color: colour.blue},
        hovertemplate: `%{x:.3g} ${length}, %{y:.3g} g<extra>elastic</extra>`,
      },
      ...several.map((one, i) => ({
        x: one.displacement,
        y: one.strength,
        name: `μ = ${one.mu}`,
        mode: "lines",
        line: {width: 1.5, color: tint[i], dash: DASHES[i]},
        opacity: waiting ? 0.35 : 1,
        hovertemplate: `%{x:.3g} ${length}, %{y:.3g} g<extra>μ = ${one.mu}</extra>`,
      })),
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
  if (!inelastic) return;
  const several = curves(inelastic);
  save(
    "spectrum-yielding.csv",
    "text/csv",
    csv(
      [
        "period [s]",
        ...several.flatMap(({mu}) => [
          `strength over weight, ductility ${mu}`,
          `displacement [${length}], ductility ${mu}`,
        ]),
      ],
      [several[0].T, ...several.flatMap((one) => [one.strength, one.displacement])],
    ),
  );
}

/** Both spectra in one question, for the script. */
function script(state) {
  const fine = request(state, FINE);
  return state.ductility.length ? {...yielding(state), elastic: fine.periods} : fine;
}

export const gifts = (view, sheet) => [
  Home.pythonGift(
    "/api/study/spectrum/python",
    () => script(view.state),
    () => "spectrum.py",
  ),
  Home.gift("CSV", "the spectra as tables", async () => {
    saveCurves();
    return "saved";
  }),
  Home.pageGift(view, () =>
    elastic
      ? {name: "spectra.html", title: `Spectra of ${panels.ground.words.textContent}`, sheet}
      : {why: "there is no spectrum yet"},
  ),
];
