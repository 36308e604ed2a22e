// How well each quasi-identifier predicts each other one: a matrix, and descriptions of the strongest dependencies.

import { fresh, h, keepingPlace } from "../base/shared.js";

/** A folded section; draw({ names, commonest, rows, described }) fills it, or hides it if there are no two columns. */
export function dependencyMatrix() {
  const held = text => text.replaceAll(" %", "\u00a0%"), bare = text => text.replace(" %", "").replace("under ", "< ").replace("over ", "> ");
  const first = h("span", { class: "wb-soft", role: "status" });
  const list = h("ul", { class: "wb-dependencies" }), table = h("table", { role: "grid" });
  const lead = h("p", { class: "wb-note", id: fresh("dependencies") },
    "How often (%) the column at the top is guessed correctly from the column on the left. Darker: a larger gain over guessing without it.");
  const why = h("p", { class: "wb-dependency-why" });
  const element = h("details", { class: "wb-combined wb-predictions", hidden: true, "data-field": "between" },
    h("summary", {}, "How well one quasi-identifier predicts another ", first), list, lead, h("div", { class: "wb-scroll" }, table), why);
  table.setAttribute("aria-labelledby", lead.id);
  let cells = []; // by row; empty for a column and itself

  function at(row, column) {
    const now = cells[row][column];
    for (const one of cells.flat()) if (one) one.element.tabIndex = one === now ? 0 : -1;
    why.replaceChildren(h("b", {}, held(now.words)), `. ${held(now.why)}`);
    return now.element;
  }

  function pressed(event, row, column) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if (!down && !right) return;
    event.preventDefault();
    const own = row + down === column + right ? 2 : 1; // skips the empty cell of a column and itself
    if (cells[row + own * down]?.[column + own * right]) at(row + own * down, column + own * right).focus();
  }

  function cell(one, row, column, key) {
    return one && { ...one, element: h("td", { role: "gridcell", tabindex: -1, "data-key": key, style: `--strength: ${Math.round(100 * one.strength)}%`,
      "aria-label": `${one.words}. ${one.why}`, onfocus: () => at(row, column), onmouseenter: () => at(row, column),
      onkeydown: event => pressed(event, row, column) }, bare(one.text)) };
  }

  const head = (scope, name) => h("th", { role: `${scope === "col" ? "column" : "row"}header`, scope, title: name }, h("span", {}, name));

  function draw({ names, commonest, rows, described: strong }) {
    element.hidden = !names.length;
    if (element.hidden) return;
    first.textContent = strong.length ? held(strong[0].words) + (strong.length > 1 ? `, and ${strong.length - 1} more` : "") : "little";
    list.replaceChildren(...strong.map(one => h("li", {}, held(one.words), one.meaning && `. ${one.meaning}`)));
    cells = rows.map((row, i) => row.map((one, j) => cell(one, i, j, JSON.stringify([names[i], names[j]]))));
    keepingPlace(table, () => fill(names, commonest));
  }

  function fill(names, commonest) {
    table.replaceChildren(
      h("thead", {}, h("tr", { role: "row" }, h("td", {}), names.map(name => head("col", name)))),
      h("tbody", {},
        h("tr", { role: "row", class: "wb-blind" }, head("row", "nothing"), commonest.map(text => h("td", { role: "gridcell" }, bare(text)))),
        cells.map((row, i) => h("tr", { role: "row" }, head("row", names[i]), row.map(one => one?.element ?? h("td", { role: "gridcell" }))))));
    at(0, 1);
  }
  return { element, draw };
}
