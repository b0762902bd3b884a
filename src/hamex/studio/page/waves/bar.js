// The bar: it moves, coloured by its stress, above the profiles of displacement and stress; and all of it over place and
// time.
import {short} from "../elements.js";
import {colours} from "../plots.js";
import {between, diverging, easel, label, written} from "./canvas.js";

/** @import {Sheet} from "./canvas.js" */
/** @typedef {{farEnd: string, event: string, length: number, pulse: number, limit: number | null}} Told the far end, what
 *  happens, length [m], seconds of the pulse, yield stress [Pa] */
/** @typedef {{answer: WaveAnswer, told: Told, at: number}} Shown a run, and the picture of it, not whole */
/** @typedef {Shown & {enlarged: number}} Drawn with the width of the picture that stands for a displacement of one */

const LINES = 50; // across the bar, at most: more are a grey
const ROOM = 0.1; // of the width at either end, for displacements
const MOST = 0.075; // of the width, for the largest displacement
const SHORTEST = 0.2; // of an element, which may yield: none is drawn inside out

/** The moving bar. */
export function movingBar() {
  /** @type {Drawn | null} */
  let shown = null;
  const {root, again} = easel("bar", (sheet) => shown && paint(sheet, shown));
  return {
    root,
    /** @param {Shown} now */
    show(now) {
      shown = {...now, enlarged: shown?.answer === now.answer ? shown.enlarged : enlargement(now.answer)};
      root.setAttribute("aria-label", `the bar, ${now.told.event}, its far end ${now.told.farEnd}`);
      again();
    },
  };
}

/**
 * How much displacements can be enlarged.
 * @param {WaveAnswer} answer
 */
function enlargement({displacement, nodes, largest}) {
  let closest = 0;
  for (let i = 1; i < displacement.length; i++)
    if (i % nodes) closest = Math.min(closest, displacement[i] - displacement[i - 1]);
  const size = (1 - 2 * ROOM) / (nodes - 1);
  return Math.min(MOST / (largest.displacement || 1), ((1 - SHORTEST) * size) / -(closest || -1e-30));
}

/**
 * @param {Sheet} sheet
 * @param {Drawn} shown
 */
function paint(sheet, {answer, told, at, enlarged}) {
  const {wide, high} = sheet,
    left = ROOM * wide,
    span = (1 - 2 * ROOM) * wide;
  const u = between(answer.displacement, answer.nodes, at),
    stress = between(answer.stress, answer.nodes - 1, at);
  const most = answer.largest.displacement || 1,
    top = answer.largest.stress || 1;
  const places = Array.from(u, (value, i) => left + (span * i) / (u.length - 1) + enlarged * wide * value);
  body(sheet, places, stress, {low: 0.04 * high, high: 0.27 * high, top, told, end: left + span});
  blow(sheet, places[0], 0.155 * high, acting(told, at * answer.step));
  profile(sheet, Array.from(u), {
    from: left,
    to: left + span,
    middle: 0.5 * high,
    tall: 0.125 * high,
    most,
    ink: colours().blue,
    words: `displacement, up to ${short(1000 * answer.largest.displacement, 3)} mm`,
  });
  profile(sheet, Array.from(stress), {
    from: left,
    to: left + span,
    middle: 0.81 * high,
    tall: 0.125 * high,
    most: top,
    ink: colours().red,
    words: `stress, up to ${short(answer.largest.stress / 1e6, 3)} MPa`,
    limit: told.limit,
  });
  label(sheet.pen, "0", [left, high - 4], {align: "center"});
  label(sheet.pen, `x = ${short(told.length, 3)} m`, [left + span, high - 4], {align: "center"});
}

/**
 * The bar with its far end.
 * @param {Sheet} sheet
 * @param {number[]} places of the nodes
 * @param {ArrayLike<number>} stress
 * @param {{low: number, high: number, top: number, told: Told, end: number}} look
 */
