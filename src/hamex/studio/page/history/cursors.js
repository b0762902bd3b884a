// What moves over plots with the clock: a line at the time, a dot at the state.
import {element} from "../elements.js";

/**
 * Where a point of the data lies inside the panel, in pixels; null when the plot is not drawn yet.
 * @param {any} plot
 * @param {number} x
 * @param {number | null} y
 */
function spot(plot, x, y) {
  const full = plot._fullLayout;
  if (!full || !full.xaxis || !full.xaxis.l2p) return null;
  const left = full.xaxis._offset + full.xaxis.l2p(x),
    top = y === null ? 0 : full.yaxis._offset + full.yaxis.l2p(y);
  const inside =
    left >= full.xaxis._offset - 1 &&
    left <= full.xaxis._offset + full.xaxis._length + 1 &&
    (y === null || (top >= full.yaxis._offset - 1 && top <= full.yaxis._offset + full.yaxis._length + 1));
  return inside
    ? {
        left: plot.offsetLeft + left,
        top: plot.offsetTop + top,
        from: plot.offsetTop + full.yaxis._offset,
        height: full.yaxis._length,
      }
    : null;
}

/**
 * A node over a plot that stands right again whenever the plot is drawn: in another size, zoomed, with other data.
 * @param {Panel} panel
 * @param {string} kind
 * @param {(node: HTMLElement, at: NonNullable<ReturnType<typeof spot>>) => void} put
 */
function standing({root, plot}, kind, put) {
  const node = element("div", {class: kind, "aria-hidden": "true", hidden: true});
  /** @type {[x: number, y: number | null] | null} */
  let now = null;
  const place = () => {
    const at = now && spot(plot, ...now);
    node.hidden = !at;
    if (at) put(node, at);
  };
  root.append(node);
  plot.addEventListener("drawn", place);
  return (/** @type {number} */ x, /** @type {number | null} */ y) => {
    now = [x, y];
    place();
  };
}

/**
 * A line at a time.
 * @param {Panel} panel
 */
export function cursor(panel) {
  const follow = standing(panel, "cursor", ({style}, {left, from, height}) =>
    Object.assign(style, {left: `${left}px`, top: `${from}px`, height: `${height}px`}),
  );
  return (/** @type {number} */ time) => follow(time, null);
}

/**
 * A dot at a point.
 * @param {Panel} panel
 */
export const dot = (panel) =>
  standing(panel, "dot", ({style}, {left, top}) => Object.assign(style, {left: `${left}px`, top: `${top}px`}));
