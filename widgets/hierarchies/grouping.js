// Manual groups: select members with the mouse or keys, and type the name of their group.

import { count, fresh, h } from "../base/shared.js";
import { hueOf } from "./cuts.js";
import { keepingFocus } from "./forms.js";
import { longList, treeOf } from "./tree.js";

/** The rows of a level: its groups with their members, then ungrouped values. */
function groupRows(tree, level) {
  const over = level - 1, under = level - 2;  // levels of the tree; -1 are the values
  const fine = under < 0 || over > tree.top ? null : new Set(tree.levels[under].starts);
  const nested = !fine || tree.levels[over].starts.every(at => fine.has(at));
  const low = nested ? under : -1;
  const member = run => {
    const [from, to] = tree.range(low, run);
    return { label: tree.label(low, run), from, to };
  };
  if (over > tree.top) return Array.from({ length: tree.runs(low) }, (_, run) => ({ ...member(run), alone: true }));
  const groups = [], alone = [];
  for (let run = 0; run < tree.runs(over); run++) {
    const [from, to] = tree.range(over, run), [first, last] = tree.within(low, from, to), label = tree.label(over, run);
    const inside = Array.from({ length: last - first }, (_, i) => member(first + i));
    if (inside.length === 1 && inside[0].label === label) alone.push({ ...inside[0], alone: true });
    else groups.push({ label, from, to, group: true, members: inside.map(one => one.label) }, ...inside.map(one => ({ ...one, of: label })));
  }
  return [...groups, ...alone];
}

