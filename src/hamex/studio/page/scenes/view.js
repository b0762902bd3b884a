// The first screen: pictures of what can be seen here, each a link to a state of a view.
import {element} from "../elements.js";
import {linkTo} from "../views.js";
import {picture} from "./pictures.js";
import {SCENES} from "./scenes.js";

/**
 * A picture to click. The link is written before anybody can click: it is the whole state.
 * @param {import("./scenes.js").Scene} scene
 */
function tile({name, view, title, question, state}) {
  const link = element(
    "a",
    {class: "tile", href: `#${view}`, "data-scene": name},
    picture(name),
    element("b", {}, title),
    element("span", {class: "quiet"}, question),
  );
  linkTo(view, {...state, scene: name}).then((address) => link.setAttribute("href", address));
  return link;
}

/** @type {ViewDescription} */
export const scenesView = {
  name: "scenes",
  title: "Scenes",
  start: {},
  mount(root) {
    root.append(
      element("h2", {}, "What would you like to see?"),
      element(
        "p",
        {class: "lead"},
        "Each picture opens a structure that moves, with a question about it. Everything can be changed there. ",
        element("span", {class: "keys"}, "Press L for the lecture: full screen, large type."),
      ),
      element(
        "nav",
        {class: "tiles", "aria-label": "Scenes"},
        SCENES.map((scene) => tile(scene)),
      ),
    );
  },
  show() {},
};
