// The frontier chart: chart, caps, legend, a description of the selected point, and the points as a table.

import { draggedCaps } from "../base/drag.js";
import { field, figures, h, throttled, widget } from "../base/shared.js";
import { chart, within } from "../base/vega.js";

const VIEWS = [["frontier", "Frontier"], ["parallel", "All measures"], ["heat", "Heat map"]];
const GLYPHS = {
  circle: "M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0", square: "M-4.5,-4.5h9v9h-9Z", "triangle-up": "M0,-5.5L5.5,4.5H-5.5Z",
  diamond: "M0,-6L5,0L0,6L-5,0Z", "triangle-down": "M0,5.5L5.5,-4.5H-5.5Z", cross: "M-5.5,-1.8h3.7v-3.7h3.6v3.7h3.7v3.6h-3.7v3.7h-3.6v-3.7h-3.7Z",
};

const LETTER = 6.2, WIDEST_NAME = 340, CELL = 40; // pixels in a heat map: a letter, a row's name, a readable cell

export default widget(({ model, el, send, on, trait, mark }) => {
  el.classList.add("wb-frontier");
  let state = null, cursor = -1;
  const whys = new Map();

  // ---- the elements of the page
  const tabs = VIEWS.map(([name, label]) => h("button", {
    type: "button", "data-view": name, onclick: () => send("view", { view: name }),
  }, label));
  const choice = h("div", { class: "wb-tabs", role: "group", "aria-label": "View" }, tabs);
  const pin = h("button", { type: "button", class: "wb-quiet", onclick: () => send("pin", { on: !state?.pinned }) }, "Pin");
  const sides = ["privacy", "utility"].map((side, which) => axisControls(side, which));
  const headline = h("p", { class: "wb-headline" });
  const missing = h("button", { type: "button", class: "wb-quiet wb-link", hidden: true, onclick: () => { leftOut.open = !leftOut.open; } });
  const stage = h("div", { class: "wb-stage", tabindex: 0, role: "application", "aria-roledescription": "chart", onkeydown: keyed, onblur: () => walk(-1) });
  const nothing = h("p", { class: "wb-nothing", hidden: true });
  const legend = h("ul", { class: "wb-legend", "aria-label": "Lines" });
  const best = h("p", { class: "wb-best" });
  const chosen = h("div", { class: "wb-point", "aria-live": "polite" });
  const compared = h("p", { class: "wb-compared", hidden: true });
  const unlike = h("p", { class: "wb-unlike", role: "note", hidden: true });
  const tableBody = h("div", { class: "wb-scroll" });
  const table = h("details", { class: "wb-alternative", ontoggle: drawTable }, h("summary", {}, "The points as a table"), tableBody);
  const leftBody = h("div", { class: "wb-scroll" });
  const leftOut = h("details", { class: "wb-alternative", hidden: true, ontoggle: () => { if (leftOut.open) send("left_out"); } },
    h("summary", {}, "Left out, and why"), leftBody);
  const budget = h("input", { type: "text", size: 7, value: "30 s", autocomplete: "off",
    onkeydown: event => { if (event.key === "Enter" && !find.hidden) find.click(); } });
  const find = h("button", { type: "button", onclick: () => send("find", { field: "find", budget: budget.value }),
    title: "Search beyond the study's own methods and models: with caps, for the release within them that loses least; without caps, for a frontier without gaps. Better releases are added to the study." }, "Find better");
  const stop = h("button", { type: "button", hidden: true, onclick: () => { stop.disabled = true; send("stop"); } }, "Cancel");
  const over = h("select", { onchange: () => send("intervals", { field: "intervals", over: over.value }) },
    [["", "none"], ["records", "bootstrap"], ["seeds", "other seeds"], ["learning", "learning attacker"]].map(([value, label]) => h("option", { value }, label)));
  const finding = h("span", { class: "wb-why", role: "status" });
  const tried = h("ul", {});
  const noted = h("details", { class: "wb-alternative", hidden: true }, h("summary", {}, "Methods tried"), tried);
  const seek = h("div", { class: "wb-row wb-find", hidden: true }, find, field("find", "within", budget, "seconds, 2 min, or 40 evaluations"),
    field("intervals", "Intervals", over, "Uncertainty of each figure. Bootstrap: 20 resamples of the records. Other seeds: 20 runs with other random seeds. Learning attacker: from an attacker who uses each class by itself to one who learns across classes; takes seconds per release."),
    stop, finding);
  const shown = h("div", {},
    h("div", { class: "wb-row wb-controls" }, sides.map(side => side.element)),
    seek,
    h("div", { class: "wb-row wb-headline-row" }, headline, missing),
    stage, legend, unlike, best, chosen, compared, leftOut, noted, table);
  const zooms = h("div", { class: "wb-tabs wb-zoom", role: "group", "aria-label": "Zoom" },
    [["−", "Zoom out", 1.5], ["+", "Zoom in", 1 / 1.5], ["Reset", "Show all again", null]].map(([text, label, by]) => h("button", {
      type: "button", "aria-label": label, onclick: () => zoom(by),
      title: `${label}. Ctrl or Shift and the wheel zoom as well, dragging moves, a double click shows all again.`,
    }, text)));
  el.append(h("div", { class: "wb-row wb-head" }, choice, zooms, pin), nothing, shown);
  const instead = `.${model.get("instead")}`; // while this view is on the page, the saved picture is hidden
  el.append(h("style", {}, `.jp-OutputArea-child:has(${instead}), ${instead} { display: none !important; }`));

  const picture = chart(stage, { send, on }, { picked, tip });
  const dragged = draggedCaps(stage, picture, () => state?.view === "frontier" ? state.caps : [],
    throttled((cap, value) => {
      const input = sides.find(one => one.side === sideOf(cap.key)).cap;
      input.setAttribute("aria-invalid", "false");
      input.value = value ?? "";
      send("cap", { field: `cap-${sideOf(cap.key)}`, key: cap.key, value });
    }, 60));

  /** Return the minimum width of a readable heat map; a narrower page scrolls it. */
  function least() {
    const letters = Math.max(0, ...state.rows.cells.map(cell => cell.row.length));
    return Math.ceil(Math.min(LETTER * letters, WIDEST_NAME) + 14 + CELL * state.measures.length);
  }

  /** Create the controls of an axis: its measure and its cap. */
  function axisControls(side, which) {
    const menu = h("select", { onchange: () => send("axis", { field: `axis-${side}`, side, key: menu.value }) });
    const cap = h("input", { type: "text", inputmode: "decimal", size: 7, autocomplete: "off", placeholder: "no cap",
      onchange: () => send("cap", { field: `cap-${side}`, key: menu.value, value: cap.value }),
      onkeydown: event => { if (event.key === "Enter") cap.dispatchEvent(new Event("change")); } });
    const menuField = field(`axis-${side}`, which ? "Utility, upwards" : "Privacy, to the right", menu);
    const capField = field(`cap-${side}`, "at most", cap, "The best point within the caps is marked. Drag the line, or type a number.");
    const log = h("input", { type: "checkbox", onchange: () => send("scale", { field: `axis-${side}`, side, on: log.checked }) });
    const bound = capField.querySelector("label");
    const update = ({ measures, axes, caps }) => {
      const fitting = measures.filter(measure => measure.side === side);
      if (menu.dataset.of !== fitting.map(measure => measure.key).join()) {
        menu.replaceChildren(...fitting.map(({ key, name }) => h("option", { value: key }, key.includes("(") ? key : `${name}, ${key}`)));
        menu.dataset.of = fitting.map(measure => measure.key).join();
      }
      menu.value = axes[which];
      log.checked = caps[which].log;
      log.setAttribute("aria-label", `logarithmic axis: ${axes[which]}`);
      cap.setAttribute("aria-label", `cap: ${axes[which]} ${caps[which].bound}`);
      bound.textContent = `${caps[which].bound}`;
      const value = caps[which].value === null ? "" : String(caps[which].value);
      const typed = document.activeElement === cap || cap.getAttribute("aria-invalid") === "true";
      if (!typed) cap.value = value; // half-typed and invalid text remains
    };
    return { side, cap, element: h("div", { class: "wb-axis" }, menuField, capField,
      h("label", { class: "wb-log", title: "Logarithmic axis; zero and infinity are drawn at its edges" }, log, "log")), update };
  }

  const sideOf = key => state.measures.find(measure => measure.key === key)?.side;

  // ---- messages from Python
  on("nothing", ({ text, pinned }) => {
    state = null;
    if (shown.offsetHeight) nothing.style.minHeight = `${shown.offsetHeight}px`; // elements below do not move
    nothing.textContent = text;
    nothing.hidden = false;
    shown.hidden = true;
    pin.hidden = !pinned;
  });

  on("picture", message => {
    const { spec, rows } = message;
    const caps = dragged.held() && state ? state.caps : message.caps;
    state = { ...message, caps, rows, spec: spec ?? state?.spec };
    whys.clear();
    mark("", ""); // errors of the previous points
    nothing.hidden = true;
    shown.hidden = false;
    shown.classList.toggle("wb-stale", state.stale);
    pin.hidden = false;
    pin.textContent = state.pinned ? "Unpin" : "Pin";
    pin.setAttribute("aria-label", state.pinned ? "Unpin" : "Pin to compare");
    pin.title = state.pinned ? "Unpin this frontier" : "Keep this frontier on the chart, to compare the next ones with it";
    if (dragged.held()) { delete rows.cap_x; delete rows.cap_y; }
    if (spec) picture.show(spec, rows); else picture.rows(rows);
    headline.textContent = state.headline;
    headline.setAttribute("aria-live", state.complete ? "polite" : "off");
    missing.hidden = leftOut.hidden = !state.left_out;
    missing.textContent = `${state.left_out}: why?`;
    if (leftOut.open) send("left_out");
    stage.setAttribute("aria-label", `${state.spoken} Arrow keys go from point to point, Enter selects.`);
    stage.classList.toggle("wb-tall", state.view === "heat");
    if (state.view === "heat") stage.style.setProperty("--wb-least", `${least()}px`);
    for (const side of sides) side.update(state);
    drawLegend();
    capped(state);
    compared.hidden = !state.compared;
    compared.textContent = state.compared;
    unlike.hidden = !state.unlike;
    unlike.textContent = state.unlike;
    drawPoint();
    if (table.open) drawTable();
  });

  on("stale", ({ on: stale }) => {
    if (state) state.stale = stale;
    shown.classList.toggle("wb-stale", stale);
  });

  on("moved", ({ rows, text, nearly }) => {
    picture.rows(rows);
    if (!state) return;
    Object.assign(state.rows, rows);
    Object.assign(state, { moving: text, nearly });
    drawPoint();
  });

  on("rows", ({ rows }) => {
    if (dragged.held()) { delete rows.cap_x; delete rows.cap_y; }
    if (state) Object.assign(state.rows, rows);
    picture.rows(rows);
  });

  on("capped", message => {
    if (!state) return;
    if (!dragged.held()) state.caps = message.caps;
    Object.assign(state, { best: message.best, best_index: message.best_index });
    for (const side of sides) side.update(state);
    capped(state);
  });

  on("why", ({ index, text }) => { whys.get(index)?.resolve(text); });
  on("left_out", ({ rows }) => leftBody.replaceChildren(h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Recipe"), h("th", { scope: "col" }, "Why"))),
    h("tbody", {}, rows.map(([recipe, reason]) => h("tr", {}, h("td", {}, recipe), h("td", {}, reason)))))));

  on("finding", ({ on: goes, text, notes }) => {
    find.hidden = goes;
    stop.hidden = !goes;
    stop.disabled = false;
    finding.textContent = text;
    noted.hidden = !notes.length;
    tried.replaceChildren(...notes.map(note => h("li", {}, note)));
  });
  trait("finds", there => { seek.hidden = !there; });
  trait("intervals", value => { over.value = value.over ?? ""; });

  trait("view", name => {
    zooms.hidden = name !== "frontier";
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === name));
  });
  trait("selected", () => { drawPoint(); if (table.open) drawTable(); });

  // ---- actions of the user
  function select(index) { send("select", { index: index === model.get("selected") ? -1 : index }); }

  function picked(datum) {
    if (state && state.view !== "frontier" && datum?.i >= 0) select(datum.i);
  }

  /** Zoom around the selected point, or around the middle; without a factor show everything again. */
  function zoom(by) {
    const view = picture.view(), at = state?.rows.chosen?.[0];
    if (!view || state?.view !== "frontier") return;
    for (const name of ["x", "y"]) {
      const scale = view.scale(name), [a, b] = scale.range(), middle = at ? scale(at[name]) : (a + b) / 2;
      const ends = [a, b].map(end => scale.invert(middle + (end - middle) * by));
      view.signal(`zoom_${name}`, by ? ends : null);
    }
    view.runAsync();
  }

  let down = null;
  stage.addEventListener("pointerdown", event => { down = event; }, true);
  stage.addEventListener("click", event => {
    const dragging = down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 4;
    if (!state || state.view !== "frontier" || dragging) return;
    const near = nearest(event);
    if (near >= 0) select(near);
  });

  /** Return the point nearest to the pointer, since small marks are hard to hit. */
  function nearest(event) {
    const view = picture.view();
    if (!view) return -1;
    const at = within(view, event), x = view.scale("x"), y = view.scale("y");
    const far = row => Math.hypot(x(row.x) - at.x, y(row.y) - at.y);
    const found = state.rows.points.reduce((a, b) => !a || far(b) < far(a) ? b : a, null);
    return found && far(found) < 16 ? found.i : -1;
  }

  /** Request the explanation of a point, once. */
  function why(index) {
    if (!whys.has(index)) {
      const one = {};
      one.text = new Promise(resolve => { one.resolve = resolve; });
      whys.set(index, one);
      send("why", { index });
    }
    return whys.get(index).text;
  }

  function explained(index, element) {
    const now = state;
    why(index).then(text => { if (state === now) element.textContent = text; });
    return element;
  }

  function tip(datum) {
    if (state?.rows.moving?.includes(datum) || datum.i === undefined || datum.i < 0) return [h("b", {}, datum.recipe ?? "")];
    if (datum.line?.startsWith("pinned: ")) return [h("b", {}, datum.recipe), h("p", {}, datum.line)];
    const point = state?.points[datum.i];
    return point ? [h("b", {}, point.recipe), h("dl", {}, pairs(point)), explained(datum.i, h("p", { class: "wb-why" }, "…"))] : [];
  }

  function pairs(point) {
    return state.measures.map(({ key, better }, i) => [h("dt", {}, key), h("dd", {}, figures(point.values[i]) + point.intervals[i])]);
  }

  /** Move through the points from left to right, as they are drawn. */
  function keyed(event) {
    if (event.target !== stage || !state) return;
    const order = state.view === "frontier"
      ? [...state.rows.points].sort((a, b) => a.x - b.x || a.y - b.y).map(row => row.i)
      : state.view === "heat" ? [...new Set(state.rows.cells.map(cell => cell.i))].filter(i => i >= 0)
        : [...new Set(state.rows.strands.map(strand => strand.i))];
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const from = order.indexOf(cursor >= 0 ? cursor : model.get("selected"));
    if (step && order.length) walk(order[Math.min(Math.max(from + step, 0), order.length - 1)]);
    else if (event.key === "Home") walk(order[0]);
    else if (event.key === "End") walk(order.at(-1));
    else if ((event.key === "Enter" || event.key === " ") && cursor >= 0) select(cursor);
    else if (event.key === "Escape") walk(-1);
    else if ("+-0".includes(event.key)) zoom({ "+": 1 / 1.5, "-": 1.5, 0: null }[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function walk(index) {
    if (cursor === index) return;
    cursor = index;
    if (state?.view === "frontier") picture.rows({ cursor: state.rows.points.filter(row => row.i === index) });
    drawPoint();
  }

  // ---- the rest of the page
  function capped({ best: text, best_index: index }) {
    best.replaceChildren(...(text ? [text, index >= 0 && index !== model.get("selected")
      ? h("button", { type: "button", class: "wb-quiet wb-link", onclick: () => send("select", { index }) }, "select it") : ""] : []));
  }

  function drawLegend() {
    const written = JSON.stringify([state.legend, state.note]);
    if (legend.dataset.shown === written) return;
    legend.dataset.shown = written;
    legend.replaceChildren(...state.legend.map(({ line, hue, shape, dash }) => h("li", {},
      h("svg:svg", { width: dash ? 34 : 16, height: 14, viewBox: dash ? "-17 -7 34 14" : "-8 -7 16 14", "aria-hidden": "true" },
        dash ? h("svg:path", { d: "M-17,0H17", stroke: hue, "stroke-width": 2, "stroke-dasharray": dash.join(" ") }) : null,
        h("svg:path", { d: GLYPHS[shape], fill: hue })), line)),
      ...(state.note ? [h("li", { class: "wb-why" }, state.note)] : []));
  }

  function drawPoint() {
    if (!state) return;
    const selected = model.get("selected"), index = cursor >= 0 ? cursor : selected, point = state.points[index];
    const rows = [];
    if (point) {
      const values = state.measures.map(({ key, better }, i) => `${key} ${figures(point.values[i])}${point.intervals[i]}`).join(", ");
      rows.push(h("p", {}, h("b", {}, `${cursor >= 0 && cursor !== selected ? "Enter selects" : "Selected"}: ${point.recipe}`), ` ${values}`),
        explained(index, h("p", { class: "wb-why" }, point.state)));
    } else rows.push(h("p", { class: "wb-why" }, "Click a point to select its release; the arrow keys go from point to point."));
    if (state.moving) rows.unshift(h("p", {}, h("b", {}, state.nearly ? "◇ Estimated: " : "◆ Current: "), state.moving));
    chosen.replaceChildren(...rows);
    capped(state);
  }

  function drawTable() {
    if (!table.open || !state) return;
    const selected = model.get("selected");
    const head = ["Recipe", "State", ...state.measures.map(measure => measure.key)];
    tableBody.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { scope: "col", class: i > 1 ? "wb-number" : null }, name)))),
      h("tbody", {}, state.points.map((point, i) => h("tr", { "aria-selected": String(i === selected), class: i === selected ? "wb-on" : null },
        h("th", { scope: "row" }, h("button", { type: "button", class: "wb-quiet wb-link", onclick: () => select(i) }, point.recipe)),
        h("td", {}, point.state), point.values.map((value, i) => h("td", { class: "wb-number" }, figures(value) + point.intervals[i])))))));
  }

  return () => picture.end();
});