function body({pen, wide}, places, stress, {low, high, top, told, end}) {
  const colour = diverging(),
    {ink, soft} = colours(),
    every = Math.ceil(stress.length / LINES);
  for (let i = 0; i < stress.length; i++) {
    pen.fillStyle = written(colour(stress[i] / top));
    pen.fillRect(places[i], low, places[i + 1] - places[i] + 0.6, high - low);
  }
  pen.strokeStyle = soft;
  pen.lineWidth = 0.6;
  pen.beginPath();
  for (let i = every; i < stress.length; i += every) {
    pen.moveTo(places[i], low);
    pen.lineTo(places[i], high);
  }
  pen.stroke();
  pen.strokeStyle = ink;
  pen.lineWidth = 1.6;
  const last = places[places.length - 1];
  if (told.farEnd === "endless") {
    pen.setLineDash([7, 6]);
    for (const y of [low, high]) line(pen, [last, y], [wide, y]);
    pen.setLineDash([]);
    for (const y of [low, high]) line(pen, [places[0], y], [last, y]);
    line(pen, [places[0], low], [places[0], high]);
    return;
  }
  pen.strokeRect(places[0], low, last - places[0], high - low);
  if (told.farEnd === "free") return;
  pen.lineWidth = 2.4;
  line(pen, [end + 1.5, low - 6], [end + 1.5, high + 6]);
  pen.lineWidth = 1;
  for (let y = low + 4; y < high + 7; y += 11) line(pen, [end + 2, y], [end + 13, y - 9]);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function line(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

/**
 * The force at x = 0 over its largest value.
 * @param {Told} told
 * @param {number} time
 */
function acting({event, pulse}, time) {
  if (event === "pushed") return 1;
  return event === "struck" && time < pulse ? Math.sin((Math.PI * time) / pulse) : 0;
}

/**
 * An arrow whose tip is at the end of the bar.
 * @param {Sheet} sheet
 * @param {number} x
 * @param {number} y
 * @param {number} share of its length
 */
function blow({pen, wide}, x, y, share) {
  const length = share * 0.09 * wide;
  if (length < 3) return;
  pen.strokeStyle = colours().accent;
  pen.lineWidth = 3;
  line(pen, [x - length, y], [x - 2, y]);
  for (const side of [-6, 6]) line(pen, [x - 2, y], [x - 10, y + side]);
}

/**
 * A curve over the place, with its words above.
 * @param {Sheet} sheet
 * @param {number[]} values
 * @param {{from: number, to: number, middle: number, tall: number, most: number, ink: string, words: string,
 *   limit?: number | null}} look
 */
function profile({pen}, values, {from, to, middle, tall, most, ink, words, limit}) {
  const {line: thin, soft} = colours();
  pen.lineWidth = 1;
  pen.strokeStyle = thin;
  line(pen, [from, middle], [to, middle]);
  if (limit && limit < 1.2 * most) {
    pen.strokeStyle = soft;
    pen.setLineDash([4, 4]);
    for (const side of [-1, 1])
      line(pen, [from, middle + (side * tall * limit) / most], [to, middle + (side * tall * limit) / most]);
    pen.setLineDash([]);
    label(pen, "yields", [to + 4, middle - (tall * limit) / most + 4]);
  }
  pen.strokeStyle = ink;
  pen.lineWidth = 2.2;
  pen.lineJoin = "round";
  pen.beginPath();
  const step = (to - from) / (values.length - 1);
  values.forEach((value, i) => pen.lineTo(from + i * step, middle - (tall * value) / most));
  pen.stroke();
  label(pen, words, [from, middle - tall - 5]);
}

/** Stresses over place, to the right, and time, upwards; a line is now. */
export function spaceTime() {
  /** @type {(Shown & {image: HTMLCanvasElement}) | null} */
  let shown = null;
  const {root, again} = easel("spacetime", (sheet) => shown && paintSpaceTime(sheet, shown));
  return {
    root,
    /** @param {Shown} now */
    show(now) {
      const isNew = now.answer !== shown?.answer;
      shown = {...now, image: isNew || !shown ? document.createElement("canvas") : shown.image};
      if (isNew) root.setAttribute("aria-label", "stress over place and time: waves are slanted lines");
      again();
    },
    /** Another theme has other colours. */
    repaint() {
      if (!shown) return;
      shown.image.width = 0;
      again();
    },
  };
}

/**
 * @param {Sheet} sheet
 * @param {Shown & {image: HTMLCanvasElement}} shown
 */
function paintSpaceTime({pen, wide, high}, {answer, told, at, image}) {
  if (!image.width || image.height !== answer.pictures) fill(image, answer);
  const left = 46,
    top = 8,
    across = wide - left - 12,
    tall = high - top - 26;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image, left, top, across, tall);
  pen.strokeStyle = colours().line;
  pen.lineWidth = 1;
  pen.strokeRect(left, top, across, tall);
  const end = (answer.pictures - 1) * answer.step;
  label(pen, "0", [left - 6, top + tall], {align: "right"});
  label(pen, short(1000 * end, 3), [left - 6, top + 11], {align: "right"});
  label(pen, "t [ms]", [left - 6, top + tall / 2], {align: "right"});
  label(pen, "0", [left, high - 8]);
  label(pen, "x [m]", [left + across / 2, high - 8], {align: "center"});
  label(pen, short(told.length, 3), [left + across, high - 8], {align: "right"});
  const now = top + tall * (1 - at / (answer.pictures - 1));
  pen.strokeStyle = colours().ink;
  pen.lineWidth = 1.4;
  line(pen, [left, now], [left + across, now]);
}

/**
 * One pixel for every element and picture.
 * @param {HTMLCanvasElement} image
 * @param {WaveAnswer} answer
 */
function fill(image, {stress, nodes, pictures, largest}) {
  const count = nodes - 1,
    colour = diverging();
  image.width = count;
  image.height = pictures;
  const pen = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d")),
    pixels = pen.createImageData(count, pictures);
  for (let row = 0; row < pictures; row++)
    for (let i = 0; i < count; i++)
      pixels.data.set(
        [...colour(stress[row * count + i] / (largest.stress || 1)), 255],
        4 * ((pictures - 1 - row) * count + i),
      );
  pen.putImageData(pixels, 0, 0);
}
