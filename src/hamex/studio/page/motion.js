// What shakes it: the choice of a ground motion, shared by the views.
import {choice, control, group} from "./controls.js";
import {element, say, short} from "./elements.js";
import {ask, problemOf} from "./requests.js";
import {LENGTH, METRIC, factor} from "./units.js";

/** @type {Options} */
const KINDS = [
  ["el_centro", "El Centro 1940, NS"],
  ["synthetic", "synthetic earthquake"],
  ["sine", "sine waves"],
  ["half_sine", "half-sine pulse"],
  ["triangle", "triangular pulse"],
  ["ricker", "Ricker wavelet"],
  ["own", "a record of your own"],
];
/** @type {Options[number]} */
const FREE = ["none", "none: let go from a start"];
/** @type {Motion} */
export const START = {
  kind: "el_centro",
  scale: 1,
  amplitude: 0.3,
  period: 0.5,
  cycles: 5,
  seed: 1,
  magnitude: 6.5,
  distance: 20,
  vs30: 400,
  own: null,
  start: 0.05,
};
/** @type {Options} */
const UNITS = [
  ["", "told by the file"],
  ["g", "g"],
  ["m/s2", "m/s²"],
  ["cm/s2", "cm/s²"],
  ["mm/s2", "mm/s²"],
  ["in/s2", "in/s²"],
  ["ft/s2", "ft/s²"],
];

/** @type {Record<string, string[]>} controls of each kind of motion */
const USED = {
  el_centro: ["scale"],
  synthetic: ["magnitude", "distance", "vs30", "seed", "scale"],
  sine: ["amplitude", "period", "cycles"],
  half_sine: ["amplitude", "period"],
  triangle: ["amplitude", "period"],
  ricker: ["amplitude", "period"],
  own: ["scale"],
  none: ["start"],
};

/**
 * The [motion] table of a problem file; a wave is sampled at the steps of the run.
 * @param {Motion} motion
 */
export function table(motion, step = 0.005) {
  const scale = motion.scale === 1 ? {} : {scale: motion.scale};
  if (motion.kind === "synthetic") {
    const {seed, magnitude, distance, vs30} = motion;
    return {synthetic: {seed, magnitude, distance, vs30}, ...scale};
  }
  if (motion.kind === "own") return motion.own ? {...motion.own, ...scale} : {record: "el_centro", ...scale};
  if (motion.kind === "el_centro") return {record: "el_centro", ...scale};
  const {kind: shape, amplitude, period, cycles} = motion;
  return {wave: {shape, amplitude, period, ...(shape === "sine" ? {cycles} : {}), step}, ...scale};
}

/**
 * A duration that shows the shaking and what comes after it [s]; used when another kind of motion is chosen.
 * @param {Motion} motion
 */
export function duration(motion) {
  if (motion.kind === "own" && motion.own)
    return Math.min(300, Math.ceil(motion.own.accelerations.length * motion.own.step + 5));
  /** @type {Record<string, number>} */
  const periods = {sine: motion.cycles, half_sine: 0.5, triangle: 0.5, ricker: 3};
  /** @type {Record<string, number>} */
  const seconds = {el_centro: 40, own: 40, synthetic: 60, none: 10};
  return seconds[motion.kind] || Math.ceil(motion.period * (periods[motion.kind] || 0) + 5);
}

/**
 * Controls of a motion; set(patch) changes its state.
 * @param {(patch: Partial<Motion>) => any} set
 * @returns {MotionControls}
 */
