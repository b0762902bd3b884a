// The system itself, moving beside its equations: pendulums, masses in a row, a point in a plane, strings and bars.
import {element, short} from "../elements.js";
import {unpack} from "../requests.js";
import {Player} from "../history/player.js";
import {continuum} from "./continuum.js";

const WIDE = 420,
  HIGH = 240;
const TRAIL = 3; // seconds of the path behind a mass

/**
 * What draws a system at a time, from the histories of its fields.
 * @typedef {{words: string, root: SVGElement[], move: (i: number, time: number) => void}} Drawing
 */

/** @type {(look: string, path?: string, more?: Record<string, any>) => any} */
const line = (look, path = "", more = {}) => element("path", {class: look, d: path, ...more});
const disc = (/** @type {number} */ r) =>
  element("circle", {r, style: "fill:var(--blue);stroke:var(--paper);stroke-width:2"});

/** A point of a path. */
const written = (/** @type {number[]} */ [x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/**
 * The largest absolute value, never zero.
 * @param {Numbers[]} histories
 */
function reach(histories) {
  let most = 1e-12;
  for (const values of histories) for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * A spring from one place to another on a level.
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
function zigzag(from, to, y) {
  const inside = to - from - 16;
  const turns = Array.from({length: 10}, (_, i) => `L${from + 8 + (inside * (i + 0.5)) / 10} ${y + (i % 2 ? 7 : -7)}`);
  return `M${from} ${y}h8${turns.join("")}L${to - 8} ${y}H${to}`;
}

/**
 * One or two rods that hang on each other; a pivot may move up and down.
 * @param {Numbers[]} angles
 * @param {number[]} lengths
 * @param {number} step
 * @param {(time: number) => number} lift of the pivot
 * @returns {Drawing}
 */
function pendulum(angles, lengths, step, lift) {
  const total = lengths.reduce((sum, length) => sum + length, 0),
    scale = (HIGH / 2 - 16) / total;
  const rods = line("line"),
    trail = line("trail"),
    pivot = element("circle", {r: 4, cx: WIDE / 2, style: "fill:var(--ink)"}),
    bobs = lengths.map(() => disc(9));
  const joints = (/** @type {number} */ i, /** @type {number} */ time) => {
    let x = WIDE / 2,
      y = HIGH / 2 - scale * lift(time);
    const found = [[x, y]];
    lengths.forEach((length, k) => {
      x += scale * length * Math.sin(angles[k][i]);
      y += scale * length * Math.cos(angles[k][i]);
      found.push([x, y]);
    });
    return found;
  };
  return {
    words: "drawn to scale",
    root: [trail, rods, pivot, ...bobs],
    move(i, time) {
      const now = joints(i, time),
        first = Math.max(0, i - Math.round(TRAIL / step));
      rods.setAttribute("d", `M${now.map((at) => at.join(" ")).join("L")}`);
      pivot.setAttribute("cy", now[0][1]);
      bobs.forEach((bob, k) => {
        bob.setAttribute("cx", now[k + 1][0]);
        bob.setAttribute("cy", now[k + 1][1]);
      });
      const behind = [];
      for (let j = first; j <= i; j++) behind.push(written(joints(j, j * step)[lengths.length]));
      trail.setAttribute("d", behind.length > 1 ? `M${behind.join("L")}` : "");
    },
  };
}

/**
 * Masses in a row, each on a spring from the one before it; the first from a wall, where it is held.
 * @param {string[]} names
 * @param {Numbers[]} places
 * @param {{held: boolean, unit: string}} more
 * @returns {Drawing}
 */
function row(names, places, {held, unit}) {
  const gap = (WIDE - 48) / names.length,
    size = Math.min(80, 0.42 * gap),
    travel = 0.3 * (gap - size),
    most = reach(places),
    y = HIGH / 2;
  const wall = held ? line("line", `M24 ${y - 66}V${y + 42}H${WIDE - 12}`) : line("line", `M24 ${y + 42}H${WIDE - 12}`),
    springs = names.map(() => line("line")),
    masses = names.map(() => element("rect", {class: "mass", width: size, height: 72, y: y - 40, rx: 4})),
    wheels = names.map(() => line("line")),
    letters = names.map((name) => element("text", {"text-anchor": "middle", y: y - 52}, name.replaceAll("_", "")));
  return {
    words: `largest movement ${short(most, 3)} ${unit}`,
    root: [wall, ...springs, ...masses, ...wheels, ...letters],
    move(i) {
      let before = 24;
      names.forEach((_, k) => {
        const x = 24 + gap * (k + 1) - size - travel + (travel * places[k][i]) / most;
        springs[k].setAttribute("d", held || k ? zigzag(before, x, y) : "");
        masses[k].setAttribute("x", x);
        wheels[k].setAttribute(
          "d",
          `M${x + 0.3 * size} ${y + 32}a5 5 0 1 0 .1 0M${x + 0.7 * size} ${y + 32}a5 5 0 1 0 .1 0`,
        );
        letters[k].setAttribute("x", x + size / 2);
        before = x + size;
      });
    },
  };
}

/**
 * A point in a plane and the path behind it.
 * @param {Numbers} x
 * @param {Numbers} y
 * @param {number} step
 * @returns {Drawing}
 */
function point(x, y, step) {
  const scale = (HIGH / 2 - 20) / reach([x, y]),
    cross = line("thin", `M${WIDE / 2 - 110} ${HIGH / 2}h220M${WIDE / 2} 10v${HIGH - 20}`),
    trail = line("trail"),
    bob = disc(9);
  const at = (/** @type {number} */ i) => [WIDE / 2 + scale * x[i], HIGH / 2 - scale * y[i]];
  return {
    words: "seen from above",
    root: [cross, trail, bob],
    move(i) {
      const behind = [];
      for (let j = Math.max(0, i - Math.round((2 * TRAIL) / step)); j <= i; j++) behind.push(written(at(j)));
      trail.setAttribute("d", behind.length > 1 ? `M${behind.join("L")}` : "");
      const [cx, cy] = at(i);
      bob.setAttribute("cx", cx);
      bob.setAttribute("cy", cy);
    },
  };
}

/**
 * The picture of a motion, by what its fields are; null where none is known.
 * @param {MotionAnswer} motion
 * @param {SystemAnswer} about
 * @param {Record<string, number>} parameters
 * @returns {Drawing | null}
 */
function drawingOf(motion, about, parameters) {
  const unit = (/** @type {string} */ name) => about.symbols.find((one) => one.name === name)?.unit ?? "";
  const history = (/** @type {string} */ name) => unpack(motion.displacement[name]);
  const {fields} = motion;
  if (fields.length <= 2 && fields.every((name) => unit(name) === "rad")) {
    const lengths = fields.map((_, i) => parameters[`l_${i + 1}`] ?? parameters.l ?? 1),
      {d = 0, Omega = 0} = about.name === "parametric-pendulum" ? parameters : {};
    return pendulum(fields.map(history), lengths, motion.step, (time) => d * Math.cos(Omega * time));
  }
  if (fields.join() === "x,y") return point(history("x"), history("y"), motion.step);
  const moved = fields.filter((name) => unit(name) === "length" || unit(name) === "");
  return moved.length ? row(moved, moved.map(history), {held: about.name !== "particle", unit: unit(moved[0])}) : null;
}

/** The picture with its clock. */
export function movingSystem() {
  const sketch = element("svg", {class: "sketch moving", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img"}),
    note = element("span", {class: "quiet"}),
    followers = /** @type {((time: number, i: number) => void)[]} */ ([]);
  /** @type {Drawing | null} */
  let drawing = null;
  let step = 1,
    last = 0,
    system = "";
  const player = Player((time) => {
    const i = Math.min(last, Math.round(time / step));
    drawing?.move(i, time);
    for (const follow of followers) follow(time, i);
  });
  const root = element(
    "figure",
    {class: "panel moving"},
    element("figcaption", {}, element("span", {}, "The system"), note),
    sketch,
    player.root,
  );
  /**
   * Another drawing; a new system starts to move, unless the reader wants stillness.
   * @param {Drawing | null} drawn
   * @param {SystemAnswer} about
   * @param {{seconds: number, step: number, last: number}} clock
   */
  function put(drawn, about, clock) {
    drawing = drawn;
    ({step, last} = clock);
    root.hidden = !drawn;
    if (!drawn) return player.pause();
    sketch.replaceChildren(...drawn.root);
    sketch.setAttribute("aria-label", `${about.name.replaceAll("-", " ") || "the system"}, moving`);
    note.textContent = drawn.words;
    const isNew = about.name !== system;
    system = about.name;
    player.set(clock.seconds, isNew ? 0 : undefined);
    if (isNew && !player.playing && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      player.root.querySelector("button").click();
  }
  return {
    root,
    pause: player.pause,
    /** @param {(time: number, i: number) => void} follow what goes along with the clock */
    follow: (follow) => followers.push(follow),
    /**
     * @param {MotionAnswer} motion
     * @param {SystemAnswer} about
     * @param {Record<string, number>} parameters
     */
    show(motion, about, parameters) {
      const {steps, step: h} = motion;
      put(drawingOf(motion, about, parameters), about, {seconds: steps * h, step: h, last: steps});
    },
    /** @param {SystemAnswer} about a continuum, whose motion is known in closed form */
    showContinuum(about) {
      put(continuum(about.name, WIDE, HIGH), about, {seconds: 20, step: 0.02, last: 1000});
    },
  };
}
