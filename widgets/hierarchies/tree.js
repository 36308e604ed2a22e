// The data at each level as a tree, coarsest level first, with values and records per node; only visible rows are drawn.

import { count, fresh, h } from "../base/shared.js";
import { hueOf } from "./cuts.js";

const ROW = 22;

/** A list of rows of equal height, of which only visible ones are drawn with draw(index). */
export function longList({ attributes, draw }) {
  const inner = h("div", { class: "wb-hier-long", role: "presentation" });
  const element = h("div", { class: "wb-hier-scroll", tabindex: 0, ...attributes }, inner);
  let size = 0, shown = "";
  function redraw(all) {
    const from = Math.max(0, Math.floor(element.scrollTop / ROW) - 8);
    const to = Math.min(size, Math.ceil((element.scrollTop + (element.clientHeight || 400)) / ROW) + 8);
    if (!all && shown === `${from}-${to}`) return;
    shown = `${from}-${to}`;
    const rows = [];
    for (let i = from; i < to; i++) {
      const row = draw(i);
      row.style.top = `${i * ROW}px`;
      rows.push(row);
    }
    inner.replaceChildren(...rows);
  }
  element.addEventListener("scroll", () => redraw(false), { passive: true });
  const watch = new ResizeObserver(() => redraw(false));
  watch.observe(element);
  return {
    element, redraw: () => redraw(true), end: () => watch.disconnect(),
    resize(rows) { size = rows; inner.style.height = `${rows * ROW}px`; redraw(true); },
    reveal(index) {
      const top = index * ROW;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW - element.clientHeight;
    },
    page: () => Math.max(1, Math.floor(element.clientHeight / ROW) - 1),
  };
}

/** The content of a tree message: level 0 is the finest; -1 are the values. */
export function treeOf(tree) {
  const below = new Float64Array(tree.size + 1);
  for (let i = 0; i < tree.size; i++) below[i + 1] = below[i] + tree.counts[i];
  const starts = level => tree.levels[level].starts;
  const first = (list, at) => {  // the position of the first start at or above a value
    let low = 0, high = list.length;
    while (low < high) { const middle = (low + high) >> 1; if (list[middle] < at) low = middle + 1; else high = middle; }
    return low;
  };
  return {
    ...tree, top: tree.levels.length - 1, all: below[tree.size],
    range: (level, run) => level < 0 ? [run, run + 1] : [starts(level)[run], starts(level)[run + 1] ?? tree.size],
    label: (level, run) => level < 0 ? tree.leaves[run] : tree.levels[level].labels[run],
    records: (low, high) => below[high] - below[low],
    /** Return the runs of a level that begin within a range. */
    within(level, low, high) {
      if (level < 0) return tree.leaves.length ? [low, high] : [0, 0];
      return [first(starts(level), low), first(starts(level), high)];
    },
    runs: level => level < 0 ? tree.leaves.length : starts(level).length,
  };
}