/** ask(kind, content) sends a message; typed(form) stores a half-typed name. */
export function groupForm({ ask, typed }) {
  let tree = null, column = null, level = 1, levels = 0, rows = [], seen = [], at = 0, anchor = 0, chosen = new Set(), words = "", parts = "";
  const id = fresh("groups");
  const steps = h("div", { class: "wb-row" });
  const search = h("input", { type: "search", placeholder: "Find", "aria-label": "Find values to group",
    oninput: () => { words = search.value.trim().toLowerCase(); at = anchor = 0; lay(); } });
  const list = longList({ draw, attributes: { role: "listbox", id, "aria-multiselectable": "true", "aria-label": "Values to group" } });
  const name = h("input", { type: "text", placeholder: "name of the group", "aria-label": "Name of the group", autocomplete: "off",
    oninput: () => { typed({ level, name: name.value }); state(); },
    onkeydown: event => { if (event.key === "Enter") { event.preventDefault(); (rename.disabled ? group : rename).click(); } } });
  const group = h("button", { class: "wb-main-action", onclick: () => ask("group", { level, members: members(), label: name.value }) }, "Group");
  const rename = h("button", { onclick: () => ask("rename", { level, label: oneGroup(), to: name.value }) }, "Rename");
  const ungroup = h("button", { onclick: () => ask("ungroup", { level, members: members() }) }, "Take out");
  const tally = h("span", { class: "wb-note" });
  const element = h("div", { class: "wb-hier-groups", "data-field": "groups" },
    h("span", { class: "wb-wrong", role: "alert" }), steps, search, list.element,
    h("div", { class: "wb-row" }, name, group, rename, ungroup), tally);

  const keyOf = row => `${row.group ? "group" : "member"}:${row.label}`;
  const picked = () => rows.filter(row => chosen.has(keyOf(row)));
  /** Return the selected values; a group stands for all of its members. */
  const members = () => [...new Set(picked().flatMap(row => row.group ? row.members : [row.label]))];
  const oneGroup = () => { const all = picked(); return all.length === 1 && all[0].group ? all[0].label : null; };

  function lay() {
    seen = rows.filter(row => !words || row.label.toLowerCase().includes(words)
      || (row.group && row.members.some(label => label.toLowerCase().includes(words))));
    at = Math.min(at, Math.max(seen.length - 1, 0));
    list.resize(seen.length);
    state();
  }

  function state() {
    const all = members(), one = oneGroup();
    group.disabled = !all.length;
    rename.disabled = one === null || !name.value.trim() || name.value.trim() === one;
    ungroup.disabled = !picked().some(row => row.group || row.of !== undefined);
    tally.textContent = all.length ? `${count(all.length)} selected. Type the name of a new or existing group and press Enter.`
      : "Select by click, Shift-click or Ctrl-click, or with the arrow keys and space; or drag values onto a group.";
    list.element.setAttribute("aria-activedescendant", seen.length ? `${id}-${at}` : "");
  }

  function draw(index) {
    const row = seen[index];
    const element = h("div", { role: "option", id: `${id}-${index}`, "aria-selected": String(chosen.has(keyOf(row))), title: row.label,
      draggable: "true", class: `wb-hier-member${row.group ? " wb-hier-group" : ""}${index === at ? " wb-hier-at" : ""}`,
      onclick: event => { list.element.focus({ preventScroll: true }); pick(index, event); },
      ondragstart: event => { if (!chosen.has(keyOf(row))) pick(index, {}); event.dataTransfer.setData("text/plain", row.label); } },
      h("span", { class: "wb-hier-label", style: `padding-left: ${row.of !== undefined ? 18 : 4}px` },
        row.group && h("span", { class: "wb-hier-dot", style: `background: ${hueOf(level - 1)}` }), row.label),
      h("span", { class: "wb-hier-n" }, row.to - row.from > 1 ? count(row.to - row.from) : ""),
      h("span", { class: "wb-hier-n" }, count(tree.records(row.from, row.to))));
    const onto = row.group ? row.label : row.of;
    if (onto !== undefined) {
      element.addEventListener("dragover", event => { event.preventDefault(); element.classList.add("wb-hier-onto"); });
      element.addEventListener("dragleave", () => element.classList.remove("wb-hier-onto"));
      element.addEventListener("drop", event => {
        event.preventDefault();
        element.classList.remove("wb-hier-onto");
        ask("group", { level, members: members(), label: onto });
      });
    }
    return element;
  }

  /** Select one row; Ctrl toggles it, Shift selects a range. */
  /** @param {number} index @param {{ shiftKey?: boolean, ctrlKey?: boolean, metaKey?: boolean }} keys */
  function pick(index, { shiftKey, ctrlKey, metaKey }) {
    const key = keyOf(seen[index]);
    if (shiftKey) {
      const [from, to] = [Math.min(anchor, index), Math.max(anchor, index)];
      chosen = new Set([...(ctrlKey || metaKey ? chosen : []), ...seen.slice(from, to + 1).map(keyOf)]);
    } else if (ctrlKey || metaKey) {
      if (!chosen.delete(key)) chosen.add(key);
      anchor = index;
    } else {
      chosen = new Set([key]);
      anchor = index;
    }
    at = index;
    follow();
  }
  function follow() {
    const one = oneGroup();
    if (one !== null && (!name.value || rows.some(row => row.group && row.label === name.value))) name.value = one;
    list.redraw();
    state();
  }
  function go(index, extend) {
    at = Math.min(Math.max(index, 0), seen.length - 1);
    if (extend) chosen = new Set(seen.slice(Math.min(anchor, at), Math.max(anchor, at) + 1).map(keyOf));
    else anchor = at;
    list.reveal(at);
    follow();
  }
  list.element.addEventListener("keydown", event => {
    const all = (event.ctrlKey || event.metaKey) && event.key === "a";
    const keys = {
      ArrowDown: () => go(at + 1, event.shiftKey), ArrowUp: () => go(at - 1, event.shiftKey),
      PageDown: () => go(at + list.page(), event.shiftKey), PageUp: () => go(at - list.page(), event.shiftKey),
      Home: () => go(0, event.shiftKey), End: () => go(seen.length - 1, event.shiftKey),
      " ": () => pick(at, { ctrlKey: true }), Enter: () => name.focus(), F2: () => { pick(at, {}); name.select(); },
      Delete: () => { if (!ungroup.disabled) ungroup.click(); },
    };
    if (!seen.length || !(all || keys[event.key]) || (!all && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    if (all) { chosen = new Set(seen.map(keyOf)); follow(); } else keys[event.key]();
  });

  function turn(to) {
    level = to;
    chosen = new Set();
    at = anchor = 0;
    typed({ level, name: name.value });
    draft();
  }
  const draft = () => keepingFocus(element, redraft, () => list.element);
  function redraft() {
    const one = (k, text, title) => h("label", { class: "wb-hier-seg", title },
      h("input", { type: "radio", name: `${id}-level`, checked: k === level, "data-key": `level ${k}`, onchange: () => turn(k) }), h("span", {}, text));
    const tops = Array.from({ length: levels }, (_, i) => one(i + 1, `Level ${i + 1}`, `${tree.runs(i)} groups and ungrouped values`));
    const next = levels === 0 || tree.runs(levels - 1) > 1;
    steps.replaceChildren(h("div", { class: "wb-hier-segs", role: "radiogroup", "aria-label": "Level to group" }, tops,
      next && one(levels + 1, levels ? "+ level" : "Level 1", "groups of the level below")),
    level <= levels && h("button", { class: "wb-quiet wb-hier-small", "data-key": "drop level", onclick: () => ask("drop_level", { level }) }, `Remove level ${level}`) || "");
    rows = groupRows(tree, level);
    const there = new Set(rows.map(keyOf));
    chosen = new Set([...chosen].filter(key => there.has(key)));
    lay();
  }

  return {
    element,
    paint(content) {
      tree = treeOf(content.tree);
      levels = tree.levels.length;
      const now = JSON.stringify(tree.levels);
      if (now !== parts) {  // the selection is grouped: select the next values
        chosen = new Set();
        if (name.getRootNode().activeElement === name) list.element.focus({ preventScroll: true });
      }
      parts = now;
      if (content.name !== column) { chosen = new Set(); at = anchor = 0; words = search.value = ""; level = 1; list.element.scrollTop = 0; }
      column = content.name;
      level = Math.min(Math.max(level, 1), levels + 1);
      if (tree.size && !tree.leaves.length) {
        rows = [];
        steps.replaceChildren(`${count(tree.size)} values are too many to group by hand.`);
        lay();
        return;
      }
      draft();
    },
    fill(form) {
      level = Math.min(Math.max(Number(form.level) || 1, 1), levels + 1);
      if (name.value !== form.name) name.value = form.name;
      draft();
    },
    read: () => ({ level, name: name.value }),
    home: () => list.element,
    end: list.end,
  };
}
