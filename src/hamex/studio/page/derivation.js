// The derivation view: a system of the library or a typed one, its derivation with letters that know their meaning, and
// its motion.
import {button, choice, control, group} from "./controls.js";
import {byId, element, save, short} from "./elements.js";
import * as Home from "./home.js";
import {colours, draw} from "./plots.js";
import {card, panel} from "./sheets.js";
import {ask, get, latest, unpack} from "./requests.js";

const TYPED = {
  fields: "theta",
  lagrangian: "m*l^2*theta'^2/2 + m*g*l*cos(theta)",
  dissipation: "c*theta'^2/2",
  loads: {},
  meanings:
    "theta: angle from the vertical [rad]\nm: mass [force s²/length]\nl: length [length]\n" +
    "g: gravity [length/s²]\nc: friction of the pivot [force length s]",
};
const SHAPES = [
  ["zero", "nothing"],
  ["constant", "constant"],
  ["sine", "sine"],
  ["pulse", "half-sine pulse"],
];
/** @type {Record<string, any>} nodes by name */
const ui = {};
let view = null,
  systems = null;
/** @type {{key: string, about: any, derived: string, run: any, wish: string}} */
let known = {key: "", about: null, derived: "", run: null, wish: ""}; // what the page shows now

// ---------------------------------------------------------------- what is asked
const words = (text) => text.split(/[\s,;]+/).filter(Boolean);

/** Lines `name: meaning [unit]` as a table. */
function meanings(text) {
  const found = {};
  for (const line of text.split("\n")) {
    const at = line.search(/[:=]/);
    if (at > 0 && line.slice(at + 1).trim()) found[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return found;
}

function asked(state) {
  if (state.system) return {system: state.system};
  const loads = Object.fromEntries(Object.entries(state.loads).filter(([, text]) => text.trim()));
  return {
    fields: words(state.fields),
    lagrangian: state.lagrangian,
    dissipation: state.dissipation,
    loads,
    meanings: meanings(state.meanings),
  };
}

/** The same with numbers; the step divides the duration, as a run needs it. */
function wish(state, about) {
  const parameters = {},
    start = {},
    shapes = {};
  for (const symbol of about.symbols)
    if (symbol.kind === "parameter") parameters[symbol.name] = state.parameters[symbol.name] ?? symbol.value;
  for (const one of about.starts) start[one.key] = state.start[one.key] ?? one.value;
  for (const [name, shape] of Object.entries(about.shapes)) shapes[name] = state.shapes[name] ?? shape;
  const steps = Math.max(1, Math.round(state.duration / state.step));
  return {
    ...asked(state),
    parameters,
    start,
    shapes,
    duration: state.duration,
    step: state.duration / steps,
    degree: state.degree,
  };
}

/** Ask, and ask the same again while the server works on it. */
async function patiently(path, body, key) {
  for (;;) {
    const found = await (body ? ask(`/api/derive${path}`, body, key) : get("/api/derive"));
    if (!found || !found.working) return found;
  }
}

// ---------------------------------------------------------------- messages beside their input
function quiet(places) {
  for (const [place, node] of Object.entries(ui.places))
    if (!places || places.includes(place.split(".")[0])) node.refuse("");
}

/** Say it where it belongs: the field that the answer names, or the word that the message begins with. */
function refuse(problem, otherwise) {
  const named = problem.field || (problem.message.match(/^\[?([a-z_]+(?:\.\w+)*)/) || [])[1] || "";
  const place = [named, named.split(".").slice(0, 2).join("."), named.split(".")[0]].find((name) => name in ui.places);
  if (place) {
    const fold = ui.places[place].closest("details");
    if (fold) fold.open = true;
    ui.places[place].refuse(problem.message);
  } else otherwise(problem.message);
  return Boolean(place);
}

// ---------------------------------------------------------------- the texts
function box(label, name, {lines = 0, help = "", inline = false} = {}) {
  const id = `derivation-${name.replace(/\W/g, "-")}`;
  const input = element(lines ? "textarea" : "input", {
    id,
    class: "formula",
    rows: lines || null,
    type: lines ? null : "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "aria-describedby": `${id}-message`,
    oninput: () => typed(),
  });
  const message = element("p", {class: "message", role: "alert", id: `${id}-message`}),
    caret = element("pre", {class: "caret", "aria-hidden": "true", hidden: true});
  const root = element(
    "div",
    {class: inline ? "box inline" : "box", "data-name": name},
    element("label", {for: id}, label),
    help ? element("span", {class: "quiet"}, help) : null,
    input,
    caret,
    message,
  );
  root.input = input;
  root.set = (text) => {
    if (document.activeElement !== input) input.value = text;
  };
  root.refuse = (said) => {
    const column = (said.match(/^column (\d+): /) || [])[1];
    message.textContent = said;
    input.setAttribute("aria-invalid", said ? "true" : "false");
    caret.hidden = !column;
    if (column) {
      const at = column - 1,
        from = Math.max(0, at - 18);
      caret.textContent = `${input.value.replaceAll("\n", " ").slice(from, from + 34)}\n${" ".repeat(at - from)}^`;
    }
  };
  ui.places[name] = root;
  return root;
}

let waiting = null;
/** A text was changed: what was a system of the library is now one's own. */
function typed() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const loads = {};
    for (const [name, one] of Object.entries(ui.loads)) if (one.input.value.trim()) loads[name] = one.input.value;
    view.set({
      system: "",
      fields: ui.fields.input.value,
      lagrangian: ui.lagrangian.input.value,
      dissipation: ui.dissipation.input.value,
      loads,
      meanings: ui.meanings.input.value,
    });
  }, 350);
}

