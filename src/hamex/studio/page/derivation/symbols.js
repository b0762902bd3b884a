// Symbols: a letter, wherever it stands, shows its meaning and knows the control that moves it.
import {element, short} from "../elements.js";

/** @type {(event: Event) => HTMLElement | null} */
const symbolAt = (event) => {
  const node = /** @type {Element | null} */ (event.target);
  return node && node.closest ? node.closest("[data-symbol]") : null;
};

/**
 * @param {{root: HTMLElement, controls: HTMLElement, find: (name: string) => MathSymbol | undefined,
 *   valueOf: (name: string) => number | undefined}} given the view, its controls, a symbol, and its value now
 */
export function symbolLights({root, controls, find, valueOf}) {
  const chips = element("div", {class: "symbols"}),
    meaning = element("div", {class: "meaning", role: "tooltip", hidden: true});
  let lit = "";

  /**
   * Marks a symbol wherever it stands.
   * @param {string} name none for ""
   */
  function mark(name) {
    lit = name;
    for (const node of root.querySelectorAll(".lit")) node.classList.remove("lit");
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".field[data-lit]")))
      delete node.dataset.lit;
    if (!name) return;
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (
      root.querySelectorAll(`[data-symbol="${CSS.escape(name)}"]`)
    )) {
      node.classList.add("lit");
      if (node.classList.contains("field")) node.dataset.lit = "yes";
    }
  }

  /**
   * Marks a symbol and says beside one of its letters what it means.
   * @param {string} name
   * @param {Element | null} at
   */
  function light(name, at) {
    if (name !== lit) mark(name);
    const symbol = find(name);
    meaning.hidden = !symbol || !at;
    if (!symbol || !at) return;
    const value = valueOf(name);
    meaning.replaceChildren(
      element("span", {class: "letter", html: symbol.svg}),
      element("span", {}, symbol.meaning),
      element(
        "span",
        {class: "quiet"},
        [symbol.unit && `[${symbol.unit}]`, value !== undefined && `now ${short(value)}`].filter(Boolean).join(", "),
      ),
    );
    const place = at.getBoundingClientRect(),
      own = meaning.getBoundingClientRect();
    const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - own.width - 8));
    const above = place.top - own.height - 8;
    Object.assign(meaning.style, {left: `${left}px`, top: `${above > 60 ? above : place.bottom + 8}px`});
  }

  /**
   * From a letter to the input that moves it.
   * @param {string} name
   */
  function reach(name) {
    const field = controls.querySelector(`[data-symbol="${CSS.escape(name)}"]`),
      input = /** @type {HTMLElement | null} */ (field && field.querySelector("input, select"));
    if (!field || !input || field.closest("[hidden]")) return;
    const fold = field.closest("details");
    if (fold) fold.open = true;
    input.focus({preventScroll: true});
    field.scrollIntoView({block: "nearest"});
  }

  for (const kind of ["pointerover", "focusin"])
    root.addEventListener(kind, (event) => {
      const node = symbolAt(event);
      light(node?.dataset.symbol ?? "", node && !controls.contains(node) ? node : null);
    });
  for (const kind of ["pointerleave", "focusout"]) root.addEventListener(kind, () => light("", null));
  window.addEventListener(
    "scroll",
    () => {
      meaning.hidden = true;
    },
    {passive: true},
  );

  return {
    chips,
    meaning,
    leave: () => light("", null),
    /** New letters have come: mark them as those that were there; the one that was pointed at is gone. */
    relight() {
      mark(lit);
      meaning.hidden = true;
    },
    /** @param {Event} event on a letter of a document */
    follow(event) {
      const name = symbolAt(event)?.dataset.symbol;
      if (name) reach(name);
    },
    /** @param {MathSymbol[]} symbols */
    show(symbols) {
      chips.replaceChildren(
        ...symbols.map(({name, kind, svg, meaning: words, unit}) =>
          element(
            "button",
            {type: "button", class: `symbol ${kind}`, "data-symbol": name, onclick: () => reach(name)},
            element("span", {class: "letter", html: svg}),
            element("span", {}, words),
            unit ? element("span", {class: "quiet"}, unit) : null,
          ),
        ),
      );
    },
  };
}
