// What a history looks like: plots that share one clock. Used by the studio and by the pages that are taken home.
import {element, short} from "./elements.js";
import {Player} from "./player.js";
import {colours, draw} from "./plots.js";
import {unpack} from "./requests.js";
import * as Sketch from "./sketch.js";

const AREA_POINTS = 900;

const panel = (title, extra = "", ...children) => {
  const plot = element("div", {class: "plot"});
  const note = element("span", {class: "quiet figures"});
  const root = element(
    "figure",
    {class: `panel ${extra}`},
    element("figcaption", {}, element("span", {}, title), note),
    ...children,
    plot,
  );
  return {root, plot, note, title: root.querySelector("figcaption span")};
};

const card = (words) => {
  const value = element("b", {}, "–");
  return {root: element("div", {class: "card"}, value, element("span", {}, words)), value};
};

function clock(count, step) {
  const t = new Float64Array(count);
  for (let i = 0; i < count; i++) t[i] = i * step;
  return t;
}

/** Every so-many-th entry; the areas of the energies need no more points than pixels. */
function thinned(values, most = AREA_POINTS) {
  const stride = Math.max(1, Math.ceil(values.length / most));
  if (stride === 1) return values;
  const found = new values.constructor(Math.ceil(values.length / stride));
  for (let i = 0, k = 0; i < values.length; i += stride) found[k++] = values[i];
  return found;
}

/** Where a point of the data lies inside the panel, in pixels; null when the plot is not drawn yet. */
function spot(plot, x, y) {
  const full = plot._fullLayout;
  if (!full || !full.xaxis || !full.xaxis.l2p) return null;
  const left = full.xaxis._offset + full.xaxis.l2p(x),
    top = y === null ? 0 : full.yaxis._offset + full.yaxis.l2p(y);
  const inside =
    left >= full.xaxis._offset - 1 &&
    left <= full.xaxis._offset + full.xaxis._length + 1 &&
    (y === null || (top >= full.yaxis._offset - 1 && top <= full.yaxis._offset + full.yaxis._length + 1));
  return inside
    ? {
        left: plot.offsetLeft + left,
        top: plot.offsetTop + top,
        from: plot.offsetTop + full.yaxis._offset,
        height: full.yaxis._length,
      }
    : null;
}

function cursor({root, plot}) {
  const line = element("div", {class: "cursor", "aria-hidden": "true", hidden: true});
  root.append(line);
  return (time) => {
    const at = spot(plot, time, null);
    line.hidden = !at;
    if (at) Object.assign(line.style, {left: `${at.left}px`, top: `${at.from}px`, height: `${at.height}px`});
  };
}
function dot({root, plot}) {
  const mark = element("div", {class: "dot", "aria-hidden": "true", hidden: true});
  root.append(mark);
  return (x, y) => {
    const at = spot(plot, x, y);
    mark.hidden = !at;
    if (at) Object.assign(mark.style, {left: `${at.left}px`, top: `${at.top}px`});
  };
}

/** Draw only what changed: the numbers and the theme say whether it did. */
function once() {
  let before = null;
  return (values, key, work) => {
    const now = {values, key: `${key}${colours().dark}`};
    const same =
      before &&
      now.key === before.key &&
      values.length === before.values.length &&
      values.every((value, i) => value === before.values[i]);
    if (!same) {
      before = now;
      work();
    }
  };
}

const ENERGIES = ["plastic", "viscous", "jumps", "hardening", "stored", "kinetic"];

/** The energies have a legend of their own, which takes no room from the plot. */
function energyPanel(extra = "") {
  const keys = [...ENERGIES]
    .reverse()
    .map((name) => element("span", {class: "key area", style: `--key:var(--${name})`, "data-energy": name}, name));
  return panel(
    "Energy balance",
    extra,
    element("p", {class: "quiet legend"}, element("span", {class: "key dotted"}, "input"), ...keys),
  );
}

