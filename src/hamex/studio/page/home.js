// Take home: a link, code, files, pictures, a page of its own.
import {button} from "./controls.js";
import {byId, element, save} from "./elements.js";
import {pay} from "./plots.js";
import {ask} from "./requests.js";
import {currentView, permalink} from "./views.js";

const STEPS = 15;

function said(words) {
  byId("home-said").textContent = words;
}

/** A row: a button and what it gives. Trouble is said below. */
export function gift(label, about, run) {
  const node = button(label, async () => {
    node.disabled = true;
    said("");
    try {
      said((await run()) || "");
    } catch (problem) {
      said(problem.message);
    } finally {
      node.disabled = false;
    }
  });
  return [node, element("span", {class: "quiet"}, about)];
}

const named = (title) =>
  (title || "hamex")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

async function fetched(path, body, name, type) {
  save(name, type, await ask(path, body));
  return `saved ${name}`;
}

/** Code that the server writes, saved and shown. */
export function pythonGift(path, body, name) {
  return gift("Python", "a script that gives these numbers, bit for bit", async () => {
    const text = await (await ask(path, body())).text();
    byId("home-code").replaceChildren(
      element("pre", {class: "code", tabindex: "0", "aria-label": "Python code"}, text),
    );
    save(name(), "text/x-python", text);
    return "saved; it is also shown below";
  });
}

// ---------------------------------------------------------------- a page of the figures
// Inputs and what belongs to them; the page has nothing to set.
const LEFT_OUT = "button, input, select, textarea, progress, .filters, .take, [hidden]";

/** One HTML file of what a view shows. `shown()` tells name, title, sheet and perhaps words, or why there is none. */
export function pageGift(view, shown) {
  return gift("Page", "one HTML file with what is shown, to zoom and read without network", async () => {
    const {why, name, title, sheet, words} = shown();
    if (why) return why;
    save(
      name,
      "text/html",
      await figuresPage(view, title, words ?? settings(sheet), sheet.querySelector(".stage") || sheet),
    );
    return `saved ${name}`;
  });
}

async function figuresPage(view, title, words, stage) {
  const plots = [...stage.querySelectorAll(".plot")];
  for (const plot of plots) await pay(plot); // what is out of sight too
  const figures = plots.map(({data = [], layout = {}}) => {
    const {width, height, ...rest} = layout;
    return {data, layout: {...rest, autosize: true}};
  });
  const copy = stage.cloneNode(true);
  copy.querySelectorAll(".plot").forEach((plot, i) => {
    plot.replaceChildren();
    plot.removeAttribute("style");
    plot.classList.remove("js-plotly-plot");
    plot.dataset.figure = i;
  });
  for (const node of copy.querySelectorAll(LEFT_OUT)) node.remove();
  const [plotly, ...styles] = await Promise.all(
    ["plotly.js", "style.css", "studio.css", "study.css", "paper.css"].map(source),
  );
  // Written by the document itself, which escapes text and attributes; scripts it leaves as they are.
  const page = document.implementation.createHTMLDocument(title);
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
          made("script", {}, inside(plotly)),
          made("script", {}, inside(`(${alive})();`)),
        ]
      : []),
  );
  return `<!doctype html>\n${page.documentElement.outerHTML}\n`;
}

async function source(name) {
  const answer = await fetch(`/page/${name}`);
  if (!answer.ok) throw new Error(`${name} cannot be read; is \`hamex studio\` still running?`);
  return answer.text();
}

/** JSON that can stand in a page: typed arrays are lists, and no letter opens or closes an element. */
const plain = (value) =>
  JSON.stringify(value, (_, entry) =>
    ArrayBuffer.isView(entry) ? Array.from(/** @type {any} */ (entry)) : entry,
  ).replaceAll("<", "\\u003c");
/** A script that can stand in a page: nothing in it may close the element. */
const inside = (text) => text.replace(/<\/(script)/gi, "<\\/$1");

/** Runs in the page that was taken home, on its own. */
function alive() {
  const figures = JSON.parse(document.getElementById("figures")?.textContent ?? "[]");
  for (const node of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-figure]"))) {
    const {data, layout} = figures[node.dataset.figure];
    Plotly.newPlot(node, data, layout, {
      displaylogo: false,
      responsive: true,
      displayModeBar: "hover",
      modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    });
  }
}

