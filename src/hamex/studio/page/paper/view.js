// The paper view: section 6 live, digit by digit, and every equation audited.
import {element} from "../elements.js";
import {segments} from "../panels.js";
import * as AuditList from "./audit.js";
import * as SectionSix from "./section_six.js";

/** @type {Options} */
const PARTS = [
  ["section-6", "Figures 10–13 and Table 2"],
  ["audit", "Audit of every equation"],
];
const START = {part: "section-6", ...SectionSix.START, ...AuditList.START};
/** @type {Segments} */
let parts;
/** @type {Record<string, HTMLElement>} */
let sheets;

/** @type {ViewDescription["mount"]} */
function mount(root, view) {
  parts = segments("Part of the paper", PARTS, (part) => view.set({part}));
  sheets = {"section-6": SectionSix.mount(view), audit: AuditList.mount(view)};
  root.append(
    element("p", {class: "quiet source"}, "J. Kim, “Extended Hamilton's principle”."),
    parts,
    ...Object.values(sheets),
  );
}

/** @param {typeof START} state */
function show(state) {
  parts.set(state.part);
  for (const [name, sheet] of Object.entries(sheets)) sheet.hidden = name !== state.part;
  if (state.part === "audit") return AuditList.show(state);
  AuditList.leave();
  return SectionSix.show(state);
}

/** @type {NonNullable<ViewDescription["gifts"]>} */
const gifts = (view) => (view.state.part === "audit" ? AuditList : SectionSix).gifts(view, sheets[view.state.part]);

/** @type {ViewDescription} */
export const paperView = {name: "paper", title: "Paper", start: START, mount, show, leave: AuditList.leave, gifts};
