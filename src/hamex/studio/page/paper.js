"use strict";
// The paper view: section 6 live, digit by digit, and every equation audited.

/** Table 2 and figures 10 to 13. */
const SectionSix = (() => {
  const {slider, choice, element, group, draw, colours, unpack, short, button} = Studio;
  const {panel, card} = Sheets;
  const START = {load: "end", parts: 1, viscosity: 1, kinematic: 0};
  const NARROW = 540;          // pixels below which three loops stand one below the other
  const LOADS = [["end", "at its end (the paper)"], ["average", "average of both ends"], ["mean", "mean over the step"]];

  let fields, refuse, answer = null, peer = null, study = null, asked = false;
  const cards = {digits: card("printed numbers met in every digit"), residual: card("energy residual / largest work"), newton: card("Newton iterations: this method, Newmark"), peer: card("OpenSees")};
  const figures = {"figure-10": panel("Figure 10", "wide first", "rows"), "figure-11": panel("Figure 11", "wide", "loops"), "figure-12": panel("Figure 12", "wide", "rows"), "figure-13": panel("Figure 13", "wide", "loops")};
  const halving = panel("Not in the paper: error against the step", "wide", "tall");
  const table = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table 2"});
  const remark = element("p", {class: "quiet"}), conventions = element("ol", {class: "quiet"});

  function mount(view) {
    const change = (key) => (value) => view.set({[key]: value});
    fields = {
      load: choice({label: "Load of a step", options: LOADS, value: "end", oninput: change("load"), name: "load"}),
      parts: choice({label: "Step", options: [[1, "as in the paper"], [2, "half of it"], [4, "a quarter"], [8, "an eighth"]], value: 1, oninput: (value) => view.set({parts: Number(value)}), name: "parts"}),
      viscosity: slider({name: "viscosity", label: "Viscosity, times the paper's", unit: "×", min: 0, max: 4, step: 0.05, value: 1, oninput: change("viscosity"), help: "0: rate-independent plasticity"}),
      kinematic: slider({name: "kinematic", label: "Hardening", unit: "kip/in", min: 0, max: 100, step: 1, value: 0, oninput: change("kinematic"), help: "none in the paper"}),
    };
    const general = element("p", {class: "message", role: "alert", id: "paper-message"});
    refuse = Sheets.placed(fields, general);
    return element("div", {class: "bench split"},
      element("aside", {class: "controls stay", "aria-label": "How the six cases are run"}, general,
        group("How it is run", fields.load, fields.parts), group("The slider", fields.viscosity, fields.kinematic), button("As in the paper", () => view.set(START)), remark,
        element("details", {class: "unsaid"}, element("summary", {}, "What Table 2 needs and the paper does not say"), conventions)),
      element("div", {class: "stage"},
        element("div", {class: "panel wide first"}, element("div", {class: "cards"}, Object.values(cards).map((one) => one.root))),
        element("figure", {class: "panel wide first"}, element("figcaption", {}, element("span", {}, "Table 2. Final slip u₁ [milli-in] and momentum p [milli-in/s]"), element("span", {class: "quiet"}, "✓ every digit as printed, ≠ differs")), table),
        Object.values(figures).map((one) => one.root), halving.root));
  }

  const request = ({load, parts, viscosity, kinematic}) => ({load, parts, viscosity, kinematic});

  const run = Studio.latest(async (state, begin) => {
    let found;
    try {
      found = await Studio.ask("/api/paper", request(state), "paper");
    } catch (problem) {
      if (!(problem instanceof Studio.Refusal)) throw problem;
      refuse(problem); return;
    }
    if (!found) return;
    refuse(null);
    answer = found;
    drawAll();
    await new Promise(requestAnimationFrame);
    performance.measure("redraw", {start: begin, end: performance.now()});
    if (!asked) { asked = true; beside(); }
  });

  /** What takes a second comes behind: OpenSees, and the halving of the step. */
  async function beside() {
    try { peer = await Studio.get("/api/paper/opensees"); drawTable(); } catch (problem) { cards.peer.value.textContent = "–"; cards.peer.label.textContent = `OpenSees: ${problem.message}`; }
    try { study = await Studio.get("/api/paper/convergence"); drawHalving(); } catch (problem) { halving.note.textContent = problem.message; }
  }

  function show(state) {
    const begin = performance.now();
    for (const key of Object.keys(START)) fields[key].set(state[key]);
    return run(state, begin);
  }

  // ---------------------------------------------------------------- drawing
  function drawAll() {
    const resonant = answer.rows.filter((row) => row.resonant), record = answer.rows.filter((row) => !row.resonant);
    for (const [name, one] of Object.entries(figures)) one.words.textContent = answer.captions[name];
    displacement(figures["figure-10"], resonant); hysteresis(figures["figure-11"], resonant);
    displacement(figures["figure-12"], record); hysteresis(figures["figure-13"], record);
    remark.textContent = answer.paper ? "These are the paper's own settings." : "Not the paper's settings: the digits of Table 2 need not come out.";
    conventions.replaceChildren(...answer.conventions.map((words) => element("li", {}, words)));
    drawTable();
    if (study) drawHalving();
  }

  const heading = (row) => row.parameter + (row.resonant ? " s" : "");
  const looks = (colour) => ({fresh: {width: 1.7, color: colour.red, dash: "dot"}, old: {width: 1, color: colour.blue}});

  function displacement({plot}, rows) {
    const colour = colours(), {fresh, old} = looks(colour), traces = [], layout = {annotations: [], showlegend: true, margin: {t: 30}}, high = 1 / rows.length, gap = 0.05;
    rows.forEach((row, i) => {
      const u = unpack(row.displacement), t = Float64Array.from(u, (_, k) => k * row.spacing), n = i ? i + 1 : "";
      const axes = {x: t, xaxis: "x", yaxis: `y${n}`};
      if (!row.newmark.why) traces.push({...axes, y: unpack(row.newmark.displacement), name: "Newmark with Newton-Raphson", showlegend: !i, mode: "lines", line: old, hovertemplate: "%{x:.2f} s: %{y:.4g}<extra>Newmark</extra>"});
      traces.push({...axes, y: u, name: "this method, eqs. (66)–(68)", showlegend: !i, mode: "lines", line: fresh, hovertemplate: "%{x:.2f} s: %{y:.4g}<extra>this method</extra>"});
      layout[`yaxis${n}`] = {title: "u [milli-in]", domain: [1 - (i + 1) * high + (i < rows.length - 1 ? gap : 0), 1 - i * high]};
      layout.annotations.push({xref: "paper", yref: "paper", x: 1, xanchor: "right", y: 1 - i * high, yanchor: "top", text: heading(row), showarrow: false, bgcolor: colour.paper, font: {size: 12}});
    });
    draw(plot, traces, {...layout, xaxis: {title: "time [s]", range: [0, 40], anchor: `y${rows.length}`}});
  }

  function hysteresis({plot}, rows) {
    const colour = colours(), {fresh, old} = looks(colour), traces = [], layout = {annotations: [], showlegend: true, margin: {t: 30}};
    const below = plot.clientWidth < NARROW, share = 1 / rows.length, gap = 0.06;
    plot.classList.toggle("below", below);
    rows.forEach((row, i) => {
      const n = i ? i + 1 : "", axes = {xaxis: `x${n}`, yaxis: `y${n}`};
      if (!row.newmark.why) traces.push({...axes, x: unpack(row.newmark.displacement), y: unpack(row.newmark.force), name: "Newmark, at the nodes", showlegend: !i, mode: "lines", line: old, hoverinfo: "skip"});
      traces.push({...axes, x: unpack(row.mean_displacement), y: unpack(row.force), name: "this method, step means (88)–(89)", showlegend: !i, mode: "lines", line: fresh, hoverinfo: "skip"});
      const along = [i * share + (i ? gap / 2 : 0), (i + 1) * share - (i < rows.length - 1 ? gap / 2 : 0)], down = [1 - (i + 1) * share + (i < rows.length - 1 ? gap : 0), 1 - i * share - (i ? 0.03 : 0)];
      layout[`xaxis${n}`] = {title: below && i < rows.length - 1 ? "" : "u [milli-in]", domain: below ? [0, 1] : along, anchor: `y${n}`};
      layout[`yaxis${n}`] = {title: below || !i ? "spring force [kip]" : "", domain: below ? down : [0, 1], anchor: `x${n}`, ...(i && !below ? {matches: "y", showticklabels: false} : {})};
      layout.annotations.push({xref: "paper", yref: "paper", x: below ? 0.02 : along[0] + 0.01, xanchor: "left", y: below ? down[1] : 1, yanchor: "top", text: heading(row), showarrow: false, font: {size: 12}});
    });
    draw(plot, traces, layout);
  }

  /** The computed number with its verdict, by sign and colour and, for those who hear the page, by word. */
  const computed = ({computed: digits, match}) => [digits, element("span", {class: match ? "good" : "bad", role: "img", "aria-label": match ? "matches" : "differs", title: match ? "every digit as printed" : "differs from the print"}, match ? " ✓" : " ≠")];

  function drawTable() {
    cards.digits.value.textContent = `${answer.matches} of ${answer.numbers}`;
    cards.residual.value.textContent = answer.residual.toExponential(1);
    const iterations = answer.rows.reduce((sum, row) => sum + (row.newmark.iterations || 0), 0);
    cards.newton.value.textContent = `0, ${iterations.toLocaleString("en")}`;
    if (peer) {
      cards.peer.value.textContent = peer.live ? "run live" : "recorded";
      cards.peer.label.textContent = `OpenSees ${peer.version}${peer.live ? "" : `: ${peer.reason}`}`;
      cards.peer.root.title = peer.eta_honoured ? "A probe run shows that this release honours the viscosity." : "This release ignores the viscosity: it solves another model.";
    }
    const head = element("thead", {},
      element("tr", {}, element("th", {rowspan: 2, scope: "col"}, "Case"), element("th", {colspan: 2, scope: "colgroup"}, "slip u₁"), element("th", {colspan: 2, scope: "colgroup"}, "momentum p"),
        element("th", {colspan: 3, scope: "colgroup"}, "Newmark"), element("th", {colspan: 2, scope: "colgroup"}, peer && !peer.live ? "OpenSees, recorded" : "OpenSees"), element("th", {rowspan: 2, scope: "col"}, "residual")),
      element("tr", {}, ["printed", "computed", "printed", "computed", "u₁", "p", "iterations", "u₁", "p"].map((words) => element("th", {scope: "col"}, words))));
    const rows = answer.rows.map((row) => {
      const other = peer ? peer.cases[row.name] : null, {newmark} = row;
      const cells = [row.slip.printed, computed(row.slip), row.momentum.printed, computed(row.momentum),
                     ...(newmark.why ? ["–", "–", "–"] : [newmark.slip, newmark.momentum, newmark.iterations.toLocaleString("en")]), other ? other.slip : "…", other ? other.momentum : "…", row.residual.toExponential(0)];
      return element("tr", {"data-case": row.name}, element("th", {scope: "row"}, `${row.case}, ${heading(row)}`), cells.map((cell) => element("td", {}, cell)));
    });
    table.replaceChildren(element("table", {}, head, element("tbody", {}, rows)));
  }

  function drawHalving() {
    const colour = colours(), traces = [], layout = {annotations: [], showlegend: true, margin: {t: 30}};
    const ways = [["end", "load at the end (paper)", colour.red, "circle"], ["newmark", "Newmark with Newton-Raphson", colour.blue, "square"], ["average", "average load", colour.green, "diamond"]];
    const below = halving.plot.clientWidth < NARROW;
    halving.plot.classList.toggle("below", below);
    study.studies.forEach((one, i) => {
      const n = i ? i + 1 : "", domain = below ? [0, 1] : i ? [0.53, 1] : [0, 0.47], down = !below ? [0, 1] : i ? [0, 0.44] : [0.56, 1];
      for (const [key, name, tint, symbol] of ways) {
        traces.push({x: one.steps, y: one.errors[key], xaxis: `x${n}`, yaxis: `y${n}`, name, showlegend: !i, mode: "lines+markers", line: {width: 1.5, color: tint}, marker: {symbol, size: 7}, hovertemplate: "h = %{x:.3g} s: %{y:.2e}<extra></extra>"});
        layout.annotations.push({xref: `x${n}`, yref: `y${n}`, x: Math.log10(one.steps.at(-1)), y: Math.log10(one.errors[key].at(-1)), text: `order ${one.orders[key].toFixed(1)}`, showarrow: false, yshift: key === "end" ? 14 : -14, xanchor: "left", font: {size: 11, color: tint}});
      }
      layout[`xaxis${n}`] = {title: "step h [s]", type: "log", domain, anchor: `y${n}`, tickvals: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02], ticktext: ["0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"]};
      layout[`yaxis${n}`] = {title: i && !below ? "" : "relative RMS error of u", type: "log", domain: down, anchor: `x${n}`, exponentformat: "power", dtick: 1, ...(i ? {matches: "y", showticklabels: below} : {})};
      layout.annotations.push({xref: "paper", yref: "paper", x: domain[0] + 0.01, xanchor: "left", y: down[1], yanchor: "top", text: one.case, showarrow: false});
    });
    draw(halving.plot, traces, layout);
    halving.note.textContent = "against an own run at 0.02/1024 s";
  }

  function csv() {
    const rows = answer.rows.map((row) => [`"${row.case}, ${heading(row)}"`, row.step, row.slip.printed, row.slip.value, row.momentum.printed, row.momentum.value, row.newmark.slip, row.newmark.momentum, row.newmark.iterations, row.residual].join(","));
    Studio.save("table-2.csv", "text/csv", `${["case", "step [s]", "slip printed [milli-in]", "slip", "momentum printed [milli-in/s]", "momentum", "Newmark slip", "Newmark momentum", "Newmark iterations", "energy residual"].join(",")}\n${rows.join("\n")}\n`);
  }

  const gifts = (view, sheet) => [
    Home.pythonGift("/api/paper/python", () => request(view.state), () => "table-2.py"),
    Home.gift("CSV", "Table 2 with all digits", async () => { if (!answer) return "there is no table yet"; csv(); return "saved table-2.csv"; }),
    Home.pageGift(view, () => (answer ? {name: "section-6.html", title: "Section 6 of the paper: figures 10–13 and Table 2", sheet} : {why: "there is no table yet"}))];

  return {START, mount, show, gifts};
})();

