// Small pictures of the scenes, drawn from the formulas of what they stand for.
import {element} from "../elements.js";

const WIDE = 240,
  HIGH = 130,
  MIDDLE = HIGH / 2;

/**
 * A curve over the width of the picture; the function is of 0 … 1 and gives −1 … 1.
 * @param {(share: number) => number} value
 * @param {string} [look] colour and more
 */
const wave = (value, look = "blue", size = 46, middle = MIDDLE) => {
  const points = Array.from(
    {length: 241},
    (_, i) => `${(10 + (i / 240) * (WIDE - 20)).toFixed(1)} ${(middle - size * value(i / 240)).toFixed(1)}`,
  );
  return line(`M${points.join("L")}`, look);
};
/** @type {(path: string, look?: string, more?: Record<string, any>) => SVGElement} */
const line = (path, look = "ink", more = {}) =>
  element("path", {
    d: path,
    fill: "none",
    style: `stroke:var(--${look})`,
    "stroke-width": 2,
    "stroke-linejoin": "round",
    ...more,
  });
/** @type {(x: number, y: number, r: number, look?: string) => SVGElement} */
const disc = (x, y, r, look = "ink") => element("circle", {cx: x, cy: y, r, style: `fill:var(--${look})`});
const axis = () => line(`M10 ${MIDDLE}H${WIDE - 10}`, "line", {"stroke-width": 1});
const TURN = 2 * Math.PI;

/**
 * A frame from the ground up: where its floors are, and which storeys are marked.
 * @param {number} x
 * @param {number[]} sway of the floors
 * @param {{marked?: number[], look?: string, low?: number, dash?: boolean}} [more]
 */
function frame(x, sway, {marked = [], look = "ink", low = 0, dash = false} = {}) {
  const height = (HIGH - 28 - low) / sway.length,
    ground = HIGH - 12 - low,
    half = 26;
  return sway.flatMap((now, i) => {
    const below = i ? sway[i - 1] : 0,
      foot = ground - i * height,
      top = foot - height,
      bend = (/** @type {number} */ at) =>
        `M${at + below} ${foot}C${at + below} ${(foot + top) / 2} ${at + now} ${(foot + top) / 2} ${at + now} ${top}`;
    const hot = marked.includes(i);
    return [
      line(bend(x - half) + bend(x + half), hot ? "bad" : look, {
        "stroke-width": hot ? 3.5 : 1.8,
        "stroke-dasharray": dash ? "4 3" : null,
      }),
      line(`M${x - half - 3 + now} ${top}H${x + half + 3 + now}`, look, {"stroke-width": dash ? 1.8 : 3.5}),
    ];
  });
}
const ground = () => line(`M16 ${HIGH - 12}H${WIDE - 16}`, "soft");

/** A loop of a spring that yields, and the line of one that does not. */
function loops() {
  return [
    line(`M${WIDE / 2} 8V${HIGH - 8}M30 ${MIDDLE}H${WIDE - 30}`, "line", {"stroke-width": 1}),
    line("M56 116L184 14", "orange", {"stroke-dasharray": "5 4"}),
    line(`M${WIDE / 2} ${MIDDLE}L142 47L196 40L152 75L54 88L108 44L170 37`, "blue", {"stroke-width": 2.2}),
  ];
}

/** Paths between two points: one is held at its end, one is not. */
function paths() {
  const from = [24, 100],
    to = [216, 48];
  const path = (/** @type {number} */ up, /** @type {number} */ end) =>
    `M${from[0]} ${from[1]}C80 ${100 - up} 150 ${40 - up / 3} ${to[0]} ${end}`;
  return [
    line(`M${from[0]} 14V${HIGH - 12}H${WIDE - 12}`, "line", {"stroke-width": 1}),
    line(`M${to[0]} 14V${HIGH - 12}`, "soft", {"stroke-width": 1, "stroke-dasharray": "3 3"}),
    line(path(90, to[1]), "faint"),
    line(path(20, to[1]), "faint"),
    line(path(55, 78), "orange", {"stroke-dasharray": "5 4"}),
    line(path(60, 26), "orange", {"stroke-dasharray": "5 4"}),
    line(path(55, to[1]), "blue", {"stroke-width": 2.6}),
    disc(from[0], from[1], 5, "ink"),
    line(`M${to[0] - 8} ${to[1] - 8}l16 16m0 -16l-16 16`, "bad", {"stroke-width": 3}),
  ];
}

/** Where a rod of so many pixels ends. */
const hung = (/** @type {number[]} */ [x, y], /** @type {number} */ angle, /** @type {number} */ length) => [
  x + length * Math.sin(angle),
  y + length * Math.cos(angle),
];