/** Stacked from what is lost, at the bottom, to what moves; the line on top is what came in. */
function energyTraces(energy, step) {
  const colour = colours();
  const parts = ENERGIES.filter(
    (name) => energy[name] && (name !== "jumps" || energy[name].some((value) => value !== 0)),
  );
  const input = thinned(energy.input),
    stride = Math.max(1, Math.ceil(energy.input.length / AREA_POINTS));
  const t = clock(input.length, step * stride);
  let floor = new Float64Array(input.length),
    start = 0;
  const traces = [];
  for (const name of parts) {
    const values = thinned(energy[name]),
      top = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) top[i] = floor[i] + values[i];
    start += values[0];
    traces.push({
      x: t,
      y: top,
      name,
      mode: "lines",
      line: {width: 0.6, color: colour[name]},
      fill: traces.length ? "tonexty" : "tozeroy",
      fillcolor: `${colour[name]}b0`,
      hoverinfo: "skip",
    });
    floor = top;
  }
  traces.push({
    x: t,
    y: input.map((value) => value + start),
    name: "input",
    mode: "lines",
    line: {width: 1.4, color: colour.input, dash: "dot"},
    hovertemplate: "%{y:.4g}<extra>input</extra>",
  });
  return traces;
}

function drawEnergy(energy, energies, answer, timeAxis) {
  energy.note.textContent = `residual ${short(answer.residual, 3)}`;
  for (const key of energy.root.querySelectorAll("[data-energy]"))
    key.hidden =
      !energies[key.dataset.energy] || (key.dataset.energy === "jumps" && !energies.jumps.some((value) => value !== 0));
  draw(energy.plot, energyTraces(energies, answer.step), {
    xaxis: timeAxis,
    yaxis: {title: `energy [${answer.units.energy}]`},
  });
}

const range = (low, high, share = 0.06) => {
  const room = share * (high - low || 1);
  return [low - room, high + room];
};

function extremes(...arrays) {
  let low = 0,
    high = 0;
  for (const values of arrays)
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}

/** Deformation and force of one spring, as step means or at nodes; place(i) is the entry that node i belongs to. */
function loopOf(run, storey = 0) {
  const force = unpack(run.loop_force),
    means = Boolean(run.loop_displacement),
    moved = unpack(run.loop_displacement || run.displacement);
  const count = moved.length / run.dofs.length,
    of = (array, k) => array.subarray(k * count, (k + 1) * count);
  const u = storey ? of(moved, storey).map((value, i) => value - moved[(storey - 1) * count + i]) : of(moved, 0);
  return {
    u,
    f: of(force, storey),
    words: means ? "step means" : "at the nodes",
    place: (i) => (means ? Math.min(Math.max(i - 1, 0), count - 1) : i),
  };
}

const iterationWords = (run) =>
  !run.iterations
    ? "no iterations"
    : run.iterations.kind === "iterations"
      ? `${run.iterations.total} Newton iterations, at most ${run.iterations.most} in a step`
      : `${run.iterations.total} linear solves, at most ${run.iterations.most} in a step`;

const bar = (error) => (error === null || error === undefined ? "" : ` ± ${short(error, 2)}`);

const withBar = (peak, digits = 5) =>
  peak ? `${short(peak.value, digits)}${bar(peak.error)} ${peak.unit === "1" ? "" : peak.unit}` : "–";

const SCHEMES = {
  Galerkin: "Galerkin",
  DiscontinuousGalerkin: "discontinuous Galerkin",
  Newmark: "Newmark with Newton",
  LeapFrog: "leap-frog",
  PiecewiseExact: "piecewise exact",
};

/** What a scheme calls itself, in words: "Galerkin(step=0.01, degree=2, …)" is "Galerkin, degree 2". */
function schemeName(given) {
  const name = SCHEMES[given.split("(")[0]] || given,
    degree = /degree=(\d+)/.exec(given);
  return `${name}${degree ? `, degree ${degree[1]}` : ""}${given.includes("load='end'") ? ", load at step end" : ""}`;
}

