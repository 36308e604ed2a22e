// The disclosure table: sorted, filtered and drawn here; why a class is exposed is asked of Python.

import { debounced, figures, h, throttled, widget } from "../base/shared.js";
import { unbroken } from "./cells.js";
import { controls } from "./controls.js";
import { grid } from "./grid.js";
import { lossChart, sharesList, valuesList } from "./loss.js";
import { fieldsOf, filtered, sorted, unpacked } from "./sorting.js";

export default widget(({ model, el, send, on, trait, mark }) => {
  el.classList.add("wb-disclosure");
  const state = {
    data: null, fields: [], order: null, rows: new Uint32Array(0), sorting: { key: "loss", descending: true },
    filter: { text: "", risk: false, only: false, size: [0, Infinity], loss: [-Infinity, Infinity] },
    threshold: Infinity, whys: new Map(), over: -1,
  };
  const ask = asker(send, settled => { if (settled in follow) follow[settled](); });
  const bar = controls({ state, mark, ask, refilter, clear, threshold: preview });
  const table = grid({
    label: "Classes of the release", sort: sortBy, activate: row => { state.over = -1; explain(row, true); }, hover: debounced(hovered, 100),
    select: rows => { choose(rows); if (state.filter.only) refilter(); },
  });
  const losses = lossChart({ range: brushed });
  const shares = h("div", { class: "wb-shares", role: "list", tabindex: 0, "aria-label": "share of the risk" });
  const sharesNote = h("p", { class: "wb-note" }), lossTitle = h("h4", {});
  const why = h("p", { class: "wb-why-text", "aria-live": "polite", tabindex: 0, "aria-label": "why a class is exposed" });
  const values = h("div", { class: "wb-values", role: "list", "aria-label": "the class against the whole table" });
  const nothing = h("p", { class: "wb-nothing", role: "status" }, "Counting the classes…");
  const side = h("div", { class: "wb-side" },
    h("div", {}, lossTitle, losses.element),
    h("div", {}, h("h4", {}, "Share of the risk"), shares, sharesNote));
  const body = h("div", { hidden: true },
    bar.element, h("div", { class: "wb-disclosure-main" }, table.element, side), h("div", { class: "wb-why" }, why, values));
  el.append(h("section", { "aria-label": "Disclosure by class" }, bar.title, nothing, body));

  function received(content, buffers) {
    performance.mark("wb-received");
    const data = state.data = unpacked(content, buffers);
    state.fields = fieldsOf(data);
    state.whys = new Map();
    if (!state.fields.some(field => field.key === state.sorting.key)) {
      state.sorting = { key: data.loss ? "loss" : "size", descending: Boolean(data.loss) };
    }
    nothing.hidden = !(body.hidden = false);
    stale(content.stale);
    side.hidden = values.hidden = !data.loss;
    lossTitle.textContent = data.loss ? `Loss of the records: mean ${figures(data.loss.mean)}` : "";
    shares.replaceChildren(...sharesList(data.shares));
    sharesNote.textContent = data.shares.text ? ""
      : "How far the mean loss falls when this column is merged away, as a share of all such falls.";
    bar.showData(data);
    adoptThreshold();
    table.choose(new Set(data.selected));
    table.be(data.active);
    if (data.active >= 0) state.whys.set(data.active, data.why);
    resort();
    explained(state.over < 0 ? data.active : -1);
    performance.measure("wb-drawn", "wb-received");
  }

  function stale(on) {
    body.classList.toggle("wb-stale", on);
    body.inert = on;
  }

  function sortBy(key) {
    const { sorting, fields } = state, field = fields.find(one => one.key === key);
    const first = !field.labels && key !== "size"; // what is worst first; names and sizes from the least on
    state.sorting = { key, descending: sorting.key === key ? !sorting.descending : first };
    table.top();
    resort();
  }

  function resort() {
    const field = state.fields.find(one => one.key === state.sorting.key);
    state.order = measured("wb-sort", () => sorted(state.data, field.by, state.sorting.descending));
    refilter();
  }

  function refilter() {
    const { data, order, filter, threshold } = state;
    if (!data) return;
    measured("wb-filter", () => {
      state.rows = filtered(data, order, filter, threshold, table.selected);
      table.draw(data, state.fields, state.rows, state.sorting, state.rows.length ? "" : "No class passes the filter.");
      light();
    });
  }

  function light() {
    const { data, rows, threshold, filter } = state;
    bar.count(data, rows, table.selected);
    if (!data.loss) return;
    losses.draw(data, rows, table.selected, threshold);
    losses.show(filter.loss);
  }

  const tellChosen = throttled(() => {
    const rows = Uint32Array.from(table.selected);
    ask.now("select", "selected", { turn: state.data.turn }, [rows.buffer]);
  }, 120);

  function choose(rows) {
    table.choose(rows);
    light();
    ask.soon("selected");
    tellChosen();
  }

  function brushed(low, high, done) {
    state.filter.loss = low === null ? [-Infinity, Infinity] : [low, high];
    bar.range(state.filter.loss);
    if (low === null) table.choose(new Set());
    else {
      const { loss } = state.data.columns, inside = new Set();
      for (let row = 0; row < loss.length; row++) if (loss[row] >= low && loss[row] <= high) inside.add(row);
      table.choose(inside);
    }
    refilter();
    if (done || low === null) choose(table.selected);
  }

  function clear() {
    state.filter = { text: "", risk: false, only: false, size: [0, Infinity], loss: [-Infinity, Infinity] };
    refilter();
  }

  function preview(value) {
    state.threshold = value;
    table.mark(value);
    if (state.filter.risk) refilter();
    else if (state.data) { table.be(table.active); losses.risk(value); }
    bar.risk(state.data, value);
  }

  function adoptThreshold() {
    if (!state.data?.loss) return;
    const own = model.get("at_risk");
    bar.threshold(own ?? state.data.loss.possible, own === null);
    preview(own ?? state.data.loss.possible);
  }

  // why a class is exposed: of the active one, or of the one under the pointer

  function explain(row, active) {
    if (active) send("why", { row, active: true, turn: state.data.turn });
    else if (!state.whys.has(row)) send("why", { row, turn: state.data.turn });
    explained(row);
  }

  function hovered(row) {
    state.over = row;
    if (row >= 0) explain(row, false);
    else explained(table.active);
  }

  function explained(row) {
    const known = row >= 0 && row < state.data.classes;
    if (known && !state.whys.has(row)) return; // the previous text remains until the answer arrives
    why.textContent = known ? unbroken(state.whys.get(row)) : "Point at a class, or go to one with the arrow keys, to read why it is exposed.";
    values.replaceChildren(...(known && state.data.loss ? valuesList(state.data, row) : []));
  }

  on("classes", (content, buffers) => {
    try { received(content, buffers); } finally { send("drawn", { turn: content.turn }); }
  });
  on("nothing", ({ text, turn, pending }) => {
    if (pending && state.data) { stale(true); send("drawn", { turn }); return; } // it stays, dimmed, until the next comes
    stale(false);
    state.data = null;
    body.hidden = !(nothing.hidden = false);
    nothing.textContent = text;
    send("drawn", { turn });
  });
  on("stale", ({ on: old }) => { if (state.data) stale(old); });
  on("why", ({ turn, row, text }) => {
    if (turn !== state.data?.turn) return;
    state.whys.set(row, text);
    if (row === (state.over < 0 ? table.active : state.over)) explained(row);
  });
  on("fine", ({ field }) => { mark(field, ""); mark("", ""); ask.answered(field); });
  on("problem", ({ field, text }) => { mark(field, text); ask.answered(field); });
  const follow = {
    selected() {
      const rows = model.get("selected");
      if (!state.data || (rows.length === table.selected.size && rows.every(row => table.selected.has(row)))) return;
      table.choose(new Set(rows));
      if (state.filter.only) refilter();
      else light();
    },
    at_risk: adoptThreshold,
    sensitive() { if (state.data) bar.sensitive(state.data.sensitive); },
  };
  for (const name of ["selected", "at_risk"]) trait(name, () => { if (!ask.waits(name)) follow[name](); });
  return () => table.close();
});

/** Asks Python, and knows what is not answered yet: the echo of an older answer must not undo a newer choice. */
function asker(send, settled) {
  const waiting = {}, unsent = new Set();
  return {
    soon(name) { unsent.add(name); },
    now(kind, name, content, buffers) {
      unsent.delete(name);
      waiting[name] = (waiting[name] ?? 0) + 1;
      send(kind, { field: name, ...content }, buffers);
    },
    answered(name) {
      if (!waiting[name]) return;
      waiting[name]--;
      setTimeout(() => { if (!this.waits(name)) settled(name); }, 40); // a trait comes a little after its message
    },
    waits(name) { return unsent.has(name) || waiting[name] > 0; },
  };
}

function measured(name, call) {
  performance.clearMeasures(name);
  const start = performance.now(), found = call();
  performance.measure(name, { start, end: performance.now() });
  return found;
}
