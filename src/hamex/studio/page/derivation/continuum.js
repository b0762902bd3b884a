// Continua that move: exact motions of a plucked string, of a bar and of a beam, slowed down.
import {element} from "../elements.js";

const POINTS = 80;
const MODES = 24;
const PERIOD = 4; // seconds of the first mode

/**
 * Shapes of modes, their frequencies over the first, and how much of each there is.
 * @typedef {{words: string, shape: (k: number, x: number) => number, rate: (k: number) => number,
 *   share: (k: number) => number, along: boolean}} Modes
 */

const half = Math.PI / 2;
const PLUCKED = 1 / 3;

/** @type {Record<string, Modes>} */
const SYSTEMS = {
  // A string pulled aside at a third of its length and let go: Fourier's series of d'Alembert's solution.
  string: {
    words: "plucked at a third of its length, exact; time is slowed",
    shape: (k, x) => Math.sin(k * Math.PI * x),
    rate: (k) => k,
    share: (k) => (2 * Math.sin(k * Math.PI * PLUCKED)) / (PLUCKED * (1 - PLUCKED) * (k * Math.PI) ** 2),
    along: false,
  },
  "elastic-1d": {
    words: "fixed at the left, stretched and let go, exact; time is slowed",
    shape: (k, x) => Math.sin((2 * k - 1) * half * x),
    rate: (k) => 2 * k - 1,
    share: (k) => (8 / Math.PI ** 2) * ((-1) ** (k - 1) / (2 * k - 1) ** 2),
    along: true,
  },
  "euler-bernoulli": {
    words: "on two supports, let go from a kink at a third, exact; time is slowed",
    shape: (k, x) => Math.sin(k * Math.PI * x),
    rate: (k) => k ** 2,
    share: (k) => Math.sin(k * Math.PI * PLUCKED) / k ** 4,
    along: false,
  },
  timoshenko: {
    words: "on two supports, its first mode; time is slowed",
    shape: (_, x) => Math.sin(Math.PI * x),
    rate: () => 1,
    share: (k) => (k === 1 ? 1 : 0),
    along: false,
  },
};

/**
 * The picture of a continuum; null where there is none.
 * @param {string} name
 * @param {number} wide
 * @param {number} high
 * @returns {import("./moving.js").Drawing | null}
 */
export function continuum(name, wide, high) {
  const modes = SYSTEMS[name];
  if (!modes) return null;
  const left = 40,
    length = wide - (modes.along ? 110 : 80),
    numbers = Array.from({length: MODES}, (_, i) => i + 1);
  const value = (/** @type {number} */ x, /** @type {number} */ time) =>
    numbers.reduce(
      (sum, k) => sum + modes.share(k) * modes.shape(k, x) * Math.cos((modes.rate(k) * 2 * Math.PI * time) / PERIOD),
      0,
    );
  const places = Array.from({length: POINTS + 1}, (_, i) => i / POINTS),
    most = places.reduce((so, x) => Math.max(so, Math.abs(value(x, 0))), 1e-9);
  const curve = element("path", {class: "line", style: "stroke:var(--blue);stroke-width:3"}),
    rest = element("path", {class: "thin", "stroke-dasharray": "4 4", d: `M${left} ${high / 2}h${length}`}),
    ends = element("path", {
      class: "line",
      d: modes.along
        ? `M${left} ${high / 2 - 46}v92`
        : `M${left} ${high / 2}l-9 16h18zM${left + length} ${high / 2}l-9 16h18z`,
    });
  return {
    words: modes.words,
    root: [rest, ends, curve],
    move(_, time) {
      if (modes.along) {
        const at = places.filter((_x, i) => i % 5 === 0).map((x) => left + length * x + (34 * value(x, time)) / most);
        curve.setAttribute(
          "d",
          `${at.map((x) => `M${x.toFixed(1)} ${high / 2 - 28}v56`).join("")}M${left} ${high / 2 - 28}H${at.at(-1)}M${left} ${high / 2 + 28}H${at.at(-1)}`,
        );
        return;
      }
      const points = places.map(
        (x) => `${(left + length * x).toFixed(1)} ${(high / 2 - (70 * value(x, time)) / most).toFixed(1)}`,
      );
      curve.setAttribute("d", `M${points.join("L")}`);
    },
  };
}
