// What a view with a problem gives: code, files, pictures, a page that moves.
import {element, save} from "../elements.js";
import {fetched, gift, pythonGift} from "../home/home.js";

/** @type {Record<string, number>} histories of a page: it stays below 3 MB */
const VARIANTS = {oscillator: 15, building: 9};

/**
 * A number of the state that a page of its own may move: its key, its words, its unit.
 * @template State
 * @typedef {[key: string, words: string, unit: (state: State) => string]} Varied
 */

/**
 * A name for files, from a title.
 * @param {string} title
 */
const named = (title) =>
  (title || "hamex")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/**
 * @param {{view: View, request: (state: any) => HistoryRequest, plots: Record<string, HTMLElement>,
 *   varied: Varied<any>[]}} given
 * @returns {Gift[]}
 */
export function problemGifts({view, request, plots, varied}) {
  const now = () => request(view.state),
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
  const picture = (/** @type {"png" | "svg"} */ format) => async () => {
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
        fetched("/api/home/page", pageBody(view, request, varied, slides.value), `${name()}.html`, "text/html"),
      )[0],
      element("span", {class: "quiet"}, "one HTML file, moving, without network; control: ", slides),
    ],
  ];
}

const pngBlob = async (/** @type {string} */ data) =>
  new Blob([Uint8Array.from(atob(data.slice(data.indexOf(",") + 1)), (letter) => letter.charCodeAt(0))], {
    type: "image/png",
  });

/**
 * The present state, and the same with one number from half to twice its value.
 * @param {View} view
 * @param {(state: any) => HistoryRequest} request
 * @param {Varied<any>[]} varied
 * @param {string} key
 */
function pageBody(view, request, varied, key) {
  const {state} = view,
    moved = varied.find(([name]) => name === key);
  const value = key === "scale" ? state.motion.scale : state[key];
  const count = VARIANTS[view.name],
    variants = !moved
      ? []
      : Array.from({length: count}, (_, i) => Number((value * 2 ** ((2 * i) / (count - 1) - 1)).toPrecision(4)));
  const changed = (/** @type {number} */ x) =>
    request(key === "scale" ? {...state, motion: {...state.motion, scale: x}} : {...state, [key]: x});
  return {
    view: view.name,
    history: request(state),
    storey: state.storey || 0,
    isolated: Boolean(state.isolated),
    viscous: state.viscosity > 0,
    label: moved ? moved[1] : "",
    unit: moved ? moved[2](state) : "",
    variants: variants.map((x) => {
      const {problem, beside} = changed(x);
      return {value: x, problem, ...(beside ? {beside} : {})};
    }),
  };
}
