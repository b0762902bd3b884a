// The motion of a derived system: its fields, a plane, its energy and the imbalance of it.
import {element, short} from "../elements.js";
import {card, cardRow, panel} from "../panels.js";
import {colours, curve, draw} from "../plots.js";
import {unpack} from "../requests.js";
import {cursor, dot} from "../history/cursors.js";
import {energyUnit, quantities, rateOf, withUnit} from "./quantities.js";

/** @import {State} from "./systems.js" */

/**
 * The motion as CSV, one row per step.
 * @param {MotionAnswer} motion
 */
export function motionCsv(motion) {
  const columns = [...quantities(motion).map(([, values]) => values), motion.hamiltonian, motion.imbalance].map(unpack);
  const head = [
    "time",
    ...motion.fields.flatMap((name) => [name, `${name}_dot`, `P_${name}`]),
    "hamiltonian",
    "imbalance",
  ];
  const rows = Array.from({length: motion.steps + 1}, (_, i) =>
    [i * motion.step, ...columns.map((column) => column[i])].join(","),
  );
  return `${[head.join(","), ...rows].join("\n")}\n`;
}

/**
 * A spring in its own field turns in the plane of force and displacement; others in that of value and rate.
 * @param {State} state
 * @param {MotionAnswer} motion
 * @param {SystemAnswer} about
 * @returns {[across: string, up: string]}
 */
function planeOf(state, motion, about) {
  const names = quantities(motion).map(([name]) => name);
  if (state.plane && state.plane.every((name) => names.includes(name))) return state.plane;
  const impulse = about.starts.find((one) => one.kind === "momentum");
  return [names[0], impulse && impulse.field !== motion.fields[0] ? rateOf(impulse.field) : names[1]];
}

/**
 * Where one of several rows of a plot stands.
 * @param {number} i
 * @param {number} count
 */
const row = (i, count, gap = 0.06) => [
  1 - (i + 1) / count + (i < count - 1 ? gap / 2 : 0),
  1 - i / count - (i ? gap / 2 : 0),
];

/** Pixels of a plot with a row for each field. */
const rowsHigh = (/** @type {number} */ count) => (count > 1 ? 60 + 105 * count : 230);

/** @type {(motion: MotionAnswer) => Float64Array} */
const times = ({steps, step}) => new Float64Array(steps + 1).map((_, i) => i * step);
/** @type {(motion: MotionAnswer) => Layout} */
const timeAxis = ({steps, step}) => ({title: "time [s]", range: [0, step * steps]});

/**
 * @param {View} view
 * @param {(follow: (time: number, i: number) => void) => void} follow the clock of the moving system
 */
