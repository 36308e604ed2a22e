// Query errors: a histogram, the worst queries, and the frontiers of two workloads side by side.

import { count, field, h, step, widget } from "../base/shared.js";
import { chart } from "../base/vega.js";

export default widget(({ model, el, send, on, trait }) => {
  const { element, body, chosen } = step("Query errors", { model, trait });
  el.classList.add("wb-query-errors");
  el.append(element);
  const first = h("select", { onchange: () => choose() }), second = h("select", { onchange: () => choose() });
  const choose = () => send("workload", { field: "workload", workload: first.value, other: second.value === first.value ? "" : second.value });
  const words = h("p", { role: "status" }), picture = h("div", { class: "wb-errors-picture" });
  const rows = h("tbody"), cutting = h("p", { class: "wb-note", role: "status" });
  const columns = ["Query", "True", "From the release", "Error", "Classes matched in part", "Main column"];
  const table = h("table", {}, h("thead", {}, h("tr", {}, columns.map((name, i) =>
    h("th", { scope: "col", class: i > 0 && i < 5 ? "wb-number" : null }, name)))), rows);
  const shown = h("div", { hidden: true }, words, h("div", { class: "wb-errors" }, picture,
    h("div", {}, h("h4", {}, "Queries with the largest errors"),
      h("div", { class: "wb-scroll", tabindex: 0, role: "region", "aria-label": "Queries with the largest errors" }, table), cutting)));
  const none = h("p", { class: "wb-note" }, "There is no release yet.");
  const comparison = h("p", { role: "status" }), places = [h("div"), h("div")];
  const two = h("div", { class: "wb-two", hidden: true }, places);
  body.append(h("div", { class: "wb-row wb-errors-choice", "data-field": "workload" }, field("first", "workload", first),
    field("second", "compare with the frontier of", second), h("span", { class: "wb-wrong", role: "alert" })),
  h("p", { class: "wb-note" }, "The answers of a user of the release, who treats all values of a released group as equally likely. Choose a query to select the classes that it matches in part."),
  none, shown, comparison, two);
  const drawn = chart(picture, { send, on }), charts = places.map(place => chart(place, { send, on }));

  on("choices", ({ names, workload, other }) => {
    const fill = (select, options, value) => {
      const now = JSON.stringify(options);
      if (select.dataset.options !== now) select.replaceChildren(...options.map(([name, text]) => h("option", { value: name }, text)));
      select.dataset.options = now;
      select.value = value;
    };
    fill(first, names.map(name => [name, name === "random" ? "random (1,000 random queries)" : name]), workload);
    fill(second, [["", "none"], ...names.filter(name => name !== workload).map(name => [name, name])], other);
    chosen([workload, other].filter(Boolean).join(" and "));
  });
  on("stale", () => { if (!shown.hidden) { shown.classList.add("wb-stale"); shown.inert = true; } });
  on("nothing", () => { shown.hidden = true; none.hidden = false; });
  on("errors", ({ spec, text, rows: found }) => {
    shown.hidden = shown.inert = false;
    none.hidden = true;
    shown.classList.remove("wb-stale");
    words.textContent = text;
    cutting.textContent = found.length ? "" : "Every query is answered exactly.";
    rows.replaceChildren(...found.map(one => h("tr", { "data-query": one.query },
      h("td", {}, h("button", { type: "button", class: "wb-quiet wb-asked", title: one.text, "aria-pressed": "false", onclick: event =>
        send("query", { field: "workload", query: event.currentTarget.getAttribute("aria-pressed") === "true" ? -1 : one.query }) }, one.text)),
      [one.truth, one.answer, one.error, count(one.classes)].map(value => h("td", { class: "wb-number" }, value)), h("td", {}, one.by))));
    drawn.show(spec);
  });
  on("chosen", ({ query, text }) => {
    for (const row of rows.children) {
      const now = Number(row.dataset.query) === query;
      row.classList.toggle("wb-on", now);
      row.querySelector("button").setAttribute("aria-pressed", String(now));
    }
    cutting.textContent = text;
  });
  on("both", ({ specs, text }) => {
    comparison.textContent = text;
    two.hidden = !specs.length;
    specs.forEach((spec, i) => charts[i].show(spec));
  });
  return () => { for (const one of [drawn, ...charts]) one.end(); };
});
