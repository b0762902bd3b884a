// Moving pictures: the oscillator with its spring, slider and dashpots, and the building.
import {element} from "../elements.js";

const SPAN = 55; // pixels for the largest displacement
const HALF = 0.5; // of the strength: less is marked
const LOW = 0.5; // height of isolators over that of a storey

/**
 * A spring.
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
const zigzag = (from, to, y, turns = 6) => {
  const lead = 12,
    inside = to - from - 2 * lead;
  let path = `M${from} ${y}h${lead}`;
  for (let i = 0; i < 2 * turns; i++)
    path += `L${from + lead + (inside * (i + 0.5)) / (2 * turns)} ${y + (i % 2 ? 8 : -8)}`;
  return `${path}L${to - lead} ${y}L${to} ${y}`;
};
/**
 * A cylinder on the left, a piston on the right.
 * @param {number} from
 * @param {number} to
 * @param {number} y
 * @param {number} piston
 */
const dashpot = (from, to, y, piston) =>
  `M${from} ${y}H${piston - 26}M${piston + 14} ${y - 9}H${piston - 26}V${y + 9}H${piston + 14}` +
  `M${piston} ${y - 6}V${y + 6}M${piston} ${y}H${to}`;

/**
 * An arrow that begins at (x, y), as long as the shaking is strong.
 * @param {number} x
 * @param {number} y
 * @param {number} length
 */
const shakingArrow = (x, y, length) => {
  const tip = 7 * Math.sign(length);
  return Math.abs(length) > 3 ? `M${x} ${y}h${length}m${-tip} -5l${tip} 5l${-tip} 5` : "";
};

/** Mass, spring in series with (slider ∥ dashpot η), dashpot c beside them. */
export function oscillator() {
  const wall = element("path", {class: "line", d: "M50 34V196M50 196H560"});
  const hatch = element("path", {
    class: "thin",
    d:
      Array.from({length: 9}, (_, i) => `M50 ${40 + 18 * i}l-12 10`).join("") +
      Array.from({length: 25}, (_, i) => `M${66 + 20 * i} 196l-9 9`).join(""),
  });
  const spring = element("path", {class: "line"}),
    damper = element("path", {class: "line"}),
    plate = element("path", {class: "line"}),
    friction = element("path", {class: "line"}),
    viscous = element("path", {class: "line"});
  const rest = element("path", {class: "thin", "stroke-dasharray": "4 4", d: "M446 36V62"});
  const mass = element("rect", {class: "mass", width: 92, height: 112, rx: 4, y: 70}),
    wheels = element("path", {class: "line"});
  const letter = element("text", {"text-anchor": "middle", y: 132, style: "font-size:18px;fill:var(--ink)"}, "m");
  const arrow = element("path", {class: "line", style: "stroke:var(--accent)"}),
    shake = element("text", {class: "shake", x: 50, y: 240}, "");
  const zero = element("text", {x: 446, y: 30, "text-anchor": "middle"}, "u = 0");
  const labels = [
    ["k", 310, 62],
    ["slider", 132, 60],
    ["η", 132, 152],
    ["c", 250, 190],
  ].map(([words, x, y]) => element("text", {x, y, "text-anchor": "middle"}, words));
  const root = element(
    "svg",
    {
      class: "sketch",
      viewBox: "25 10 560 240",
      role: "img",
      "aria-label": "mass on a spring that may yield, with dashpots",
    },
    wall,
    hatch,
    rest,
    plate,
    spring,
    friction,
    viscous,
    damper,
    mass,
    wheels,
    letter,
    ...labels,
    arrow,
    shake,
    zero,
  );
  const [, sliderLabel, etaLabel] = labels;
  const place = {u: NaN, s: NaN};

  /**
   * @param {{u: number, slip: number, scale: number, ground: number, groundPeak: number, groundWords: string,
   *   slipping: boolean, yields: boolean, viscosity: boolean, law: string}} state
   */
  function move({u, slip, scale, ground, groundPeak, groundWords, slipping, yields, viscosity, law}) {
    const x = 400 + (SPAN * u) / scale,
      s = (SPAN * slip) / scale;
    if (x !== place.u || s !== place.s) {
      const knot = (yields ? 205 : 50) + s,
        y = 84;
      spring.setAttribute("d", zigzag(knot, x, y));
      // The block rubs on a plate that is fixed to the ground; the dashpot η lies beside it.
      plate.setAttribute("d", yields ? `M50 ${y + 11}H196` : "");
      friction.setAttribute("d", yields ? `M${106 + s} ${y - 10}h52v20h-52zM${158 + s} ${y}H${knot}` : "");
      viscous.setAttribute(
        "d",
        yields && viscosity ? `${dashpot(50, knot, y + 40, 142 + s)}M${knot} ${y}V${y + 40}` : "",
      );
      damper.setAttribute("d", dashpot(50, x, 166, 262 + (SPAN * u) / scale));
      mass.setAttribute("x", x);
      letter.setAttribute("x", x + 46);
      wheels.setAttribute("d", `M${x + 26} 184a6 6 0 1 0 0.1 0M${x + 66} 184a6 6 0 1 0 0.1 0`);
      place.u = x;
      place.s = s;
    }
    sliderLabel.textContent = law;
    sliderLabel.style.display = yields ? "" : "none";
    etaLabel.style.display = yields && viscosity ? "" : "none";
    friction.style.stroke = slipping ? "var(--bad)" : "";
    friction.style.strokeWidth = slipping ? 3.4 : "";
    const reach = groundPeak ? (110 * ground) / groundPeak : 0;
    arrow.setAttribute("d", shakingArrow(330, 235, reach));
    shake.textContent = groundWords;
  }
  return {root, move};
}

