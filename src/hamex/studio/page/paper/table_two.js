// Table 2: printed and computed digits side by side, with Newmark and OpenSees.
import {element} from "../elements.js";

const HEAD = [
  "case",
  "step [s]",
  "slip printed [milli-in]",
  "slip",
  "momentum printed [milli-in/s]",
  "momentum",
  "Newmark slip",
  "Newmark momentum",
  "Newmark iterations",
  "energy residual",
];

/**
 * A case in words.
 * @param {PaperRow} row
 */
export const heading = (row) => row.parameter + (row.resonant ? " s" : "");

/**
 * The computed number with its verdict, by sign and colour and, for those who hear the page, by word.
 * @param {Digits} digits
 */
const computed = ({computed: digits, match}) => [
  digits,
  element(
    "span",
    {
      class: match ? "good" : "bad",
      role: "img",
      "aria-label": match ? "matches" : "differs",
      title: match ? "every digit as printed" : "differs from the print",
    },
    match ? " ✓" : " ≠",
  ),
];

/**
 * @param {PaperRow[]} rows
 * @param {OpenSeesAnswer | null} peer
 */
export function tableTwo(rows, peer) {
  const head = element(
    "thead",
    {},
    element(
      "tr",
      {},
      element("th", {rowspan: 2, scope: "col"}, "Case"),
      element("th", {colspan: 2, scope: "colgroup"}, "slip u₁"),
      element("th", {colspan: 2, scope: "colgroup"}, "momentum p"),
      element("th", {colspan: 3, scope: "colgroup"}, "Newmark"),
      element("th", {colspan: 2, scope: "colgroup"}, peer && !peer.live ? "OpenSees, recorded" : "OpenSees"),
      element("th", {rowspan: 2, scope: "col"}, "residual"),
    ),
    element(
      "tr",
      {},
      ["printed", "computed", "printed", "computed", "u₁", "p", "iterations", "u₁", "p"].map((words) =>
        element("th", {scope: "col"}, words),
      ),
    ),
  );
  const lines = rows.map((row) => {
    const other = peer ? peer.cases[row.name] : null,
      {newmark} = row;
    const cells = [
      row.slip.printed,
      computed(row.slip),
      row.momentum.printed,
      computed(row.momentum),
      ...(newmark.why ? ["–", "–", "–"] : [newmark.slip, newmark.momentum, newmark.iterations.toLocaleString("en")]),
      other ? other.slip : "…",
      other ? other.momentum : "…",
      row.residual.toExponential(0),
    ];
    return element(
      "tr",
      {"data-case": row.name},
      element("th", {scope: "row"}, `${row.case}, ${heading(row)}`),
      cells.map((cell) => element("td", {}, cell)),
    );
  });
  return element("table", {}, head, element("tbody", {}, lines));
}

/**
 * The table with all digits.
 * @param {PaperRow[]} rows
 */
export function tableCsv(rows) {
  const lines = rows.map((row) =>
    [
      `"${row.case}, ${heading(row)}"`,
      row.step,
      row.slip.printed,
      row.slip.value,
      row.momentum.printed,
      row.momentum.value,
      row.newmark.slip,
      row.newmark.momentum,
      row.newmark.iterations,
      row.residual,
    ].join(","),
  );
  return `${[HEAD.join(","), ...lines].join("\n")}\n`;
}
