// Plots in the house style.

const NAMES = [
  "ink",
  "soft",
  "grey",
  "line",
  "paper",
  "wash",
  "accent",
  "good",
  "bad",
  "blue",
  "orange",
  "green",
  "pink",
  "sky",
  "red",
  "plastic",
  "viscous",
  "jumps",
  "hardening",
  "stored",
  "kinetic",
  "input",
];
const coarse = matchMedia("(pointer: coarse)").matches; // a finger on a plot scrolls the page and finds no small buttons
const SMALL = 260; // pixels of width below which a plot has room for little beside its curves
/** @type {Colours | null} */
let known = null;

/**
 * Colours of the theme by name.
 * @returns {Colours}
 */
export function colours() {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const named = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  known = /** @type {Colours} */ ({...named, dark: document.documentElement.dataset.theme === "dark"});
  return known;
}

/**
 * @param {Layout | undefined} given
 * @param {Colours} colour
 * @param {boolean} small
 */
function axis(given, colour, small) {
  const {title, ...rest} = given ?? {};
  return {
    gridcolor: colour.line,
    zerolinecolor: colour.line,
    linecolor: colour.soft,
    tickcolor: colour.soft,
    automargin: false,
    zeroline: true,
    ...(title ? {title: {text: title, standoff: small ? 3 : 6, font: {size: small ? 10 : 12}}} : {}),
    ...(small ? {nticks: 4} : {}),
    ...rest,
  };
}

// Plots out of sight are drawn when there is time, or when they come into sight.
const sight = new IntersectionObserver(
  (entries) => {
    for (const {target, isIntersecting} of /** @type {any[]} */ (entries)) {
      target.inSight = isIntersecting;
      if (isIntersecting) pay(target);
    }
  },
  {rootMargin: "200px"},
);
// A plot follows its box, however that came to another size; one that was out of sight, when it comes into sight.
const sizes = new ResizeObserver((entries) => {
  for (const {target, contentRect} of /** @type {any[]} */ (entries)) {
    const full = target._fullLayout,
      {width, height} = contentRect;
    if (!full || !width) continue;
    if (isSmall(target) !== target.drawnSmall || larger() !== target.drawnLarger)
      drawNow(target, .../** @type {[Trace[], Layout]} */ (target.drawnFrom));
    else if (Math.abs(full.width - width) < 1 && Math.abs(full.height - height) < 1) continue;
    Plotly.Plots.resize(target); // a plot that is drawn anew keeps its size
  }
});
const isSmall = (/** @type {HTMLElement} */ node) => node.clientWidth < SMALL;
const whenIdle = window.requestIdleCallback || ((/** @type {() => void} */ work) => setTimeout(work, 200));

/**
 * Draw what was put off.
 * @param {any} node
 */
export function pay(node) {
  if (!node.owed) return null;
  const [traces, layout] = node.owed;
  node.owed = null;
  return drawNow(node, traces, layout);
}

/**
 * @param {any} node
 * @param {Trace[]} traces
 * @param {Layout} layout
 */
export function draw(node, traces, layout = {}) {
  if (node.inSight === undefined) {
    node.inSight = true;
    sight.observe(node);
  }
  node.owed = node.inSight ? null : [traces, layout];
  if (node.inSight) return drawNow(node, traces, layout);
  whenIdle(() => pay(node), {timeout: 1000});
  return Promise.resolve(node);
}

/**
 * Plotly in the house style. Axes beyond the first two may be given as xaxis2, yaxis2 …
 * @param {any} node
 * @param {Trace[]} traces
 * @param {Layout} layout
 */
