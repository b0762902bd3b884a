// Incremental dynamic analysis: a system, a suite of motions, a limit; curves come in one by one.
import {button, choice, control, group, toggle} from "./controls.js";
import {element, save, say, short} from "./elements.js";
import * as Home from "./home.js";
import {colours, draw} from "./plots.js";
import {Refusal, ask, get, unpack, withdraw} from "./requests.js";
import {GRAVITY, card, csv, lasting, panel, progress} from "./sheets.js";
import * as Sheets from "./sheets.js";

const POLL = 120,
  BEYOND = 2.2;
export const START = {
  system: "frame",
  length: "m",
  mass: 100,
  period: 1,
  ratio: 0.05,
  strength: 0.12,
  hardening: 0.03,
  viscosity: 0,
  storeys: 6,
  height: 3.2,
  second: true,
  suite: "synthetic",
  count: 40,
  seed: 1,
  magnitude: 7,
  distance: 12,
  vs30: 400,
  intensity: "sa",
  way: "stripes",
  least: 0.05,
  most: 1.5,
  levels: 20,
  runs: 12,
  oscillatorLimit: "ductility",
  frameLimit: "drift_ratio",
  ductility: 4,
  drift_ratio: 0.02,
  displacement: 0.1,
  step: 0.01,
};
const LIMITS = {
  oscillator: [
    ["ductility", "ductility"],
    ["displacement", "displacement"],
  ],
  frame: [
    ["drift_ratio", "storey drift ratio"],
    ["ductility", "storey ductility"],
  ],
};
const limitOf = (state) => (state.system === "frame" ? state.frameLimit : state.oscillatorLimit);
const rounded = (value) => Number(value.toPrecision(6));

/** The study file of a state, as JSON. */
function study(state) {
  const measure = limitOf(state),
    period = rounded(state.period);
  return {
    title: state.system === "frame" ? `Shear frame of ${state.storeys} storeys` : "Oscillator",
    units: {length: state.length, force: "kN"},
    model: state.system === "frame" ? frame(state) : oscillator(state),
    records:
      state.suite === "synthetic"
        ? {
            synthetic: {
              count: state.count,
              seed: state.seed,
              magnitude: state.magnitude,
              distance: state.distance,
              vs30: state.vs30,
            },
          }
        : {name: "el-centro"},
    intensity: state.intensity === "sa" ? {kind: "sa", period} : {kind: "pga"},
    ...(state.way === "hunt"
      ? {
          hunt: {
            first: state.least,
            step: rounded(state.most / state.levels),
            runs: state.runs,
            largest: rounded(4 * state.most),
          },
        }
      : {stripes: {start: state.least, stop: state.most, count: state.levels}}),
    limit: {measure, value: state[measure]},
    scheme: {kind: "galerkin", step: state.step},
  };
}

const kinematic = (stiffness, hardening) => rounded((stiffness * hardening) / (1 - hardening));

function oscillator(state) {
  const stiffness = state.mass * ((2 * Math.PI) / state.period) ** 2;
  return {
    kind: "oscillator",
    mass: state.mass,
    period: rounded(state.period),
    damping_ratio: state.ratio,
    strength_ratio: state.strength,
    viscosity: state.viscosity,
    kinematic: kinematic(stiffness, state.hardening),
  };
}

/** Equal floors; the stiffness gives the first period, strengths follow forces that grow with height. */
function frame({storeys: n, mass, period, ratio, strength, hardening, viscosity, height, second, length}) {
  const stiffness = rounded((mass * ((2 * Math.PI) / period) ** 2) / (4 * Math.sin(Math.PI / (2 * (2 * n + 1))) ** 2));
  const weight = mass * GRAVITY[length];
  const laws = Array.from({length: n}, (_, i) => ({
    yield_force: rounded(strength * n * weight * (1 - (i * (i + 1)) / (n * (n + 1)))),
    viscosity,
    kinematic: kinematic(stiffness, hardening),
  }));
  return {
    kind: "shear_frame",
    masses: new Array(n).fill(mass),
    stiffnesses: stiffness,
    heights: height,
    laws,
    damping: n > 1 ? {kind: "rayleigh", ratio, modes: [1, Math.min(n, 3)]} : {kind: "ratio", ratio},
    ...(second ? {weights: rounded(weight)} : {}),
  };
}

let fields,
  refuse,
  view,
  job = null,
  curves = [],
  result = null,
  asked = null,
  timer = 0,
  changed;
