// The lattice: a square for each combination of levels, row by row by how far it generalizes; a canvas, since there are thousands.

import { count, debounced, field, figures, fresh, h, step, throttled, widget } from "../base/shared.js";

const SIZE = 9, GAP = 2, LABEL = 44;
const REST = [[124, 123, 120], [188, 175, 111], [255, 234, 70]]; // cividis, which suits color-blind readers; with a lighter dark end for dark themes
const RAMPS = { light: [[0, 32, 77], [65, 77, 107], ...REST], dark: [[52, 116, 196], [88, 120, 158], ...REST] };
const HUGE_CELL = 16;

function shadeOf(part, stops) {
  const at = Math.min(Math.max(part, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2), rest = at - i;
  return `rgb(${stops[i].map((one, c) => Math.round(one + (stops[i + 1][c] - one) * rest)).join(",")})`;
}

/** Convert a message's buffer, which may be unaligned, to a typed array. */
const numbers = (kind, buffer) => new kind(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength));

export default widget(({ el, send, on, model, trait }) => {
  const { element, body, chosen } = step("Lattice: every combination of levels", { model, trait });
  el.classList.add("wb-lattice");
  el.append(element);
  const shade = h("select", { onchange: () => send("shade", { key: shade.value, field: "shade" }) });
  const ask = throttled(value => send("suppress", { value, field: "suppress" }), 60);
  const slider = h("input", { type: "range", id: fresh("suppress"), min: 0, max: 100, step: 0.5, oninput: () => { share.value = slider.value; ask(Number(slider.value)); } });
  const share = h("input", { type: "number", min: 0, max: 100, step: 0.5, "aria-label": "records that may be suppressed, in percent",
    onchange: () => send("suppress", { value: Number(share.value), field: "suppress" }) });
  const words = h("p", { class: "wb-note", role: "status" });
  const canvas = h("canvas", { tabindex: 0, role: "img", class: "wb-lattice-canvas" });
  const tip = h("div", { class: "wb-lattice-tip", hidden: true });
  const live = h("p", { class: "wb-lattice-live", "aria-live": "polite" });
  const scale = h("canvas", { width: 120, height: 10, "aria-hidden": true }), low = h("span"), high = h("span");
  const legend = h("div", { class: "wb-row wb-lattice-legend" }, low, scale, high,
    h("span", {}, "■ satisfies the model"), h("span", {}, "□ does not"), h("span", {}, "◉ efficient"));
  const efficient = h("select"), open = h("button", { type: "button", onclick: () => choose(Number(efficient.value)) }, "Show this release");
  const shown = h("div", { hidden: true }, words, h("div", { class: "wb-lattice-place" }, canvas, tip), live, legend,
    h("div", { class: "wb-row" }, field("efficient", "efficient combinations", efficient), open));
  const none = h("p", { class: "wb-note" }, "There are no quasi-identifiers yet.");
  body.append(
    h("p", { class: "wb-note" }, "Each square is a release with one level per column. Rows go from fine to coarse; click a square to show its release."),
    h("div", { class: "wb-row wb-lattice-controls" }, field("shade", "color", shade),
      h("div", { class: "wb-field", "data-field": "suppress" }, h("label", { for: slider.id }, "records that may be suppressed (%)"), h("div", { class: "wb-row" }, slider, share), h("span", { class: "wb-wrong", role: "alert" }))),
    h("div", { "data-field": "nodes" }, h("span", { class: "wb-wrong", role: "alert" })), none, shown);

  let state = null, cursor = -1, last = -1;
  const stops = () => RAMPS[getComputedStyle(el).color.match(/\d+/g).slice(0, 3).every(part => Number(part) > 127) ? "dark" : "light"];

  const choose = node => { last = node; draw(); send("choose", { node, field: "nodes" }); };

  /** Compute the position of each node: in bands of equal height, with the best first. */
  function place() {
    const { columns, count: total, levels, value } = state, bands = [];
    for (let i = 0; i < total; i++) {
      let height = 0;
      for (let a = 0; a < columns.length; a++) height += levels[i * columns.length + a];
      (bands[height] ??= []).push(i);
    }
    const width = Math.max(320, canvas.parentElement.clientWidth || 900), across = Math.floor((width - LABEL) / (SIZE + GAP));
    let y = 4;
    state.spots = new Array(total);
    state.rows = [];
    bands.forEach((band, height) => {
      const order = key => (Number.isNaN(value[key]) ? Infinity : state.better === "lower" ? value[key] : -value[key]);
      band.sort((a, b) => order(a) - order(b) || a - b);
      state.rows.push({ height, y, of: band });
      band.forEach((node, k) => { state.spots[node] = [LABEL + (k % across) * (SIZE + GAP), y + Math.floor(k / across) * (SIZE + GAP)]; });
      y += Math.ceil(band.length / across) * (SIZE + GAP) + 5;
    });
    state.size = [width, y + 4];
  }

  function placeHeat() {
    const tall = Math.max(...state.fields.map(one => one.x)) + 1;
    const width = Math.max(320, canvas.parentElement.clientWidth || 900);
    state.wide = Math.max(8, Math.floor((width - LABEL) / (state.edges.length - 1)));
    state.spots = state.fields.map(({ x, y }) => [LABEL + y * state.wide, 4 + x * HUGE_CELL]);
    state.rows = Array.from({ length: tall }, (_, height) => ({ height, y: 4 + height * HUGE_CELL, of: [] }));
    state.fields.forEach((one, i) => state.rows[one.x].of.push(i));
    state.size = [width, tall * HUGE_CELL + 8];
  }

  function draw() {
    if (!state) return;
    const [width, height] = state.size, ratio = window.devicePixelRatio || 1, ink = getComputedStyle(el).color, ramp = stops();
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px sans-serif";
    pen.textBaseline = "top";
    pen.fillStyle = ink;
    for (const row of state.rows) pen.fillText(`+${row.height}`, 4, row.y);
    const [w, t] = state.fields ? [state.wide - 1, HUGE_CELL - 1] : [SIZE, SIZE];
    state.spots.forEach(([x, y], i) => {
      const color = shadeOf(state.part(i), ramp);
      if (state.satisfies(i)) { pen.fillStyle = color; pen.fillRect(x, y, w, t); }
      else { pen.strokeStyle = color; pen.lineWidth = 1.4; pen.strokeRect(x + 0.7, y + 0.7, w - 1.4, t - 1.4); }
      if (state.efficient(i)) { pen.strokeStyle = ink; pen.lineWidth = 2; pen.strokeRect(x - 0.5, y - 0.5, w + 1, t + 1); pen.fillStyle = "#fff"; pen.beginPath(); pen.arc(x + w / 2, y + t / 2, 2, 0, 7); pen.fill(); }
    });
    for (const [node, color] of /** @type {[number, string][]} */ ([[last, "#d55e00"], [cursor, ink]])) {
      if (node < 0 || !state.spots[node]) continue;
      const [x, y] = state.spots[node];
      pen.strokeStyle = color;
      pen.lineWidth = 2.5;
      pen.strokeRect(x - 2.5, y - 2.5, w + 5, t + 5);
    }
  }

  /** Describe a node. */
  function describe(i) {
    if (state.fields) {
      const one = state.fields[i], [from, to] = [state.edges[one.y], state.edges[one.y + 1]];
      return `${count(one.count)} combinations, ${one.x} levels up, ${state.key} ${figures(from)} to ${figures(to)}; ${count(one.keeping)} satisfy the model`;
    }
    const n = state.columns.length;
    const levels = state.columns.map(({ name, top }, a) => `${name} ${state.levels[i * n + a]}/${top}`).join(", ");
    const values = state.measures.map(({ key, better }, m) => `${key} ${figures(state.values[m][i])}`).join(", ");
    const verdict = !state.model ? "" : state.satisfies(i) ? `; satisfies ${state.model}${state.gone[i] ? `, ${count(state.gone[i])} records suppressed` : ""}`
      : `; ${count(state.breaking[i])} records violate ${state.model}`;
    return `${levels}: ${count(state.classes[i])} classes, ${values}${verdict}`;
  }

  const near = event => {
    const box = canvas.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const [w, t] = state.fields ? [state.wide, HUGE_CELL] : [SIZE + GAP, SIZE + GAP];
    return state.spots.findIndex(([sx, sy]) => x >= sx - 1 && x < sx + w && y >= sy - 1 && y < sy + t);
  };
  canvas.addEventListener("mousemove", event => {
    const node = state ? near(event) : -1;
    canvas.style.cursor = node >= 0 ? "pointer" : "";
    tip.hidden = node < 0;
    if (node < 0) return;
    tip.textContent = describe(node);
    const [x, y] = state.spots[node], room = canvas.clientWidth;
    tip.style.left = `${Math.min(x + 14, Math.max(room - 330, 0))}px`;
    tip.style.top = `${y + 18}px`;
  });
  canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", event => { const node = state ? near(event) : -1; if (node >= 0) { cursor = node; choose(node); } });
  canvas.addEventListener("keydown", event => {
    if (!state || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", " "].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter" || event.key === " ") { if (cursor >= 0) choose(cursor); return; }
    const rows = state.rows.filter(row => row.of.length), at = rows.findIndex(row => row.of.includes(cursor));
    if (at < 0) cursor = rows[0].of[0];
    else {
      const here = rows[at].of.indexOf(cursor), side = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0, step = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
      const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)].of;
      cursor = row[Math.min(Math.max(here + side, 0), row.length - 1)];
    }
    live.textContent = describe(cursor);
    draw();
  });

  function begin(given, extra) {
    state = { ...given, ...extra, key: given.shade, better: given.measures.find(one => one.key === given.shade)?.better ?? "lower" };
    cursor = -1;
    none.hidden = true;
    shown.hidden = false;
    shown.classList.remove("wb-stale");
    shade.replaceChildren(...given.measures.map(({ key, name }) => h("option", { value: key }, `${name} (${key})`)));
    shade.value = given.shade;
    const percentage = Math.round(1000 * given.suppress) / 10;
    if (document.activeElement !== slider) slider.value = percentage;
    if (document.activeElement !== share) share.value = percentage;
    words.textContent = given.model
      ? `${count(given.keeping)} of ${count(given.count)} combinations satisfy ${given.model} if at most ${percentage} % of the records may be suppressed.`
      : `${count(given.count)} combinations; the release has no model, so all of them are allowed.`;
    chosen(`${count(given.keeping)} of ${count(given.count)}`);
    canvas.setAttribute("aria-label", `${words.textContent} Move with the arrow keys, choose with Enter.`);
  }

  function ends(from, to) {
    [low.textContent, high.textContent] = [`${state.key} ${figures(from)}`, figures(to)];
    const pen = scale.getContext("2d"), colors = stops();
    for (let x = 0; x < 120; x++) { pen.fillStyle = shadeOf(x / 119, colors); pen.fillRect(x, 0, 1, 10); }
  }

  on("nodes", (given, buffers) => {
    const [levels, flags, gone, breaking, classes] = buffers.slice(0, 5).map((one, i) => numbers(i < 2 ? Uint8Array : Int32Array, one));
    const values = buffers.slice(5).map(one => numbers(Float32Array, one));
    const value = values[given.measures.findIndex(one => one.key === given.shade)];
    const finite = Array.from(value).filter(Number.isFinite), from = Math.min(...finite), to = Math.max(...finite);
    begin(given, {
      levels, gone, breaking, classes, values, value, satisfies: i => (flags[i] & 1) > 0, efficient: i => (flags[i] & 2) > 0,
      part: i => (Number.isFinite(value[i]) ? (value[i] - from) / (to - from || 1) : 1),
    });
    place();
    const best = [...flags.keys()].filter(i => flags[i] & 2).sort((a, b) => value[a] - value[b]);
    efficient.replaceChildren(...best.map(i => h("option", { value: i }, describe(i))));
    efficient.disabled = open.disabled = !best.length;
    ends(from, to);
    draw();
  });
  on("heat", given => {
    const most = Math.max(...given.fields.map(one => one.count));
    begin(given, { satisfies: i => given.fields[i].keeping > 0, efficient: i => given.fields[i].efficient, part: i => Math.sqrt(given.fields[i].count / most) });
    placeHeat();
    const best = given.fields.map((one, i) => i).filter(i => given.fields[i].efficient);
    efficient.replaceChildren(...best.map(i => h("option", { value: i }, describe(i))));
    efficient.disabled = open.disabled = !best.length;
    [low.textContent, high.textContent] = ["few combinations", "many"];
    ends(0, most);
    [low.textContent, high.textContent] = ["few combinations", "many"];
    draw();
  });
  on("stale", () => { shown.classList.add("wb-stale"); words.textContent = "Scoring all combinations…"; });
  on("nothing", () => { shown.hidden = true; none.hidden = false; state = null; });
  const watch = new ResizeObserver(debounced(() => { if (state && el.isConnected) { (state.fields ? placeHeat : place)(); draw(); } }, 150));
  watch.observe(element);
  return () => watch.disconnect();
});