const lines = (table) =>
  Object.entries(table)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join("\n");

function own() {
  const text = known.about && known.about.text;
  return text
    ? {
        fields: text.fields.join(", "),
        lagrangian: text.lagrangian,
        dissipation: text.dissipation,
        loads: text.loads,
        meanings: lines(text.meanings),
      }
    : TYPED;
}

function choose(name) {
  view.set({...(name ? {} : own()), system: name, parameters: {}, shapes: {}, start: {}, plane: null});
}

function showTexts(state) {
  const text = state.system ? (known.about && known.about.name === state.system ? known.about.text : undefined) : state;
  if (text === undefined) return;
  const fields = state.system ? (text ? text.fields.join(", ") : "") : state.fields;
  ui.fields.set(fields);
  ui.lagrangian.set(text ? text.lagrangian : "");
  ui.dissipation.set(text ? text.dissipation : "");
  ui.meanings.set(state.system ? (text ? lines(text.meanings) : "") : state.meanings);
  for (const one of [ui.fields, ui.lagrangian, ui.dissipation, ui.meanings.closest("details")])
    one.hidden = text === null;
  ui.wordless.hidden = text !== null;
  const names = text
    ? (words(fields).length
        ? words(fields)
        : known.about
          ? known.about.symbols.filter((s) => s.kind === "field").map((s) => s.name)
          : []
      ).slice(0, 8)
    : [];
  if (names.join() !== Object.keys(ui.loads).join()) {
    for (const name of Object.keys(ui.loads)) delete ui.places[`loads.${name}`];
    ui.loads = Object.fromEntries(names.map((name) => [name, box(`Load on ${name}`, `loads.${name}`, {inline: true})]));
    ui.loadBoxes.replaceChildren(...Object.values(ui.loads));
  }
  for (const [name, one] of Object.entries(ui.loads)) one.set((text.loads || {})[name] || "");
}

// ---------------------------------------------------------------- controls of a system
function labelled(field, symbol, more = "") {
  const label = field.querySelector("label");
  label.replaceChildren(
    element("span", {class: "letter", html: symbol.svg}),
    element("span", {}, `${symbol.meaning}${more}`),
    element("span", {class: "quiet"}, symbol.unit ? ` ${symbol.unit}` : ""),
  );
  field.dataset.symbol = symbol.name;
  return field;
}