const bar = progress("records done");
const go = button("Run", () => start(), {primary: true}),
  stop = button("Cancel", () => cancel());
const shownCurves = panel("Curves of the records", "wide first", "tall"),
  shownFragility = panel("Fragility", "wide", "tall");
const cards = {
  median: card("median capacity θ"),
  dispersion: card("dispersion β"),
  censored: card("records never passing"),
  runs: card("runs"),
};
const flags = element("ul", {class: "quiet flags"});
const takes = {
  file: button("Study file", saveFile, {title: "TOML for `hamex ida`: the same numbers"}),
  runs: button("Runs as CSV", saveRuns),
  fit: button("Fragility as CSV", saveFit),
};

export function mount(given) {
  view = given;
  const change = (key, whole) => (value) =>
    view.set({ida: {...view.state.ida, [key]: whole ? Math.round(value) : value}});
  const field = (name, label, key, unit, limits, help) =>
    control({name, label, unit, value: START[key], oninput: change(key, limits.step === 1), help, ...limits});
  const s = {
    mass: field("model.mass", "Mass of a floor", "mass", "", {min: 1, max: 10000, log: true}),
    period: field("model.period", "First period", "period", "s", {min: 0.1, max: 4, log: true}, "elastic"),
    ratio: field("model.damping_ratio", "Damping ratio", "ratio", "of critical", {min: 0, max: 0.2, step: 0.005}),
    strength: field(
      "model.strength_ratio",
      "Strength",
      "strength",
      "of weight",
      {min: 0.02, max: 1, log: true},
      "yield force, or base shear at yield, over the weight",
    ),
    hardening: field(
      "model.kinematic",
      "Hardening",
      "hardening",
      "of elastic",
      {min: 0, max: 0.3, step: 0.005},
      "stiffness after yield over elastic stiffness",
    ),
    viscosity: field(
      "model.viscosity",
      "Viscosity",
      "viscosity",
      "",
      {min: 0, max: 2000, step: 10},
      "0: rate-independent plasticity",
    ),
    storeys: field("model.masses", "Storeys", "storeys", "", {min: 1, max: 40, step: 1}),
    height: field("model.heights", "Storey height", "height", "", {min: 1, max: 10, step: 0.1}),
    count: field("records.synthetic.count", "Records", "count", "", {min: 2, max: 200, step: 1}),
    seed: field(
      "records.synthetic.seed",
      "Seed",
      "seed",
      "",
      {min: 0, max: 200, step: 1},
      "the same seed gives the same motions",
    ),
    magnitude: field("records.synthetic.magnitude", "Magnitude", "magnitude", "", {min: 4, max: 8.5, step: 0.1}),
    distance: field("records.synthetic.distance", "Distance", "distance", "km", {min: 1, max: 300, log: true}),
    vs30: field("records.synthetic.vs30", "Site, vs30", "vs30", "m/s", {min: 150, max: 2000, log: true}),
    least: field("stripes.start", "From", "least", "g", {min: 0.01, max: 1, log: true}),
    most: field("stripes.stop", "To", "most", "g", {min: 0.2, max: 10, log: true}),
    levels: field("stripes.count", "Levels", "levels", "", {min: 2, max: 80, step: 1}),
    runs: field("hunt.runs", "Runs of a record", "runs", "", {min: 3, max: 40, step: 1}),
    ductility: field("limit.value", "Limit", "ductility", "", {min: 1, max: 20, step: 0.1}),
    drift_ratio: field("limit.value", "Limit", "drift_ratio", "", {min: 0.002, max: 0.1, log: true}),
    displacement: field("limit.value", "Limit", "displacement", "", {min: 0.001, max: 10, log: true}),
    step: field("scheme.step", "Time step", "step", "s", {min: 0.001, max: 0.05, log: true}),
  };
  const picks = {
    system: choice({
      label: "System",
      options: [
        ["oscillator", "oscillator"],
        ["frame", "shear frame"],
      ],
      value: "frame",
      oninput: change("system"),
      name: "system",
    }),
    second: toggle({label: "Second-order effect of the weight", value: true, oninput: change("second")}),
    length: choice({
      label: "Unit of length",
      options: ["m", "cm", "mm", "in", "ft"].map((unit) => [unit, unit]),
      value: "m",
      oninput: (unit) => relength(unit),
    }),
    suite: choice({
      label: "Motions",
      options: [
        ["synthetic", "synthetic suite"],
        ["el-centro", "El Centro 1940 alone"],
      ],
      value: "synthetic",
      oninput: change("suite"),
      name: "suite",
    }),
    intensity: choice({
      label: "Intensity",
      options: [
        ["sa", "Sa at the first period"],
        ["pga", "peak ground acceleration"],
      ],
      value: "sa",
      oninput: change("intensity"),
      name: "intensity",
    }),
    way: choice({
      label: "Scaled",
      options: [
        ["stripes", "to the same levels"],
        ["hunt", "to hunt the limit"],
      ],
      value: "stripes",
      oninput: change("way"),
      name: "way",
    }),
    oscillatorLimit: choice({
      label: "Measure",
      options: LIMITS.oscillator,
      value: "ductility",
      oninput: change("oscillatorLimit"),
    }),
    frameLimit: choice({
      label: "Measure",
      options: LIMITS.frame,
      value: "drift_ratio",
      oninput: change("frameLimit"),
      name: "measure",
    }),
  };
  const general = element("p", {class: "message", role: "alert", id: "ida-message"});
  fields = {...s, ...picks};
  const named = Object.fromEntries(Object.values(s).map((one) => [one.dataset.name, one]));
  refuse = (problem) => {
    named["limit.value"] = s[limitOf(view.state.ida)];
    Sheets.placed(named, general)(problem);
  };
  changed = element("span", {class: "quiet"});
  shownCurves.root.insertBefore(element("div", {class: "run"}, go, stop, bar), shownCurves.plot);
  shownFragility.root.append(flags);
  return element(
    "div",
    {class: "bench split", "data-bench": "ida"},
    element(
      "aside",
      {class: "controls stay", "aria-label": "System, motions and limit"},
      general,
      group(
        "Structure",
        picks.system,
        s.storeys,
        s.mass,
        s.period,
        s.ratio,
        s.strength,
        s.hardening,
        s.viscosity,
        s.height,
        picks.second,
      ),
      group("Motions", picks.suite, s.count, s.magnitude, s.distance, s.vs30, s.seed),
      group("Intensities", picks.intensity, picks.way, s.least, s.most, s.levels, s.runs),
      group("Limit", picks.oscillatorLimit, picks.frameLimit, s.ductility, s.drift_ratio, s.displacement),
      group(
        "Time and units",
        s.step,
        picks.length,
        button("Start again", () => view.set({ida: structuredClone(START)})),
      ),
    ),
    element(
      "div",
      {class: "stage"},
      shownCurves.root,
      element(
        "div",
        {class: "panel wide"},
        element(
          "div",
          {class: "cards"},
          Object.values(cards).map((one) => one.root),
        ),
        element("div", {class: "row take"}, Object.values(takes), changed),
      ),
      shownFragility.root,
    ),
  );
}

