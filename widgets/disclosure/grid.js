// A table of many rows, of which only the visible ones are in the page. Rows are class numbers in display order.

import { fresh, h } from "../base/shared.js";
import { cell } from "./cells.js";

const ROW = 36, GAP = 6, TALLEST = 8_000_000, SPARE = 6; // pixels; browsers end at about 16 million; rows

/**
 * `grid({ label, sort(key), activate(row), hover(row or -1), select(rows) })`. It stores the active and selected rows;
 * `draw` gives it new fields and rows, `mark` the threshold of records at risk.
 */
export function grid({ label, sort, activate, hover, select }) {
  const id = fresh("grid"), drawn = new Map();
  const head = h("div", { class: "wb-grid-head", role: "row", "aria-rowindex": 1 });
  const space = h("div", { class: "wb-grid-space", role: "rowgroup" });
  const empty = h("div", { class: "wb-grid-empty wb-note" });
  const element = h("div", {
    class: "wb-grid", role: "grid", tabindex: 0, "aria-label": label, "aria-multiselectable": "true",
  }, h("div", { role: "rowgroup", class: "wb-grid-top" }, head), space, empty);
  let data = null, fields = [], rows = new Uint32Array(0), places = new Int32Array(0), threshold = Infinity;
  let fit = "", sorted = null;
  let active = -1, anchor = -1, selected = new Set(), frame = 0;

  const scale = () => Math.min(1, TALLEST / (rows.length * ROW || 1));
  const place = row => (row >= 0 && row < places.length ? places[row] : -1);
  /** "wide", "narrow", or "scrolled" if even narrow columns do not fit: then the histogram is the last column. */
  function fitting() {
    const room = element.clientWidth - 2 * 3, least = way => fields.reduce((sum, field) => sum + pixels(field[way]) + GAP, -GAP);
    return room <= 0 || room >= least("width") ? "wide" : room >= least("narrow") ? "narrow" : "scrolled";
  }
  const pixels = width => parseInt(/\d+px/.exec(width)[0]);
  const laid = () => (fit === "scrolled" ? [...fields.filter(one => !one.picture), ...fields.filter(one => one.picture)] : fields);
  const resized = () => { if (data && fitting() !== fit) { heads(sorted); paint(true); } else later(); };

  const later = () => { frame ||= requestAnimationFrame(() => { frame = 0; paint(false); }); };

  function paint(anew) {
    if (!data) return;
    const s = scale(), view = element.clientHeight - head.offsetHeight;
    const first = Math.max(0, Math.floor(element.scrollTop / s / ROW) - SPARE);
    const last = Math.min(rows.length, Math.ceil(element.scrollTop / s / ROW + view / ROW) + SPARE);
    for (const [at, row] of drawn) if (anew || at < first || at >= last) { row.remove(); drawn.delete(at); }
    for (let at = first; at < last; at++) if (!drawn.has(at)) {
      const row = line(at, s === 1 ? at * ROW : element.scrollTop + (at - element.scrollTop / s / ROW) * ROW);
      drawn.set(at, row);
      space.append(row);
    }
    if (s < 1 && !anew) paint(true); // beyond the maximum height of a page, positions of rows depend on the scroll position
    else if (place(active) >= 0) element.setAttribute("aria-activedescendant", `${id}-${active}`);
    else element.removeAttribute("aria-activedescendant");
  }

  function line(at, top) {
    const row = rows[at], chosen = selected.has(row);
    return h("div", {
      class: `wb-grid-row${chosen ? " wb-lit" : ""}${row === active ? " wb-active" : ""}`, id: `${id}-${row}`, role: "row",
      "aria-rowindex": at + 2, "aria-selected": String(chosen), "data-row": row, style: `top: ${top}px`,
    }, laid().map(field => cell(data, field, row, threshold)));
  }

  function heads(sorting) {
    sorted = sorting;
    fit = fitting();
    const way = fit === "wide" ? "width" : "narrow";
    element.style.setProperty("--wb-columns", laid().map(field => field[way]).join(" "));
    element.style.setProperty("--wb-least", `${fields.reduce((sum, field) => sum + pixels(field[way]) + GAP, 0)}px`);
    element.setAttribute("aria-colcount", fields.length);
    const focused = [...head.children].findIndex(one => one.contains(document.activeElement));
    head.replaceChildren(...laid().map(field => {
      const on = sorting.key === field.key, way = sorting.descending ? "descending" : "ascending";
      return h("div", { role: "columnheader", "aria-sort": on ? way : "none", class: field.number && "wb-number" },
        h("button", { class: "wb-quiet", title: field.help, onclick: () => sort(field.key), "data-key": field.key },
          h("span", { class: "wb-clamped" }, field.title.replace(/[_.-]/g, "$&\u200b")), on && h("i", { "aria-hidden": "true" }, sorting.descending ? "▼" : "▲")));
    }));
    head.children[focused]?.firstChild.focus();
  }

  function show(row) {
    const at = place(row), s = scale();
    if (at < 0) return;
    const view = element.clientHeight - head.offsetHeight, top = element.scrollTop / s;
    if (at * ROW < top) element.scrollTop = at * ROW * s;
    else if ((at + 1) * ROW > top + view) element.scrollTop = ((at + 1) * ROW - view) * s;
  }

  function go(row, how = {}) {
    active = row;
    if (how.range) {
      const [a, b] = [place(anchor) < 0 ? place(row) : place(anchor), place(row)].sort((x, y) => x - y);
      selected = new Set([...(how.add ? selected : []), ...rows.subarray(a, b + 1)]);
    } else {
      anchor = row;
      if (how.add) { selected = new Set(selected); selected.delete(row) || selected.add(row); }
      else if (how.pick) selected = selected.size === 1 && selected.has(row) ? new Set() : new Set([row]);
    }
    show(row);
    paint(true);
    activate(row);
    if (how.range || how.add || how.pick) select(selected);
  }

  function key(event) {
    if (event.target !== element || !rows.length) return;
    const page = Math.max(1, Math.floor((element.clientHeight - head.offsetHeight) / ROW) - 1), at = place(active);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
    const control = event.ctrlKey || event.metaKey;
    if (event.key in to && !event.altKey) {
      go(rows[Math.min(rows.length - 1, Math.max(0, to[event.key]))], { range: event.shiftKey });
    } else if (event.key === " " && at >= 0) go(active, event.shiftKey ? { range: true } : { add: true });
    else if (event.key === "Enter" && at >= 0) go(active, { pick: true });
    else if (control && event.key.toLowerCase() === "a") { selected = new Set(rows); paint(true); select(selected); }
    else if (event.key === "Escape" && selected.size) { selected = new Set(); paint(true); select(selected); }
    else return;
    event.preventDefault();
  }

  const rowAt = event => Number(event.target.closest?.("[data-row]")?.dataset.row ?? -1);
  space.addEventListener("pointerdown", event => {
    const row = rowAt(event);
    if (row < 0 || event.button) return;
    const add = event.ctrlKey || event.metaKey;
    event.preventDefault(); // a shift-click selects no text
    go(row, { range: event.shiftKey, add, pick: !add && !event.shiftKey }); // before the focus, which activates a row
    element.focus({ preventScroll: true });
  });
  let over = -1;
  const point = row => { if (row !== over) hover(over = row); };
  space.addEventListener("pointermove", event => point(rowAt(event)));
  space.addEventListener("pointerleave", () => point(-1));
  element.addEventListener("scroll", later, { passive: true });
  element.addEventListener("keydown", key);
  element.addEventListener("focus", () => { if (place(active) < 0 && rows.length) go(rows[0]); });
  const size = new ResizeObserver(resized);
  size.observe(element);

  return {
    element,
    get active() { return active; },
    get selected() { return selected; },
    draw(next, nextFields, nextRows, sorting, text) {
      data = next, fields = nextFields, rows = nextRows;
      places = new Int32Array(data.classes).fill(-1);
      rows.forEach((row, at) => { places[row] = at; });
      element.setAttribute("aria-rowcount", rows.length + 1);
      space.style.height = `${rows.length * ROW * scale()}px`;
      empty.textContent = text;
      heads(sorting);
      paint(true);
    },
    mark(value) { threshold = value; },
    choose(next) { selected = next; paint(true); },
    be(row) { active = row; paint(true); },
    top() { element.scrollTop = 0; },
    close() { size.disconnect(); cancelAnimationFrame(frame); },
  };
}
