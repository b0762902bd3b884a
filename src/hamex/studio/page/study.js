// The study view: spectra of a motion at once; incremental dynamic analyses that fill in while they run.
import {element} from "./elements.js";
import * as Analyses from "./ida.js";
import * as Sheets from "./sheets.js";
import * as Spectra from "./spectra.js";

const PARTS = [
  ["spectra", "Spectra"],
  ["ida", "Incremental dynamic analysis"],
];
const START = {part: "spectra", ...Spectra.START, ida: Analyses.START};
let parts, benches;

function mount(root, view) {
  parts = Sheets.segments("Kind of study", PARTS, (part) => view.set({part}));
  benches = {spectra: Spectra.mount(view), ida: Analyses.mount(view)};
  root.append(element("h1", {class: "spoken"}, "Study"), parts, benches.spectra, benches.ida);
}

function show(state) {
  parts.set(state.part);
  for (const [name, bench] of Object.entries(benches)) bench.hidden = name !== state.part;
  return state.part === "ida" ? Analyses.show(state.ida) : Spectra.show(state);
}

const gifts = (view) =>
  view.state.part === "ida" ? Analyses.gifts(view, benches.ida) : Spectra.gifts(view, benches.spectra);

export const studyView = {name: "study", title: "Study", start: START, mount, show, gifts};
