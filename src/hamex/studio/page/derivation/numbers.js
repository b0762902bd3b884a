// Controls of a system: its parameters, what acts on it, where it starts, and how it marches.
import {button, choice, control, group} from "../controls.js";
import {element} from "../elements.js";
import {MARCH, UNTOUCHED} from "./systems.js";

/** @import {Places} from "./places.js" */
/** @import {RunRequest, State} from "./systems.js" */

/** @type {Options} */
const SHAPES = [
  ["zero", "nothing"],
  ["constant", "constant"],
  ["sine", "sine"],
  ["pulse", "half-sine pulse"],
];

/**
 * A field whose label is the letter of a symbol and its meaning.
 * @template {Field} Input
 * @param {Input} field
 * @param {{name: string, svg: string, meaning: string, unit: string}} symbol
 */
function labelled(field, symbol) {
  field
    .querySelector("label")
    ?.replaceChildren(
      element("span", {class: "letter", html: symbol.svg}),
      element("span", {}, symbol.meaning),
      element("span", {class: "quiet"}, symbol.unit ? ` ${symbol.unit}` : ""),
    );
  field.dataset.symbol = symbol.name;
  return field;
}

/**
 * A start value is that of a field, of its rate or of its momentum.
 * @param {StartValue} start
 * @param {Record<string, MathSymbol>} symbols
 */
function startSymbol({kind, field}, symbols) {
  if (kind === "value") return symbols[field];
  if (kind === "near") return {...symbols[field], meaning: `side of ${field}, which follows`, unit: ""};
  return kind === "rate"
    ? {...symbols[field], meaning: `rate of ${field}`, unit: ""}
    : {...symbols[`p ${field}`], meaning: `momentum of ${field}, minus the slip`, unit: ""};
}

/**
 * How a load goes on in time.
 * @param {string} name
 * @param {MathSymbol} symbol
 * @param {() => LoadShape} now
 * @param {(shape: LoadShape) => void} put
 * @returns {Field}
 */
function shapeInputs(name, symbol, now, put) {
  /** @type {(shape: string) => LoadShape} */
  const filled = (shape) => {
    const {amplitude = 1, period = 1, length = 0.5} = now();
    if (shape === "zero") return {shape};
    if (shape === "constant") return {shape, amplitude};
    return shape === "sine" ? {shape, amplitude, period} : {shape, amplitude, length};
  };
  const pick = choice({
    label: name,
    options: SHAPES,
    value: "zero",
    name: `shape ${name}`,
    oninput: (shape) => put(filled(shape)),
  });
  labelled(pick, symbol);
  /** @type {(key: keyof LoadShape, label: string, unit: string, min: number, max: number, log: boolean) => Field} */
  const number = (key, label, unit, min, max, log) =>
    control({
      label,
      unit,
      min,
      max,
      log,
      value: Number(now()[key] ?? 1),
      name: `${name} ${key}`,
      oninput: (x) => put({...now(), [key]: x}),
    });
  const inputs = {
    amplitude: number("amplitude", `amplitude of ${name}`, "", -10, 10, false),
    period: number("period", "period", "s", 0.05, 20, true),
    length: number("length", "length", "s", 0.05, 20, true),
  };
  const root = element("div", {class: "shape"}, pick, ...Object.values(inputs));
  root.set = (/** @type {LoadShape} */ shape) => {
    pick.set(shape.shape);
    for (const [key, one] of Object.entries(inputs)) {
      one.hidden = !(key in shape);
      if (key in shape) one.set(shape[/** @type {keyof LoadShape} */ (key)]);
    }
  };
  root.refuse = (/** @type {string} */ words) => pick.refuse(words);
  return root;
}

/**
 * Time elements by their degree; `jumps` are those whose fields may jump between steps.
 * @type {Options}
 */
const ELEMENTS = [
  ["1", "degree 1, order 2"],
  ["2", "degree 2, order 4"],
  ["3", "degree 3, order 6"],
  ["4", "degree 4, order 8"],
  ["jumps 0", "jumps, degree 0, order 1"],
  ["jumps 1", "jumps, degree 1, order 3"],
  ["jumps 2", "jumps, degree 2, order 5"],
];

/**
 * Duration, step and time element.
 * @param {View} view
 */
