// The hierarchy editor: the columns, the form of the edited column, and the data at each level.

import { count, debounced, fresh, h, step, widget } from "../base/shared.js";
import { dateForm, fileForm, intervalForm, keepingFocus, prefixForm, segments } from "./forms.js";
import { groupForm } from "./grouping.js";
import { levelTree } from "./tree.js";

const TABS = { intervals: "Intervals", groups: "Groups", prefixes: "Prefixes", dates: "Dates", import: "Import" };
const STATES = { used: "in use", draft: "not in use yet", wrong: "not in use", none: "" };

/** "4 levels, 74 → 16 → 9 → 5 → 3" */
function inALine({ sizes, there, unfit }) {
  if (unfit) return "does not fit the data";
  if (!there) return `no hierarchy, ${count(sizes[0])} values`;
  if (sizes.length === 1) return `no levels, ${count(sizes[0])} values`;
  return `${sizes.length - 1} ${sizes.length === 2 ? "level" : "levels"}, ${sizes.map(count).join(" → ")}`;
}

/** The columns to choose from; neutral ones are folded away. */
function columnList(choose) {
  let columns = [], column = "", all = false;
  const list = h("div", { role: "listbox", class: "wb-hier-columns", tabindex: 0, "aria-label": "Columns" });
  const more = h("button", { class: "wb-quiet wb-hier-small", onclick: () => { all = !all; draw(); } });
  const seen = () => columns.filter(one => all || one.role !== "neutral" || one.name === column);
  function draw() {
    list.replaceChildren(...seen().map((one, i) => h("div", { role: "option", id: `${list.id}-${i}`, "aria-selected": String(one.name === column),
      class: `wb-hier-column${one.unfit ? " wb-hier-unfit" : ""}`, title: one.unfit || inALine(one), onclick: () => choose(one.name) },
      h("span", { class: "wb-hier-name" }, one.name),
      one.role !== "quasi" && h("span", { class: "wb-hier-role" }, one.role),
      h("span", { class: "wb-hier-state" }, inALine(one)))));
    const at = seen().findIndex(one => one.name === column);
    list.setAttribute("aria-activedescendant", at < 0 ? "" : `${list.id}-${at}`);
    list.children[at]?.scrollIntoView?.({ block: "nearest" });
    const others = columns.filter(one => one.role === "neutral" && one.name !== column).length;
    more.hidden = !others;
    more.textContent = all ? "fewer" : `${count(others)} other ${others === 1 ? "column" : "columns"}`;
    more.setAttribute("aria-expanded", String(all));
  }
  list.id = fresh("columns");
  list.addEventListener("keydown", event => {
    const names = seen().map(one => one.name), at = names.indexOf(column);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (names[to] !== undefined && to !== at) { column = names[to]; draw(); choose(column); }
  });
  return { list, element: h("div", {}, list, more),
    paint(given, chosen) { columns = given; column = chosen; draw(); } };
}

/** The minimum and maximum level of a column in releases; `choose` is called with both. */
function releasedLevels(choose) {
  const ends = ["low", "high"].map(end => h("select", { "aria-label": end === "low" ? "Lowest level released" : "Highest level released",
    onchange: () => choose(Number(ends[0].value), Number(ends[1].value)) }));
  const element = h("div", { class: "wb-row wb-hier-released", "data-field": "released",
    title: "For methods that publish levels: never finer than the first, never coarser than the second" },
    "Released at levels", h("span", { class: "wb-hier-ends" }, "from ", ends[0], " to ", ends[1]));
  return { element, paint(released) {
    element.hidden = !released;
    if (!released) return;
    const { sizes, levels, low, high } = released;
    const name = i => i === 0 ? "values" : i > levels ? "everything" : `level ${i}`;
    ends.forEach((select, side) => {
      const range = sizes.map((_, i) => i).filter(i => side ? i >= low : i <= high);
      select.replaceChildren(...range.map(i => h("option", { value: i }, `${name(i)} (${count(sizes[i])})`)));
      select.value = String(side ? high : low);
    });
  } };
}

const REGIONS = { nodes: "nodes of the hierarchy", ranges: "ranges", exact: "exact ranges" };
const MEANING = {
  nodes: "Each class shows the smallest node that contains its records",
  ranges: "Ends are values of many records, or round numbers",
  exact: "Ends may be values of individual people, which are then published",
};

/** The published regions of a column, with examples; `choose` is called with the choice. */
function publishedRegions(choose) {
  const select = h("select", { "aria-label": "Releases show", onchange: () => choose(select.value) });
  const like = h("span", { class: "wb-hier-like" });
  const element = h("div", { class: "wb-row wb-hier-released wb-hier-shown", "data-field": "regions" },
    h("label", {}, "Releases show ", select), like);
  return { element, paint(regions) {
    element.hidden = !regions;
    if (!regions) return;
    const now = regions.choices.find(one => one.name === regions.chosen);
    select.replaceChildren(...regions.choices.map(({ name }) => h("option", { value: name }, REGIONS[name])));
    select.value = regions.chosen;
    element.title = MEANING[regions.chosen];
    like.replaceChildren("for example ", ...now.examples.flatMap((one, i) => [i ? " " : "", h("code", {}, one)]));
    like.hidden = !now.examples.length;
  } };
}