/** The audit: items come while it runs; verdicts and words can be sought. */
const AuditList = (() => {
  const {element} = Studio;
  const {progress, segments} = Sheets;
  const POLL = 350;
  const VERDICTS = [["holds", "holds", "✓"], ["misprint", "misprint", "✎"], ["holds with a condition", "condition", "◐"], ["not true in general", "not", "✗"]];
  const START = {verdict: "all", words: ""};
  const items = [], drawings = new Map();
  let view, chosen, search, running = false, finished = false, timer = 0, received = 0;
  const bar = progress("equations and claims judged"), list = element("div", {class: "items"}), none = element("p", {class: "quiet", hidden: true}, "Nothing in the paper fits this choice.");
  // Letters of the drawings stand once on the page, however many equations use them.
  const letters = element("div", {class: "letters", "aria-hidden": "true", html: '<svg width="0" height="0"></svg>'});

  function mount(given) {
    view = given;
    chosen = segments("Verdict", [["all", "All"], ...VERDICTS.map(([name, , sign]) => [name, `${sign} ${name}`])], (verdict) => view.set({verdict}));
    search = element("input", {type: "text", id: "audit-words", placeholder: "number or word", maxlength: 60, oninput: () => view.set({words: search.value})});
    return element("div", {class: "audit"},
      element("p", {}, "Every numbered equation, both tables and the claims made in words, compared with what follows from the Lagrangian and the dissipation function. Each verdict is computed by SymPy in a process of its own, beside the server; it takes half a minute."),
      bar, element("div", {class: "row filters"}, chosen, element("span", {class: "field find"}, element("label", {for: "audit-words"}, "Find"), search)), letters, list, none);
  }

  function show(state) {
    chosen.set(state.verdict);
    if (document.activeElement !== search) search.value = state.words;
    filter(state);
    if (!running && !finished) { running = true; poll(); }
  }

  async function poll() {
    let told;
    try {
      told = await Studio.get(`/api/paper/audit?items=${items.length}&drawings=${received}`);
    } catch (problem) { running = false; bar.set(0, problem.message); return; }
    for (const item of told.items) add(item);
    for (const drawing of told.drawings) put(drawing);
    received += told.drawings.length;
    count();
    const going = told.state === "running" || told.drawn === "running";
    bar.set(told.total ? told.done / told.total : 0, told.state === "failed" ? "the audit ended with an error" : told.state === "finished" ? `all ${told.total} judged${told.drawn === "running" ? ", equations are being drawn" : ""}` : told.total ? `${told.done} of ${told.total} judged` : "starting …");
    filter(view.state);
    if (told.state === "finished" && !going) { finished = true; running = false; Studio.say("audit finished"); return; }
    if (!going || !running) { running = false; return; }
    timer = setTimeout(poll, POLL);
  }

  function leave() { clearTimeout(timer); running = false; }

  /** A sentence begins large unless with a symbol; a dot over J needs a font with serifs, or it looks like a j. */
  function spelled(text) {
    const start = /^[a-z]{2,}[ ,:]/i.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
    return start.split("J̇").flatMap((part, i) => (i ? [element("span", {class: "letter"}, "J̇"), part] : [part]));
  }

  const words = (text) => element("p", {}, text[0].toUpperCase() + text.slice(1));

  function add(item) {
    const number = /^\d+$/.test(item.equation), [, kind, sign] = VERDICTS.find(([name]) => name === item.verdict);
    const title = number ? `(${item.equation})` : item.equation.replace("claim: ", "").replace(/^./, (letter) => letter.toUpperCase());
    const differs = item.verdict !== "holds" && item.correct !== item.printed, told = item.correct === "as derived; see the evidence";
    const slot = (part, text) => (number && !(part === "correct" && told) ? element("div", {class: "slot", "data-slot": `${part} ${item.equation}`}, element("div", {class: "equation waiting"}, "…")) : words(text));
    const node = element("section", {class: "item", "data-verdict": item.verdict, "data-equation": item.equation},
      element("h3", {}, title, element("span", {class: "kind"}, item.kind), element("span", {class: `tag ${kind}`}, `${sign} ${item.verdict}`)),
      slot("printed", item.printed), ...(differs ? [element("div", {class: "better"}, element("b", {}, number ? "should read" : "rather"), slot("correct", item.correct))] : []),
      element("p", {class: "evidence"}, spelled(item.evidence)));
    if (!items.length || items.at(-1).section !== item.section) list.append(element("h2", {"data-section": item.section}, item.section));
    items.push({node, told: item, section: item.section, verdict: item.verdict, number: number ? item.equation : "", text: `${title} ${item.kind} ${item.evidence} ${item.reading} ${number ? "" : item.printed}`.toLowerCase()});
    list.append(node);
    for (const part of ["printed", "correct"]) fill(`${part} ${item.equation}`, node);
  }

  function put({equation, part, html}) {
    const holder = element("div", {html});
    for (const letter of holder.querySelectorAll("symbol")) {
      if (letters.firstChild.querySelector(`#${letter.id}`)) letter.remove(); else letters.firstChild.append(letter);
    }
    drawings.set(`${part} ${equation}`, holder);
    const item = list.querySelector(`[data-equation="${equation}"]`);
    if (item) fill(`${part} ${equation}`, item);
  }

  function fill(key, node) {
    const slot = node.querySelector(`[data-slot="${key}"]`);
    if (slot && drawings.has(key)) slot.replaceChildren(...drawings.get(key).cloneNode(true).children);
  }

  function count() {
    for (const one of chosen.children) {
      const verdict = one.dataset.part, found = VERDICTS.find(([name]) => name === verdict);
      one.textContent = found ? `${found[2]} ${verdict} ${items.filter((item) => item.verdict === verdict).length}` : `All ${items.length}`;
    }
  }

  function filter(state) {
    const sought = state.words.trim().toLowerCase(), number = /^\(?\d+\)?$/.test(sought) ? sought.replace(/[()]/g, "") : null, sections = new Set();
    for (const item of items) {
      const seen = (state.verdict === "all" || item.verdict === state.verdict) && (!sought || (number !== null ? item.number === number : item.text.includes(sought)));
      item.node.hidden = !seen;
      if (seen) sections.add(item.section);
    }
    for (const head of list.querySelectorAll("h2")) head.hidden = !sections.has(head.dataset.section);
    none.hidden = sections.size > 0 || !items.length;
  }

  function csv() {
    const quoted = (words) => `"${words.replaceAll('"', '""')}"`, head = ["equation", "section", "kind", "verdict", "printed", "correct", "evidence"];
    Studio.save("audit.csv", "text/csv", `${[head, ...items.map(({told}) => head.map((name) => quoted(told[name])))].map((row) => row.join(",")).join("\n")}\n`);
  }

  const gifts = (given, sheet) => [
    Home.gift("CSV", "every item judged so far, with its evidence", async () => { if (!items.length) return "nothing is judged yet"; csv(); return "saved audit.csv"; }),
    Home.pageGift(given, () => (items.length ? {name: "audit.html", title: "Audit of every equation of the paper", sheet} : {why: "nothing is judged yet"}))];

  return {START, mount, show, leave, gifts};
})();

(() => {
  const {element} = Studio;
  const START = {part: "section-6", ...SectionSix.START, ...AuditList.START};
  let parts, sheets;

  function mount(root, view) {
    parts = Sheets.segments("Part of the paper", [["section-6", "Figures 10–13 and Table 2"], ["audit", "Audit of every equation"]], (part) => view.set({part}));
    sheets = {"section-6": SectionSix.mount(view), audit: AuditList.mount(view)};
    root.append(element("h1", {class: "spoken"}, "Paper"), element("p", {class: "quiet source"}, "J. Kim, “Extended Hamilton's principle”."), parts, ...Object.values(sheets));
  }

  function show(state) {
    parts.set(state.part);
    for (const [name, sheet] of Object.entries(sheets)) sheet.hidden = name !== state.part;
    if (state.part === "audit") return AuditList.show(state);
    AuditList.leave();
    return SectionSix.show(state);
  }

  const gifts = (view) => (view.state.part === "audit" ? AuditList : SectionSix).gifts(view, sheets[view.state.part]);

  Studio.register({name: "paper", title: "Paper", start: START, mount, show, leave: AuditList.leave, gifts});
})();