/**
 * A shear frame: floors, columns that bend, storeys that have yielded and those that slip now.
 * @param {(storey: number) => any} onpick
 */
export function building(onpick) {
  const root = element("svg", {class: "sketch tall", viewBox: "0 0 420 520", role: "img", "aria-label": "shear frame"});
  let floors = /** @type {any[]} */ ([]),
    columns = /** @type {any[]} */ ([]),
    hits = /** @type {any[]} */ ([]),
    bars = /** @type {any[]} */ ([]),
    levels = /** @type {number[]} */ ([]),
    built = "";
  const ground = element("path", {class: "line", d: "M40 492H380"});
  const hatch = element("path", {
    class: "thin",
    d: Array.from({length: 17}, (_, i) => `M${52 + 20 * i} 492l-9 10`).join(""),
  });
  const arrow = element("path", {class: "line", style: "stroke:var(--accent)"});

  /**
   * Storeys of one height; isolators are low.
   * @param {number} count
   * @param {boolean} isolated
   */
  function build(count, isolated) {
    built = `${count} ${isolated}`;
    const height = 470 / (isolated ? count - 1 + LOW : count),
      low = isolated ? (LOW - 1) * height : 0;
    levels = Array.from({length: count + 1}, (_, i) => 492 - (i ? i * height + low : 0));
    floors = Array.from({length: count}, () =>
      element("path", {class: "line", style: `stroke-width:${Math.min(7, 0.28 * height)}`}),
    );
    columns = Array.from({length: count}, () => element("path", {class: "line"}));
    hits = Array.from({length: count}, (_, i) =>
      element(
        "rect",
        {
          x: 20,
          width: 380,
          y: levels[i + 1],
          height: levels[i] - levels[i + 1],
          fill: "transparent",
          style: "cursor:pointer",
          onclick: () => onpick(i),
        },
        element("title", {}, isolated ? (i ? `storey ${i}` : "isolators") : `storey ${i + 1}`),
      ),
    );
    bars = Array.from({length: count}, () => element("path", {class: "line", style: "stroke-width:4"}));
    root.replaceChildren(hatch, ground, ...columns, ...floors, ...bars, arrow, ...hits);
  }
  /**
   * Displacements of the floors, storeys that slip now and that have yielded, the storey to mark, and what is left of
   * their strength: a bar beside each that may lose it.
   * @param {{u: number[], slipping: boolean[], yielded: boolean[], scale: number, chosen: number, isolated: boolean,
   *   ground: number, groundPeak: number, left?: number[] | null}} state
   */
  function move({u, slipping, yielded, scale, chosen, isolated, ground: now, groundPeak, left = null}) {
    if (built !== `${u.length} ${isolated}`) build(u.length, isolated);
    const span = 60;
    let below = 0;
    for (let i = 0; i < u.length; i++) {
      const x = (span * u[i]) / scale,
        low = levels[i],
        high = levels[i + 1],
        mid = (low + high) / 2;
      floors[i].setAttribute("d", `M${125 + x} ${high}H${295 + x}`);
      columns[i].setAttribute(
        "d",
        [130, 290]
          .map((at) => `M${at + below} ${low}C${at + below} ${mid} ${at + x} ${mid} ${at + x} ${high}`)
          .join(""),
      );
      columns[i].style.stroke = slipping[i] ? "var(--bad)" : yielded[i] ? "var(--orange)" : "";
      columns[i].style.strokeWidth = slipping[i] ? 5 : yielded[i] ? 3.5 : 2;
      columns[i].setAttribute("stroke-dasharray", yielded[i] && !slipping[i] ? "7 3" : "");
      bars[i].setAttribute("d", left ? `M368 ${mid}h${Math.max(0.5, 44 * left[i])}` : "");
      bars[i].style.stroke = left && left[i] < HALF ? "var(--bad)" : "var(--blue)";
      hits[i].setAttribute("fill", i === chosen ? "color-mix(in srgb, var(--accent) 12%, transparent)" : "transparent");
      below = x;
    }
    const reach = groundPeak ? (90 * now) / groundPeak : 0;
    arrow.setAttribute("d", shakingArrow(210, 511, reach));
  }
  return {root, move};
}