/** What the inputs beside the figures say. */
function settings(sheet) {
  const said = (field) => {
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
    .map(said)
    .filter(Boolean)
    .join("; ");
}

/** What a view with a problem gives. `varied`: numbers of the state that a page of its own may move. */
export function problemGifts({view, wish, plots, varied}) {
  const now = () => wish(view.state),
    name = () => named(now().problem.title);
  const which = element(
    "select",
    {"aria-label": "plot"},
    Object.keys(plots).map((key) => element("option", {value: key}, key.replace("-", " "))),
  );
  const slides = element(
    "select",
    {"aria-label": "control of the page"},
    varied.map(([key, words]) => element("option", {value: key}, words)),
    element("option", {value: ""}, "no control"),
  );
  const picture = (format) => async () => {
    const plot = plots[which.value];
    const data = await Plotly.toImage(plot, {format, width: 900, height: 480, scale: format === "png" ? 2 : 1});
    const blob = await (format === "svg"
      ? new Blob([decodeURIComponent(data.slice(data.indexOf(",") + 1))], {type: "image/svg+xml"})
      : pngBlob(data));
    save(`${name()}-${which.value}.${format}`, blob.type, blob);
    return `saved ${name()}-${which.value}.${format}`;
  };
  return [
    pythonGift("/api/home/python", now, () => `${name()}.py`),
    gift("Problem file", "for `hamex run`", () =>
      fetched("/api/home/problem", now(), `${name()}.toml`, "application/toml"),
    ),
    gift("CSV", "all histories, one row per step", () => fetched("/api/home/csv", now(), `${name()}.csv`, "text/csv")),
    gift("NetCDF", "everything, for `hx.read` or xarray", () =>
      fetched("/api/home/netcdf", now(), `${name()}.nc`, "application/x-netcdf"),
    ),
    [
      element(
        "span",
        {style: "display:flex;gap:.4rem"},
        gift("PNG", "", picture("png"))[0],
        gift("SVG", "", picture("svg"))[0],
      ),
      element("span", {class: "quiet"}, "a picture of ", which),
    ],
    [
      gift("Page", "", () =>
        fetched("/api/home/page", pageBody(view, wish, varied, slides.value), `${name()}.html`, "text/html"),
      )[0],
      element("span", {class: "quiet"}, "one HTML file, moving, without network; control: ", slides),
    ],
  ];
}

const pngBlob = async (data) =>
  new Blob([Uint8Array.from(atob(data.slice(data.indexOf(",") + 1)), (letter) => letter.charCodeAt(0))], {
    type: "image/png",
  });

/** The present state, and the same with one number from half to twice its value. */
function pageBody(view, wish, varied, key) {
  const {state} = view,
    found = varied.find(([name]) => name === key);
  const value = key === "scale" ? state.motion.scale : state[key];
  const variants = !found
    ? []
    : Array.from({length: STEPS}, (_, i) => Number((value * 2 ** ((2 * i) / (STEPS - 1) - 1)).toPrecision(4)));
  const changed = (x) =>
    wish(key === "scale" ? {...state, motion: {...state.motion, scale: x}} : {...state, [key]: x}).problem;
  const now = wish(state);
  return {
    view: view.name,
    wish: now,
    storey: state.storey || 0,
    viscous: state.viscosity > 0,
    label: found ? found[1] : "",
    unit: found ? found[2](state) : "",
    variants: variants.map((x) => ({value: x, problem: changed(x)})),
  };
}

async function open() {
  const view = currentView(),
    body = byId("home-body");
  const address = await permalink();
  const link = element("input", {
    type: "text",
    readonly: true,
    value: address,
    "aria-label": "link to this state",
    id: "permalink",
    style: "width:100%",
  });
  body.replaceChildren(
    element(
      "div",
      {class: "gifts"},
      ...gift("Copy link", "the whole state is in the address", async () => {
        link.select();
        try {
          await navigator.clipboard.writeText(address);
        } catch {
          document.execCommand("copy");
        }
        return "copied";
      }),
      ...(view.gifts ? view.gifts(view) : []).flat(),
    ),
    link,
    element("p", {id: "home-said", class: "quiet", role: "status"}),
    element("div", {id: "home-code"}),
  );
  byId("home").showModal();
}
/** The button that opens it. */
export function offer() {
  byId("home-open").addEventListener("click", open);
}
