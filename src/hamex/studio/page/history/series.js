// Histories as numbers: their times, their extremes, the loop of one spring.
import {unpack} from "../requests.js";

/**
 * Times of the nodes.
 * @param {number} count
 * @param {number} step
 */
export function clock(count, step) {
  const t = new Float64Array(count);
  for (let i = 0; i < count; i++) t[i] = i * step;
  return t;
}

/**
 * Every so-many-th entry, so that no more than `most` are left.
 * @param {Numbers} values
 * @param {number} most
 */
export function thinned(values, most) {
  const stride = Math.max(1, Math.ceil(values.length / most));
  return stride === 1 ? values : values.filter((_, i) => i % stride === 0);
}

/**
 * An axis that shows these and a little more.
 * @param {[low: number, high: number]} ends
 */
export const range = ([low, high], share = 0.06) => {
  const room = share * (high - low || 1);
  return [low - room, high + room];
};

/**
 * The lowest and the highest of all values, and zero.
 * @param {...ArrayLike<number>} arrays
 * @returns {[low: number, high: number]}
 */
export function extremes(...arrays) {
  let low = 0,
    high = 0;
  for (const values of arrays)
    for (let i = 0; i < values.length; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  return [low, high];
}

/**
 * What belongs to one dof or spring: histories lie one behind the other.
 * @param {Numbers} array
 * @param {number} k
 * @param {number} count entries of each
 */
export const component = (array, k, count) => array.subarray(k * count, (k + 1) * count);

/**
 * Deformation and force of one spring, as step means or at nodes; place(i) is the entry that node i belongs to.
 * @param {Run} run
 */
export function springLoop(run, storey = 0) {
  const force = unpack(run.loop_force),
    means = Boolean(run.loop_displacement),
    moved = unpack(run.loop_displacement || run.displacement);
  const count = moved.length / run.dofs.length,
    above = component(moved, storey, count);
  return {
    u: storey ? above.map((value, i) => value - moved[(storey - 1) * count + i]) : above,
    f: component(force, storey, count),
    words: means ? "step means" : "at the nodes",
    place: (/** @type {number} */ i) => (means ? Math.min(Math.max(i - 1, 0), count - 1) : i),
  };
}