function marchControls(view) {
  /** @type {Fields} */
  const fields = {
    duration: control({
      label: "duration",
      unit: "s",
      min: 0.5,
      max: 60,
      log: true,
      value: view.state.duration,
      name: "duration",
      oninput: (x) => view.set({duration: x}),
    }),
    step: control({
      label: "step",
      unit: "s",
      min: 0.001,
      max: 0.2,
      log: true,
      value: view.state.step,
      name: "step",
      oninput: (x) => view.set({step: x}),
    }),
    degree: choice({
      label: "time element",
      name: "degree",
      options: ELEMENTS,
      value: "1",
      oninput: (x) => view.set({degree: Number(x.replace("jumps ", "")), jumps: x.startsWith("jumps")}),
    }),
  };
  fields.step.dataset.symbol = "the step";
  return fields;
}

/**
 * @param {View} view
 * @param {Places} places
 */
export function numberControls(view, places) {
  const parameters = element("div", {}),
    shapes = element("div", {}),
    starts = element("div", {}),
    march = marchControls(view);
  for (const [name, field] of Object.entries(march)) places.add(name, field);
  const marching = group(
    "March",
    ...Object.values(march),
    button("Start values", () => view.set({...UNTOUCHED, ...MARCH}), {title: "All controls back to where they began"}),
  );
  /** @type {(table: "parameters" | "start" | "shapes", name: string) => (value: any) => void} */
  const change = (table, name) => (value) => view.set({[table]: {...view.state[table], [name]: value}});

  /** @type {(symbol: MathSymbol) => Field} */
  const parameterControl = (symbol) =>
    labelled(
      control({
        label: `${symbol.name}, ${symbol.meaning}`,
        min: symbol.min,
        max: symbol.max,
        log: symbol.log,
        value: view.state.parameters[symbol.name] ?? symbol.value,
        name: symbol.name,
        oninput: change("parameters", symbol.name),
      }),
      symbol,
    );

  /** @type {(start: StartValue, symbols: Record<string, MathSymbol>) => Field} */
  const startControl = (start, symbols) => {
    const reach = start.kind === "rate" ? 5 : Math.max(1, 2 * Math.abs(start.value));
    return labelled(
      control({
        label: `${start.key} at the start`,
        min: -reach,
        max: reach,
        value: view.state.start[start.key] ?? start.value,
        name: `start ${start.key}`,
        oninput: change("start", start.key),
      }),
      startSymbol(start, symbols),
    );
  };

  /**
   * Controls of another system.
   * @param {SystemAnswer} about
   */
  function build(about) {
    const symbols = Object.fromEntries(about.symbols.map((symbol) => [symbol.name, symbol]));
    places.drop(/^(parameters|shapes|start)\./);
    const built = {
      parameters: about.symbols
        .filter(({kind}) => kind === "parameter")
        .map((symbol) => places.add(`parameters.${symbol.name}`, parameterControl(symbol))),
      starts: about.starts.map((start) => places.add(`start.${start.key}`, startControl(start, symbols))),
      shapes: Object.entries(about.shapes).map(([name, shape]) =>
        places.add(
          `shapes.${name}`,
          shapeInputs(name, symbols[name], () => view.state.shapes[name] ?? shape, change("shapes", name)),
        ),
      ),
    };
    for (const [place, inputs] of [
      [parameters, built.parameters],
      [starts, built.starts],
      [shapes, built.shapes],
    ]) {
      place.replaceChildren(...inputs);
      place.closest("details").hidden = !about.runs || !inputs.length;
    }
    marching.hidden = !about.runs;
  }

  /**
   * Values of a state.
   * @param {State} state
   * @param {RunRequest} request
   */
  function show(state, request) {
    for (const table of /** @type {("parameters" | "start" | "shapes")[]} */ (["parameters", "start", "shapes"]))
      for (const [name, value] of Object.entries(request[table])) places.fields[`${table}.${name}`]?.set(value);
    for (const [name, value] of Object.entries(request.near)) places.fields[`start.${name}`]?.set(value);
    march.duration.set(state.duration);
    march.step.set(state.step);
    march.degree.set(`${state.jumps ? "jumps " : ""}${state.degree}`);
  }
  return {
    groups: [group("Parameters", parameters), group("What acts", shapes), group("At the start", starts), marching],
    build,
    show,
  };
}
