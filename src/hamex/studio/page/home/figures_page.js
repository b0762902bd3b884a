// A page of the figures: one HTML file of what a view shows, to zoom and read without network.
import {save} from "../elements.js";
import {pay} from "../plots.js";
import {gift} from "./home.js";
import {deflated, inflated, runPacked} from "./packed.js";

// Inputs and what belongs to them; the page has nothing to set.
const LEFT_OUT = "button, input, select, textarea, progress, .filters, .take, .notice, [hidden]";

/**
 * One HTML file of what a view shows.
 * @param {View} view
 * @param {() => FiguresPage} describe tells name, title, sheet and perhaps words, or why there is none
 * @returns {Gift}
 */
export function pageGift(view, describe) {
  return gift("Page", "one HTML file with what is shown, to zoom and read without network", async () => {
    const page = describe();
    if (page.why !== undefined) return page.why;
    const {name, title, sheet, words} = page;
    save(
      name,
      "text/html",
      await figuresPage(view, title, words ?? settings(sheet), sheet.querySelector(".stage") || sheet),
    );
    return `saved ${name}`;
  });
}

/**
 * @param {View} view
 * @param {string} title
 * @param {string} words
 * @param {Element} stage
 */
async function figuresPage(view, title, words, stage) {
  const plots = /** @type {any[]} */ ([...stage.querySelectorAll(".plot")]);
  for (const plot of plots) await pay(plot); // what is out of sight too
  const figures = plots.map(({data = [], layout = {}}) => {
    const {width, height, ...rest} = layout;
    return {data, layout: {...rest, autosize: true}};
  });
  const copy = /** @type {Element} */ (stage.cloneNode(true));
  copy.querySelectorAll(".plot").forEach((plot, i) => {
    plot.replaceChildren();
    plot.removeAttribute("style");
    plot.classList.remove("js-plotly-plot");
    plot.setAttribute("data-figure", String(i));
  });
  for (const node of copy.querySelectorAll(LEFT_OUT)) node.remove();
  copy.removeAttribute("data-shown");
  const [plotly, ...styles] = await Promise.all(
    ["plotly.js", "style.css", "studio.css", "study.css", "paper.css"].map(source),
  );
  // Written by the document itself, which escapes text and attributes; scripts it leaves as they are.
  const page = document.implementation.createHTMLDocument(title);
  /** @type {(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]) => HTMLElement} */
  const made = (tag, attributes, ...children) => {
    const node = page.createElement(tag);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.append(...children);
    return node;
  };
  page.documentElement.lang = "en";
  page.documentElement.dataset.theme = document.documentElement.dataset.theme; // the figures have its colours
  page.head.prepend(
    made("meta", {charset: "utf-8"}),
    made("meta", {name: "viewport", content: "width=device-width, initial-scale=1"}),
  );
  page.head.append(made("style", {}, styles.join("\n")));
  page.body.className = "studio alone";
  page.body.append(
    made("header", {class: "top"}, made("p", {class: "wordmark"}, "hamex ", made("span", {}, title))),
    made(
      "main",
      {},
      ...(words ? [made("p", {class: "quiet"}, words)] : []),
      made("section", {id: view.name}, page.importNode(copy, true)),
      made("p", {class: "quiet"}, "Computed by hamex; this page needs no network."),
    ),
    ...(plots.length
      ? [
          made("script", {type: "application/json", id: "figures"}, plain(figures)),
          made("script", {type: "text/plain", id: "plotly"}, await deflated(plotly)),
          made("script", {}, inside(`${inflated}\n${runPacked}\nrunPacked("plotly").then(${alive});`)),
        ]
      : []),
  );
  return `<!doctype html>\n${page.documentElement.outerHTML}\n`;
}

async function source(/** @type {string} */ name) {
  const answer = await fetch(`/page/${name}`);
  if (!answer.ok) throw new Error(`${name} cannot be read; is \`hamex studio\` still running?`);
  return answer.text();
}

/**
 * JSON that can stand in a page: typed arrays are lists, and no letter opens or closes an element.
 * @param {any} value
 */
const plain = (value) =>
  JSON.stringify(value, (_, entry) =>
    ArrayBuffer.isView(entry) ? Array.from(/** @type {any} */ (entry)) : entry,
  ).replaceAll("<", "\\u003c");

/**
 * A script that can stand in a page: nothing in it may close the element.
 * @param {string} text
 */
const inside = (text) => text.replace(/<\/(script)/gi, "<\\/$1");

/** Runs in the page that was taken home, on its own. */
function alive() {
  const figures = JSON.parse(document.getElementById("figures")?.textContent ?? "[]");
  for (const node of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-figure]"))) {
    const {data, layout} = figures[node.dataset.figure];
    Plotly.newPlot(node, data, layout, {
      displaylogo: false,
      responsive: true,
      displayModeBar: matchMedia("(pointer: coarse)").matches ? false : "hover",
      modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    });
  }
}

/**
 * What the inputs beside the figures say.
 * @param {HTMLElement} sheet
 */
function settings(sheet) {
  const inWords = (/** @type {any} */ field) => {
    const words = field.querySelector("label").textContent,
      typed = field.querySelector("input[type=number]"),
      picked = field.querySelector("select"),
      box = field.querySelector("input[type=checkbox]");
    if (box) return box.checked ? words : "";
    return picked
      ? `${words}: ${picked.selectedOptions[0].textContent}`
      : `${words} ${typed.value} ${field.querySelector(".unit").textContent}`.trim();
  };
  return [...sheet.querySelectorAll(".controls .field, .controls .toggle")]
    .filter((field) => !field.closest("[hidden], .drop"))
    .map(inWords)
    .filter(Boolean)
    .join("; ");
}
