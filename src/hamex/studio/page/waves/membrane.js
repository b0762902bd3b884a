// The membrane as a surface in perspective: cells from the farthest to the nearest, lit from above.
import {extremes} from "../history/series.js";
import {colours} from "../plots.js";
import {between, diverging, easel, mixed, written} from "./canvas.js";

/** @import {Rgb, Sheet} from "./canvas.js" */
/** @typedef {{turn: number, tilt: number}} Seen degrees around the vertical and above the horizon */
/** @typedef {{answer: WaveAnswer, at: number, seen: Seen}} Shown a run, the picture of it, and from where */

const TALL = 0.26; // of the longer side, for the largest deflection
const FAR = 3.2; // of the longer side, from the eye to the middle
const PALE = 0.6; // power of a deflection in its colour: waves that have spread out are seen, too
const LIGHT = [-0.35, -0.25, 0.9]; // from where it comes, for who looks along y

/** The moving membrane. */
export function movingMembrane() {
  /** @type {Shown | null} */
  let shown = null;
  const {root, again} = easel("membrane", (sheet) => shown && paint(sheet, shown));
  root.setAttribute("aria-label", "the membrane, its deflection drawn larger than it is");
  return {
    root,
    /** @param {Shown} now */
    show(now) {
      shown = now;
      again();
    },
  };
}

/**
 * Where points are seen: to the right and up in lengths of the picture, and how far away.
 * @param {Seen} seen
 */
function camera({turn, tilt}) {
  const [a, b] = [turn, tilt].map((angle) => (angle * Math.PI) / 180),
    [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
  return (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
    const right = ca * x + sa * y,
      ahead = -sa * x + ca * y,
      away = FAR + cb * ahead - sb * z,
      scale = FAR / away;
    return [scale * right, scale * (sb * ahead + cb * z), away];
  };
}

/**
 * @param {Sheet} sheet
 * @param {Shown} shown
 */
function paint({pen, wide, high}, {answer, at, seen}) {
  const {x, y, columns, nodes, largest} = answer,
    w = between(answer.displacement, nodes, at),
    rows = nodes / columns;
  const width = extremes(x)[1],
    height = extremes(y)[1],
    side = Math.max(width, height),
    most = largest.displacement || 1;
  const look = camera(seen);
  const points = Array.from(w, (value, i) => [
    (x[i] - width / 2) / side,
    (y[i] - height / 2) / side,
    (TALL * value) / most,
  ]);
  const seenAt = points.map(([a, b, c]) => look(a, b, c));
  const scale = fitted(points, look, wide, high);
  const px = (/** @type {number} */ i) => wide / 2 + scale.size * (seenAt[i][0] - scale.x),
    py = (/** @type {number} */ i) => high / 2 - scale.size * (seenAt[i][1] - scale.y);
  const cells = [];
  for (let row = 0; row < rows - 1; row++)
    for (let column = 0; column < columns - 1; column++) {
      const corner = row * columns + column;
      cells.push([corner, corner + 1, corner + columns + 1, corner + columns]);
    }
  const depth = cells.map((corners) => corners.reduce((sum, i) => sum + seenAt[i][2], 0));
  const order = cells.map((_, i) => i).sort((one, other) => depth[other] - depth[one]);
  const colour = diverging();
  pen.lineJoin = "round";
  pen.lineWidth = 0.7;
  for (const number of order) {
    const corners = cells[number],
      mean = corners.reduce((sum, i) => sum + w[i], 0) / 4;
    pen.fillStyle = written(
      lit(
        colour(Math.sign(mean) * Math.abs(mean / most) ** PALE),
        brightness(
          corners.map((i) => points[i]),
          seen.turn,
        ),
      ),
    );
    pen.strokeStyle = pen.fillStyle; // no seams between neighbours
    pen.beginPath();
    for (const i of corners) pen.lineTo(px(i), py(i));
    pen.closePath();
    pen.fill();
    pen.stroke();
  }
  rim(pen, columns, rows, px, py);
}

/**
 * How large, and around which point, so that the membrane and its largest deflections fill the picture.
 * @param {number[][]} points
 * @param {ReturnType<typeof camera>} look
 * @param {number} wide
 * @param {number} high
 */
function fitted(points, look, wide, high) {
  let [left, right, low, top] = [0, 0, 0, 0];
  for (const [a, b] of points)
    for (const c of [-0.6 * TALL, 0.6 * TALL]) {
      const [u, v] = look(a, b, c);
      left = Math.min(left, u);
      right = Math.max(right, u);
      low = Math.min(low, v);
      top = Math.max(top, v);
    }
  return {
    size: 0.96 * Math.min(wide / (right - left), high / (top - low)),
    x: (left + right) / 2,
    y: (low + top) / 2,
  };
}

/**
 * Light on a cell, by the normal of its diagonals; it comes from where the reader is.
 * @param {number[][]} corners
 * @param {number} turn
 */
function brightness([a, b, c, d], turn) {
  const [p, q] = [c.map((value, i) => value - a[i]), d.map((value, i) => value - b[i])],
    normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]],
    size = Math.hypot(...normal) || 1,
    angle = (turn * Math.PI) / 180,
    light = [
      Math.cos(angle) * LIGHT[0] - Math.sin(angle) * LIGHT[1],
      Math.sin(angle) * LIGHT[0] + Math.cos(angle) * LIGHT[1],
      LIGHT[2],
    ];
  return Math.abs(normal.reduce((sum, value, i) => sum + (value * light[i]) / size, 0));
}

/**
 * A colour in the light: at rest as it is, darker where it turns away, a little brighter where it faces it.
 * @param {Rgb} colour
 * @param {number} light
 */
function lit(colour, light) {
  const more = (light - LIGHT[2]) * 0.9;
  return more < 0
    ? mixed(colour, [0, 0, 0], Math.min(0.5, -more))
    : mixed(colour, [255, 255, 255], Math.min(0.4, more));
}

/**
 * The edge, which is held.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} columns
 * @param {number} rows
 * @param {(i: number) => number} px
 * @param {(i: number) => number} py
 */
function rim(pen, columns, rows, px, py) {
  const last = columns * (rows - 1);
  const around = [
    ...Array.from({length: columns}, (_, i) => i),
    ...Array.from({length: rows}, (_, i) => columns * (i + 1) - 1),
    ...Array.from({length: columns}, (_, i) => last + columns - 1 - i),
    ...Array.from({length: rows}, (_, i) => last - columns * i),
  ];
  pen.strokeStyle = colours().ink;
  pen.lineWidth = 1.8;
  pen.beginPath();
  for (const i of around) pen.lineTo(px(i), py(i));
  pen.stroke();
}
