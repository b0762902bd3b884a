// The derivation itself: a document with its contents.
import {button} from "../controls.js";
import {element} from "../elements.js";
import {problemOf} from "../requests.js";
import {patiently} from "./systems.js";

/** @import {Places} from "./places.js" */

/**
 * @param {{places: Places, isShown: (key: string) => boolean, onderived: () => void,
 *   onclick: (event: Event) => void, ticket?: string}} given whether a system is still the one that is shown, what
 *   follows, and the name of its questions, of which only the newest is answered
 */
export function derivationDocument({places, isShown, onderived, onclick, ticket = "derive"}) {
  const title = element("h2", {class: "heading"}, "Derivation"),
    status = element("span", {class: "quiet", role: "status"}),
    bar = element("progress", {"aria-label": "deriving", hidden: true}),
    contents = element("ol", {class: "contents"}),
    index = element(
      "details",
      {class: "index panel", open: matchMedia("(min-width: 1101px)").matches},
      element("summary", {}, "Contents"),
      contents,
    ),
    failure = element("div", {}),
    text = element("div", {class: "document", onclick});
  const root = element(
    "article",
    {class: "panel derivation"},
    element("header", {}, title, status, bar),
    failure,
    text,
  );
  const working = progressOf(status, bar);
  const seen = reading(contents);
  let width = 0;
  const refit = () => {
    width = text.clientWidth;
    fit(text);
  };
  // A document that came has another height; only another width changes what fits into it.
  new ResizeObserver(() => {
    if (text.clientWidth !== width) requestAnimationFrame(refit);
  }).observe(root);
  let section = "";

  /**
   * @param {string} key
   * @param {any} request
   */
  async function derive(key, request) {
    text.classList.add("busy");
    working.start();
    failure.replaceChildren();
    /** @type {{title: string, html: string, contents: {link: string, text: string}[]} | null} */
    let answer;
    try {
      answer = await patiently("", request, ticket);
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (!isShown(key)) return;
      working.end();
      places.refuse(problem, () => null);
      failure.replaceChildren(
        element("p", {class: "message", role: "alert"}, problem.message),
        button("Try again", () => derive(key, request)),
      );
      return;
    }
    if (!answer || !isShown(key)) return;
    text.classList.remove("busy");
    working.end();
    title.textContent = answer.title;
    text.innerHTML = answer.html;
    refit();
    /** @type {HTMLElement[]} */
    const heads = [...text.querySelectorAll("h2")];
    contents.replaceChildren(...answer.contents.map(({link}, i) => entry(heads[i], link)));
    seen(heads);
    onderived();
    const asked = section && heads.find((head) => head.id.includes(section));
    if (asked) asked.scrollIntoView({block: "start"});
    section = "";
  }

  return {
    root,
    index,
    begin: working.start,
    derive,
    /**
     * Where to read on once it is there.
     * @param {string} name part of the name of a section
     */
    at(name) {
      section = name;
    },
    /** What is shown belongs to a system that is shown no longer. */
    outdate() {
      text.classList.add("busy");
      working.end();
      status.textContent = "of the last system that could be read";
    },
  };
}

/**
 * A bar that moves and the seconds that it took so far: nobody knows beforehand how long the algebra takes.
 * @param {HTMLElement} status
 * @param {HTMLElement} bar
 */
function progressOf(status, bar) {
  let clock = 0;
  const end = () => {
    clearInterval(clock);
    bar.hidden = true;
    status.textContent = "";
  };
  return {
    end,
    start() {
      end();
      const begin = performance.now();
      const tell = () => {
        status.textContent = `deriving … ${Math.round((performance.now() - begin) / 1000)} s`;
      };
      bar.hidden = false;
      tell();
      clock = setInterval(tell, 1000);
    },
  };
}

/**
 * Marks the line of the contents whose section is read.
 * @param {HTMLElement} contents
 */
function reading(contents) {
  /** @type {IntersectionObserver | null} */
  let watch = null;
  return (/** @type {HTMLElement[]} */ heads) => {
    watch?.disconnect();
    const sight = new Set();
    watch = new IntersectionObserver(
      (entries) => {
        for (const {target, isIntersecting} of entries) {
          if (isIntersecting) sight.add(target);
          else sight.delete(target);
        }
        const now = heads.findIndex((head) => sight.has(head.parentElement));
        [...contents.querySelectorAll("button")].forEach((one, i) =>
          one.setAttribute("aria-current", String(i === now)),
        );
      },
      {rootMargin: "-80px 0px -60% 0px"},
    );
    for (const head of heads) if (head.parentElement) watch.observe(head.parentElement);
  };
}

/**
 * A line of the contents.
 * @param {HTMLElement} head
 * @param {string} link
 */
function entry(head, link) {
  const go = () => {
    head.scrollIntoView({block: "start"});
    head.setAttribute("tabindex", "-1");
    head.focus({preventScroll: true});
  };
  return element("li", {}, element("button", {type: "button", class: "link", onclick: go}, inWords(head) || link));
}

/**
 * A heading as a text: its formulas are drawings, which say what they show.
 * @param {HTMLElement} head
 */
const inWords = (head) =>
  [...head.childNodes]
    .map((node) => (node instanceof Element ? (node.getAttribute("aria-label") ?? node.textContent) : node.textContent))
    .join("");

/**
 * Wide equations and tables scroll in their own box; the keyboard reaches them, and their number steps aside.
 * @param {HTMLElement} text
 */
function fit(text) {
  const boxes = /** @type {HTMLElement[]} */ ([...text.querySelectorAll(".equation, .scroll")]);
  for (const box of boxes) box.classList.remove("wide");
  const wide = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1);
  for (const box of boxes) box.removeAttribute("tabindex");
  for (const box of wide) {
    box.tabIndex = 0;
    box.classList.add("wide");
  }
}
