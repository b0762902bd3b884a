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
const coarse = matchMedia("(pointer: coarse)").matches; // a finger on a plot scrolls the page
/** @type {any} */
let known = null;

/** Colours of the theme by name. */
export function colours() {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  known = {dark: document.documentElement.dataset.theme === "dark"};
  for (const name of NAMES) known[name] = style.getPropertyValue(`--${name}`).trim();
  return known;
}

function axis(given = {}, colour) {
  const {title, ...rest} = given;
  return {
    gridcolor: colour.line,
    zerolinecolor: colour.line,
    linecolor: colour.soft,
    tickcolor: colour.soft,
    automargin: false,
    zeroline: true,
    ...(title ? {title: {text: title, standoff: 6, font: {size: 12}}} : {}),
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
const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 200));

export function pay(node) {
  if (!node.owed) return null;
  const [traces, layout] = node.owed;
  node.owed = null;
  return drawNow(node, traces, layout);
}

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

/** Plotly in the house style. Axes beyond the first two may be given as xaxis2, yaxis2 … */
function drawNow(node, traces, layout) {
  const colour = colours();
  const {xaxis, yaxis, margin, ...rest} = layout;
  const full = {
    font: {family: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", size: 12, color: colour.ink},
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    colorway: [colour.blue, colour.orange, colour.green, colour.pink, colour.red, colour.sky],
    margin: {l: 64, r: 14, t: 10, b: 40, ...margin},
    showlegend: false,
    hovermode: "closest",
    dragmode: coarse ? false : "zoom",
    hoverlabel: {bgcolor: colour.wash, bordercolor: colour.line, font: {color: colour.ink}},
    legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: {size: 11}},
    ...rest,
    xaxis: axis(xaxis, colour),
    yaxis: axis(yaxis, colour),
  };
  for (const key of Object.keys(full)) if (/^[xy]axis\d+$/.test(key)) full[key] = axis(full[key], colour);
  return Plotly.react(node, traces, full, {
    displaylogo: false,
    responsive: true,
    displayModeBar: "hover",
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
    toImageButtonOptions: {format: "svg", filename: "hamex"},
  });
}

/** The theme has changed. */
export function forget() {
  known = null;
}
