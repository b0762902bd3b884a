// The study view: spectra of a motion at once; incremental dynamic analyses that fill in while they run.
import {segments} from "../panels.js";
import * as Analyses from "./ida.js";
import {START as IDA_START} from "./ida_file.js";
import * as Spectra from "./spectra.js";

/** @type {Options} */
const PARTS = [
  ["spectra", "Spectra"],
  ["ida", "Incremental dynamic analysis"],
];
const START = {part: "spectra", ...Spectra.START, ida: IDA_START};
/** @type {Segments} */
let parts;
/** @type {Record<string, HTMLElement>} */
let benches;

/** @type {ViewDescription["mount"]} */
function mount(root, view) {
  parts = segments("Kind of study", PARTS, (part) => view.set({part}));
  benches = {spectra: Spectra.mount(view), ida: Analyses.mount(view)};
  root.append(parts, benches.spectra, benches.ida);
}

/** @param {typeof START} state */
function show(state) {
  parts.set(state.part);
  for (const [name, bench] of Object.entries(benches)) bench.hidden = name !== state.part;
  return state.part === "ida" ? Analyses.show() : Spectra.show(state);
}

/** @type {NonNullable<ViewDescription["gifts"]>} */
const gifts = (view) =>
  view.state.part === "ida" ? Analyses.gifts(view, benches.ida) : Spectra.gifts(view, benches.spectra);

/** @type {ViewDescription} */
export const studyView = {name: "study", title: "Study", start: START, mount, show, gifts};
