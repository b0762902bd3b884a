// Drawing on canvases: as sharp as the screen, in the colours of the theme, anew when the size changes.
import {element} from "../elements.js";
import {colours} from "../plots.js";

/** @typedef {{pen: CanvasRenderingContext2D, wide: number, high: number}} Sheet sizes in pixels of the page */
/** @typedef {[red: number, green: number, blue: number]} Rgb */

/**
 * A canvas and what paints it; it is painted again when its box takes another size.
 * @param {string} look class of the canvas
 * @param {(sheet: Sheet) => void} paint
 */
export function easel(look, paint) {
  const root = element("canvas", {class: `sketch ${look}`, role: "img"}),
    pen = /** @type {CanvasRenderingContext2D} */ (root.getContext("2d"));
  const again = () => {
    const ratio = window.devicePixelRatio || 1,
      {clientWidth: wide, clientHeight: high} = root;
    if (!wide || !high) return;
    const size = [Math.round(ratio * wide), Math.round(ratio * high)];
    if (root.width !== size[0] || root.height !== size[1]) [root.width, root.height] = size;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    paint({pen, wide, high});
  };
  new ResizeObserver(again).observe(root);
  return {root, again};
}

/**
 * A colour of the stylesheet as numbers.
 * @param {string} hex
 * @returns {Rgb}
 */
const numbers = (hex) => {
  const digits = hex.length < 7 ? hex.slice(1, 4).replace(/./g, "$&$&") : hex.slice(1, 7),
    part = (/** @type {number} */ at) => parseInt(digits.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
};

/**
 * @param {Rgb} one
 * @param {Rgb} other
 * @param {number} share of the other
 * @returns {Rgb}
 */
export const mixed = (one, other, share) =>
  /** @type {Rgb} */ (one.map((value, i) => value + share * (other[i] - value)));

export const written = (/** @type {Rgb} */ [red, green, blue]) =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;

/** Colours of values from −1, blue, through nothing to 1, red. */
export function diverging() {
  const {paper, soft, blue, red} = colours(),
    [zero, low, high] = [mixed(numbers(paper), numbers(soft), 0.16), numbers(blue), numbers(red)];
  return (/** @type {number} */ value) => mixed(zero, value < 0 ? low : high, Math.min(1, Math.abs(value)));
}

/**
 * Words in the type of sketches.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} words
 * @param {[x: number, y: number]} place
 * @param {{ink?: string, align?: CanvasTextAlign}} [look]
 */
export function label(pen, words, [x, y], {ink = colours().soft, align = "left"} = {}) {
  const lecture = document.documentElement.dataset.lecture === "yes";
  pen.font = `${lecture ? 17 : 12.5}px system-ui, sans-serif`;
  pen.textAlign = align;
  pen.fillStyle = ink;
  pen.fillText(words, x, y);
}

/**
 * Values between two pictures of a run.
 * @param {Numbers} all one picture behind the other
 * @param {number} count of one
 * @param {number} at the picture, not whole
 */
export function between(all, count, at) {
  const last = all.length / count - 1,
    i = Math.min(Math.floor(at), last),
    j = Math.min(i + 1, last),
    share = at - i;
  const found = new Float32Array(count);
  for (let k = 0; k < count; k++) found[k] = all[i * count + k] + share * (all[j * count + k] - all[i * count + k]);
  return found;
}