/** Two runs side by side: peaks with their error bars, balance, iterations. */
function comparison(answer) {
  const rows = [
    ["displacement", "peak displacement"],
    ["force", "peak spring force, step mean"],
    ["slip", "peak slip"],
    ["residual_slip", "residual slip"],
    ["storey_drift", "peak storey drift"],
    ["base_shear", "peak base shear"],
  ].filter(([name]) => answer.peaks[name]);
  const {against} = answer;
  const line = (words, one, two) =>
    element("tr", {}, element("th", {scope: "row"}, words), element("td", {}, one), element("td", {}, two));
  return element(
    "div",
    {class: "scroll"},
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", {}, ""),
          element("th", {scope: "col"}, schemeName(answer.scheme)),
          element("th", {scope: "col"}, schemeName(against.scheme)),
        ),
      ),
      element(
        "tbody",
        {},
        ...rows.map(([name, words]) => line(words, withBar(answer.peaks[name]), withBar(against.peaks[name]))),
        line("energy residual", short(answer.residual, 3), short(against.residual, 3)),
        line("work", iterationWords(answer), iterationWords(against)),
      ),
    ),
  );
}

/** The picture of an oscillator. show(answer) draws it; its parts are laid out by whoever owns it. */
export function oscillatorStage() {
  const sketch = Sketch.oscillator();
  const moving = element(
    "figure",
    {class: "panel first"},
    element("figcaption", {}, element("span", {}, "The system"), element("span", {class: "quiet figures"}, "")),
    sketch.root,
  );
  const caption = moving.querySelector(".quiet");
  const cards = {
    displacement: card("peak displacement"),
    force: card("peak spring force"),
    ductility: card("ductility"),
    residual_slip: card("residual slip"),
    residual: card("energy residual"),
    period: card("elastic period"),
  };
  const board = element(
    "div",
    {class: "panel wide"},
    element(
      "div",
      {class: "cards"},
      Object.values(cards).map((one) => one.root),
    ),
  );
  cards.residual.value.id = "residual";
  const notes = element("p", {class: "quiet notes", role: "status"});
  board.append(notes);
  const ground = panel("Ground acceleration"),
    motion = panel(
      "Displacement, slip",
      "",
      element(
        "p",
        {class: "quiet legend"},
        element("span", {class: "key area", style: "--key:var(--blue)"}, "displacement"),
        element("span", {class: "key area", style: "--key:var(--red)"}, "slip"),
        element("span", {class: "key dashed", style: "--key:var(--orange)", hidden: true}, ""),
      ),
    ),
    loop = panel("Hysteresis", "beside"),
    energy = energyPanel(),
    periods = panel("Spectrum of the motion");
  const beside = element(
    "figure",
    {class: "panel wide", hidden: true},
    element("figcaption", {}, element("span", {}, "Side by side")),
    element("div"),
  );
  const cursors = [ground, motion, energy].map(cursor),
    point = dot(loop);
  const drawGround = once(),
    drawPeriods = once();
  /** @type {any} */
  let now = null;

  const player = Player((time) => {
    if (!now) return;
    const i = Math.min(now.u.length - 1, Math.round(time / now.step));
    sketch.move({
      u: now.u[i],
      slip: now.s[i],
      scale: now.scale,
      ground: now.g[i],
      groundPeak: now.groundPeak,
      yields: now.yields,
      viscosity: now.viscosity,
      slipping: i > 0 && now.s[i] !== now.s[i - 1],
      groundWords: `${now.kind === "ground" ? "ground acceleration" : "force"} ${short(now.g[i], 3)} ${now.groundUnit}`,
    });
    const slip = now.yields ? `, slip = ${short(now.s[i], 3)} ${now.length}` : "";
    caption.textContent = `u = ${short(now.u[i], 3)} ${now.length}${slip}`;
    for (const follow of cursors) follow(time);
    const j = now.loops.place(i);
    point(now.loops.u[j], now.loops.f[j]);
  });
  moving.append(player.root);
  sketch.move({
    u: 0,
    slip: 0,
    scale: 1,
    ground: 0,
    groundPeak: 0,
    yields: true,
    viscosity: true,
    slipping: false,
    groundWords: "",
  });

  function show(answer, {viscosity = true, fresh = false} = {}) {
    const colour = colours(),
      {units} = answer;
    const u = unpack(answer.displacement),
      s = unpack(answer.slip),
      g = unpack(answer.ground.values),
      loops = loopOf(answer);
    const t = clock(u.length, answer.step),
      end = t[t.length - 1];
    const yields = answer.yield_deformation[0] !== null;
    const [low, high] = extremes(u);
    now = {
      u,
      s,
      loops,
      g,
      step: answer.step,
      scale: Math.max(-low, high) || 1,
      groundPeak: answer.ground.peak,
      groundUnit: answer.ground.unit,
      kind: answer.ground.kind,
      yields,
      viscosity,
      length: units.length,
    };
    for (const [name, one] of Object.entries(cards))
      if (answer.peaks[name]) one.value.textContent = withBar(answer.peaks[name], 4);
    if (!answer.peaks.ductility) cards.ductility.value.textContent = "elastic";
    cards.residual.value.textContent = short(answer.residual, 3);
    cards.residual.value.dataset.value = answer.residual;
    cards.period.value.textContent = `${short(answer.period)} s`;
    cards.displacement.value.dataset.value = answer.peaks.displacement.value;
    notes.textContent = [...answer.notes, ...(answer.against ? answer.against.notes : [])].join("; ");
    board.title =
      "The energy residual is the largest imbalance over the largest work: a check of the arithmetic, not of accuracy.";

    const timeAxis = {title: "time [s]", range: [0, end]};
    ground.title.textContent = answer.ground.kind === "ground" ? "Ground acceleration" : "Force on the mass";
    ground.note.textContent = `${answer.ground.source}, peak ${short(answer.ground.peak, 3)} ${answer.ground.unit}`;
    drawGround(g, `${end}${answer.ground.unit}`, () =>
      draw(
        ground.plot,
        [
          {
            x: t,
            y: g,
            mode: "lines",
            line: {width: 1, color: colour.soft},
            hovertemplate: "%{x:.2f} s, %{y:.3g}<extra></extra>",
          },
        ],
        {xaxis: timeAxis, yaxis: {title: answer.ground.unit}},
      ),
    );

    const two = answer.against
      ? {
          u: unpack(answer.against.displacement),
          loop: loopOf(answer.against),
          t: clock(answer.against.steps + 1, answer.against.step),
        }
      : null;
    /** @type {any[]} */
    const lines = [
      {
        x: t,
        y: u,
        name: "displacement",
        mode: "lines",
        line: {width: 1.4, color: colour.blue},
        hovertemplate: "%{x:.2f} s, %{y:.4g}<extra></extra>",
      },
    ];
    if (yields)
      lines.push({
        x: t,
        y: s,
        name: "slip",
        mode: "lines",
        line: {width: 1.6, color: colour.red},
        hovertemplate: "%{y:.4g}<extra>slip</extra>",
      });
    if (two)
      lines.push({
        x: two.t,
        y: two.u,
        name: schemeName(answer.against.scheme),
        mode: "lines",
        line: {width: 1.3, color: colour.orange, dash: "dash"},
        hovertemplate: "%{y:.4g}<extra></extra>",
      });
    for (const [run, values, tint] of [
      [answer, u, colour.blue],
      ...(two ? [[answer.against, two.u, colour.orange]] : []),
    ]) {
      const peak = run.peaks.displacement;
      if (peak.error)
        lines.push({
          x: [peak.time],
          y: [Math.sign(values[Math.min(values.length - 1, Math.round(peak.time / run.step))]) * peak.value],
          mode: "markers",
          marker: {color: tint, size: 6, symbol: "diamond"},
          showlegend: false,
          error_y: {array: [peak.error], color: tint, thickness: 1.6, width: 6},
          hovertemplate: `peak ${withBar(peak)}<extra></extra>`,
        });
    }
    const [floor, ceiling] = range(...extremes(u, s, two ? two.u : []));
    draw(motion.plot, lines, {
      xaxis: timeAxis,
      yaxis: {title: `displacement [${units.length}]`, range: [floor, ceiling]},
    });
    const [, slipKey, otherKey] = motion.root.querySelectorAll(".key");
    slipKey.hidden = !yields;
    otherKey.hidden = !two;
    otherKey.textContent = two ? schemeName(answer.against.scheme) : "";

    const drawn = [
      {
        x: loops.u,
        y: loops.f,
        name: "this scheme",
        mode: "lines",
        line: {width: 1.2, color: colour.blue},
        hoverinfo: "skip",
      },
    ];
    if (two)
      drawn.push({
        x: two.loop.u,
        y: two.loop.f,
        mode: "lines",
        name: schemeName(answer.against.scheme),
        line: {width: 1.1, color: colour.orange, dash: "dash"},
        hoverinfo: "skip",
      });
    loop.note.textContent = loops.words;
    draw(loop.plot, drawn, {
      xaxis: {title: `displacement [${units.length}]`, range: [floor, ceiling]},
      yaxis: {title: `spring force [${units.force}]`, range: range(...extremes(loops.f, two ? two.loop.f : []))},
    });

    const energies = Object.fromEntries(Object.entries(answer.energy).map(([name, values]) => [name, unpack(values)]));
    drawEnergy(energy, energies, answer, timeAxis);

    periods.root.hidden = !answer.spectrum;
    const y = answer.spectrum ? unpack(answer.spectrum.values) : [];
    if (answer.spectrum)
      drawPeriods(y, answer.period, () => {
        const x = unpack(answer.spectrum.periods);
        periods.note.textContent = `elastic, ${short(100 * answer.spectrum.damping, 3)} % damping`;
        draw(
          periods.plot,
          [
            {
              x,
              y,
              mode: "lines",
              line: {width: 1.5, color: colour.green},
              hovertemplate: "T %{x:.3g} s, %{y:.3g} g<extra></extra>",
            },
          ],
          {
            xaxis: {title: "period [s]", type: "log", tickvals: [0.05, 0.1, 0.2, 0.5, 1, 2, 5]},
            yaxis: {title: "pseudo-acceleration [g]", rangemode: "tozero"},
            shapes: [
              {
                type: "line",
                x0: answer.period,
                x1: answer.period,
                yref: "paper",
                y0: 0,
                y1: 1,
                line: {color: colour.red, width: 1.6, dash: "dot"},
              },
            ],
            annotations: [
              {
                x: Math.log10(answer.period),
                y: 1,
                yref: "paper",
                yanchor: "top",
                xanchor: "left",
                text: ` T = ${short(answer.period, 3)} s`,
                showarrow: false,
                font: {color: colour.ink, size: 12},
              },
            ],
          },
        );
      });
    beside.hidden = !answer.against;
    if (answer.against) beside.lastElementChild.replaceChildren(comparison(answer));
    player.set(end, fresh ? answer.peaks.displacement.time : undefined);
  }
  const plots = {
    "ground-motion": ground.plot,
    displacement: motion.plot,
    hysteresis: loop.plot,
    energy: energy.plot,
    spectrum: periods.plot,
  };
  return {
    parts: [moving, loop.root, board, motion.root, energy.root, ground.root, periods.root, beside],
    show,
    player,
    plots,
  };
}