/** paint(tree, { name, preview }) shows a tree; that of another column is folded to its coarsest level. */
export function levelTree() {
  let tree = null, name = null, rows = [], at = 0, opened = new Set(), words = "";
  const search = h("input", { type: "search", placeholder: "Search values and groups", "aria-label": "Search values and groups",
    oninput: () => { words = search.value.trim().toLowerCase(); at = 0; lay(); } });
  const depth = h("div", { class: "wb-hier-depth", role: "group", "aria-label": "Open to a level" });
  const id = fresh("tree");
  const list = longList({ draw, attributes: { role: "treegrid", id, "aria-label": "The data at each level",
    "aria-colcount": 3 } });
  const missing = h("div", { class: "wb-note" });
  const caption = h("span", { class: "wb-hier-caption" });
  const nothing = h("div", { class: "wb-note", hidden: true }, "No value or group matches.");
  const element = h("div", { class: "wb-hier-tree" },
    h("div", { class: "wb-hier-treehead" }, caption, search),
    depth,
    h("div", { class: "wb-hier-head", "aria-hidden": "true" }, h("span", {}, "group or value"), h("span", {}, "values"), h("span", {}, "records")),
    list.element, nothing, missing);

  const keyOf = (level, run) => `${level}:${tree.label(level, run)}`;

  /** Return the visible rows: [level, run, depth, open or null for a leaf]. */
  function lay() {
    rows = [];
    const found = words ? matches() : null;
    const walk = (level, run, depth) => {
      const [low, high] = tree.range(level, run);
      const hit = found && tree.label(level, run).toLowerCase().includes(words);
      const inside = found ? found[high] - found[low] : 0;
      if (found && !hit && !inside) return;
      const leaf = level < 0 || (high - low === 1 && tree.label(level, run) === tree.leaves[low]) || !tree.leaves.length && level === 0;
      const open = !leaf && (found && inside > 0 && !(hit && opened.has(`closed ${keyOf(level, run)}`)) || opened.has(keyOf(level, run)));
      rows.push([level, run, depth, leaf ? null : open]);
      if (!open) return;
      const [from, to] = tree.within(level - 1, low, high);
      for (let child = from; child < to; child++) walk(level - 1, child, depth + 1);
    };
    for (let run = 0; run < tree.runs(tree.top); run++) walk(tree.top, run, 1);
    at = Math.min(at, Math.max(rows.length - 1, 0));
    list.element.setAttribute("aria-rowcount", rows.length);
    nothing.hidden = rows.length > 0 || !words;
    list.resize(rows.length);
    mark();
  }

  /** Count the matching values up to each value, by their own label or that of a group. */
  function matches() {
    const hit = new Uint8Array(tree.size);
    tree.leaves.forEach((leaf, i) => { if (leaf.toLowerCase().includes(words)) hit[i] = 1; });
    for (let level = 0; level < tree.top; level++) {
      tree.levels[level].labels.forEach((label, run) => {
        if (label.toLowerCase().includes(words)) hit[tree.range(level, run)[0]] = 1;
      });
    }
    const sums = new Int32Array(tree.size + 1);
    for (let i = 0; i < tree.size; i++) sums[i + 1] = sums[i] + hit[i];
    return sums;
  }

  function draw(index) {
    const [level, run, depth, open] = rows[index], [low, high] = tree.range(level, run), records = tree.records(low, high);
    return h("div", { role: "row", class: `wb-hier-node${index === at ? " wb-hier-at" : ""}`, id: `${id}-${index}`, "aria-level": depth,
      "aria-rowindex": index + 1, "aria-expanded": open === null ? null : String(open), "aria-selected": String(index === at),
      onclick: () => { at = index; if (open !== null) toggle(index); else { mark(); list.redraw(); } } },
      h("span", { role: "gridcell", class: "wb-hier-label", style: `padding-left: ${(depth - 1) * 14}px`, title: tree.label(level, run) },
        h("span", { class: "wb-hier-fold", "aria-hidden": "true" }, open === null ? "" : open ? "▾" : "▸"),
        level >= 0 && h("span", { class: "wb-hier-dot", style: `background: ${hueOf(level)}`, title: `level ${level + 1}` }),
        tree.label(level, run)),
      h("span", { role: "gridcell", class: "wb-hier-n" }, level < 0 ? "" : count(high - low)),
      h("span", { role: "gridcell", class: "wb-hier-n wb-hier-share", style: `--share: ${tree.all ? 100 * records / tree.all : 0}%` }, count(records)));
  }

  const mark = () => list.element.setAttribute("aria-activedescendant", rows.length ? `${id}-${at}` : "");
  function toggle(index, want) {
    const [level, run, , open] = rows[index], key = keyOf(level, run), next = want ?? !open;
    if (open === null || next === open) return;
    if (next) { opened.add(key); opened.delete(`closed ${key}`); }
    else { opened.delete(key); opened.add(`closed ${key}`); }
    lay();
  }
  function go(index) { at = Math.min(Math.max(index, 0), rows.length - 1); list.reveal(at); list.redraw(); mark(); }
  const parent = index => { for (let i = index - 1; i >= 0; i--) if (rows[i][2] < rows[index][2]) return i; return index; };
  list.element.addEventListener("keydown", event => {
    const open = rows[at]?.[3];
    const keys = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(rows.length - 1),
      PageDown: () => go(at + list.page()), PageUp: () => go(at - list.page()),
      ArrowRight: () => open === false ? toggle(at, true) : go(at + (open ? 1 : 0)),
      ArrowLeft: () => open ? toggle(at, false) : go(parent(at)),
      Enter: () => toggle(at), " ": () => toggle(at),
    };
    if (!rows.length || !keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });

  /** Unfold everything above a level, so that its nodes are the last visible ones. */
  function openTo(level) {
    opened = new Set();
    for (let above = tree.top; above > level; above--) for (let run = 0; run < tree.runs(above); run++) opened.add(keyOf(above, run));
    lay();
  }

  function buttons() {
    const names = tree.levels.map((one, i) => [i, `level ${i + 1}`, one.starts.length]).reverse();
    if (tree.leaves.length) names.push([-1, "values", tree.size]);
    depth.hidden = names.length < 2;
    depth.replaceChildren("Open to ", ...names.map(([level, text, n]) => h("button", { class: "wb-quiet wb-hier-small",
      title: `${text}: ${count(n)}`, onclick: () => openTo(level) }, level < 0 ? "values" : String(level + 1), h("small", {}, count(n)))));
  }

  return {
    element,
    paint(message, { name: called, preview }) {
      tree = treeOf(message);
      if (called !== name) { opened = new Set(); words = search.value = ""; at = 0; list.element.scrollTop = 0; }
      name = called;
      caption.textContent = preview ? "Preview, not in use" : "The data at each level";
      caption.classList.toggle("wb-hier-preview", preview);
      missing.textContent = [
        tree.missing ? `${tree.called}: ${count(tree.missing)} records, in a separate branch` : "",
        tree.nested ? "" : "The levels do not nest: a group is listed at the position of its first value, and cuts on levels pass over a level that does not nest in the one above.",
        tree.leaves.length ? "" : `${count(tree.size)} values are too many to list one by one.`,
      ].filter(Boolean).join(". ");
      buttons();
      lay();
    },
    end: list.end,
  };
}
