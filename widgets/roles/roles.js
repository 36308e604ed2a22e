// The roles of the columns: unique records per column and per combination, and a proposal.

import { count, h, step, widget } from "../base/shared.js";
import { dependencyMatrix } from "./matrix.js";
import { ROLES, WORD, records, roleGrid, singledOut } from "./role_grid.js";

/** "6 quasi-identifiers: age, sex, …; sensitive: occupation" */
function rolesInWords(roles, most = 3) {
  const few = names => names.slice(0, most).join(", ") + (names.length > most ? ", …" : "");
  const quasi = roles.quasi ?? [], sensitive = roles.sensitive ?? [], left = (roles.identifiers ?? []).length + (roles.dropped ?? []).length;
  const weight = roles.weight ?? [];
  if (!quasi.length) return "choose at least one quasi-identifier";
  return [`${quasi.length} quasi-identifier${quasi.length > 1 ? "s" : ""}: ${few(quasi)}`,
    sensitive.length ? `sensitive: ${few(sensitive)}` : "nothing sensitive",
    weight.length ? `weight: ${weight[0]}` : null, left ? `${left} left out` : null].filter(Boolean).join("; ");
}

/** A list of combinations with their numbers of unique records; a click selects the columns. */
function combinationList(title, found, top, select) {
  return h("div", {}, h("h4", {}, title), h("ul", {}, found.map(one => h("li", {},
    h("button", { type: "button", class: "wb-quiet", title: `Select ${one.names.join(", ")}`, onclick: () => select(one.names) },
      h("span", { class: "wb-names" }, one.names.join(" + ")),
      h("span", { class: "wb-meter", style: `--share: ${100 * one.share / top}%` }),
      h("span", { class: "wb-share", title: `${one.about ? "about " : ""}${records(one.unique)}` },
        (one.about ? "≈ " : "") + singledOut(one.share)))))));
}