/** The same structure in another unit of length. */
function relength(unit) {
  const state = view.state.ida,
    factor = GRAVITY[unit] / GRAVITY[state.length];
  view.set({
    ida: {
      ...state,
      length: unit,
      mass: rounded(state.mass / factor),
      viscosity: rounded(state.viscosity / factor),
      height: rounded(state.height * factor),
      displacement: rounded(state.displacement * factor),
    },
  });
}

export function show(state) {
  for (const [key, one] of Object.entries(fields)) one.set(state[key]);
  const frameOnly = ["storeys", "height", "second", "frameLimit"],
    synthetic = ["count", "magnitude", "distance", "vs30", "seed"];
  for (const key of frameOnly) fields[key].hidden = state.system !== "frame";
  for (const key of synthetic) fields[key].hidden = state.suite !== "synthetic";
  fields.oscillatorLimit.hidden = state.system === "frame";
  fields.runs.hidden = state.way !== "hunt";
  for (const key of ["ductility", "drift_ratio", "displacement"]) fields[key].hidden = limitOf(state) !== key;
  fields.mass.rename(state.system === "frame" ? "Mass of a floor" : "Mass", `kN·s²/${state.length}`);
  fields.period.rename(state.system === "frame" ? "First period" : "Period", "s");
  fields.levels.rename(state.way === "hunt" ? "Steps up to there" : "Levels", "");
  for (const [key, unit] of [
    ["height", state.length],
    ["displacement", state.length],
    ["viscosity", `kN·s/${state.length}`],
  ])
    fields[key].querySelector(".unit").textContent = unit;
  drawAll();
}