export function controls(set, {free = false, legend = "Ground motion"} = {}) {
  const change = (/** @type {keyof Motion} */ key) => (/** @type {any} */ value) => set({[key]: value});
  /** @type {Fields} */
  const fields = {
    scale: control({
      label: "Scale",
      unit: "×",
      min: 0.05,
      max: 10,
      log: true,
      value: 1,
      oninput: change("scale"),
      name: "motion.scale",
    }),
    amplitude: control({
      label: "Peak acceleration",
      unit: "g",
      min: 0.01,
      max: 3,
      log: true,
      value: 0.3,
      oninput: change("amplitude"),
      name: "motion.wave.amplitude",
    }),
    period: control({
      label: "Period of the wave",
      unit: "s",
      min: 0.05,
      max: 5,
      log: true,
      value: 0.5,
      oninput: change("period"),
      name: "motion.wave.period",
    }),
    cycles: control({
      label: "Cycles",
      min: 0.5,
      max: 40,
      step: 0.5,
      value: 5,
      oninput: change("cycles"),
      name: "motion.wave.cycles",
    }),
    magnitude: control({
      label: "Magnitude",
      min: 4,
      max: 8.5,
      step: 0.1,
      value: 6.5,
      oninput: change("magnitude"),
      name: "motion.synthetic.magnitude",
    }),
    distance: control({
      label: "Distance",
      unit: "km",
      min: 1,
      max: 300,
      log: true,
      value: 20,
      oninput: change("distance"),
      name: "motion.synthetic.distance",
    }),
    vs30: control({
      label: "Site, vs30",
      unit: "m/s",
      min: 150,
      max: 2000,
      log: true,
      value: 400,
      oninput: change("vs30"),
      name: "motion.synthetic.vs30",
    }),
    seed: control({
      label: "Seed",
      min: 0,
      max: 200,
      step: 1,
      value: 1,
      oninput: (value) => set({seed: Math.round(value)}),
      name: "motion.synthetic.seed",
    }),
    start: control({
      label: "Start displacement",
      unit: "",
      min: -0.5,
      max: 0.5,
      step: 0.001,
      value: 0.05,
      oninput: change("start"),
      name: "start.displacement",
    }),
  };
  const kind = choice({
    label: "Shaking",
    options: free ? [...KINDS, FREE] : KINDS,
    value: "el_centro",
    oninput: (value) => set({kind: value}),
    name: "motion.kind",
  });
  const file = dropped(set);
  const root = group(legend, kind, file.root, ...Object.values(fields));
  root.show = (/** @type {Motion} */ motion, /** @type {string | undefined} */ lengthUnit) => {
    kind.set(motion.kind);
    file.root.hidden = motion.kind !== "own";
    file.show(motion);
    if (lengthUnit) fields.start.measure(lengthUnit, factor(LENGTH, METRIC, {...METRIC, length: lengthUnit}));
    for (const [key, field] of Object.entries(fields)) {
      field.hidden = !USED[motion.kind].includes(key);
      field.set(motion[/** @type {keyof Motion} */ (key)]);
    }
  };
  root.fields = fields;
  return root;
}

/**
 * A record in words.
 * @param {OwnRecord} record
 */
const recordWords = ({source, accelerations, step, unit}) =>
  `${source}: ${accelerations.length} samples, every ${short(step)} s, in ${unit}`;

/**
 * A place to drop a record file; plain numbers need a unit and perhaps a step, which are never guessed.
 * @param {(patch: Partial<Motion>) => any} set
 */
function dropped(set) {
  /** @type {File | null} */
  let held = null;
  const words = element("p", {class: "quiet"}, "");
  const message = element("p", {class: "message", role: "alert", id: "drop-message"});
  const input = element("input", {type: "file", "aria-label": "record file", "aria-describedby": "drop-message"});
  const unit = choice({label: "Unit", options: UNITS, value: "", oninput: read, name: "record.unit"});
  const step = element("input", {
    type: "number",
    step: "any",
    min: "0",
    placeholder: "told by the file",
    "aria-label": "time between samples in seconds",
    oninput: read,
  });
  const root = element(
    "div",
    {class: "drop"},
    element(
      "p",
      {class: "quiet", style: "margin:0 0 .3rem"},
      "Drop a record file here: AT2, COSMOS, CSMIP, SMC, ESM, K-NET, SimCenter and more, or columns of text. " +
        "It stays on this computer.",
    ),
    input,
    unit,
    element("div", {class: "field"}, element("label", {}, "Step [s]"), element("span", {class: "typed"}, step)),
    words,
    message,
  );
  async function read() {
    if (!held) return;
    message.textContent = "";
    try {
      const chosenUnit = unit.querySelector("select")?.value;
      const chosen = {...(chosenUnit ? {unit: chosenUnit} : {}), ...(step.value ? {step: Number(step.value)} : {})};
      const record = await ask("/api/record", {name: held.name, content: await held.text(), ...chosen}, "record");
      if (!record) return;
      const {accelerations, step: spacing, unit: itsUnit, source, remarks} = record;
      await set({kind: "own", own: {accelerations, step: spacing, unit: itsUnit, source}});
      message.textContent = remarks.join(" ");
      say(`read ${accelerations.length} samples`);
    } catch (thrown) {
      const problem = problemOf(thrown);
      message.textContent = problem.message;
    }
  }
  input.addEventListener("change", () => {
    held = input.files[0] || null;
    read();
  });
  for (const name of ["dragenter", "dragover"])
    root.addEventListener(name, (/** @type {Event} */ event) => {
      event.preventDefault();
      root.classList.add("over");
    });
  for (const name of ["dragleave", "drop"]) root.addEventListener(name, () => root.classList.remove("over"));
  root.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    held = event.dataTransfer?.files[0] || null;
    read();
  });
  return {
    root,
    show(/** @type {Motion} */ motion) {
      words.textContent = motion.own ? recordWords(motion.own) : "No record yet; El Centro shakes it until then.";
    },
  };
}