function buildControls(about, state) {
  const symbols = Object.fromEntries(about.symbols.map((symbol) => [symbol.name, symbol]));
  for (const place of Object.keys(ui.places)) if (/^(parameters|shapes|start)\./.test(place)) delete ui.places[place];
  const parameters = about.symbols
    .filter((symbol) => symbol.kind === "parameter")
    .map((symbol) => {
      const field = control({
        label: `${symbol.name}, ${symbol.meaning}`,
        min: symbol.min,
        max: symbol.max,
        log: symbol.log,
        value: state.parameters[symbol.name] ?? symbol.value,
        name: symbol.name,
        oninput: (x) => view.set({parameters: {...view.state.parameters, [symbol.name]: x}}),
      });
      ui.places[`parameters.${symbol.name}`] = field;
      return labelled(field, symbol);
    });
  const starts = about.starts.map((one) => {
    const symbol = one.kind === "momentum" ? symbols[`p ${one.field}`] : symbols[one.field],
      reach = one.kind === "rate" ? 5 : Math.max(1, 2 * Math.abs(one.value));
    const field = control({
      label: `${one.key} at the start`,
      min: -reach,
      max: reach,
      value: state.start[one.key] ?? one.value,
      name: `start ${one.key}`,
      oninput: (x) => view.set({start: {...view.state.start, [one.key]: x}}),
    });
    ui.places[`start.${one.key}`] = field;
    const shown = {
      value: symbol,
      rate: {...symbol, meaning: `rate of ${one.field}`, unit: ""},
      momentum: {...symbol, meaning: `momentum of ${one.field}, minus the slip`, unit: ""},
    }[one.kind];
    return labelled(field, {...shown, name: symbol.name});
  });
  const shapes = Object.keys(about.shapes).map((name) => shapeInputs(name, symbols[name]));
  for (const [place, inputs] of [
    [ui.parameters, parameters],
    [ui.starts, starts],
    [ui.shapes, shapes],
  ]) {
    place.replaceChildren(...inputs);
    place.closest("details").hidden = !about.runs || !inputs.length;
  }
  ui.marching.hidden = !about.runs;
}

function shapeInputs(name, symbol) {
  const now = () => view.state.shapes[name] ?? known.about.shapes[name];
  const put = (shape) => view.set({shapes: {...view.state.shapes, [name]: shape}});
  const pick = choice({
    label: name,
    options: SHAPES,
    value: "zero",
    name: `shape ${name}`,
    oninput: (shape) =>
      put(
        {
          zero: {shape},
          constant: {shape, amplitude: now().amplitude ?? 1},
          sine: {shape, amplitude: now().amplitude ?? 1, period: now().period ?? 1},
          pulse: {shape, amplitude: now().amplitude ?? 1, length: now().length ?? 0.5},
        }[shape],
      ),
  });
  labelled(pick, symbol);
  const number = (key, label, unit, min, max, log) =>
    control({
      label,
      unit,
      min,
      max,
      log,
      value: now()[key] ?? 1,
      name: `${name} ${key}`,
      oninput: (x) => put({...now(), [key]: x}),
    });
  const inputs = {
    amplitude: number("amplitude", `amplitude of ${name}`, "", -10, 10, false),
    period: number("period", "period", "s", 0.05, 20, true),
    length: number("length", "length", "s", 0.05, 20, true),
  };
  const root = element("div", {class: "shape"}, pick, ...Object.values(inputs));
  root.set = (shape) => {
    pick.set(shape.shape);
    for (const [key, one] of Object.entries(inputs)) {
      one.hidden = !(key in shape);
      if (key in shape) one.set(shape[key]);
    }
  };
  root.refuse = (said) => pick.refuse(said);
  ui.places[`shapes.${name}`] = root;
  return root;
}

function setControls(state, about) {
  const now = wish(state, about);
  for (const [kind, table] of [
    ["parameters", now.parameters],
    ["start", now.start],
    ["shapes", now.shapes],
  ])
    for (const [name, value] of Object.entries(table))
      if (ui.places[`${kind}.${name}`]) ui.places[`${kind}.${name}`].set(value);
  ui.duration.set(state.duration);
  ui.step.set(state.step);
  ui.degree.set(state.degree);
}

