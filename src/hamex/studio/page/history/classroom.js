// A page of its own: the same picture as in the studio, fed from what was computed when it was saved.
import {byId, element, short} from "../elements.js";
import {runPacked, unpacked} from "../home/packed.js";
import {forget} from "../plots.js";
import {buildingStage} from "./building_stage.js";
import {oscillatorStage} from "./oscillator_stage.js";

/** @typedef {{value: number | null, answer: HistoryAnswer}} Kept */

const theme = () => {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
};

/** Every answer whole: those behind the first hold what differs from it. */
async function read() {
  /** @type {{view: string, storey: number, viscous: boolean, isolated: boolean, label: string, unit: string,
   *   answers: Kept[]}} */
  const data = JSON.parse(byId("data").textContent),
    [{answer: first}] = data.answers;
  const answers = await Promise.all(
    data.answers.map(async ({value, answer}) => ({value, answer: await unpacked({...first, ...answer})})),
  );
  return {...data, answers};
}

async function begin() {
  if (!("DecompressionStream" in window)) {
    byId("stage").append(element("p", {class: "message"}, "This page needs a browser of 2023 or newer."));
    return;
  }
  theme();
  const [data] = await Promise.all([read(), runPacked("plotly")]);
  let chosen = data.storey,
    place = data.answers.findIndex((one) => one.value === null),
    first = true;
  const stage =
    data.view === "building"
      ? buildingStage((storey) => {
          chosen = storey;
          show();
        })
      : oscillatorStage();

  function show() {
    stage.show(data.answers[place].answer, {
      viscosity: data.viscous,
      storey: chosen,
      isolated: data.isolated,
      fresh: first,
    });
    first = false;
  }
  const root = byId("stage");
  if (data.answers.length > 1) {
    const order = data.answers.map((_, i) => i).filter((i) => data.answers[i].value !== null);
    place = order[Math.floor(order.length / 2)];
    root.append(
      varied(data, order, place, (chosenPlace) => {
        place = chosenPlace;
        show();
      }),
    );
  }
  root.append(...stage.parts);
  show();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    theme();
    forget();
    show();
  });
}

/**
 * The one control of the page.
 * @param {{label: string, unit: string, answers: Kept[]}} data
 * @param {number[]} order
 * @param {number} start
 * @param {(place: number) => void} onpick
 */
function varied({label, unit, answers}, order, start, onpick) {
  const words = element("b", {class: "figures"}, "");
  const range = element("input", {
    type: "range",
    id: "varied",
    min: 0,
    max: order.length - 1,
    step: 1,
    value: order.indexOf(start),
    "aria-label": label,
  });
  const put = (/** @type {number} */ place) => {
    words.textContent = `${short(answers[place].value)} ${unit}`;
    range.setAttribute("aria-valuetext", words.textContent);
  };
  range.addEventListener("input", () => {
    const place = order[Number(range.value)];
    put(place);
    onpick(place);
  });
  put(start);
  return element("div", {class: "panel wide vary"}, element("label", {for: "varied"}, label), range, words);
}

begin();