export default widget(({ model, el, view, send, on, trait, mark, at }) => {
  el.classList.add("wb-hierarchies");
  let now = null, sent = 0, waiting = false, typing = null;

  // --- to Python
  const stamp = () => ({ view, number: ++sent });
  const ask = (kind, content = {}) => { flush(); send(kind, { column: now?.name, field: now?.tab, ...content }); };
  const draftLater = debounced(() => flush(), 400);
  function typed(form) { waiting = true; typing = { column: now.name, tab: now.tab, form: form ?? forms[now.tab].read() }; draftLater(); }
  function flush() {
    if (!waiting) return;
    waiting = false;
    send("draft", { ...typing, field: typing.tab, stamp: stamp() });
  }
  function meant() {
    waiting = false;
    send("use", { column: now.name, tab: now.tab, field: now.tab, form: forms[now.tab].read(), stamp: stamp() });
  }
  const readTyped = () => typed();

  // --- the parts
  const forms = {
    intervals: intervalForm({ typed: readTyped, meant }),
    groups: groupForm({ ask, typed }),
    prefixes: prefixForm({ typed: readTyped, meant }),
    dates: dateForm({ meant }),
    import: fileForm({ typed: readTyped, meant, mark,
      file: (name, bytes) => send("file", { column: now.name, field: "import", name }, [bytes]) }),
  };
  const columns = columnList(name => { flush(); send("choose", { column: name, field: "column" }); });
  const tree = levelTree();
  const released = releasedLevels((low, high) => send("released", { column: now.name, field: "released", low, high }));
  const shown = publishedRegions(choice => send("regions", { column: now.name, field: "regions", shown: choice }));
  tree.element.append(shown.element, released.element);
  const undo = h("button", { class: "wb-quiet", title: "Undo (Ctrl+Z)", onclick: () => ask("undo") }, "↶ Undo");
  const redo = h("button", { class: "wb-quiet", title: "Redo (Ctrl+Shift+Z)", onclick: () => ask("redo") }, "↷ Redo");
  const wider = h("button", { class: "wb-quiet", onclick: () => (dialog.open ? dialog.close() : widen()) }, "⤢ Wider");
  const title = h("h3"), kind = h("span", { class: "wb-note" }), unfit = h("p", { class: "wb-wrong" });
  const proposal = h("div", { class: "wb-hier-offer" }), tabs = h("div"), place = h("div", { class: "wb-hier-form" });
  const state = h("div", { class: "wb-row wb-hier-inuse", role: "status" }), notes = h("div", { class: "wb-note", role: "status" });
  const remove = h("button", { class: "wb-quiet wb-hier-small", onclick: () => ask("remove") }, "Remove hierarchy");
  const editor = h("div", { class: "wb-hier", onkeydown: keys },
    h("div", { class: "wb-row wb-hier-bar-top" }, undo, redo, h("span", { class: "wb-hier-gap" }), wider),
    h("div", { class: "wb-hier-panes" },
      h("div", { "data-field": "column" }, columns.element),
      h("div", { class: "wb-hier-edit" }, h("div", { class: "wb-row" }, title, kind, h("span", { class: "wb-hier-gap" }), remove),
        unfit, proposal, tabs, place, state, notes),
      tree.element));
  const nothing = h("p", { class: "wb-note" }, "No quasi-identifiers yet: choose roles first.");
  const dialog = h("dialog", { class: "wb-hier-dialog", "aria-label": "Hierarchies", onclose: narrow });
  const { element, body, chosen } = step("Hierarchies", { model, trait });
  body.append(nothing, editor, dialog);
  el.append(element);

  function widen() {
    dialog.append(editor);
    wider.textContent = "Close";
    dialog.showModal();
    editor.querySelector(".wb-hier-columns").focus();
  }
  function narrow() {
    body.insertBefore(editor, dialog);
    wider.textContent = "⤢ Wider";
    wider.focus();
  }

  /** Ctrl+Z and Ctrl+Shift+Z are the editor's, but not where text is typed. */
  function keys(event) {
    const key = event.key.toLowerCase(), again = key === "y" || (key === "z" && event.shiftKey);
    if (!model.get("own_history") || !(event.ctrlKey || event.metaKey) || !["z", "y"].includes(key)) return;
    if (event.target.matches("textarea, input:not([type=checkbox], [type=radio])")) return;
    event.preventDefault();
    event.stopPropagation();
    ask(again ? "redo" : "undo");
  }

  // --- from Python
  trait("own_history", own => { undo.hidden = redo.hidden = !own; });
  on("columns", content => keepingFocus(editor, () => paintColumns(content), () => [redo, undo].find(one => !one.disabled) ?? columns.list));
  function paintColumns(content) {
    columns.paint(content.columns, content.column);
    nothing.hidden = content.columns.length > 0;
    editor.hidden = !content.columns.length;
    undo.disabled = !content.undo;
    redo.disabled = !content.redo;
    const inUse = content.columns.filter(one => one.role !== "neutral");
    const without = inUse.filter(one => one.sizes.length < 2).map(one => one.name);
    const bad = inUse.filter(one => one.unfit).map(one => one.name);
    chosen(bad.length ? `does not fit: ${bad.join(", ")}` : inUse.length
      ? `${inUse.length - without.length} of ${inUse.length} columns have levels${without.length ? `; none: ${without.join(", ")}` : ""}` : "none yet");
  }

  on("column", content => keepingFocus(editor, () => paint(content), () => home(content)));
  // a valid message does not remove errors of the form
  on("fine", ({ field: name }) => { mark(name, ""); mark("", ""); if (now) paintProblems(now.problems); });

  /** Return the element to focus when the pressed button is gone: the most likely next field. */
  function home({ tab }) {
    return forms[tab].home?.() ?? place.querySelector("input:not([type=file], :disabled), textarea, select") ?? columns.list;
  }

  function paint(content) {
    const same = now && now.name === content.name && now.tab === content.tab;
    const stale = same && (waiting || (content.stamp.view === view && content.stamp.number < sent));
    now = content;
    title.textContent = content.name;
    kind.textContent = `${content.type}, ${count(content.values)} values`;
    unfit.textContent = content.unfit;
    remove.hidden = !content.there;
    if (!same) place.replaceChildren(forms[content.tab].element);
    paintTabs(content);
    paintOffer(content);
    const form = forms[content.tab];
    form.paint?.(content);
    if (!stale) form.fill(content.form);
    form.about?.(content);
    paintState(content);
    notes.textContent = content.notes.join(" ");
    tree.paint(content.tree, content);
    shown.paint(content.regions);
    released.paint(content.released);
    paintProblems(content.problems);
  }

  let tabsFor = "";
  function paintTabs({ name, tabs: all, tab }) {
    const key = `${name} ${tab} ${all}`;
    if (key === tabsFor) return;
    const had = tabs.contains(tabs.getRootNode().activeElement);
    tabsFor = key;
    tabs.replaceChildren(segments("Build with", all.map(one => [one, TABS[one]]), tab,
      one => { flush(); send("tab", { column: name, tab: one, field: one }); }));
    if (had) tabs.querySelector("input:checked").focus();
  }

  function paintOffer({ proposal: { why, what, used }, bundled }) {
    proposal.replaceChildren(
      h("span", { class: "wb-note" }, what ? `Proposed: ${what}. ` : "", why[0].toUpperCase() + why.slice(1)),
      what && !used && h("button", { class: "wb-hier-small", onclick: () => ask("propose") }, "Use the proposal") || "",
      bundled && h("button", { class: "wb-hier-small", onclick: () => ask("bundled") }, "Use the bundled one") || "");
  }

  /** A button that does not take the focus from a field, which would apply the typed text. */
  const aside = (text, onclick, more = "") => h("button", { class: `wb-hier-small ${more}`, onclick, onmousedown: event => event.preventDefault() }, text);

  function paintState({ state: name, tab, drafted, there }) {
    const unused = name === "draft" || name === "wrong";
    state.replaceChildren(
      STATES[name] && h("span", { class: `wb-hier-is wb-hier-is-${name}` }, STATES[name]) || "",
      name === "wrong" && there && h("span", { class: "wb-note" }, "the last valid one remains") || "",
      name === "draft" && aside("Use it", meant, "wb-main-action") || "",
      unused && drafted && tab !== "groups" && aside("Discard the draft",
        () => { waiting = false; send("discard", { column: now.name }); }) || "");
  }

  let wrong = "";
  /** Show errors at their fields, with a button for every fix. */
  function paintProblems(problems) {
    const key = `${now.name} ${now.tab} ${JSON.stringify(problems)}`;
    if (key !== wrong) editor.querySelectorAll(".wb-hier-fixes").forEach(one => one.remove());
    editor.querySelectorAll("[data-field]").forEach(one => mark(one.dataset.field, ""));
    for (const { field: name, text, fixes } of problems) {
      mark(name, text);
      const where = at(name) ?? place;
      if (!fixes.length || where.querySelector(".wb-hier-fixes")) continue;
      where.append(h("div", { class: "wb-hier-fixes wb-row" },
        fixes.map(fix => aside(fix, () => { waiting = false; send("fix", { fix, field: name }); }))));
    }
    wrong = key;
  }

  return () => { flush(); tree.end(); forms.intervals.end(); forms.groups.end(); };
});
