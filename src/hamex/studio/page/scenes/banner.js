// The question of a scene, above the view that shows it, as long as the state belongs to a scene.
import {button} from "../controls.js";
import {byId, element} from "../elements.js";
import {SCENES, sceneOf} from "./scenes.js";
import {linkTo} from "../views.js";

/**
 * The place of the question.
 * @returns {(view: View) => void} which shows that of a view's state, or none
 */
export function sceneBanner() {
  const title = element("b", {}),
    question = element("span", {class: "question"}),
    tries = element("ul", {class: "tries"}),
    before = element("a", {class: "step", "aria-label": "the scene before"}, "‹"),
    after = element("a", {class: "step", "aria-label": "the next scene"}, "›");
  const root = element(
    "aside",
    {class: "scene", id: "scene", "aria-label": "Scene", hidden: true},
    element("p", {}, title, question),
    element("details", {open: true}, element("summary", {}, "Try"), tries),
    element(
      "div",
      {class: "turn"},
      before,
      element("a", {class: "step", href: "#scenes"}, "all scenes"),
      after,
      button("×", leave, {title: "Close the question"}),
    ),
  );
  byId("stage").prepend(root);
  /** @type {View} */
  let view;
  let shown = "";

  function leave() {
    view.set({scene: ""});
  }

  return (now) => {
    view = now;
    const scene = sceneOf(view);
    root.hidden = !scene;
    if (!scene || shown === scene.name) return;
    shown = scene.name;
    title.textContent = `${scene.title}. `;
    question.textContent = scene.question;
    tries.replaceChildren(...scene.tries.map((words) => element("li", {}, words)));
    const place = SCENES.indexOf(scene);
    for (const [link, step] of [
      [before, -1],
      [after, 1],
    ]) {
      const other = SCENES[(place + step + SCENES.length) % SCENES.length];
      link.title = other.title;
      linkTo(other.view, {...other.state, scene: other.name}).then((address) => link.setAttribute("href", address));
    }
  };
}