function drawNow(node, traces, layout) {
  const colour = colours(),
    small = isSmall(node);
  const {xaxis, yaxis, margin, ...rest} = layout;
  node.drawnFrom = [traces, layout];
  node.drawnSmall = small;
  node.drawnLarger = larger();
  /** @type {Layout} */
  const full = {
    font: {
      family: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
      size: small ? 10 : 12,
      color: colour.ink,
    },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    colorway: [colour.blue, colour.orange, colour.green, colour.pink, colour.red, colour.sky],
    margin: small ? {l: 44, r: 6, t: 6, b: 32} : {l: 64, r: 14, t: 10, b: 40, ...margin},
    showlegend: false,
    hovermode: "closest",
    dragmode: coarse ? false : "zoom",
    modebar: {bgcolor: "rgba(0,0,0,0)", color: colour.soft, activecolor: colour.accent},
    hoverlabel: {bgcolor: colour.wash, bordercolor: colour.line, font: {color: colour.ink}},
    legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: {size: 11}},
    ...rest,
    xaxis: axis(xaxis, colour, small),
    yaxis: axis(yaxis, colour, small),
  };
  for (const key of Object.keys(full)) if (/^[xy]axis\d+$/.test(key)) full[key] = axis(full[key], colour, small);
  const isFirst = !node.data;
  const drawing = Plotly.react(node, ...forLecture(node, traces, full), {
    displaylogo: false,
    displayModeBar: coarse ? false : "hover",
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    toImageButtonOptions: {format: "svg", filename: "hamex"},
  });
  if (isFirst) {
    sizes.observe(node);
    node.on("plotly_afterplot", () => node.dispatchEvent(new Event("drawn")));
  }
  return drawing;
}

/** How much larger letters and lines of a lecture are, which are seen from the last row: like the text around them. */
function larger() {
  const root = document.documentElement;
  return root.dataset.lecture === "yes" ? parseFloat(getComputedStyle(root).fontSize) / 12 : 1;
}

/**
 * Curves and layout as they are, or larger in a lecture; small plots beside a text stay as they are.
 * @param {HTMLElement} node
 * @param {Trace[]} traces
 * @param {Layout} layout
 * @returns {[Trace[], Layout]}
 */
function forLecture(node, traces, layout) {
  if (document.documentElement.dataset.lecture !== "yes" || node.closest(".alongside")) return [traces, layout];
  const scale = larger(),
    margin = Object.fromEntries(Object.entries(layout.margin).map(([side, room]) => [side, scale * room]));
  /** @type {Layout} */
  const full = {...layout, margin, font: {...layout.font, size: scale * layout.font.size}};
  for (const key of Object.keys(full).filter((name) => /^[xy]axis\d*$/.test(name) && full[name].title)) {
    const {title} = full[key];
    full[key] = {...full[key], title: {...title, font: {...title.font, size: scale * title.font.size}}};
  }
  return [
    traces.map((one) => (one.line?.width ? {...one, line: {...one.line, width: scale * one.line.width}} : one)),
    full,
  ];
}

/** The theme has changed. */
export function forget() {
  known = null;
}

/**
 * A curve; one without `hover` does not answer the pointer.
 * @param {any} x
 * @param {any} y
 * @param {{color: string, width?: number, dash?: string, hover?: string} & Trace} look and more of the trace
 * @returns {Trace}
 */
export const curve = (x, y, {color, width = 1.4, dash = "solid", hover, ...more}) => ({
  x,
  y,
  mode: "lines",
  line: {width, color, dash},
  ...(hover ? {hovertemplate: hover} : {hoverinfo: "skip"}),
  ...more,
});

/**
 * A line from the bottom of a plot to its top, with words beside its upper end.
 * @param {number} x
 * @param {string} words
 * @param {{log?: boolean, dash: string, ink: string, anchor?: string}} look
 */
export const mark = (x, words, {log = false, dash, ink, anchor = "left"}) => ({
  shapes: [{type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, line: {color: colours().red, width: 1.6, dash}}],
  annotations: [
    {
      x: log ? Math.log10(x) : x,
      y: 1,
      yref: "paper",
      yanchor: "top",
      xanchor: anchor,
      text: ` ${words} `,
      showarrow: false,
      font: {color: ink, size: 12},
    },
  ],
});

/**
 * Words in the middle of a plot that has nothing to show yet.
 * @param {string} text
 */
export const instead = (text) => ({
  xref: "paper",
  yref: "paper",
  x: 0.5,
  y: 0.5,
  text,
  showarrow: false,
  font: {color: colours().soft, size: 14},
});

/**
 * Words in a corner of a plot or of one of its rows.
 * @param {string} text
 * @param {{x: number, y: number, right?: boolean}} place as shares of the plot
 */
export const corner = (text, {x, y, right = false}) => ({
  xref: "paper",
  yref: "paper",
  x,
  xanchor: right ? "right" : "left",
  y,
  yanchor: "top",
  text,
  showarrow: false,
  font: {size: 12},
});