// ---------------------------------------------------------------- symbols: meaning, control, letters
let lit = "";
function light(name, at) {
  if (name !== lit) {
    for (const node of ui.root.querySelectorAll(".lit")) node.classList.remove("lit");
    for (const node of ui.root.querySelectorAll(".field[data-lit]")) delete node.dataset.lit;
    lit = name;
    if (name)
      for (const node of ui.root.querySelectorAll(`[data-symbol="${CSS.escape(name)}"]`)) {
        node.classList.add("lit");
        if (node.classList.contains("field")) node.dataset.lit = "yes";
      }
  }
  const symbol = known.about && known.about.symbols.find((one) => one.name === name);
  ui.meaning.hidden = !symbol || !at;
  if (!symbol || !at) return;
  const now = known.about.runs ? wish(view.state, known.about) : null;
  const value = now && (name === "the step" ? now.step : now.parameters[name]);
  ui.meaning.replaceChildren(
    element("span", {class: "letter", html: symbol.svg}),
    element("span", {}, symbol.meaning),
    element(
      "span",
      {class: "quiet"},
      [symbol.unit && `[${symbol.unit}]`, value !== undefined && value !== null && `now ${short(value)}`]
        .filter(Boolean)
        .join(", "),
    ),
  );
  const place = at.getBoundingClientRect(),
    own = ui.meaning.getBoundingClientRect();
  const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - own.width - 8));
  const above = place.top - own.height - 8;
  Object.assign(ui.meaning.style, {left: `${left}px`, top: `${above > 60 ? above : place.bottom + 8}px`});
}
const symbolAt = (event) => event.target.closest && event.target.closest("[data-symbol]");

/** From a letter to the input that moves it. */
function reach(name) {
  const field = ui.controls.querySelector(`[data-symbol="${CSS.escape(name)}"]`);
  const input = field && field.querySelector("input, select");
  if (!input || field.closest("[hidden]")) return;
  if (field.closest("details")) field.closest("details").open = true;
  input.focus({preventScroll: true});
  field.scrollIntoView({block: "nearest"});
}

function showSymbols(about) {
  const chip = (symbol) =>
    element(
      "button",
      {type: "button", class: `symbol ${symbol.kind}`, "data-symbol": symbol.name, onclick: () => reach(symbol.name)},
      element("span", {class: "letter", html: symbol.svg}),
      element("span", {}, symbol.meaning),
      symbol.unit ? element("span", {class: "quiet"}, symbol.unit) : null,
    );
  ui.symbols.replaceChildren(...about.symbols.map(chip));
}

// ---------------------------------------------------------------- the derivation
async function derive(key, request) {
  ui.document.classList.add("busy");
  ui.derived.textContent = "deriving …";
  ui.failed.replaceChildren();
  let found;
  try {
    found = await patiently("", request, "derive");
  } catch (problem) {
    if (known.key !== key) return;
    ui.derived.textContent = "";
    refuse(problem, () => null);
    ui.failed.replaceChildren(
      element("p", {class: "message", role: "alert"}, problem.message),
      button("Try again", () => derive(key, request)),
    );
    return;
  }
  if (!found || known.key !== key) return;
  known.derived = key;
  ui.document.classList.remove("busy");
  ui.derived.textContent = "";
  ui.title.textContent = found.title;
  ui.document.innerHTML = found.html;
  measure();
  const heads = [...ui.document.querySelectorAll("h2")];
  ui.contents.replaceChildren(
    ...found.contents.map(({link}, i) =>
      element(
        "li",
        {},
        element(
          "button",
          {
            type: "button",
            class: "link",
            onclick: () => {
              heads[i].scrollIntoView({block: "start"});
              heads[i].setAttribute("tabindex", "-1");
              heads[i].focus({preventScroll: true});
            },
          },
          heads[i].cloneNode(true).textContent || link,
        ),
      ),
    ),
  );
  ui.index.hidden = false;
  if (lit) {
    const name = lit;
    lit = "";
    light(name, null);
  }
}

