// The derivation view: a system of the library or a typed one, its derivation with letters that know their meaning, and
// its motion.
import {button, choice, group} from "../controls.js";
import {element, save} from "../elements.js";
import {codeGift, gift} from "../home/home.js";
import {latest, problemOf} from "../requests.js";
import {derivationDocument} from "./document.js";
import {motionCsv, motionPlots} from "./motion.js";
import {movingSystem} from "./moving.js";
import {numberControls} from "./numbers.js";
import {Places} from "./places.js";
import {symbolLights} from "./symbols.js";
import {EXAMPLE, START, UNTOUCHED, meaningLines, patiently, runRequest, systemRequest} from "./systems.js";
import {systemTexts} from "./texts.js";

/** @import {RunRequest, State} from "./systems.js" */

/** @type {View} */
let view;
/** @type {ReturnType<typeof build>} */
let parts;
/**
 * What the page shows now, all of one system: its key, what was read of it, its motion with the numbers that it has,
 * and the question for it.
 * @type {{key: string, about: SystemAnswer | null, motion: MotionAnswer | null, numbers: Record<string, number>,
 *   question: string}}
 */
let shown = {key: "", about: null, motion: null, numbers: {}, question: ""};
let asked = ""; // key of the system that was read last or is being read; it may never be shown

const keyOf = (/** @type {State} */ state) => JSON.stringify(systemRequest(state));

/** @type {ViewDescription["mount"]} */
function mount(root, given) {
  view = given;
  parts = build(root);
  patiently("").then(
    ({systems}) => {
      const names = systems.map((/** @type {SystemAnswer} */ {name}) => name);
      parts.system
        .querySelector("select")
        ?.replaceChildren(...["", ...names].map((name) => element("option", {value: name}, systemWords(name))));
      parts.system.set(view.state.system);
    },
    (problem) => parts.system.refuse(problem.message),
  );
}

/** @type {(name: string) => string} */
const systemWords = (name) => name.replaceAll("-", " ") || "your own, typed below";

/**
 * All that the view consists of, laid out.
 * @param {HTMLElement} root
 */
function build(root) {
  const places = new Places(),
    system = places.add(
      "system",
      choice({
        label: "System",
        name: "system",
        options: [...new Set(["", view.state.system])].map((name) => [name, systemWords(name)]), // the others come
        value: view.state.system,
        oninput: choose,
      }),
    ),
    about = element("p", {class: "quiet about"}),
    texts = systemTexts(places, (changed) => view.set(changed)),
    numbers = numberControls(view, places);
  const controls = element(
    "aside",
    {class: "controls stay", "aria-label": "System and numbers"},
    group(
      "System",
      system,
      about,
      button("Example: pendulum with friction", () => view.set({...EXAMPLE, ...UNTOUCHED, system: "", plane: null})),
    ),
    group("In symbols", ...texts.nodes),
    ...numbers.groups,
  );
  const symbols = symbolLights({
    root,
    controls,
    find: (name) => shown.about?.symbols.find((one) => one.name === name),
    valueOf,
  });
  const derivation = derivationDocument({
    places,
    isShown: (key) => shown.key === key,
    onderived: symbols.relight,
    onclick: symbols.follow,
  });
  const moving = movingSystem(),
    motion = motionPlots(view, moving.follow),
    stopped = element("p", {class: "message", role: "alert"}),
    continuum = element(
      "p",
      {class: "quiet still", hidden: true},
      "A continuum is derived and shown, but not run here: its fields need finite elements in space first. " +
        "A chain shows what becomes of it, and Waves runs a bar and a membrane.",
    );
  const letters = element(
    "details",
    {class: "panel letters", open: true},
    element(
      "summary",
      {},
      "Symbols ",
      element("span", {class: "quiet"}, "point at one, here or in an equation, to see its control"),
    ),
    symbols.chips,
  );
  const bench = element(
    "div",
    {class: "bench unread"},
    controls,
    element(
      "div",
      {class: "sheet"},
      derivation.root,
      element(
        "aside",
        {class: "alongside", "aria-label": "The system beside its equations"},
        moving.root,
        derivation.index,
        continuum,
        stopped,
        motion.root,
        letters,
      ),
    ),
  );
  root.append(bench, symbols.meaning);
  return {places, system, about, texts, numbers, symbols, derivation, moving, motion, stopped, continuum, bench};
}

/**
 * The number that a symbol stands for, where it stands for one.
 * @param {string} name
 */
function valueOf(name) {
  if (!shown.about?.runs) return undefined;
  const request = runRequest(view.state, shown.about);
  return name === "the step" ? request.step : request.parameters[name];
}

/**
 * Another system: with "" the texts of the present one become one's own.
 * @param {string} name
 */
