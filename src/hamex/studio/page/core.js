"use strict";
// What every view stands on: state in the address and in storage, requests, inputs, plots in the house style.

const Studio = (() => {
  const views = new Map();
  let current = null;

  class Refusal extends Error {
    constructor(message, field, status) { super(message); Object.assign(this, {field, status}); }
  }

  // ---------------------------------------------------------------- DOM
  function element(tag, attributes = {}, ...children) {
    const svg = element.svg.has(tag);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "html") node.innerHTML = value;
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  }
  element.svg = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "polyline", "polygon", "title", "defs"]);

  let count = 0;
  const fresh = (word) => `${word}-${++count}`;
  const say = (words) => { const node = document.getElementById("spoken"); if (node) node.textContent = words; };

  // ---------------------------------------------------------------- numbers
  /** A number in so many digits, as short as it can be said. */
  function short(value, digits = 4) {
    if (value === null || !Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e5 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
    return text.includes("e") ? text.replace(/\.?0*e/, "e") : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }

  /** A typed array, from base64 where it is not one already. */
  function unpack(array) {
    if (ArrayBuffer.isView(array)) return array;
    const letters = atob(array.bdata), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    return array.dtype === "f8" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  }

  /** JSON with arrays behind it: length of the JSON, the JSON, the arrays, read where they lie. */
  function unframe(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)), (key, value) =>
      value && value.dtype === "f4" && "at" in value ? new Float32Array(buffer, 4 + length + value.at, value.length) : value);
  }

  // ---------------------------------------------------------------- requests
  const newest = new Map();

  async function request(path, options, key) {
    const ticket = Symbol(path);
    if (key) newest.set(key, ticket);
    let response;
    try {
      response = await fetch(path, options);
    } catch (problem) {
      throw new Refusal("the studio does not answer; is `hamex studio` still running?", null, 0);
    }
    const type = response.headers.get("content-type") || "";
    const answer = type.includes("x-hamex") ? unframe(await response.arrayBuffer()) : type.includes("json") ? await response.json() : await response.blob();
    if (key && newest.get(key) !== ticket) return null;
    if (!response.ok) throw new Refusal(answer.message || `the studio refused (${response.status})`, answer.field || null, response.status);
    return answer;
  }
  const ask = (path, body, key) => request(path, {method: "POST", headers: {"content-type": "application/json"},
                                                  body: JSON.stringify(body)}, key);
  const get = (path) => request(path, {});
  const cancel = (path) => request(path, {method: "DELETE"});

  /** One question at a time: while the server works, only the newest wish is kept. What is shown is never older than
      the previous answer, and a dragged slider shows every answer that there was time for. */
  let working = 0;
  const busy = (change) => { working += change; document.documentElement.dataset.busy = working ? "yes" : "no"; };

  function latest(work) {
    let running = false, wish = null;
    return async function run(...wanted) {
      wish = wanted;
      if (running) return;
      running = true; busy(1);
      try { while (wish) { const now = wish; wish = null; await work(...now); } } finally { running = false; busy(-1); }
    };
  }

  // ---------------------------------------------------------------- inputs
  function complain(node, input, message) {
    node.textContent = message || "";
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }

  /** A range and a typed number that move together. A typed value may lie outside the range. */
  function slider({label, unit = "", min, max, step, log = false, value, help = "", digits = 4, oninput, name}) {
    const id = fresh("field");
    const places = 1000;
    const toRange = (x) => log ? places * Math.log(Math.max(x, min) / min) / Math.log(max / min) : x;
    const fromRange = (y) => {
      if (!log) return Number(y);
      if (Number(y) <= 0) return min;
      return Number((min * Math.exp(Number(y) / places * Math.log(max / min))).toPrecision(3));
    };
    const range = element("input", {type: "range", min: log ? 0 : min, max: log ? places : max,
                                    step: log ? 1 : step || (max - min) / 500, "aria-label": `${label}, slider`, tabindex: "0"});
    const typed = element("input", {type: "number", id, step: "any", inputmode: "decimal", "aria-describedby": `${id}-message`});
    const message = element("p", {class: "message", id: `${id}-message`, role: "alert"});
    const root = element("div", {class: "field", "data-name": name || label, title: help},
      element("label", {for: id}, label), element("span", {class: "typed"}, typed, element("span", {class: "unit"}, unit)), range, message);
    root.set = (x) => {
      if (document.activeElement !== typed) typed.value = x === null ? "" : Number(x.toPrecision(digits + 3));
      if (document.activeElement !== range) range.value = toRange(x === null ? min : x);      // rounding must not hold it back
      range.setAttribute("aria-valuetext", `${short(x, digits)} ${unit}`);
    };
    root.refuse = (words) => complain(message, typed, words);
    root.rename = (words, newUnit) => { root.querySelector("label").textContent = words; root.querySelector(".unit").textContent = newUnit; };
    range.addEventListener("input", () => { const x = fromRange(range.value); typed.value = Number(x.toPrecision(digits + 3)); root.refuse(""); oninput(x); });
    typed.addEventListener("input", () => {
      if (typed.value === "" || !Number.isFinite(typed.valueAsNumber)) { root.refuse("a number is needed"); return; }
      root.refuse(""); range.value = toRange(typed.valueAsNumber); oninput(typed.valueAsNumber);
    });
    typed.addEventListener("blur", () => root.dispatchEvent(new Event("settled")));
    root.set(value);
    return root;
  }

  function choice({label, options, value, oninput, name}) {
    const id = fresh("field");
    const select = element("select", {id}, options.map(([key, words]) => element("option", {value: key}, words)));
    const message = element("p", {class: "message", role: "alert"});
    const root = element("div", {class: "field pick", "data-name": name || label}, element("label", {for: id}, label), select, message);
    root.set = (x) => { select.value = String(x); };
    root.refuse = (words) => complain(message, select, words);
    select.addEventListener("input", () => { root.refuse(""); oninput(select.value); });
    root.set(value);
    return root;
  }

  function toggle({label, value, oninput, name}) {
    const id = fresh("field");
    const box = element("input", {type: "checkbox", id});
    const root = element("div", {class: "toggle", "data-name": name || label}, box, element("label", {for: id}, label));
    root.set = (x) => { box.checked = Boolean(x); };
    box.addEventListener("input", () => oninput(box.checked));
    root.set(value);
    return root;
  }

  const button = (text, onclick, {primary = false, title = ""} = {}) =>
    element("button", {type: "button", class: primary ? "primary" : "", title: title || null, onclick}, text);

  /** Inputs that belong together; on a phone all but the first of a view start folded, so that the picture stays near. */
  function group(legend, ...children) {
    const folded = matchMedia("(max-width: 760px)").matches;
    return element("details", {class: "group", open: !folded}, element("summary", {}, legend), ...children);
  }

  // ---------------------------------------------------------------- plots
  const NAMES = ["ink", "soft", "grey", "line", "paper", "wash", "accent", "good", "bad", "blue", "orange", "green", "pink", "sky", "red"];
  const coarse = matchMedia("(pointer: coarse)").matches;      // a finger on a plot scrolls the page
  let known = null;

  function colours() {
    if (known) return known;
    const style = getComputedStyle(document.documentElement);
    known = {dark: document.documentElement.dataset.theme === "dark"};
    for (const name of NAMES) known[name] = style.getPropertyValue(`--${name}`).trim();
    return known;
  }

  function axis(given = {}, colour) {
    const {title, ...rest} = given;
    return {gridcolor: colour.line, zerolinecolor: colour.line, linecolor: colour.soft, tickcolor: colour.soft, automargin: false,
            zeroline: true, ...(title ? {title: {text: title, standoff: 6, font: {size: 12}}} : {}), ...rest};
  }

  // Plots out of sight are drawn when there is time, or when they come into sight.
  const sight = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) { target.inSight = isIntersecting; if (isIntersecting) pay(target); }
  }, {rootMargin: "200px"});
  const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 200));

  function pay(node) {
    if (!node.owed) return null;
    const [traces, layout] = node.owed;
    node.owed = null;
    return drawNow(node, traces, layout);
  }

  function draw(node, traces, layout = {}) {
    if (node.inSight === undefined) { node.inSight = true; sight.observe(node); }
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
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", colorway: [colour.blue, colour.orange, colour.green, colour.pink, colour.red, colour.sky],
      margin: {l: 64, r: 14, t: 10, b: 40, ...margin}, showlegend: false, hovermode: "closest", dragmode: coarse ? false : "zoom",
      hoverlabel: {bgcolor: colour.wash, bordercolor: colour.line, font: {color: colour.ink}},
      legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: {size: 11}},
      ...rest, xaxis: axis(xaxis, colour), yaxis: axis(yaxis, colour),
    };
    for (const key of Object.keys(full)) if (/^[xy]axis\d+$/.test(key)) full[key] = axis(full[key], colour);
    return Plotly.react(node, traces, full, {displaylogo: false, responsive: true, displayModeBar: "hover",
      modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]], toImageButtonOptions: {format: "svg", filename: "hamex"}});
  }

  function save(name, type, content) {
    const blob = content instanceof Blob ? content : new Blob([content], {type});
    const link = element("a", {href: URL.createObjectURL(blob), download: name});
    document.body.append(link); link.click(); link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // ---------------------------------------------------------------- state in the address
  // #oscillator/<base64url of deflated JSON>: the whole state, so that a link is enough.
  async function squeeze(text, stream) {
    return new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer());
  }
  async function encode(state) {
    const bytes = await squeeze(JSON.stringify(state), new CompressionStream("deflate-raw"));
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
  async function decode(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await squeeze(bytes, new DecompressionStream("deflate-raw"))));
  }

  const storage = {
    read(name) { try { return JSON.parse(localStorage.getItem(`hamex-${name}`)); } catch { return null; } },
    write(name, value) { try { localStorage.setItem(`hamex-${name}`, JSON.stringify(value)); } catch { /* full or forbidden: the address still holds the state */ } },
  };

  const hash = (name, code) => `#${name}/${code}`;
  let written = "", pending = null;

  function remember(view) {
    clearTimeout(pending);
    pending = setTimeout(async () => {
      storage.write(view.name, view.state);
      storage.write("view", view.name);
      const address = hash(view.name, await encode(view.state));
      if (current !== view) return;
      written = address;
      history.replaceState(null, "", address);
    }, 150);
  }

  async function link() { return location.href.split("#")[0] + hash(current.name, await encode(current.state)); }

  // ---------------------------------------------------------------- views
  function register(description) {
    const stored = storage.read(description.name);
    const fits = stored && Object.keys(description.start).every((key) => key in stored);
    const view = {...description, state: Object.freeze(structuredClone(fits ? stored : description.start)), mounted: false};
    view.set = (patch) => { view.state = Object.freeze({...view.state, ...patch}); remember(view); return view.show(view.state, view); };
    view.reset = () => view.set(structuredClone(description.start));
    views.set(view.name, view);
  }

  function open(name, state) {
    const view = views.get(name);
    if (current && current !== view) { current.root.hidden = true; if (current.leave) current.leave(); }
    const changed = current !== view;
    current = view;
    if (state) view.state = Object.freeze({...structuredClone(view.start), ...state});
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const chosen = tab.dataset.view === name;
      tab.setAttribute("aria-selected", chosen); tab.tabIndex = chosen ? 0 : -1;
      if (chosen && tab.scrollIntoView) tab.scrollIntoView({block: "nearest", inline: "nearest"});
    }
    document.title = `${view.title} – hamex studio`;
    view.root.hidden = false;
    if (!view.mounted) {
      view.mount(view.root, view); view.mounted = true;
      const first = view.root.querySelector("details.group");
      if (first) first.open = true;
    }
    remember(view);
    if (changed || state) view.show(view.state, view);
    document.dispatchEvent(new CustomEvent("studio-view", {detail: view}));
  }

  async function follow() {
    if (location.hash && location.hash === written) return;
    const [name, code] = location.hash.slice(1).split("/");
    if (!views.has(name)) { open(views.has(storage.read("view")) ? storage.read("view") : views.keys().next().value); return; }
    let state = null;
    if (code) {
      try { state = await decode(code); } catch { trouble("This link is damaged: its state cannot be read. The view shows what it held before."); }
    }
    open(name, state);
    if (!code) requestAnimationFrame(() => scrollTo(0, 0));        // the name of a view is no place on the page
  }

  function trouble(message) {
    const node = document.getElementById("trouble");
    node.textContent = message; node.hidden = !message;
  }

  // ---------------------------------------------------------------- light and dark
  function applyTheme() {
    const wish = storage.read("theme");
    const dark = wish ? wish === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    known = null;
    const switcher = document.getElementById("theme");
    if (switcher) { switcher.textContent = dark ? "Light" : "Dark"; switcher.setAttribute("aria-label", `Switch to ${dark ? "light" : "dark"} colours`); }
    if (current && current.mounted) current.show(current.state, current);
  }

  function start() {
    const stage = document.getElementById("stage"), tabs = document.getElementById("tabs");
    for (const view of views.values()) {
      view.root = element("section", {id: view.name, role: "tabpanel", "aria-labelledby": `tab-${view.name}`, hidden: true});
      stage.append(view.root);
      tabs.append(element("button", {role: "tab", type: "button", id: `tab-${view.name}`, "data-view": view.name, "aria-controls": view.name,
                                     onclick: () => open(view.name)}, view.title));
    }
    tabs.addEventListener("keydown", (event) => {
      const list = [...tabs.children], step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      const next = list[(list.indexOf(document.activeElement) + step + list.length) % list.length];
      next.focus(); open(next.dataset.view);
    });
    applyTheme();
    document.getElementById("theme").addEventListener("click", () => {
      storage.write("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"); applyTheme();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
    window.addEventListener("hashchange", follow);
    follow();
  }

  return {register, start, ask, get, cancel, latest, unpack, short, slider, choice, toggle, button, group, element, draw, pay, colours, save, link, say,
          Refusal, current: () => current, forget: () => { known = null; }};
})();