/** Wide equations and tables scroll in their own box; the keyboard reaches them, and their number steps aside. */
function measure() {
  const boxes = [...ui.document.querySelectorAll(".equation, .scroll")];
  for (const box of boxes) box.classList.remove("wide");
  const wide = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1);
  for (const box of boxes) box.removeAttribute("tabindex");
  for (const box of wide) {
    box.tabIndex = 0;
    box.classList.add("wide");
  }
}

// ---------------------------------------------------------------- the motion
const run = latest(async (request, key) => {
  ui.running.classList.add("busy");
  try {
    const found = await patiently("/run", request);
    if (known.key !== key) return;
    quiet(["parameters", "shapes", "start", "step", "duration", "degree"]);
    ui.stopped.textContent = "";
    known.run = {...found, request};
    showRun();
    ui.running.classList.remove("busy");
  } catch (problem) {
    if (known.key !== key) return;
    const unused = (said) => {
      ui.stopped.textContent = said;
    };
    if (refuse(problem, unused)) ui.stopped.textContent = "The motion shown is the last one that could be computed.";
  }
});

const RATE = "\u2032";
/** Histories that an axis of the plane can show. */
function quantities(found) {
  return found.fields.flatMap((name) => [
    [name, found.displacement[name]],
    [`${name}${RATE}`, found.velocity[name]],
    [`p_${name}`, found.momentum[name]],
  ]);
}
const unitOf = (name) => {
  const symbol = known.about.symbols.find((one) => one.name === name);
  return symbol && symbol.unit ? `${name} [${symbol.unit}]` : name;
};

/** A spring in its own field turns in the plane of force and displacement; others in that of value and rate. */
function plane(state, found) {
  const names = quantities(found).map(([name]) => name);
  if (state.plane && state.plane.every((name) => names.includes(name))) return state.plane;
  const impulse = known.about.starts.find((one) => one.kind === "momentum");
  return [names[0], impulse && impulse.field !== found.fields[0] ? `${impulse.field}${RATE}` : names[1]];
}

