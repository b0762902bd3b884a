// The derivation itself: a document with its contents.
import {button} from "../controls.js";
import {element} from "../elements.js";
import {problemOf} from "../requests.js";
import {patiently} from "./systems.js";

/** @import {Places} from "./places.js" */

/**
 * @param {{places: Places, isShown: (key: string) => boolean, onderived: () => void,
 *   onclick: (event: Event) => void}} given whether a system is still the one that is shown, what follows
 */
export function derivationDocument({places, isShown, onderived, onclick}) {
  const title = element("h2", {class: "heading"}, "Derivation"),
    status = element("span", {class: "quiet", role: "status"}),
    contents = element("ol", {class: "contents"}),
    index = element("details", {class: "index", hidden: true}, element("summary", {}, "Contents"), contents),
    failure = element("div", {}),
    text = element("div", {class: "document", onclick});
  const root = element(
    "article",
    {class: "panel wide derivation"},
    element("header", {}, title, status),
    failure,
    index,
    text,
  );
  new ResizeObserver(() => requestAnimationFrame(() => fit(text))).observe(root);

  /**
   * @param {string} key
   * @param {any} request
   */
  async function derive(key, request) {
    text.classList.add("busy");
    status.textContent = "deriving …";
    failure.replaceChildren();
    /** @type {{title: string, html: string, contents: {link: string, text: string}[]} | null} */
    let answer;
    try {
      answer = await patiently("", request, "derive");
    } catch (thrown) {
      const problem = problemOf(thrown);
      if (!isShown(key)) return;
      status.textContent = "";
      places.refuse(problem, () => null);
      failure.replaceChildren(
        element("p", {class: "message", role: "alert"}, problem.message),
        button("Try again", () => derive(key, request)),
      );
      return;
    }
    if (!answer || !isShown(key)) return;
    text.classList.remove("busy");
    status.textContent = "";
    title.textContent = answer.title;
    text.innerHTML = answer.html;
    fit(text);
    /** @type {HTMLElement[]} */
    const heads = [...text.querySelectorAll("h2")];
    contents.replaceChildren(...answer.contents.map(({link}, i) => entry(heads[i], link)));
    index.hidden = false;
    onderived();
  }

  return {
    root,
    derive,
    /** What is shown belongs to a system that is shown no longer. */
    outdate() {
      text.classList.add("busy");
      status.textContent = "of the last system that could be read";
    },
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
  return element("li", {}, element("button", {type: "button", class: "link", onclick: go}, head.textContent || link));
}

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
