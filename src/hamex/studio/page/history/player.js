// Play, pause, scrub: one clock for the sketch, the cursors and the dots.
import {button} from "../controls.js";
import {element, short} from "../elements.js";

/**
 * @param {(time: number) => void} onframe
 * @param {(time: number, length: number) => string} [words] what the clock shows, where it is not that of the history
 */
export function Player(onframe, words = (time, length) => `${time.toFixed(2)} of ${short(length, 4)} s`) {
  let length = 1,
    time = 0,
    playing = false,
    last = /** @type {number | null} */ (null),
    speed = 1;
  const play = button("Play", () => (playing ? pause() : start()), {primary: true, title: "Play or pause (space)"});
  const scrub = element("input", {
    type: "range",
    min: 0,
    max: 1000,
    step: 1,
    value: 0,
    "aria-label": "time in the history",
  });
  const clock = element("span", {class: "clock figures", "aria-hidden": "true"}, "");
  const pace = element(
    "select",
    {"aria-label": "speed"},
    [
      [0.1, "0.1 ×"],
      [0.25, "¼ ×"],
      [0.5, "½ ×"],
      [1, "1 ×"],
      [2, "2 ×"],
      [5, "5 ×"],
    ].map(([value, words]) => element("option", {value, selected: value === 1}, words)),
  );
  const root = element("div", {class: "player", role: "group", "aria-label": "playback"}, play, scrub, clock, pace);

  function put() {
    clock.textContent = words(time, length);
    scrub.value = (1000 * time) / length;
    scrub.setAttribute("aria-valuetext", clock.textContent);
    onframe(time);
  }
  function frame(/** @type {number} */ now) {
    if (!playing) return;
    if (last !== null) time += (speed * (now - last)) / 1000;
    last = now;
    if (time >= length) {
      time = length;
      pause();
    }
    put();
    if (playing) requestAnimationFrame(frame);
  }
  function start() {
    if (time >= length) time = 0;
    playing = true;
    last = null;
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    requestAnimationFrame(frame);
  }
  function pause() {
    playing = false;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  scrub.addEventListener("input", () => {
    time = (length * scrub.value) / 1000;
    put();
  });
  pace.addEventListener("input", () => {
    speed = Number(pace.value);
  });
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === " " && event.target !== play && event.target !== pace) {
      event.preventDefault();
      play.click();
    }
  });
  return {
    root,
    pause,
    get time() {
      return time;
    },
    get playing() {
      return playing;
    },
    /**
     * A new history: the clock stays where it is, as far as the history reaches.
     * @param {number} seconds
     * @param {number} [at]
     */
    set(seconds, at) {
      length = seconds;
      time = Math.min(at === undefined ? time : at, length);
      put();
    },
  };
}
