"use strict";
// Take home: a link, code, files, pictures, a page of its own.

const Home = (() => {
  const {element, button, ask, save} = Studio;
  const STEPS = 15;

  function said(words) { document.getElementById("home-said").textContent = words; }

  /** A row: a button and what it gives. Trouble is said below. */
  function gift(label, about, run) {
    const node = button(label, async () => {
      node.disabled = true; said("");
      try { said((await run()) || ""); } catch (problem) { said(problem.message); } finally { node.disabled = false; }
    });
    return [node, element("span", {class: "quiet"}, about)];
  }

  const named = (title) => (title || "hamex").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  async function fetched(path, body, name, type) { save(name, type, await ask(path, body)); return `saved ${name}`; }

  /** What a view with a problem gives. `varied`: numbers of the state that a page of its own may move. */
  function problemGifts({view, wish, plots, varied}) {
    const now = () => wish(view.state), name = () => named(now().problem.title);
    const which = element("select", {"aria-label": "plot"}, Object.keys(plots).map((key) => element("option", {value: key}, key.replace("-", " "))));
    const slides = element("select", {"aria-label": "slider of the page"}, varied.map(([key, words]) => element("option", {value: key}, words)), element("option", {value: ""}, "no slider"));
    const picture = (format) => async () => {
      const plot = plots[which.value];
      const data = await Plotly.toImage(plot, {format, width: 900, height: 480, scale: format === "png" ? 2 : 1});
      const blob = await (format === "svg" ? new Blob([decodeURIComponent(data.slice(data.indexOf(",") + 1))], {type: "image/svg+xml"}) : pngBlob(data));
      save(`${name()}-${which.value}.${format}`, blob.type, blob);
      return `saved ${name()}-${which.value}.${format}`;
    };
    return [
      gift("Python", "a script that gives these numbers, bit for bit", async () => {
        const text = await (await ask("/api/home/python", now())).text();
        document.getElementById("home-code").replaceChildren(element("pre", {class: "code", tabindex: "0", "aria-label": "Python code"}, text));
        save(`${name()}.py`, "text/x-python", text);
        return "saved; it is also shown below";
      }),
      gift("Problem file", "for `hamex run`", () => fetched("/api/home/problem", now(), `${name()}.toml`, "application/toml")),
      gift("CSV", "all histories, one row per step", () => fetched("/api/home/csv", now(), `${name()}.csv`, "text/csv")),
      gift("NetCDF", "everything, for `hx.read` or xarray", () => fetched("/api/home/netcdf", now(), `${name()}.nc`, "application/x-netcdf")),
      [element("span", {style: "display:flex;gap:.4rem"}, gift("PNG", "", picture("png"))[0], gift("SVG", "", picture("svg"))[0]), element("span", {class: "quiet"}, "a picture of ", which)],
      [gift("Page", "", () => fetched("/api/home/page", pageBody(view, wish, varied, slides.value), `${name()}.html`, "text/html"))[0],
       element("span", {class: "quiet"}, "one HTML file, moving, without network; slider: ", slides)],
    ];
  }

  const pngBlob = async (data) => new Blob([Uint8Array.from(atob(data.slice(data.indexOf(",") + 1)), (letter) => letter.charCodeAt(0))], {type: "image/png"});

  /** The present state, and the same with one number from half to twice its value. */
  function pageBody(view, wish, varied, key) {
    const {state} = view, found = varied.find(([name]) => name === key);
    const value = key === "scale" ? state.motion.scale : state[key];
    const variants = !found ? [] : Array.from({length: STEPS}, (_, i) => Number((value * 2 ** ((2 * i) / (STEPS - 1) - 1)).toPrecision(4)));
    const changed = (x) => wish(key === "scale" ? {...state, motion: {...state.motion, scale: x}} : {...state, [key]: x}).problem;
    const now = wish(state);
    return {view: view.name, wish: now, storey: state.storey || 0, viscous: state.viscosity > 0,
            label: found ? found[1] : "", unit: found ? found[2](state) : "", variants: variants.map((x) => ({value: x, problem: changed(x)}))};
  }

  async function open() {
    const view = Studio.current(), body = document.getElementById("home-body");
    const address = await Studio.link();
    const link = element("input", {type: "text", readonly: true, value: address, "aria-label": "link to this state", id: "permalink", style: "width:100%"});
    body.replaceChildren(
      element("div", {class: "gifts"},
        ...gift("Copy link", "the whole state is in the address", async () => { link.select(); try { await navigator.clipboard.writeText(address); } catch { document.execCommand("copy"); } return "copied"; }),
        ...(view.gifts ? view.gifts(view) : []).flat()),
      link, element("p", {id: "home-said", class: "quiet", role: "status"}), element("div", {id: "home-code"}));
    document.getElementById("home").showModal();
  }
  document.getElementById("home-open").addEventListener("click", open);

  return {problemGifts, gift};
})();
