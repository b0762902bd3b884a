// The energy balance: what came in, and what became of it.
import {element, short} from "../elements.js";
import {panel} from "../panels.js";
import {colours, draw} from "../plots.js";
import {unpack} from "../requests.js";
import {clock, thinned} from "./series.js";

const ENERGIES = ["plastic", "viscous", "jumps", "hardening", "stored", "kinetic"];
const AREA_POINTS = 900; // areas need no more points than pixels

/** The energies have a legend of their own, which takes no room from the plot. */
export function energyPanel(extra = "") {
  const keys = [...ENERGIES]
    .reverse()
    .map((name) => element("span", {class: "key area", style: `--key:var(--${name})`, "data-energy": name}, name));
  const legend = element("p", {class: "quiet legend"}, element("span", {class: "key dotted"}, "input"), ...keys);
  return panel("Energy balance", extra, {legend});
}

/**
 * Energies that a run has, from what is lost to what moves; jumps only where there are any.
 * @param {Record<string, Numbers>} energies
 */
const shownNames = (energies) =>
  ENERGIES.filter((name) => energies[name] && (name !== "jumps" || energies.jumps.some((value) => value !== 0)));

/**
 * Stacked from what is lost, at the bottom, to what moves; the line on top is what came in.
 * @param {Record<string, Numbers>} energies
 * @param {number} step
 */
function stacked(energies, step) {
  const colour = colours();
  const input = thinned(energies.input, AREA_POINTS),
    stride = Math.max(1, Math.ceil(energies.input.length / AREA_POINTS));
  const t = clock(input.length, step * stride);
  let floor = new Float64Array(input.length),
    start = 0;
  /** @type {Trace[]} */
  const traces = [];
  for (const name of shownNames(energies)) {
    const values = thinned(energies[name], AREA_POINTS),
      top = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) top[i] = floor[i] + values[i];
    start += values[0];
    traces.push({
      x: t,
      y: top,
      name,
      mode: "lines",
      line: {width: 0.6, color: colour[name]},
      fill: traces.length ? "tonexty" : "tozeroy",
      fillcolor: `${colour[name]}b0`,
      hoverinfo: "skip",
    });
    floor = top;
  }
  traces.push({
    x: t,
    y: input.map((value) => value + start),
    name: "input",
    mode: "lines",
    line: {width: 1.4, color: colour.input, dash: "dot"},
    hovertemplate: "%{y:.4g}<extra>input</extra>",
  });
  return traces;
}

/**
 * @param {Panel} balance
 * @param {HistoryAnswer} answer
 * @param {Layout} timeAxis
 */
export function drawEnergy(balance, answer, timeAxis) {
  const energies = Object.fromEntries(Object.entries(answer.energy).map(([name, values]) => [name, unpack(values)])),
    shown = shownNames(energies);
  balance.note.textContent = `residual ${short(answer.residual, 3)}`;
  for (const key of /** @type {NodeListOf<HTMLElement>} */ (balance.root.querySelectorAll("[data-energy]")))
    key.hidden = !shown.includes(key.dataset.energy ?? "");
  draw(balance.plot, stacked(energies, answer.step), {
    xaxis: timeAxis,
    yaxis: {title: `energy [${answer.units.energy}]`},
  });
}