function choose(name) {
  const text = shown.about && shown.about.text;
  const own = text
    ? {
        ...text,
        fields: text.fields.join(", "),
        constraints: text.constraints.join("\n"),
        meanings: meaningLines(text.meanings),
      }
    : EXAMPLE;
  view.set({...(name ? {} : own), ...UNTOUCHED, system: name, plane: null});
}

/** @param {State} state */
async function show(state) {
  parts.system.set(state.system);
  if (!state.system) parts.about.textContent = "Your own system. Change a text, and it is read and derived anew.";
  parts.texts.show(state, shown.about);
  const key = keyOf(state);
  if (key !== asked) await read(key, systemRequest(state));
  const {about, motion, numbers} = shown;
  // Of another system nothing is asked by what was read of this one: its own is on the way, or refused.
  if (!about || keyOf(view.state) !== shown.key) return;
  const wanted = runRequest(view.state, about);
  parts.numbers.show(view.state, wanted);
  if (motion) showMotion(motion, about, numbers);
  if (!about.runs) return;
  const question = JSON.stringify(wanted);
  if (question !== shown.question) {
    shown.question = question;
    run(wanted, shown.key);
  }
}

/**
 * @param {MotionAnswer} motion
 * @param {SystemAnswer} about
 * @param {Record<string, number>} numbers
 */
function showMotion(motion, about, numbers) {
  parts.motion.show(motion, about);
  parts.moving.show(motion, about, numbers);
}

/**
 * Reads another system and shows what it is, unless it cannot be read or another one was asked for.
 * @param {string} key
 * @param {ReturnType<typeof systemRequest>} request
 */
async function read(key, request) {
  const {places, about: words, texts, numbers, symbols, derivation, moving, motion, stopped, continuum, bench} = parts;
  asked = key;
  places.clear();
  derivation.begin();
  /** @type {SystemAnswer | null} */
  let about;
  try {
    about = await patiently("/read", request, "derive-read");
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (asked !== key) return;
    places.refuse(problem, (message) => {
      texts.notes.textContent = message;
    });
    derivation.outdate();
    bench.classList.remove("unread");
    return;
  }
  if (!about || asked !== key) return;
  shown = {key, about, motion: null, numbers: {}, question: ""};
  if (about.about) words.textContent = about.about;
  texts.notes.textContent = about.notes.join(" ");
  texts.show(view.state, about);
  numbers.build(about);
  symbols.show(about.symbols);
  bench.classList.remove("unread");
  motion.root.hidden = !about.runs;
  motion.expect(about);
  continuum.hidden = about.runs;
  if (!about.runs) moving.showContinuum(about);
  stopped.textContent = "";
  derivation.at(view.state.section);
  derivation.derive(key, request);
}

const run = latest(async (/** @type {RunRequest} */ request, /** @type {string} */ key) => {
  const {places, motion, stopped} = parts;
  motion.root.classList.add("busy");
  try {
    const answer = await patiently("/run", request);
    if (shown.key !== key || !shown.about) return;
    places.clear(["parameters", "shapes", "start", "step", "duration", "degree"]);
    stopped.textContent = "";
    Object.assign(shown, {motion: answer, numbers: request.parameters});
    showMotion(answer, shown.about, shown.numbers);
    motion.root.classList.remove("busy");
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (shown.key !== key) return;
    const isPlaced = places.refuse(problem, (message) => {
      stopped.textContent = message;
    });
    if (isPlaced) stopped.textContent = "The motion shown is the last one that could be computed.";
  }
});

/** @returns {Gift[]} */
function gifts() {
  const name = () => view.state.system || "your-action",
    {about} = shown;
  const derived =
    (/** @type {string} */ path, /** @type {string} */ ending, /** @type {string} */ type) => async () => {
      const {text} = await patiently(`/${path}`, systemRequest(view.state));
      save(`${name()}${ending}`, type, text);
      return `saved ${name()}${ending}`;
    };
  const ofTheRun =
    about && about.runs && keyOf(view.state) === shown.key
      ? [
          codeGift(
            async () => (await patiently("/python", runRequest(view.state, about))).text,
            () => `${name()}.py`,
          ),
          gift("CSV", "the motion, one row per step", async () => {
            if (!shown.motion) return "there is no motion yet";
            save(`${name()}.csv`, "text/csv", motionCsv(shown.motion));
            return `saved ${name()}.csv`;
          }),
        ]
      : [];
  return [
    ...ofTheRun,
    gift("LaTeX", "the derivation, for any LaTeX", derived("latex", ".tex", "application/x-tex")),
    gift("Page", "the derivation as one HTML file, without network", derived("page", ".html", "text/html")),
  ];
}

/** @type {ViewDescription} */
export const derivationView = {
  name: "derivation",
  title: "Derivation",
  start: START,
  mount,
  show,
  leave() {
    parts.symbols.leave();
    parts.moving.pause();
  },
  gifts,
};