// ---------------------------------------------------------------- the job
async function start() {
  if (job) await cancel();
  const state = view.state.ida;
  refuse(null);
  buttons(true);
  bar.set(0, "making the motions …");
  let told;
  try {
    told = await ask("/api/study/ida", study(state), "ida");
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    refuse(problem);
    buttons(false);
    bar.set(0, problem.field ? "not started: see the field" : "not started");
    return;
  }
  if (!told) return;
  curves = [];
  result = null;
  asked = state;
  job = {id: told.id, total: told.total, csv: null};
  say("analysis started");
  drawAll();
  poll();
}

async function poll() {
  const mine = job;
  let told;
  try {
    told = await get(`/api/study/ida/${mine.id}?since=${curves.length}`);
  } catch (problem) {
    if (job === mine) ended(problem.message);
    return;
  }
  if (job !== mine) return;
  curves.push(
    ...told.curves.map((curve) => ({label: curve.label, im: unpack(curve.im), demand: unpack(curve.demand)})),
  );
  const left = told.left === null ? "" : `, ${lasting(told.left)} left`;
  bar.set(
    told.done / told.total,
    `${told.done} of ${told.total} records${told.state === "running" && told.done ? left : ""}`,
  );
  if (told.state === "running") {
    if (told.curves.length) drawAll();
    timer = setTimeout(poll, POLL);
    return;
  }
  if (told.state === "finished") {
    result = told.result;
    result.id = mine.id;
    curves = result.curves.map((curve) => ({label: curve.label, im: unpack(curve.im), demand: unpack(curve.demand)}));
    ended(`${told.total} records, ${result.runs} runs in ${lasting(result.seconds)}`, 1);
  } else
    ended(
      told.state === "cancelled" ? `cancelled after ${told.done} of ${told.total} records` : told.message,
      told.done / told.total,
    );
}

