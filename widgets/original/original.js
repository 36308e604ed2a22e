// The original compared with the release: bars of a column before and after, or the cells of two; also as a table.

import { field, h, step, widget } from "../base/shared.js";
import { chart } from "../base/vega.js";

export default widget(({ model, el, send, on, trait }) => {
  const { element, body, chosen } = step("Original and release: distributions", { model, trait });
  el.classList.add("wb-original");
  el.append(element);
  const first = h("select", { onchange: () => choose() }), second = h("select", { onchange: () => choose() });
  const choose = () => send("columns", { field: "columns", first: first.value, second: second.value === first.value ? "" : second.value });
  const words = h("p", { class: "wb-original-words", role: "status" });
  const picture = h("div", { class: "wb-original-picture" });
  const rows = h("tbody"), head = h("tr");
  const table = h("details", { class: "wb-original-table" }, h("summary", {}, "As a table"),
    h("div", { class: "wb-scroll", tabindex: 0, role: "region", "aria-label": "records before and after" }, h("table", {}, h("thead", {}, head), rows)));
  const shown = h("div", { hidden: true }, words, picture, table);
  const none = h("p", { class: "wb-note" }, "There is no release yet.");
  body.append(h("div", { class: "wb-row wb-original-choice", "data-field": "columns" }, field("first", "column", first),
    field("second", "by another (cross table)", second), h("span", { class: "wb-wrong", role: "alert" })),
  h("p", { class: "wb-note" }, "“After” is the estimate of a researcher who has only the release. The counts of the original are shown only here and not saved in the notebook."),
  none, shown);
  const drawn = chart(picture, { send, on });

  on("choices", ({ columns, first: one, second: other }) => {
    const options = columns.map(({ name, role }) => [name, `${name} (${role === "quasi" ? "quasi-identifier" : role})`]);
    const fill = (select, list, value) => {
      const now = JSON.stringify(list);
      if (select.dataset.options !== now) select.replaceChildren(...list.map(([name, text]) => h("option", { value: name }, text)));
      select.dataset.options = now;
      select.value = value;
      select.disabled = !columns.length;
    };
    const crossable = columns.filter(({ role }) => role !== "neutral").map(({ name }) => name);
    fill(first, options, one);
    fill(second, [["", "none"], ...options.filter(([name]) => crossable.includes(name) && name !== one)], other);
    chosen([one, other].filter(Boolean).join(" by "));
    none.hidden = columns.length > 0;
  });
  on("stale", ({ stale }) => shown.classList.toggle("wb-stale", stale));
  on("nothing", () => { shown.hidden = true; });
  on("picture", ({ spec, text, head: names, rows: lines }) => {
    shown.hidden = false;
    shown.classList.remove("wb-stale");
    words.textContent = text;
    head.replaceChildren(...names.map((name, i) => h("th", { class: i >= names.length - 2 ? "wb-number" : null, scope: "col" }, name)));
    rows.replaceChildren(...lines.map(line => h("tr", {}, line.map((cell, i) => h("td", { class: i >= line.length - 2 ? "wb-number" : null }, cell)))));
    drawn.show(spec);
  });
  return () => drawn.end();
});