/** The picture of a building. */
export function buildingStage(onpick) {
  const sketch = Sketch.building(onpick);
  const legend = element(
    "p",
    {class: "quiet legend"},
    element("span", {class: "key slips"}, "slips now"),
    element("span", {class: "key was"}, "has yielded"),
    element("span", {}, "click a storey to see its loop"),
  );
  const moving = element(
    "figure",
    {class: "panel first tower"},
    element("figcaption", {}, element("span", {}, "The building"), element("span", {class: "quiet"}, "")),
    sketch.root,
    legend,
  );
  const cards = {
    displacement: card("peak roof displacement"),
    drift_ratio: card("peak drift ratio"),
    base_shear: card("peak base shear"),
    ductility: card("largest ductility"),
    residual: card("energy residual"),
    period: card("first period"),
  };
  cards.residual.value.id = "building-residual";
  const board = element(
    "div",
    {class: "panel"},
    element(
      "div",
      {class: "cards"},
      Object.values(cards).map((one) => one.root),
    ),
  );
  const notes = element("p", {class: "quiet notes", role: "status"});
  board.append(notes);
  const roof = panel("Roof and ground"),
    loop = panel("Hysteresis of a storey"),
    drifts = panel("Storey drift"),
    shears = panel("Storey shear"),
    energy = energyPanel("wide");
  const beside = element(
    "figure",
    {class: "panel wide", hidden: true},
    element("figcaption", {}, element("span", {}, "Side by side")),
    element("div"),
  );
  const cursors = [roof, energy].map(cursor),
    point = dot(loop);
  /** @type {any} */
  let now = null;

  const player = Player((time) => {
    if (!now) return;
    const i = Math.min(now.count - 1, Math.round(time / now.step)),
      {floors} = now;
    for (let k = 0; k < floors; k++) {
      now.at[k] = now.u[k * now.count + i];
      const s = now.s[k * now.count + i];
      now.slipping[k] = i > 0 && s !== now.s[k * now.count + i - 1];
      now.yielded[k] = i >= now.first[k];
    }
    sketch.move({
      u: now.at,
      slipping: now.slipping,
      yielded: now.yielded,
      scale: now.scale,
      chosen: now.chosen,
      ground: now.g[i],
      groundPeak: now.groundPeak,
    });
    for (const follow of cursors) follow(time);
    const j = now.loops.place(i);
    point(now.loops.u[j], now.loops.f[j]);
  });
  moving.append(player.root);

  function show(answer, {storey = 0, fresh = false} = {}) {
    const colour = colours(),
      {units} = answer;
    const count = answer.steps + 1,
      floors = answer.dofs.length,
      chosen = Math.min(storey, floors - 1);
    const u = unpack(answer.displacement),
      s = unpack(answer.slip),
      g = unpack(answer.ground.values),
      loops = loopOf(answer, chosen);
    const t = clock(count, answer.step),
      end = t[count - 1];
    const of = (array, k) => array.subarray(k * count, (k + 1) * count);
    const first = new Array(floors).fill(Infinity);
    for (let k = 0; k < floors; k++)
      for (let i = 1; i < count; i++)
        if (s[k * count + i] !== s[k * count]) {
          first[k] = i;
          break;
        }
    const [low, high] = extremes(u);
    now = {
      u,
      s,
      g,
      count,
      floors,
      step: answer.step,
      scale: Math.max(-low, high) || 1,
      first,
      loops,
      chosen,
      groundPeak: answer.ground.peak,
      at: new Float32Array(floors),
      slipping: [],
      yielded: [],
    };
    cards.displacement.value.textContent = withBar(answer.peaks.displacement, 4);
    for (const name of ["base_shear"]) cards[name].value.textContent = withBar(answer.peaks[name], 4);
    cards.drift_ratio.value.textContent = answer.peaks.drift_ratio
      ? `${short(100 * answer.peaks.drift_ratio.value, 3)} %`
      : "–";
    cards.ductility.value.textContent = answer.peaks.ductility ? short(answer.peaks.ductility.value, 3) : "elastic";
    cards.residual.value.textContent = short(answer.residual, 3);
    cards.residual.value.dataset.value = answer.residual;
    cards.period.value.textContent = `${short(answer.period)} s`;
    notes.textContent = answer.notes.join("; ");
    moving.querySelector(".quiet").textContent = answer.status === "finished" ? "" : answer.status_message;

    const timeAxis = {title: "time [s]", range: [0, end]};
    draw(
      roof.plot,
      [
        {
          x: t,
          y: of(u, floors - 1),
          name: "roof",
          mode: "lines",
          line: {width: 1.4, color: colour.blue},
          hovertemplate: "%{x:.2f} s, %{y:.4g}<extra>roof</extra>",
        },
        {
          x: t,
          y: g,
          yaxis: "y2",
          name: "ground",
          mode: "lines",
          line: {width: 0.9, color: colour.soft},
          hovertemplate: "%{y:.3g} g<extra>ground</extra>",
        },
      ],
      {
        xaxis: {...timeAxis, anchor: "y2"},
        yaxis: {title: units.length, domain: [0.42, 1]},
        yaxis2: {title: answer.ground.unit, domain: [0, 0.32]},
      },
    );

    loop.title.textContent = `Hysteresis of ${answer.profiles.storeys[chosen]}`;
    const drawn = [{x: loops.u, y: loops.f, mode: "lines", line: {width: 1.1, color: colour.blue}, hoverinfo: "skip"}];
    if (answer.against) {
      const other = loopOf(answer.against, chosen);
      drawn.push({
        x: other.u,
        y: other.f,
        mode: "lines",
        line: {width: 1, color: colour.orange, dash: "dash"},
        hoverinfo: "skip",
      });
    }
    loop.note.textContent = loops.words;
    draw(loop.plot, drawn, {
      xaxis: {title: `drift [${units.length}]`, range: range(...extremes(loops.u))},
      yaxis: {title: `storey spring force [${units.force}]`, range: range(...extremes(loops.f))},
    });

    const {profiles} = answer,
      yieldedNow = profiles.ductility.map((value) => value !== null && value > 1);
    const levels = profiles.storeys.map((_, i) => i),
      numbers = (chosenLevels) => chosenLevels.map((i) => i + 1);
    const bars = (values, unit) =>
      [
        [false, colour.blue, ""],
        [true, colour.orange, "/"],
      ].map(([is, tint, shape]) => {
        const mine = levels.filter((i) => yieldedNow[i] === is);
        return {
          x: mine.map((i) => values[i]),
          y: numbers(mine),
          type: "bar",
          orientation: "h",
          marker: {color: tint, pattern: {shape, fillmode: "overlay", fgcolor: colour.paper, solidity: 0.15}},
          hovertemplate: `storey %{y}: %{x:.4g} ${unit}<extra></extra>`,
        };
      });
    const profile = {
      yaxis: {title: "storey", dtick: Math.ceil(floors / 10), range: [0.3, floors + 0.7], zeroline: false},
      bargap: 0.25,
      barmode: "overlay",
      shapes: [
        {
          type: "rect",
          xref: "paper",
          x0: 0,
          x1: 1,
          y0: chosen + 0.5,
          y1: chosen + 1.5,
          line: {width: 0},
          fillcolor: colour.accent,
          opacity: 0.14,
          layer: "below",
        },
      ],
    };
    draw(
      drifts.plot,
      [
        ...bars(profiles.drift, units.length),
        {
          x: profiles.residual.map(Math.abs),
          y: numbers(levels),
          mode: "markers",
          marker: {color: colour.ink, symbol: "diamond", size: 6},
          hovertemplate: "residual %{x:.3g}<extra></extra>",
        },
      ],
      {...profile, xaxis: {title: `largest drift [${units.length}]; ◆ residual`}},
    );
    draw(shears.plot, bars(profiles.shear, units.force), {
      ...profile,
      xaxis: {title: `largest shear [${units.force}]`},
    });
    drifts.note.textContent = yieldedNow.some(Boolean)
      ? `${yieldedNow.filter(Boolean).length} of ${floors} storeys yield (hatched)`
      : "no storey yields";

    const energies = Object.fromEntries(Object.entries(answer.energy).map(([name, values]) => [name, unpack(values)]));
    drawEnergy(energy, energies, answer, timeAxis);
    beside.hidden = !answer.against;
    if (answer.against) beside.lastElementChild.replaceChildren(comparison(answer));
    player.set(end, fresh ? answer.peaks.displacement.time : undefined);
  }
  const plots = {roof: roof.plot, hysteresis: loop.plot, drift: drifts.plot, shear: shears.plot, energy: energy.plot};
  return {
    parts: [moving, board, roof.root, loop.root, drifts.root, shears.root, energy.root, beside],
    show,
    player,
    plots,
  };
}
