// Export of files, and a preview of original and released records for the analyst; both on request only.

import { count, download, fresh, h, step, widget } from "../base/shared.js";

/** @type {[string, [string, string][]][]} */
const FILES = [
  ["The release", [["csv", "CSV"], ["parquet", "Parquet"]]],
  ["The study", [["yaml", "YAML"], ["py", "Python"]]],
  ["The chart", [["png", "PNG"], ["svg", "SVG"], ["json", "Vega-Lite"]]],
];
const NEEDS = { csv: "release", parquet: "release", yaml: "study", py: "code", png: "chart", svg: "chart", json: "chart" };
const HELP = {
  csv: "the released file", parquet: "the released file", yaml: "data, roles, hierarchies, recipes and measures",
  py: "a script that makes the same release", png: "a bitmap", svg: "a vector graphic", json: "the chart as Vega-Lite",
};

const ROLES = ["quasi", "sensitive", "neutral"];

function sideBySide({ columns: given, sizes, of }) {
  const columns = [...given].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  const shown = columns[0]?.original.length ?? 0;
  const rows = Array.from({ length: shown }, (_, i) => h("tr", {}, columns.map(({ original, released }) => {
    const [was, is] = [original[i], released[i]];
    return was === is ? h("td", { title: is }, is)
      : h("td", { class: "wb-changed", title: `${is || "removed"}, was ${was}` }, h("span", {}, is || "(removed)"), h("s", {}, was));
  }), sizes.length ? h("td", { class: "wb-number" }, count(sizes[i])) : null));
  const changed = columns.filter(({ original, released }) => original.some((was, i) => was !== released[i])).length;
  return [
    h("p", { class: "wb-note" }, `${count(shown)} of ${count(of)} records, as released; where a value was changed, the original is shown below it. ` +
      `${count(changed)} of ${count(columns.length)} columns differ.`),
    h("div", { class: "wb-scroll", tabindex: 0, role: "region", "aria-label": "original and released records" }, h("table", { class: "wb-sample" },
      h("thead", {}, h("tr", {}, columns.map(one => h("th", { title: one.role }, one.name, h("small", {}, one.role))),
        sizes.length ? h("th", { class: "wb-number" }, "class size") : null)),
      h("tbody", {}, rows))),
  ];
}

export default widget(({ model, el, view, send, on, trait, mark }) => {
  const { element, body, chosen } = step("Preview and export", { model, trait });
  el.classList.add("wb-preview");
  el.append(element);
  const audit = h("p", { class: "wb-audit" }), neutral = h("p", { class: "wb-note" });
  const anyway = h("input", { type: "checkbox", id: fresh("anyway"), onchange: () => mark("release", "") });
  const stars = h("input", { type: "checkbox", id: fresh("stars") });
  const gone = h("div", { class: "wb-row", hidden: true }, stars, h("label", { for: stars.id }, "Rows of * for suppressed records"));
  const leave = h("button", { type: "button", class: "wb-main-action", onclick: () => send("drop", { field: "release" }) }, "Drop these columns");
  const sure = h("div", { class: "wb-row wb-sure", hidden: true }, leave, anyway, h("label", { for: anyway.id }, "Export anyway"));
  const status = h("p", { class: "wb-note", role: "status" });
  const buttons = {};
  const place = what => (NEEDS[what] === "release" ? "release" : NEEDS[what] === "chart" ? "chart" : "study");
  const exports = FILES.map(([title, kinds]) => h("div", { class: "wb-files", "data-field": place(kinds[0][0]) },
    h("span", { class: "wb-files-name" }, title),
    h("div", { class: "wb-row" }, kinds.map(([what, text]) => buttons[what] = h("button", {
      type: "button", title: HELP[what], "aria-label": `${title} as ${text}: ${HELP[what]}`,
      onclick: () => send("export", { field: place(what), what, anyway: anyway.checked, stars: stars.checked && !gone.hidden }),
    }, text))),
    h("span", { class: "wb-wrong", role: "alert" }), title === "The release" ? [gone, sure] : null));

  const number = h("input", { type: "number", min: 1, max: 500, value: 20, "aria-label": "records to show" });
  const sample = h("div");
  const clear = () => { sample.replaceChildren(); hide.hidden = wide.hidden = true; };
  const home = h("div", {}, sample);
  const large = h("dialog", { class: "wb-large", "aria-label": "original and released records", onclose: () => home.append(sample) },
    h("form", { method: "dialog", class: "wb-row wb-large-head" }, h("h3", {}, "Original and released records"), h("button", {}, "close")));
  const wide = h("button", { type: "button", class: "wb-quiet", hidden: true, onclick: () => { large.append(sample); large.showModal(); } }, "enlarge");
  const hide = h("button", { type: "button", class: "wb-quiet", hidden: true, onclick: clear }, "hide");
  const ask = h("button", { type: "button", onclick: () => send("preview", { field: "preview", number: Number(number.value) }) }, "Show original and released records");
  const preview = h("div", { class: "wb-records", "data-field": "preview", hidden: true },
    h("div", { class: "wb-row" }, ask, number, h("span", { class: "wb-note" }, "records"), wide, hide), h("span", { class: "wb-wrong", role: "alert" }),
    h("p", { class: "wb-note" }, "Original records, shown only here: they are not saved in the notebook."), home);
  el.append(large);
  body.append(audit, neutral, ...exports, status, preview);

  on("state", state => {
    audit.textContent = state.audit;
    neutral.textContent = state.as_they_are;
    neutral.hidden = !state.as_they_are;
    audit.classList.toggle("wb-held", state.audit.includes(" holds"));
    chosen(state.recipe);
    for (const [what, button] of Object.entries(buttons)) button.disabled = !state[NEEDS[what]];
    buttons.csv.title = `${HELP.csv}${state.several ? ": records and sensitive values in two files, zipped" : ""}`;
    gone.hidden = !state.left_out;
    preview.hidden = !state.preview;
    ask.disabled = !state.release;
    sure.hidden = true;  // confirmed again for each release
    anyway.checked = false;
  });
  on("preview", shown => { sample.replaceChildren(...sideBySide(shown)); hide.hidden = wide.hidden = false; });
  on("gone", clear);
  on("working", ({ asker, words }) => {
    status.textContent = asker && asker !== view ? "" : words ? `Creating the file: ${words}` : "Creating the file…";
  });
  on("refused", ({ columns }) => { sure.hidden = false; leave.title = `Drop ${columns.join(", ")}`; });
  on("ended", () => { status.textContent = ""; });

  const arriving = {};
  on("file", ({ name, type, place: at, pieces }, buffers) => {
    const parts = arriving[name] ??= [];
    parts[at] = buffers[0];
    if (parts.filter(Boolean).length < pieces) {
      status.textContent = `${name}: ${Math.round(100 * (at + 1) / pieces)} %`;
      return;
    }
    delete arriving[name];
    download(name, type, parts);
    status.textContent = `${name} was downloaded.`;
  });
});
