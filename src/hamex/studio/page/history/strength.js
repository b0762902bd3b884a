// What is left of the strength of springs that degrade, whether they went down, and what was promised of a run.
import {short} from "../elements.js";
import {panel} from "../panels.js";
import {colours, curve, draw} from "../plots.js";

const LOST = 0.999; // of the strength: less is a loss that is drawn

/**
 * What is left of each spring at an instant, from the ground up; null where none can lose its strength.
 * @param {Run} answer
 * @param {number} time
 */
export function leftAt({strength}, time) {
  if (!strength) return null;
  const {times, left} = strength;
  let i = times.findIndex((one) => one > time);
  i = i < 0 ? times.length - 1 : Math.max(i - 1, 0);
  return Object.values(left).map((own) => own[i]);
}

/**
 * How the run ended, in words: where it went down, or what passed a limit.
 * @param {Run} answer
 */
export const endWords = ({status, status_message: message, collapse}) =>
  collapse ? `${collapse.message}, and the run ends there` : status === "finished" ? "" : message;

/**
 * What was promised of the run, and whether it held: of springs that degrade, or where a promise was chosen.
 * @param {HistoryAnswer} answer
 */
export function promiseWords({promises, strength, promise = "beforehand", step, asked_step: asked = step}) {
  if (!promises || (!strength && promise === "beforehand")) return "";
  const cut = asked > 1.5 * step ? ` in steps of ${short(step, 4)} s, cut from ${short(asked, 4)} s` : "";
  return `one solution per step: ${promises.one_solution}${cut}; contraction: ${promises.contraction}`;
}

/** The panel of what is left; hidden where no spring can lose its strength. */
export function strengthPanel() {
  const own = panel("Strength that is left", "wide");
  own.root.hidden = true;
  return {
    ...own,
    /**
     * @param {HistoryAnswer} answer
     * @param {string[]} names of the springs, as the page calls them
     * @param {number} chosen
     * @param {any} timeAxis
     */
    show(answer, names, chosen, timeAxis) {
      const {strength, collapse} = answer;
      own.root.hidden = !strength;
      if (!strength) return;
      const colour = colours(),
        histories = Object.values(strength.left).slice(0, names.length), // dampers come behind storeys
        ends = histories.map((left) => left[left.length - 1]),
        worst = ends.indexOf(Math.min(...ends));
      const lines = histories
        .map((left, i) => ({left, i}))
        .filter(({left, i}) => i === chosen || left.some((value) => value < LOST))
        .sort((a, b) => Number(a.i === chosen) - Number(b.i === chosen))
        .map(({left, i}) =>
          curve(strength.times, left, {
            name: names[i],
            color: i === chosen ? colour.blue : colour.soft,
            width: i === chosen ? 1.8 : 0.9,
            hover: `%{x:.2f} s, %{y:.0%}<extra>${names[i]}</extra>`,
          }),
        );
      const down = collapse && {type: "line", yref: "paper", x0: collapse.time, x1: collapse.time, y0: 0, y1: 1};
      draw(own.plot, lines, {
        xaxis: timeAxis,
        yaxis: {title: "share of the strength", range: [0, 1.05], tickformat: ".0%"},
        shapes: down ? [{...down, line: {color: colour.red, width: 1.5, dash: "dash"}}] : [],
      });
      const words = `${names[worst]} has ${Math.round(100 * ends[worst])} % left at the end`;
      own.note.textContent = collapse ? `${words}; dashed: ${collapse.message}` : words;
    },
  };
}
