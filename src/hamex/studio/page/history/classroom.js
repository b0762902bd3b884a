// A page of its own: the same picture as in the studio, fed from what was computed when it was saved.
import {byId, element, short} from "../elements.js";
import {forget} from "../plots.js";
import {buildingStage} from "./building_stage.js";
import {oscillatorStage} from "./oscillator_stage.js";

/** @type {{view: string, storey: number, viscous: boolean, label: string, unit: string,
 *   answers: {value: number | null, answer: HistoryAnswer}[]}} */
const data = JSON.parse(byId("data").textContent);
const theme = () => {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
};
theme();
const stage =
  data.view === "building"
    ? buildingStage((storey) => {
        chosen = storey;
        show();
      })
    : oscillatorStage();
let chosen = data.storey,
  place = data.answers.findIndex((one) => one.value === null),
  first = true;

function show() {
  stage.show(data.answers[place].answer, {viscosity: data.viscous, storey: chosen, fresh: first});
  first = false;
}
const root = byId("stage");
if (data.answers.length > 1) {
  const order = data.answers.map((_, i) => i).filter((i) => data.answers[i].value !== null);
  const middle = order[Math.floor(order.length / 2)];
  const words = element("b", {class: "figures"}, "");
  const range = element("input", {
    type: "range",
    id: "varied",
    min: 0,
    max: order.length - 1,
    step: 1,
    value: order.indexOf(middle),
    "aria-label": data.label,
  });
  const put = () => {
    words.textContent = `${short(data.answers[place].value)} ${data.unit}`;
    range.setAttribute("aria-valuetext", words.textContent);
  };
  range.addEventListener("input", () => {
    place = order[Number(range.value)];
    put();
    show();
  });
  place = middle;
  put();
  root.append(element("div", {class: "panel wide vary"}, element("label", {for: "varied"}, data.label), range, words));
}
root.append(...stage.parts);
show();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  theme();
  forget();
  show();
});
