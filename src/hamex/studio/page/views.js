// Views: state in the address and in storage, tabs, light and dark.
import {byId, element} from "./elements.js";
import {forget} from "./plots.js";
import {historySteps} from "./steps.js";

/** @type {Map<string, View>} */
const views = new Map();
/** @type {View | null} */
let current = null;

// #oscillator/<base64url of deflated JSON>: the whole state, so that a link is enough.
/**
 * @param {string | BlobPart} content
 * @param {CompressionStream | DecompressionStream} stream
 */
async function squeeze(content, stream) {
  return new Uint8Array(await new Response(new Blob([content]).stream().pipeThrough(stream)).arrayBuffer());
}
async function encode(/** @type {any} */ state) {
  const bytes = await squeeze(JSON.stringify(state), new CompressionStream("deflate-raw"));
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function decode(/** @type {string} */ text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await squeeze(bytes, new DecompressionStream("deflate-raw"))));
}

/**
 * A link to a view in a state; what the state leaves out is as the view comes.
 * @param {string} name
 * @param {any} state
 */
export const linkTo = async (name, state) => `#${name}/${await encode(state)}`;

const storage = {
  read(/** @type {string} */ name) {
    try {
      return JSON.parse(localStorage.getItem(`hamex-${name}`) ?? "null");
    } catch {
      return null;
    }
  },
  write(/** @type {string} */ name, /** @type {any} */ value) {
    try {
      localStorage.setItem(`hamex-${name}`, JSON.stringify(value));
    } catch {
      /* full or forbidden: the address still holds the state */
    }
  },
};

function keep(/** @type {string} */ name, /** @type {any} */ state) {
  storage.write(name, state);
  storage.write("view", name);
  return linkTo(name, state);
}
const steps = historySteps(keep);

/** The address of the present view and its whole state. */
export async function permalink() {
  const {name, state} = currentView();
  return location.href.split("#")[0] + (await linkTo(name, state));
}

/** @param {ViewDescription} description */
export function register(description) {
  const stored = storage.read(description.name);
  const fits = stored && Object.keys(description.start).every((key) => key in stored);
  /** @type {View} */
  const view = {
    ...description,
    state: Object.freeze(structuredClone(fits ? stored : description.start)),
    mounted: false,
    root: element(
      "section",
      {id: description.name, role: "tabpanel", "aria-labelledby": `tab-${description.name}`, hidden: true},
      element("h1", {class: "spoken"}, description.title),
    ),
    set(patch) {
      const before = view.state;
      view.state = Object.freeze({...before, ...patch});
      if (view === current) steps.write(view, before);
      else storage.write(view.name, view.state);
      return view.show(view.state, view);
    },
    reset: () => view.set(structuredClone(description.start)),
  };
  views.set(view.name, view);
}

/**
 * @param {string} name
 * @param {any} [state] instead of the one that the view has
 * @param {boolean} [isStep] that can be undone; an address that was followed is one already
 */
function open(name, state, isStep = false) {
  const view = views.get(name);
  if (!view) return;
  if (current && current !== view) {
    current.root.hidden = true;
    if (current.leave) current.leave();
  }
  const changed = current !== view;
  current = view;
  if (state) view.state = Object.freeze({...structuredClone(view.start), ...state});
  for (const tab of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[role=tab]"))) {
    const chosen = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen && tab.scrollIntoView) tab.scrollIntoView({block: "nearest", inline: "nearest"});
  }
  document.title = `${view.title} – hamex studio`;
  view.root.hidden = false;
  if (!view.mounted) {
    view.mount(view.root, view);
    view.mounted = true;
    const first = /** @type {HTMLDetailsElement | null} */ (view.root.querySelector("details.group"));
    if (first) first.open = true;
  }
  steps.write(view, isStep && changed ? {} : undefined);
  if (changed || state) view.show(view.state, view);
  document.dispatchEvent(new CustomEvent("studio-view", {detail: view}));
}

async function follow() {
  if (steps.isWritten()) return;
  steps.arrive();
  const asked = location.hash;
  const [name, code] = location.hash.slice(1).split("/");
  if (!views.has(name)) {
    const [first] = views.keys(),
      last = storage.read("view");
    open(views.has(last) ? last : first);
    return;
  }
  let state = null;
  if (code) {
    try {
      state = await decode(code);
    } catch {
      trouble("This link is damaged: its state cannot be read. The view shows what it held before.");
    }
  }
  if (location.hash !== asked) return; // one that was followed later is shown already
  open(name, state);
  if (!code) requestAnimationFrame(() => scrollTo(0, 0)); // the name of a view is no place on the page
}

function trouble(/** @type {string} */ message) {
  const node = byId("trouble");
  node.textContent = message;
  node.hidden = !message;
}

function applyTheme() {
  const chosen = storage.read("theme");
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  forget();
  const switcher = byId("theme");
  if (switcher) {
    switcher.textContent = dark ? "Light" : "Dark";
    switcher.setAttribute("aria-label", `Switch to ${dark ? "light" : "dark"} colours`);
  }
  if (current && current.mounted) current.show(current.state, current);
}

export function start() {
  const stage = byId("stage"),
    tabs = byId("tabs");
  for (const view of views.values()) {
    stage.append(view.root);
    tabs.append(
      element(
        "button",
        {
          role: "tab",
          type: "button",
          id: `tab-${view.name}`,
          "data-view": view.name,
          "aria-controls": view.name,
          onclick: () => open(view.name, null, true),
        },
        view.title,
      ),
    );
  }
  tabs.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const list = [...tabs.children],
      step = {ArrowRight: 1, ArrowLeft: -1}[event.key] ?? 0;
    if (!step) return;
    const next = list[(list.indexOf(document.activeElement) + step + list.length) % list.length];
    next.focus();
    open(next.dataset.view, null, true);
  });
  applyTheme();
  byId("theme").addEventListener("click", () => {
    storage.write("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    applyTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  window.addEventListener("hashchange", follow);
  follow();
}

/** The view that is open; the page always has one when somebody asks. */
export const currentView = () => /** @type {View} */ (current);