function showRun() {
  const found = known.run,
    colour = colours();
  if (!found || !known.about) return;
  const count = found.steps + 1,
    time = new Float64Array(count).map((_, i) => i * found.step),
    fields = found.fields,
    n = fields.length;
  const palette = [colour.blue, colour.orange, colour.green, colour.pink, colour.red, colour.sky];
  const rows = (i, of, gap = 0.06) => [1 - (i + 1) / of + (i < of - 1 ? gap / 2 : 0), 1 - i / of - (i ? gap / 2 : 0)];
  const layout = {
    xaxis: {title: "time [s]", range: [0, found.step * found.steps], anchor: n > 1 ? `y${n}` : "y"},
    margin: {l: 66},
  };
  const traces = fields.map((name, i) => {
    layout[`yaxis${i ? i + 1 : ""}`] = {title: unitOf(name), domain: rows(i, n), nticks: 5};
    return {
      x: time,
      y: unpack(found.displacement[name]),
      name,
      yaxis: `y${i ? i + 1 : ""}`,
      line: {color: palette[i % 6], width: 1.6},
      mode: "lines",
      hovertemplate: `%{x:.3f} s: %{y:.4g}<extra>${name}</extra>`,
    };
  });
  layout.height = n > 1 ? 60 + 105 * n : 230;
  ui.motion.plot.style.height = `${layout.height}px`;
  draw(ui.motion.plot, traces, layout);
  const all = Object.fromEntries(quantities(found)),
    [across, up] = plane(view.state, found);
  for (const [node, chosen] of [
    [ui.across, across],
    [ui.up, up],
  ]) {
    if (node.dataset.names !== Object.keys(all).join()) {
      node.dataset.names = Object.keys(all).join();
      node.replaceChildren(...Object.keys(all).map((name) => element("option", {value: name}, name)));
    }
    node.value = chosen;
  }
  draw(
    ui.plane.plot,
    [
      {
        x: unpack(all[across]),
        y: unpack(all[up]),
        mode: "lines",
        line: {color: colour.blue, width: 1.4},
        hovertemplate: `${across} %{x:.4g}, ${up} %{y:.4g}<extra></extra>`,
      },
    ],
    {xaxis: {title: unitOf(across)}, yaxis: {title: up}},
  );
  draw(
    ui.energy.plot,
    [
      {
        x: time,
        y: unpack(found.hamiltonian),
        mode: "lines",
        name: "H",
        line: {color: colour.green, width: 1.6},
        hovertemplate: "%{x:.3f} s: %{y:.5g}<extra>H</extra>",
      },
      {
        x: time,
        y: unpack(found.imbalance),
        yaxis: "y2",
        mode: "lines",
        name: "drift",
        line: {color: colour.red, width: 1.2},
        hovertemplate: "%{x:.3f} s: %{y:.2e}<extra>drift</extra>",
      },
    ],
    {
      xaxis: {title: "time [s]", range: [0, found.step * found.steps], anchor: "y2"},
      yaxis: {title: "H", domain: rows(0, 2, 0.1), nticks: 5},
      yaxis2: {title: "drift", domain: rows(1, 2, 0.1), nticks: 4, exponentformat: "e"},
      margin: {l: 74},
    },
  );
  ui.residual.value.textContent = found.residual === null ? "–" : found.residual.toExponential(2);
  ui.residual.value.dataset.value = found.residual;
  const first = unpack(found.displacement[fields[0]]);
  ui.peak.value.textContent = short(first.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  ui.peak.label.textContent = `largest |${fields[0]}|`;
  ui.steps.value.textContent = `${found.steps}`;
  ui.steps.label.textContent = `steps of ${short(found.step)} s, ${short(found.iterations, 3)} iterations each`;
}

// ---------------------------------------------------------------- the whole
function mount(root, given) {
  view = given;
  Object.assign(ui, {root, places: {}, loads: {}});
  ui.system = choice({
    label: "System",
    name: "system",
    options: [["", "your own, typed below"]],
    value: "",
    oninput: choose,
  });
  ui.places.system = ui.system;
  ui.about = element("p", {class: "quiet about"});
  ui.fields = box("Fields", "fields", {inline: true});
  ui.lagrangian = box("Lagrangian L", "lagrangian", {lines: 2, help: "u' is a rate; write every *"});
  ui.dissipation = box("Dissipation φ", "dissipation", {lines: 2, help: "of rates alone"});
  ui.loadBoxes = element("div", {class: "boxes"});
  ui.meanings = box("Meanings", "meanings", {lines: 6, help: "one a line: m: mass [unit]"});
  ui.places.loads = ui.dissipation;
  ui.wordless = element(
    "p",
    {class: "quiet", hidden: true},
    "This system cannot be typed: it has fields of space, or a dissipation in pieces. " +
      "Choose another one to change its text.",
  );
  ui.notes = element("p", {class: "message notes", role: "status"});
  for (const name of ["parameters", "starts", "shapes"]) ui[name] = element("div", {});
  ui.duration = control({
    label: "duration",
    unit: "s",
    min: 0.5,
    max: 60,
    log: true,
    value: view.state.duration,
    name: "duration",
    oninput: (x) => view.set({duration: x}),
  });
  ui.step = control({
    label: "step",
    unit: "s",
    min: 0.001,
    max: 0.2,
    log: true,
    value: view.state.step,
    name: "step",
    oninput: (x) => view.set({step: x}),
  });
  ui.step.dataset.symbol = "the step";
  ui.degree = choice({
    label: "degree in time",
    name: "degree",
    options: [
      [1, "1, second order"],
      [2, "2, fourth order"],
      [3, "3, sixth order"],
      [4, "4, eighth order"],
    ],
    value: 1,
    oninput: (x) => view.set({degree: Number(x)}),
  });
  Object.assign(ui.places, {duration: ui.duration, step: ui.step, degree: ui.degree});
  ui.marching = group(
    "March",
    ui.duration,
    ui.step,
    ui.degree,
    button(
      "Start values",
      () => view.set({parameters: {}, shapes: {}, start: {}, duration: 10, step: 0.02, degree: 1}),
      {title: "All controls back to where they began"},
    ),
  );
  ui.controls = element(
    "aside",
    {class: "controls stay", "aria-label": "System and numbers"},
    group(
      "System",
      ui.system,
      ui.about,
      button("Example: pendulum with friction", () =>
        view.set({...TYPED, system: "", parameters: {}, shapes: {}, start: {}, plane: null}),
      ),
    ),
    group(
      "In symbols",
      ui.wordless,
      ui.fields,
      ui.lagrangian,
      ui.dissipation,
      ui.loadBoxes,
      ui.notes,
      element("details", {class: "more"}, element("summary", {}, "Meanings of the letters"), ui.meanings),
    ),
    group("Parameters", ui.parameters),
    group("What acts", ui.shapes),
    group("At the start", ui.starts),
    ui.marching,
  );

  ui.motion = panel("Motion", "wide first");
  ui.plane = panel("Plane");
  ui.energy = panel("Energy and its drift");
  ui.across = element("select", {
    "aria-label": "across",
    onchange: () => view.set({plane: [ui.across.value, ui.up.value]}),
  });
  ui.up = element("select", {"aria-label": "up", onchange: () => view.set({plane: [ui.across.value, ui.up.value]})});
  ui.plane.note.append(ui.up, " over ", ui.across);
  ui.residual = card("energy unaccounted for, relative");
  ui.peak = card("largest");
  ui.steps = card("steps");
  ui.stopped = element("p", {class: "message", role: "alert"});
  ui.still = element(
    "p",
    {class: "quiet still", hidden: true},
    "A continuum is derived and shown, but not run here: its fields need finite elements in space first. " +
      "A chain shows what becomes of it.",
  );
  ui.running = element(
    "div",
    {class: "running"},
    element("div", {class: "cards"}, ui.residual.root, ui.peak.root, ui.steps.root),
    ui.motion.root,
    ui.plane.root,
    ui.energy.root,
  );
  ui.symbols = element("div", {class: "symbols"});
  ui.title = element("h2", {class: "heading"}, "Derivation");
  ui.derived = element("span", {class: "quiet", role: "status"});
  ui.contents = element("ol", {class: "contents"});
  ui.index = element("details", {class: "index", hidden: true}, element("summary", {}, "Contents"), ui.contents);
  ui.failed = element("div", {});
  ui.document = element("div", {class: "document"});
  ui.meaning = element("div", {class: "meaning", role: "tooltip", hidden: true});
  ui.bench = element(
    "div",
    {class: "bench unread"},
    ui.controls,
    element(
      "div",
      {class: "stage"},
      ui.still,
      ui.stopped,
      ui.running,
      element(
        "section",
        {class: "panel wide", "aria-label": "Symbols"},
        element(
          "p",
          {class: "caption"},
          "Symbols ",
          element("span", {class: "quiet"}, "point at one, here or in an equation, to see its control"),
        ),
        ui.symbols,
      ),
      element(
        "article",
        {class: "panel wide derivation"},
        element("header", {}, ui.title, ui.derived),
        ui.failed,
        ui.index,
        ui.document,
      ),
    ),
  );
  root.append(ui.bench, ui.meaning);

  for (const kind of ["pointerover", "focusin"])
    root.addEventListener(kind, (event) => {
      const node = symbolAt(event);
      light(node ? node.dataset.symbol : "", node && !ui.controls.contains(node) ? node : null);
    });
  for (const kind of ["pointerleave", "focusout"]) root.addEventListener(kind, () => light("", null));
  new ResizeObserver(() => requestAnimationFrame(measure)).observe(ui.document.parentElement);
  window.addEventListener(
    "scroll",
    () => {
      ui.meaning.hidden = true;
    },
    {passive: true},
  );
  ui.document.addEventListener("click", (event) => {
    const node = symbolAt(event);
    if (node) reach(node.dataset.symbol);
  });
  patiently("").then(
    (found) => {
      systems = found.systems;
      ui.system
        .querySelector("select")
        .append(...systems.map((one) => element("option", {value: one.name}, one.name.replaceAll("-", " "))));
      ui.system.set(view.state.system);
    },
    (problem) => ui.system.refuse(problem.message),
  );
}

async function show(state) {
  ui.system.set(state.system);
  if (!state.system) ui.about.textContent = "Your own system. Change a text, and it is read and derived anew.";
  showTexts(state);
  const request = asked(state),
    key = JSON.stringify(request);
  if (key !== known.key) {
    known.key = key;
    quiet();
    let about;
    try {
      about = await patiently("/read", request, "derive-read");
    } catch (problem) {
      if (known.key !== key) return;
      refuse(problem, (said) => {
        ui.notes.textContent = said;
      });
      ui.document.classList.add("busy");
      ui.derived.textContent = "of the last system that could be read";
      ui.bench.classList.remove("unread");
      return;
    }
    if (!about || known.key !== key) return;
    known = {key, about, derived: "", run: null, wish: ""};
    state = view.state;
    if (about.about) ui.about.textContent = about.about;
    ui.notes.textContent = about.notes.join(" ");
    showTexts(state);
    buildControls(about, state);
    showSymbols(about);
    ui.bench.classList.remove("unread");
    ui.running.hidden = !about.runs;
    ui.still.hidden = about.runs;
    ui.stopped.textContent = "";
    derive(key, request);
  }
  if (!known.about || JSON.stringify(asked(view.state)) !== known.key) return;
  setControls(view.state, known.about);
  if (known.run) showRun();
  if (!known.about.runs) return;
  const wanted = wish(view.state, known.about),
    text = JSON.stringify(wanted);
  if (text !== known.wish) {
    known.wish = text;
    run(wanted, known.key);
  }
}

function gifts() {
  const name = () => view.state.system || "your-action";
  const fetched = (path, body, ending, type) => async () => {
    const {text} = await patiently(`/${path}`, body());
    save(`${name()}${ending}`, type, text);
    return [text, `saved ${name()}${ending}`];
  };
  const quietly = (work) => async () => (await work())[1];
  const runs = known.about && known.about.runs;
  const python = fetched("python", () => wish(view.state, known.about), ".py", "text/x-python");
  return [
    ...(runs
      ? [
          Home.gift("Python", "a script that gives these numbers, bit for bit", async () => {
            const [text] = await python();
            byId("home-code").replaceChildren(
              element("pre", {class: "code", tabindex: "0", "aria-label": "Python code"}, text),
            );
            return "saved; it is also shown below";
          }),
          Home.gift("CSV", "the motion, one row per step", async () => {
            save(`${name()}.csv`, "text/csv", csv(known.run));
            return `saved ${name()}.csv`;
          }),
        ]
      : []),
    Home.gift(
      "LaTeX",
      "the derivation, for any LaTeX",
      quietly(fetched("latex", () => asked(view.state), ".tex", "application/x-tex")),
    ),
    Home.gift(
      "Page",
      "the derivation as one HTML file, without network",
      quietly(fetched("page", () => asked(view.state), ".html", "text/html")),
    ),
  ];
}

function csv(found) {
  const columns = [
    ...quantities(found).map(([, values]) => unpack(values)),
    unpack(found.hamiltonian),
    unpack(found.imbalance),
  ];
  const head = [
    "time",
    ...found.fields.flatMap((name) => [name, `${name}_dot`, `P_${name}`]),
    "hamiltonian",
    "imbalance",
  ];
  const row = (i) => [i * found.step, ...columns.map((column) => column[i])];
  const rows = Array.from({length: found.steps + 1}, (_, i) => row(i).join(","));
  return `${[head.join(","), ...rows].join("\n")}\n`;
}

export const derivationView = {
  name: "derivation",
  title: "Derivation",
  mount,
  show,
  start: {
    system: "viscoplastic",
    ...TYPED,
    parameters: {},
    shapes: {},
    start: {},
    duration: 10,
    step: 0.02,
    degree: 1,
    plane: null,
  },
  leave() {
    light("", null);
  },
  gifts: () => gifts(),
};