export default widget(({ model, el, send, on, trait, mark }) => {
  el.classList.add("wb-roles");
  const { element, body, chosen } = step("Roles", { model, trait });
  el.append(element);
  let most = 1000, advice = {}, found = { pairs: [], triples: [], notes: [], counted: false }, smallest = [];

  const grid = roleGrid({
    role: (columns, role, name) => { clear(); send("choose", { field: name, columns, role }); },
    level: (name, level) => { clear(); send("level", { field: `column:${name}`, name, level }); },
    most: () => most,
    moved: drawSelection,
  });
  const clear = () => {
    for (const row of grid.rows) { mark(`column:${row.name}`, ""); row.withdraw(); }
    mark("selected", "");
    mark("propose", "");
  };

  // --- above the grid: search and proposal
  const search = h("input", { type: "search", placeholder: "Find a column", "aria-label": "Find a column", oninput: filter });
  const propose = h("button", { type: "button", disabled: true, onclick: () => { clear(); send("propose", { field: "propose" }); } }, "Propose roles");
  const back = h("button", { type: "button", class: "wb-quiet", hidden: true, onclick: () => { clear(); propose.focus(); send("back"); } }, "Undo the proposal");
  const top = h("div", { class: "wb-tools", "data-field": "propose" }, search, back, propose);
  const none = h("p", { class: "wb-note", hidden: true }, "No column matches.");

  function filter() { none.hidden = grid.filter(search.value) > 0 || !grid.rows.length; }

  // --- below the grid: the selection
  const howMany = h("span", { class: "wb-soft" });
  const bulk = h("div", { class: "wb-bulk", "data-field": "selected", role: "group", "aria-label": "Role of the selected columns" }, howMany,
    h("span", { class: "wb-words" }, ROLES.map(([role, short, long, help]) => h("button", {
      type: "button", title: `${help} (key ${short})`, "data-role": role,
      onclick: () => { clear(); send("choose", { field: "selected", columns: grid.selection.names, role }); },
    }, h("u", {}, long[0]), long.slice(1)))), h("span", { class: "wb-wrong", role: "alert" }));
  const why = h("p", { class: "wb-role-why", role: "status" });

  function drawSelection() {
    const names = grid.selection.names, row = grid.selection.current;
    howMany.textContent = names.length ? `Make ${names.length > 1 ? `${names.length} columns` : "it"}` : "Select columns to";
    for (const button of bulk.querySelectorAll("button")) button.disabled = !names.length;
    if (names.length > 1 || !row) {
      why.replaceChildren(names.length > 1 ? names.join(", ") : "Select rows by click, Shift-click or Ctrl-click, or with the arrow keys; then press Q, S, I, W, L or N.");
      return;
    }
    const one = advice[row.name];
    why.replaceChildren(h("b", {}, row.name), `: ${row.few}. `,
      one ? `Proposed: ${WORD[one.role]}. ${one.reason}`.replaceAll(" %", "\u00a0%") : "");
  }

  // --- unique records
  const meter = h("span", { class: "wb-meter" });
  const aloneText = h("span");
  const beside = h("p", { class: "wb-note wb-beside", hidden: true });
  const repeats = h("p", { class: "wb-note wb-repeats", hidden: true });
  const alone = h("div", { class: "wb-together", role: "status", "data-field": "alone" }, aloneText, meter, beside, repeats);
  const counting = h("span", { class: "wb-soft", role: "status" });
  const lists = h("div", { class: "wb-lists" }), notes = h("p", { class: "wb-note" });
  const combined = h("details", { class: "wb-combined", "data-field": "survey" },
    h("summary", {}, "Worst combinations ", counting), lists, notes);
  const dependencies = dependencyMatrix();
  body.append(top, grid.element, none, bulk, why, alone, combined, dependencies.element);

  on("alone", one => {
    smallest = one.smallest ?? [];
    drawLists();
    const chosenNow = (model.get("roles").quasi ?? []).length;
    alone.classList.toggle("wb-empty", one.unique === undefined);
    meter.style.setProperty("--share", `${100 * (one.share ?? 0)}%`);
    beside.hidden = !one.beside;
    beside.textContent = one.beside ? `Neutral columns are published unchanged. ${one.beside}`.replaceAll(" %", "\u00a0%") : "";
    repeats.hidden = !one.repeats;
    repeats.textContent = one.repeats ?? "";
    if (one.unique === undefined) {
      aloneText.textContent = chosenNow ? "Counting…" : "Choose at least one quasi-identifier: a column that attackers may know.";
      return;
    }
    const of = chosenNow > 1 ? `the ${chosenNow} quasi-identifiers together` : "the quasi-identifier";
    aloneText.replaceChildren(h("b", {}, `${one.about ? "About " : ""}${records(one.unique)} (${singledOut(one.share)})`),
      ` of ${count(one.records)} ${one.unique === 1 ? "is" : "are"} unique on ${of}.`);
  });

  on("between", dependencies.draw);

  // --- the columns and their roles
  function roleOf(roles) {
    const of = {};
    for (const [role, key] of [["quasi", "quasi"], ["sensitive", "sensitive"], ["identifier", "identifiers"], ["dropped", "dropped"], ["weight", "weight"]])
      for (const name of roles[key] ?? []) of[name] = role;
    return of;
  }

  function drawRoles() {
    const roles = model.get("roles"), levels = model.get("levels"), of = roleOf(roles);
    for (const row of grid.rows) {
      const one = advice[row.name];
      row.set(of[row.name] ?? "neutral", one?.role, one?.reason, levels[row.name]);
    }
    chosen(grid.rows.length ? rolesInWords(roles) : "no data yet");
    drawLists();
  }

  function drawLists() {
    const roles = model.get("roles"), out = new Set(["identifiers", "dropped", "weight"].flatMap(key => roles[key] ?? []));
    const kept = list => list.filter(one => !one.names.some(name => out.has(name)));
    const [pairs, triples] = [kept(found.pairs), kept(found.triples)];
    const top = Math.max(1e-9, ...[...pairs, ...triples, ...smallest].map(one => one.share));
    lists.replaceChildren(
      ...(pairs.length ? [combinationList("pairs", pairs, top, select)] : []),
      ...(triples.length ? [combinationList("triples", triples, top, select)] : []),
      ...(smallest.length ? [combinationList("minimal sets of quasi-identifiers", smallest, top, select)] : []));
    notes.textContent = [found.counted && !pairs.length ? "There are no two columns to combine." : null,
      found.counted ? "Identifiers and almost-unique columns are not counted." : null,
      smallest.length ? "Minimal set: the record is unique on these columns but not on any subset of them." : null, ...found.notes].filter(Boolean).join(" ");
  }

  function select(names) {
    search.value = "";
    filter();
    grid.selection.these(names);
    grid.rows.find(row => row.name === names[0])?.element.scrollIntoView({ block: "nearest" });
  }

  on("columns", given => {
    most = given.most;
    const hadFocus = grid.element.contains(document.activeElement);
    grid.columns(given.columns);
    search.hidden = given.columns.length < 8;
    filter();
    drawSelection();
    drawRoles();
    if (hadFocus) grid.selection.current?.element.focus();
  });
  on("survey", given => {
    found = given;
    advice = given.advice;
    propose.disabled = !given.counted;
    propose.title = given.counted ? "A role for every column, by its name, its values and its unique records, with a reason"
      : "The columns are still being counted";
    counting.textContent = given.counted ? "" : "counting…";
    drawRoles();
    drawSelection();
  });
  on("counting", ({ done, total }) => { counting.textContent = done < total ? `counting ${count(done)} of ${count(total)}` : ""; });
  on("proposed", ({ back: possible }) => { back.hidden = !possible; });
  on("offer", ({ name }) => grid.rows.find(row => row.name === name)?.offer());
  on("problem", ({ field: name, text }) => {
    mark(name, text);
    grid.rows.find(row => `column:${row.name}` === name)?.element.scrollIntoView({ block: "nearest" });
  });
  trait("roles", () => drawRoles());
  trait("levels", () => drawRoles());
  drawSelection();
});