function ended(words, share = 0) {
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

function buttons(running) {
  go.disabled = running;
  stop.disabled = !running;
  go.textContent = running ? "Running …" : result ? "Run again" : "Run";
}
// A page that is closed takes its study with it.
window.addEventListener("pagehide", () => {
  if (job) fetch(`/api/study/ida/${job.id}`, {method: "DELETE", keepalive: true});
});

// ---------------------------------------------------------------- drawing
function drawAll() {
  const colour = colours(),
    state = asked || view.state.ida,
    measure = limitOf(state),
    limit = state[measure];
  drawCurves(colour, state, measure, limit);
  drawFragility(colour);
  cards.runs.value.textContent = result ? String(result.runs) : "–";
  const fit = result && !result.fragility.why ? result.fragility : null,
    unit = "g";
  cards.median.value.textContent = fit ? `${short(fit.median, 4)} ${unit}` : "–";
  cards.median.value.dataset.value = fit ? fit.median : "";
  cards.median.label.textContent = fit
    ? `median capacity θ (${fit.interval.median.map((end) => short(end, 3)).join(" to ")})`
    : "median capacity θ";
  cards.dispersion.value.textContent = fit ? short(fit.dispersion, 3) : "–";
  cards.dispersion.value.dataset.value = fit ? fit.dispersion : "";
  cards.dispersion.label.textContent = fit
    ? `dispersion β (${fit.interval.dispersion.map((end) => short(end, 2)).join(" to ")})`
    : "dispersion β";
  cards.censored.value.textContent = result
    ? `${result.capacities.filter((value) => value === null).length} of ${result.capacities.length}`
    : "–";
  flags.replaceChildren(
    ...(result ? [...(result.fragility.why ? [result.fragility.why] : []), ...result.flags] : []).map((words) =>
      element("li", {}, words),
    ),
  );
  takes.runs.disabled = !result;
  takes.fit.disabled = !fit;
  changed.textContent =
    asked && JSON.stringify(asked) !== JSON.stringify(view.state.ida)
      ? "The settings have changed since this run."
      : "";
  if (!job && !curves.length) buttons(false);
}

/** All records in one line with gaps: a hundred records are one trace. */
function joined(right) {
  const x = [],
    y = [],
    text = [];
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

function drawCurves(colour, state, measure, limit) {
  const right = BEYOND * limit,
    {x, y, text} = joined(right);
  const seen = y.filter((value, i) => value !== null && x[i] <= right);
  const top = 1.06 * Math.max(state.least, ...seen, ...(seen.length > 1 ? [] : [state.most]));
  /** @type {any[]} */
  const traces = [
    {
      x,
      y,
      text,
      name: `${curves.length} records`,
      mode: "lines",
      line: {width: 0.8, color: colour.soft},
      opacity: 0.75,
      hovertemplate: "%{x:.4g}, %{y:.4g} g<br>%{text}<extra></extra>",
    },
  ];
  const shapes = [
    {
      type: "line",
      x0: limit,
      x1: limit,
      yref: "paper",
      y0: 0,
      y1: 1,
      line: {color: colour.red, width: 1.6, dash: "dash"},
    },
  ];
  const words = {
    drift_ratio: "storey drift ratio",
    ductility: state.system === "frame" ? "storey ductility" : "ductility",
    displacement: `displacement [${state.length}]`,
  }[measure];
  if (result) {
    const {fractiles} = result,
      demand = unpack(fractiles.demand),
      im = unpack(fractiles.im),
      n = demand.length;
    [
      [0, colour.green, "dot"],
      [1, colour.blue, "solid"],
      [2, colour.orange, "dash"],
    ].forEach(([k, tint, dash]) =>
      traces.push({
        x: [0, ...demand],
        y: [0, ...im.subarray(k * n, (k + 1) * n)],
        name: k === 1 ? "median" : `${fractiles.percent[k]} %`,
        mode: "lines",
        line: {width: 2.4, color: tint, dash},
        hovertemplate: `%{x:.3g}: %{y:.3g} g<extra>${fractiles.percent[k]} %</extra>`,
      }),
    );
    const passed = result.capacities.map((value, i) => [value, i]).filter(([value]) => value !== null);
    traces.push({
      x: passed.map(() => limit),
      y: passed.map(([value]) => value),
      text: passed.map(([, i]) => curves[i].label),
      name: "limit passed",
      mode: "markers",
      marker: {color: colour.red, size: 6, line: {color: colour.paper, width: 1}},
      hovertemplate: "capacity %{y:.4g} g<br>%{text}<extra></extra>",
    });
    const hidden = result.capacities.flatMap((value, i) => (value === null ? [i] : []));
    if (hidden.length)
      traces.push({
        x: hidden.map((i) => Math.min(right, curves[i].demand.at(-1))),
        y: hidden.map((i) => curves[i].im.at(-1)),
        name: "never passed",
        mode: "markers",
        marker: {color: colour.paper, size: 8, line: {color: colour.ink, width: 1.5}},
        hovertemplate: "censored at %{y:.4g} g<extra></extra>",
      });
  }
  /** @type {any[]} */
  const annotations = [
    {
      x: limit,
      y: 1,
      yref: "paper",
      yanchor: "top",
      xanchor: "left",
      text: ` limit ${short(limit, 3)}`,
      showarrow: false,
      font: {color: colour.bad},
    },
  ];
  if (!curves.length)
    annotations.push({
      xref: "paper",
      yref: "paper",
      x: 0.5,
      y: 0.5,
      text: job ? "the first record …" : "Run: every record is scaled up and a curve appears",
      showarrow: false,
      font: {color: colour.soft, size: 14},
    });
  draw(shownCurves.plot, traces, {
    xaxis: {title: words, range: [0, right]},
    yaxis: {title: intensityName(state), range: [0, top]},
    shapes,
    annotations,
    showlegend: true,
    margin: {t: 26},
  });
  shownCurves.note.textContent = result ? `${result.motions} motions` : "";
}

const intensityName = (state) => (state.intensity === "sa" ? `Sa(${short(state.period, 3)} s, 5 %) [g]` : "PGA [g]");

function drawFragility(colour) {
  const fit = result && !result.fragility.why ? result.fragility : null,
    state = asked || view.state.ida;
  const axes = {
    xaxis: {title: intensityName(state), rangemode: "tozero"},
    yaxis: {title: "probability", range: [-0.03, 1.03]},
    margin: {t: 26},
  };
  shownFragility.words.textContent = result ? `P(${result.limit_name})` : "Fragility";
  shownFragility.note.textContent = fit ? `θ = ${short(fit.median, 4)} g, β = ${short(fit.dispersion, 3)}` : "";
  if (!fit) {
    draw(shownFragility.plot, [], {
      ...axes,
      xaxis: {...axes.xaxis, range: [0, state.most]},
      annotations: [
        {
          xref: "paper",
          yref: "paper",
          x: 0.5,
          y: 0.5,
          text: result ? "no curve can be fitted; the reason stands below" : "comes when all records are done",
          showarrow: false,
          font: {color: colour.soft, size: 14},
        },
      ],
    });
    return;
  }
  const im = unpack(fit.im),
    band = colour.dark ? "rgba(86,180,233,.25)" : "rgba(0,114,178,.17)";
  /** @type {any[]} */
  const traces = [
    {x: im, y: unpack(fit.low), mode: "lines", line: {width: 0}, hoverinfo: "skip", showlegend: false},
    {
      x: im,
      y: unpack(fit.high),
      mode: "lines",
      line: {width: 0},
      fill: "tonexty",
      fillcolor: band,
      name: `90 % band, ${fit.resamples} bootstraps`,
      hoverinfo: "skip",
    },
    {
      x: im,
      y: unpack(fit.probability),
      mode: "lines",
      line: {width: 2.4, color: colour.blue},
      name: "lognormal fit",
      hovertemplate: "%{x:.4g} g: %{y:.3f}<extra></extra>",
    },
    fit.points.steps
      ? {
          x: [0, ...fit.points.im],
          y: [0, ...fit.points.share],
          mode: "lines+markers",
          line: {width: 1, color: colour.ink, shape: "hv"},
          marker: {size: 5, color: colour.paper, line: {color: colour.ink, width: 1.2}},
          name: "capacities",
          hovertemplate: "%{x:.4g} g: %{y:.3f}<extra></extra>",
        }
      : {
          x: fit.points.im,
          y: fit.points.share,
          mode: "markers",
          marker: {size: 7, color: colour.paper, line: {color: colour.ink, width: 1.4}},
          name: "share of the motions",
          hovertemplate: "%{x:.4g} g: %{y:.3f}<extra></extra>",
        },
  ];
  if (fit.censored.length)
    traces.push({
      x: fit.censored,
      y: fit.censored.map(() => 0),
      mode: "markers",
      marker: {symbol: "line-ns", size: 10, line: {color: colour.ink, width: 1.5}},
      name: `${fit.censored.length} censored`,
      hovertemplate: "tried up to %{x:.4g} g<extra></extra>",
    });
  draw(shownFragility.plot, traces, {
    ...axes,
    xaxis: {...axes.xaxis, range: [0, im[im.length - 1]]},
    showlegend: true,
    shapes: [
      {type: "line", x0: fit.median, x1: fit.median, y0: 0, y1: 0.5, line: {color: colour.soft, width: 1, dash: "dot"}},
      {type: "line", x0: 0, x1: fit.median, y0: 0.5, y1: 0.5, line: {color: colour.soft, width: 1, dash: "dot"}},
    ],
  });
}

// ---------------------------------------------------------------- take home
async function saveFile() {
  try {
    const {name, text} = await ask("/api/study/ida/file", study(asked || view.state.ida));
    save(name, "application/toml", text);
  } catch (problem) {
    refuse(problem);
  }
}
async function saveRuns() {
  try {
    save("runs.csv", "text/csv", await get(`/api/study/ida/${result.id}/runs.csv`));
  } catch (problem) {
    refuse(problem);
  }
}
function saveFit() {
  const {fragility: fit} = result;
  save(
    "fragility.csv",
    "text/csv",
    csv(
      [result.intensity, "probability", "90% from", "90% to"],
      [fit.im, fit.probability, fit.low, fit.high].map(unpack),
    ),
  );
}

export const gifts = (given, sheet) => [
  Home.pythonGift(
    "/api/study/ida/python",
    () => study(asked || view.state.ida),
    () => "study.py",
  ),
  Home.gift("Study file", "TOML for `hamex ida`: the same numbers", async () => {
    await saveFile();
    return "saved study.toml";
  }),
  Home.gift("Runs", "every run as a row of CSV", async () => {
    if (!result) return "run the analysis first";
    await saveRuns();
    return "saved runs.csv";
  }),
  Home.gift("Fragility", "the curve and its band as CSV", async () => {
    if (!result || result.fragility.why) return "there is no fragility yet";
    saveFit();
    return "saved fragility.csv";
  }),
  // Settings that have changed since the run are not those of the figures.
  Home.pageGift(given, () =>
    result
      ? {
          name: "ida.html",
          title: `${study(asked).title}: incremental dynamic analysis`,
          sheet,
          ...(changed.textContent ? {words: ""} : {}),
        }
      : {why: "run the analysis first"},
  ),
];
