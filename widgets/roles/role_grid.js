// The list of columns with their roles: rows are selected like files, roles are set with the mouse or a key.

import { count, h, perCent } from "../base/shared.js";

export const ROLES = [["quasi", "Q", "quasi", "Quasi-identifier: attackers may know it"],
  ["sensitive", "S", "sensitive", "Sensitive: it must not be disclosed"],
  ["identifier", "I", "identifier", "Identifier: never published"],
  ["weight", "W", "weight", "Weight: how many people each record represents; never published"],
  ["dropped", "L", "leave out", "Leave out: not published, although it identifies nobody"],
  ["neutral", "N", "neutral", "Neutral: published unchanged"]];
export const WORD = { quasi: "quasi-identifier", sensitive: "sensitive", identifier: "identifier", dropped: "leave out",
  weight: "weight", neutral: "neutral" };
export const records = number => `${count(number)} ${number === 1 ? "record" : "records"}`;
/** Format a share of unique records. */
export const singledOut = perCent;

/** The selected rows, with a current row and the start of a range. */
function selecting(rows, changed) {
  const selected = new Set();
  let current = null, anchor = null;
  const shown = () => rows().filter(row => !row.element.hidden);
  const range = (from, to) => {
    const all = shown(), [a, b] = [all.indexOf(from), all.indexOf(to)].sort((x, y) => x - y);
    return a < 0 ? [to] : all.slice(a, b + 1);
  };
  const become = (row, chosen) => {
    selected.clear();
    for (const one of chosen) selected.add(one);
    current = row;
    changed();
  };
  return {
    get current() { return current; },
    get names() { return rows().filter(row => selected.has(row)).map(row => row.name); },
    has: row => selected.has(row),
    shown,
    only(row) { anchor = row; become(row, [row]); },
    upTo(row) { anchor ??= row; become(row, range(anchor, row)); },
    toggle(row) {
      anchor = row;
      const left = new Set(selected);
      if (!left.delete(row)) left.add(row);
      become(row, left);
    },
    at(row) { current = row; changed(); },
    all() { become(current ?? shown()[0], shown()); },
    these(names) {
      const found = rows().filter(row => names.includes(row.name));
      if (found.length) { anchor = found[0]; become(found[0], found); }
    },
    forget() { selected.clear(); current = anchor = null; },
  };
}

/** A row: name, share of unique records, role, with a place for errors and for a level. */
function columnRow(column, ask) {
  const buttons = Object.fromEntries(ROLES.map(([role, short, long, help]) => [role, h("button", {
    type: "button", role: "radio", tabindex: -1, title: help, class: `wb-${role}`, "aria-label": help.split(":")[0],
    onclick: event => { event.stopPropagation(); ask.role([column.name], role, `column:${column.name}`); },
  }, h("span", { class: "wb-short" }, short), h("span", { class: "wb-long" }, long))]));
  const few = `${count(column.distinct)} distinct ${column.distinct === 1 ? "value" : "values"}; ` + (column.unique
    ? `${records(column.unique)} unique (${singledOut(column.share).replace(" %", "\u00a0%")})`
    : "no record is unique");
  const level = h("select", { "aria-label": `Level at which ${column.name} is measured`, onchange: () => {
    const wanted = Number(level.value);
    level.value = level.dataset.now; // Python decides
    ask.level(column.name, wanted);
  } });
  level.dataset.now = "";
  const place = h("label", { class: "wb-level", hidden: true, onclick: event => event.stopPropagation() }, "measured at ", level);
  const element = h("div", { role: "row", class: "wb-column", tabindex: -1, "data-field": `column:${column.name}` },
    h("span", { role: "gridcell", class: "wb-column-name", title: column.name }, column.name,
      column.likely && h("i", { class: "wb-tag", title: "Probably sensitive, by its name or values" }, "sensitive?")),
    h("span", { role: "gridcell", class: "wb-alone", title: few, style: `--share: ${100 * column.share}%` },
      column.unique ? singledOut(column.share) : "–"),
    h("span", { role: "gridcell" }, h("span", { role: "radiogroup", class: "wb-six", "aria-label": `Role of ${column.name}` },
      Object.values(buttons))),
    h("span", { class: "wb-wrong", role: "alert" }), place);
  let role = "neutral", offered = false;

  function drawLevel(now) {
    place.hidden = !(column.sizes.length > 1 && (role === "sensitive" || offered));
    if (place.hidden) return;
    const wait = role !== "sensitive";
    level.replaceChildren(...(wait ? [h("option", { value: "" }, "choose…")] : []),
      ...column.sizes.map((size, i) => h("option", { value: i, disabled: size < 2 || size > ask.most() },
        `${i ? `level ${i}` : "its values"} (${count(size)})`)));
    level.dataset.now = level.value = wait ? "" : String(now ?? 0);
  }
  return {
    name: column.name, element, column, few,
    get role() { return role; },
    set(now, proposed, reason, atLevel) {
      role = now;
      if (role === "sensitive") offered = false;
      for (const [key, button] of Object.entries(buttons)) {
        button.setAttribute("aria-checked", key === role);
        button.classList.toggle("wb-proposed", key === proposed && key !== role);
        const help = ROLES.find(([one]) => one === key)[3];
        button.title = key === proposed ? `${help}. Proposed: ${reason}` : help;
      }
      drawLevel(atLevel);
    },
    offer() { offered = true; drawLevel(); },
    withdraw() { offered = false; drawLevel(); },
  };
}