export function motionPlots(view, follow) {
  const fields = panel("Motion", "wide"),
    plane = panel("Plane"),
    energy = panel("Energy and its imbalance");
  const cursors = [fields, energy].map(cursor),
    point = dot(plane);
  /** @type {[Numbers, Numbers] | null} */
  let path = null;
  follow((time, i) => {
    for (const one of cursors) one(time);
    if (path) point(path[0][i], path[1][i]);
  });
  const pick = () => view.set({plane: [across.value, up.value]}),
    across = element("select", {"aria-label": "across", onchange: pick}),
    up = element("select", {"aria-label": "up", onchange: pick});
  plane.note.append(up, " over ", across);
  const cards = {
    residual: card("energy residual"),
    constraint: card("constraints off by"),
    peak: card("largest"),
    steps: card("steps of … s, … iterations each"),
  };
  const notes = element("p", {class: "message notes", role: "status"});
  const root = element("div", {class: "running"}, cardRow(cards), notes, fields.root, plane.root, energy.root);

  /**
   * @param {MotionAnswer} motion
   * @param {SystemAnswer} about
   */
  function drawPlane(motion, about) {
    const all = Object.fromEntries(quantities(motion)),
      names = Object.keys(all),
      [x, y] = planeOf(view.state, motion, about);
    for (const [select, chosen] of [
      [across, x],
      [up, y],
    ]) {
      if (select.dataset.names !== names.join()) {
        select.dataset.names = names.join();
        select.replaceChildren(...names.map((name) => element("option", {value: name}, name)));
      }
      select.value = chosen;
    }
    path = [unpack(all[x]), unpack(all[y])];
    draw(
      plane.plot,
      [
        curve(...path, {
          color: colours().blue,
          hover: `${x} %{x:.4g}, ${y} %{y:.4g}<extra></extra>`,
        }),
      ],
      {xaxis: {title: withUnit(about, x)}, yaxis: {title: withUnit(about, y)}},
    );
  }

  /** @param {MotionAnswer} motion */
  function showNumbers({residual, constraint, displacement, fields: [first], steps, step, iterations, notes: said}) {
    cards.constraint.root.hidden = constraint === null;
    cards.constraint.value.textContent = constraint === null ? "" : constraint.toExponential(1);
    notes.textContent = said.join(" ");
    cards.residual.value.textContent = residual === null ? "–" : residual.toExponential(2);
    cards.residual.value.dataset.value = String(residual);
    const sizes = Array.from(unpack(displacement[first]), Math.abs);
    cards.peak.value.textContent = short(sizes.reduce((most, size) => Math.max(most, size), 0));
    cards.peak.label.textContent = `largest |${first}|`;
    cards.steps.value.textContent = `${steps}`;
    cards.steps.label.textContent = `steps of ${short(step)} s, ${short(iterations, 3)} iterations each`;
  }

  return {
    root,
    /**
     * Room for the motion of a system, before it comes.
     * @param {SystemAnswer} about
     */
    expect({text, symbols}) {
      cards.constraint.root.hidden = !text?.constraints.length;
      fields.plot.style.height = `${rowsHigh(symbols.filter(({kind}) => kind === "field").length)}px`;
    },
    /**
     * @param {MotionAnswer} motion
     * @param {SystemAnswer} about
     */
    show(motion, about) {
      drawFields(fields, motion, about);
      drawPlane(motion, about);
      drawEnergy(energy, motion, energyUnit(about));
      showNumbers(motion);
    },
  };
}

/**
 * One row for each field.
 * @param {Panel} panel
 * @param {MotionAnswer} motion
 * @param {SystemAnswer} about
 */
function drawFields({plot}, motion, about) {
  const colour = colours(),
    palette = [colour.blue, colour.orange, colour.green, colour.pink, colour.red, colour.sky],
    n = motion.fields.length;
  /** @type {Layout} */
  const layout = {
    xaxis: {...timeAxis(motion), anchor: n > 1 ? `y${n}` : "y"},
    margin: {l: 66},
    height: rowsHigh(n),
  };
  const traces = motion.fields.map((name, i) => {
    const axis = i ? i + 1 : "";
    layout[`yaxis${axis}`] = {title: withUnit(about, name), domain: row(i, n), nticks: 5};
    return curve(times(motion), unpack(motion.displacement[name]), {
      name,
      yaxis: `y${axis}`,
      width: 1.6,
      color: palette[i % 6],
      hover: `%{x:.3f} s: %{y:.4g}<extra>${name}</extra>`,
    });
  });
  plot.style.height = `${layout.height}px`;
  draw(plot, traces, layout);
}

/**
 * @param {Panel} panel
 * @param {MotionAnswer} motion
 * @param {string} unit
 */
function drawEnergy({plot}, motion, unit) {
  const colour = colours(),
    t = times(motion);
  draw(
    plot,
    [
      curve(t, unpack(motion.hamiltonian), {
        name: "H",
        width: 1.6,
        color: colour.green,
        hover: "%{x:.3f} s: %{y:.5g}<extra>H</extra>",
      }),
      curve(t, unpack(motion.imbalance), {
        yaxis: "y2",
        name: "imbalance",
        width: 1.2,
        color: colour.red,
        hover: "%{x:.3f} s: %{y:.2e}<extra>imbalance</extra>",
      }),
    ],
    {
      xaxis: {...timeAxis(motion), anchor: "y2"},
      yaxis: {title: `H [${unit}]`, domain: row(0, 2, 0.1), nticks: 5},
      yaxis2: {title: `imbalance [${unit}]`, domain: row(1, 2, 0.1), nticks: 4, exponentformat: "e"},
      margin: {l: 74},
    },
  );
}
