// Lecture mode: full screen, larger type, controls folded, the picture with its loop and one history.
import {button} from "./controls.js";
import {byId, element, say} from "./elements.js";
import {currentView} from "./views.js";

const root = document.documentElement;
const isOn = () => root.dataset.lecture === "yes";
/** @type {(target: EventTarget | null) => boolean} */
const isTyping = (target) =>
  target instanceof Element && Boolean(target.closest("input:not([type=range]), select, textarea, dialog"));

/** Plots and pictures take the sizes that they have now; then what stands over them finds its place. */
function redraw() {
  const view = currentView();
  requestAnimationFrame(async () => {
    const plots = /** @type {any[]} */ ([...view.root.querySelectorAll(".js-plotly-plot")]);
    await Promise.all(plots.filter((plot) => plot.offsetParent).map((plot) => Plotly.Plots.resize(plot)));
    view.show(view.state, view);
  });
}

/** @param {boolean} on */
function set(on) {
  if (on === isOn()) return;
  root.dataset.lecture = on ? "yes" : "no";
  root.dataset.folded = on ? "yes" : "no";
  byId("lecture").setAttribute("aria-pressed", String(on));
  // Where a browser has no full screen, or refuses it, the rest of the mode stands all the same.
  if (on) root.requestFullscreen?.().catch(() => null);
  else if (document.fullscreenElement) document.exitFullscreen();
  say(on ? "lecture mode; L or Escape leaves it" : "lecture mode has ended");
  redraw();
}

function fold() {
  root.dataset.folded = root.dataset.folded === "yes" ? "no" : "yes";
  redraw();
}

/** Plays or pauses what moves in the view. */
function play() {
  const player = currentView().root.querySelector(".player button");
  if (player instanceof HTMLElement && player.offsetParent) player.click();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  l: () => set(!isOn()),
  c: () => isOn() && fold(),
  " ": () => isOn() && play(),
  Escape: () => set(false),
};

/** The button and the keys of the mode. */
export function offerLecture() {
  byId("lecture").addEventListener("click", () => set(!isOn()));
  byId("stage").append(
    element(
      "div",
      {class: "lecture-bar", role: "group", "aria-label": "Lecture"},
      button("Controls", fold, {title: "Show or fold the controls (C)"}),
      button("Leave", () => set(false), {title: "End the lecture mode (L or Escape)"}),
    ),
  );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // A button takes the space bar for itself.
    if (!(key in KEYS) || (key === " " && event.target instanceof HTMLButtonElement)) return;
    if (key === " " && isOn()) event.preventDefault();
    KEYS[key]();
  });
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) set(false);
  });
}
