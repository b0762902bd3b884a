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
 * A line at a time.
 * @param {Panel} panel
 */
export function cursor({root, plot}) {
  const line = element("div", {class: "cursor", "aria-hidden": "true", hidden: true});
  root.append(line);
  return (/** @type {number} */ time) => {
    const at = spot(plot, time, null);
    line.hidden = !at;
    if (at) Object.assign(line.style, {left: `${at.left}px`, top: `${at.from}px`, height: `${at.height}px`});
  };
}

/**
 * A dot at a point.
 * @param {Panel} panel
 */
export function dot({root, plot}) {
  const mark = element("div", {class: "dot", "aria-hidden": "true", hidden: true});
  root.append(mark);
  return (/** @type {number} */ x, /** @type {number} */ y) => {
    const at = spot(plot, x, y);
    mark.hidden = !at;
    if (at) Object.assign(mark.style, {left: `${at.left}px`, top: `${at.top}px`});
  };
}