function pendulum() {
  const pivot = [WIDE / 2, 58];
  const ghosts = [1.9, 1.3, 0.6, 0, -0.6, -1.3, -1.9].map((angle) => disc(...pair(hung(pivot, angle, 46)), 5, "faint"));
  const [x, y] = hung(pivot, 2.6, 46);
  return [...ghosts, line(`M${pivot.join(" ")}L${x} ${y}`), disc(x, y, 10, "blue"), disc(pivot[0], pivot[1], 3.5)];
}
/** @type {(point: number[]) => [number, number]} */
const pair = ([x, y]) => [x, y];

function doublePendulum() {
  const pivot = [WIDE / 2, 50],
    elbow = hung(pivot, 0.9, 34),
    tip = hung(elbow, 2.3, 34);
  const trace = "M178 36C206 62 196 112 160 112C128 112 120 92 92 104C60 118 36 84 62 62C86 42 96 92 72 98";
  return [
    line(trace, "orange", {"stroke-width": 1.4}),
    line(`M${pivot.join(" ")}L${elbow.join(" ")}L${tip.join(" ")}`),
    disc(...pair(elbow), 7, "blue"),
    disc(...pair(tip), 7, "blue"),
    disc(pivot[0], pivot[1], 3.5),
  ];
}

/** What stays of a displacement after a pulse: a rise, then swings about another place. */
const leftOver = (/** @type {number} */ s) =>
  s < 0.18
    ? 1.45 * Math.sin((Math.PI * s) / 0.36) ** 2
    : 0.66 + 0.79 * Math.exp(-5 * (s - 0.18)) * Math.cos(TURN * 6 * (s - 0.18));

/** A zigzag of pads below a frame. */
const pads = () =>
  [58, 110].map((x) => line(`M${x - 9} ${HIGH - 12}l18 -4l-18 -4l18 -4`, "orange", {"stroke-width": 2}));

/** A piston from corner to corner of each storey. */
const pistons = () =>
  [0, 1, 2].map((i) => {
    const y = HIGH - 12 - 34 * i;
    return line(`M96 ${y - 3}L112 ${y - 14}m-4 -6l8 12l12 -8m-12 -6l10 14m-4 -6L144 ${y - 31}`, "orange", {
      "stroke-width": 1.8,
    });
  });

/** @type {Record<string, () => SVGElement[]>} */
const DRAWN = {
  resonance: () => [
    axis(),
    wave((s) => (1 - Math.exp(-3 * s)) * Math.sin(TURN * 14 * s)),
    wave((s) => 0.12 * Math.sin(TURN * 14 * s), "orange", 46),
  ],
  beating: () => [axis(), wave((s) => Math.sin(TURN * s * 1.5) * Math.sin(TURN * 15 * s))],
  yielding: loops,
  unstable: () => [
    axis(),
    wave((s) => 0.16 * Math.cos(TURN * 9 * s), "orange"),
    line(
      `M10 ${MIDDLE}${Array.from({length: 17}, (_, i) => `L${10 + 13.7 * i} ${MIDDLE + (i % 2 ? -1 : 1) * Math.min(58, 4 * 1.19 ** i)}`).join("")}`,
      "blue",
    ),
  ],
  "weak-storey": () => [ground(), ...frame(WIDE / 2, [4, 8, 40, 43, 45, 46], {marked: [2]})],
  "residual-drift": () => [
    line(`M10 104H${WIDE - 10}`, "line", {"stroke-width": 1}),
    wave((s) => leftOver(s), "blue", 58, 104),
    line(`M${WIDE - 30} 102V66m-5 7l5 -7l5 7`, "bad"),
  ],
  "p-delta": () => [
    ground(),
    ...frame(96, [14, 32, 54, 78]),
    ...[0, 1, 2, 3].map((i) => {
      const x = 96 + [14, 32, 54, 78][i],
        y = HIGH - 12 - (i + 1) * ((HIGH - 28) / 4);
      return line(`M${x} ${y - 16}v13m-4 -5l4 5l4 -5`, "bad", {"stroke-width": 2});
    }),
  ],
  isolation: () => [
    ground(),
    ...pads(),
    ...frame(84, [0, 0.6, 1.2, 1.8], {low: 14}),
    ...frame(164, [8, 17, 24, 28], {look: "grey", dash: true}),
  ],
  dampers: () => [ground(), ...frame(WIDE / 2, [2, 4, 5]), ...pistons()],
  pendulum,
  "double-pendulum": doublePendulum,
  "end-points": paths,
};

/**
 * The picture of a scene.
 * @param {string} name
 * @returns {SVGElement}
 */
export const picture = (name) =>
  element("svg", {class: "thumb", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true"}, DRAWN[name]());
