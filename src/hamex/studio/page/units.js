// Units of length that a page offers, and what belongs to them.

/** @type {Options} */
export const LENGTHS = ["m", "cm", "mm", "in", "ft"].map((unit) => [unit, unit]);

/** @type {Record<string, number>} standard gravity by the unit of length */
export const GRAVITY = {m: 9.80665, cm: 980.665, mm: 9806.65, in: 9.80665 / 0.0254, ft: 9.80665 / 0.3048};

/** @type {Record<string, string>} masses that have a name of their own */
const MASSES = {"m N": "kg", "m kN": "t (kN s²/m)", "mm N": "t (N s²/mm)", "ft lbf": "slug (lbf s²/ft)"};

/**
 * What masses are in, in the words of the command line.
 * @param {string} length
 * @param {string} force
 */
export const massUnit = (length, force) => MASSES[`${length} ${force}`] ?? `${force} s²/${length}`;