/** The grid; ask.role(names, role, field), ask.level(name, level), ask.most(), ask.moved(). */
export function roleGrid(ask) {
  let rows = [];
  const body = h("div", { class: "wb-rows", role: "rowgroup" });
  const head = h("div", { class: "wb-column wb-titles", role: "row" },
    h("span", { role: "columnheader" }, "column"),
    h("span", { role: "columnheader", class: "wb-alone", title: "Share of the records that are unique on this column" }, "unique"),
    h("span", { role: "columnheader" }, h("span", { class: "wb-six" }, ROLES.map(([, short, long, help]) =>
      h("span", { title: help }, h("span", { class: "wb-short" }, short), h("span", { class: "wb-long" }, long))))));
  const element = h("div", { class: "wb-role-grid", role: "grid", "aria-multiselectable": "true",
    "aria-label": "Roles of the columns. Arrow keys move, Shift extends the selection; Q, S, I, W, L and N set the role of the selected columns" },
  h("div", { role: "rowgroup" }, head), body);

  const selection = selecting(() => rows, () => {
    const focusable = selection.current ?? selection.shown()[0];
    for (const row of rows) {
      row.element.setAttribute("aria-selected", selection.has(row));
      row.element.tabIndex = row === focusable ? 0 : -1;
    }
    ask.moved();
  });
  const of = target => rows.find(row => row.element === target.closest?.(".wb-column"));

  body.addEventListener("click", event => {
    const row = of(event.target);
    if (!row) return;
    if (event.shiftKey) selection.upTo(row);
    else if (event.ctrlKey || event.metaKey) selection.toggle(row);
    else selection.only(row);
    row.element.focus({ preventScroll: true });
  });
  body.addEventListener("mousedown", event => { if (event.shiftKey) event.preventDefault(); });
  body.addEventListener("focusin", event => {
    const row = of(event.target);
    if (row && event.target === row.element && selection.current === null) selection.only(row);
  });
  body.addEventListener("keydown", event => {
    const row = of(event.target);
    if (!row || event.target.tagName === "SELECT") return;
    if (pressed(event, row)) { event.preventDefault(); event.stopPropagation(); }
  });

  function go(event, to) {
    if (event.shiftKey) selection.upTo(to);
    else if (event.ctrlKey || event.metaKey) selection.at(to);
    else selection.only(to);
    to.element.focus();
    to.element.scrollIntoView({ block: "nearest" });
  }

  function pressed(event, row) {
    const shown = selection.shown(), i = shown.indexOf(row), key = event.key, last = shown.length - 1;
    const jumps = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: last, PageDown: i + 10, PageUp: i - 10 };
    const command = event.ctrlKey || event.metaKey;
    if (key in jumps) go(event, shown[Math.min(last, Math.max(0, jumps[key]))]);
    else if (key === " ") selection.toggle(row);
    else if (command && key.toLowerCase() === "a") selection.all();
    else if (command || event.altKey) return false;
    else if (key === "ArrowRight" || key === "ArrowLeft") {
      const at = ROLES.findIndex(([role]) => role === row.role) + (key === "ArrowRight" ? 1 : -1);
      if (ROLES[at]) ask.role([row.name], ROLES[at][0], `column:${row.name}`);
    } else {
      const wanted = ROLES.find(([, short]) => short === key.toUpperCase());
      if (!wanted) return false;
      const names = selection.has(row) ? selection.names : [row.name];
      ask.role(names, wanted[0], names.length > 1 ? "selected" : `column:${row.name}`);
    }
    return true;
  }

  return {
    element, selection,
    get rows() { return rows; },
    columns(list) {
      const kept = selection.names, current = selection.current?.name;
      selection.forget();
      rows = list.map(column => columnRow(column, ask));
      body.replaceChildren(...rows.map(row => row.element));
      if (rows.length) rows[0].element.tabIndex = 0;
      selection.these(kept.length ? kept : current ? [current] : []);
    },
    filter(text) {
      const wanted = text.trim().toLowerCase();
      for (const row of rows) row.element.hidden = !row.name.toLowerCase().includes(wanted);
      const shown = selection.shown();
      if (shown.length && !shown.includes(selection.current)) for (const row of rows) row.element.tabIndex = row === shown[0] ? 0 : -1;
      return shown.length;
    },
  };
}
