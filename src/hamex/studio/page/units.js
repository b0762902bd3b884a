// Units that a page offers, and the same quantity in others of them.
import {rounded} from "./elements.js";

/** @typedef {{length: string, force: string}} Units time is in seconds everywhere */
/** @typedef {readonly [force: number, length: number]} Dimension powers of force and length in a quantity */

/** @type {Record<string, number>} one metre in each unit of length; inch and foot are exact by definition */
const METRE = {m: 1, cm: 100, mm: 1000, in: 1 / 0.0254, ft: 1 / 0.3048};
const POUND = 0.45359237 * 9.80665; // newtons in a pound-force, and kilonewtons in a kip: exact by definition
/** @type {Record<string, number>} one kilonewton in each unit of force */
const KILONEWTON = {kN: 1, N: 1000, MN: 0.001, kip: 1 / POUND, lbf: 1000 / POUND};

/**
 * A number without the rounding of its conversion: there and back again gives the number that was typed.
 * @param {number} value
 */
function tidy(value) {
  const near = rounded(value, 10);
  return Math.abs(near - value) <= 1e-13 * Math.abs(value) ? near : value;
}

const offered = (/** @type {Record<string, number>} */ sizes) =>
  /** @type {Options} */ (Object.keys(sizes).map((unit) => [unit, unit]));
export const LENGTHS = offered(METRE);
export const FORCES = offered(KILONEWTON);

/** @type {Record<string, number>} standard gravity by the unit of length */
export const GRAVITY = Object.fromEntries(Object.entries(METRE).map(([unit, size]) => [unit, 9.80665 * size]));

/** @type {Record<string, string>} masses that have a name of their own */
const MASSES = {"m N": "kg", "m kN": "t (kN s²/m)", "mm N": "t (N s²/mm)", "ft lbf": "slug (lbf s²/ft)"};

/**
 * What masses are in, in the words of the command line.
 * @param {string} length
 * @param {string} force
 */
export const massUnit = (length, force) => MASSES[`${length} ${force}`] ?? `${force} s²/${length}`;

/** @type {Units} what the limits of sliders are written in */
export const METRIC = {length: "m", force: "kN"};
/** @type {Dimension} */
export const FORCE = [1, 0];
/** @type {Dimension} */
export const LENGTH = [0, 1];
/** @type {Dimension} of a mass, a damping and a stiffness: they differ in powers of time */
export const STIFFNESS = [1, -1];

/**
 * By how much the number of a quantity grows when its units change.
 * @param {Dimension} dimension
 * @param {Units} from
 * @param {Units} to
 */
export const factor = ([force, length], from, to) =>
  (KILONEWTON[to.force] / KILONEWTON[from.force]) ** force * (METRE[to.length] / METRE[from.length]) ** length;

/**
 * The same quantities in other units.
 * @template {string} Key
 * @param {NoInfer<Record<Key, number>>} state
 * @param {Record<Key, Dimension>} dimensions of the numbers that change
 * @param {Units} from
 * @param {Units} to
 * @returns {Record<Key, number>}
 */
export const converted = (state, dimensions, from, to) =>
  /** @type {Record<Key, number>} */ (
    Object.fromEntries(
      /** @type {[Key, Dimension][]} */ (Object.entries(dimensions)).map(([key, dimension]) => [
        key,
        tidy(state[key] * factor(dimension, from, to)),
      ]),
    )
  );
