// The data step: the source of the records, and a summary of the columns.

import { count, field, fresh, h, perCent, step, widget } from "../base/shared.js";
import { catalogOf } from "./catalog.js";

const WINDOW = 4; // chunks sent at the same time
const KINDS = { number: ["123", "numbers"], date: ["date", "dates"], text: ["abc", "text"] };
const megabytes = size => `${(size / 1e6).toFixed(1)} MB`;

/** Send a file in chunks, a few at a time; `ended` is called with an error, or without one. */
function sending(file, send, { chunk, progressed, ended }) {
  const token = fresh("upload");
  let sent = 0, index = 0, over = false;
  const end = wrong => { if (!over) { over = true; ended(wrong); } };
  const next = async () => {
    if (over || sent >= file.size) return;
    const from = sent, to = Math.min(file.size, sent + chunk), number = index++;
    sent = to;
    let bytes;
    try {
      bytes = await file.slice(from, to).arrayBuffer();
    } catch {
      return end(`${file.name}: the file can no longer be read; choose it again`);
    }
    if (bytes.byteLength !== to - from) return end(`${file.name}: the file has changed; choose it again`);
    if (!over) send("chunk", { upload: token, index: number }, [bytes]);
  };
  // reading is asynchronous, and chunks must be sent in order: one after the other
  let queue = Promise.resolve();
  const more = () => { queue = queue.then(next); };
  return {
    token,
    begin() { progressed(0); for (let i = 0; i < WINDOW; i++) more(); },
    got(received) { progressed(received); if (received >= file.size) end(); else more(); },
    stop() { over = true; },
  };
}

/** Draw the bars of a column; only bars of at least ten records have a name. */
function histogram(bars, name) {
  const width = 5, picture = h("svg:svg", {
    class: "wb-histogram", viewBox: `0 0 ${16 * width} 20`, preserveAspectRatio: "none", role: "img",
    "aria-label": `Histogram of ${name}`,
  });
  const wide = 16 * width / Math.max(bars.length, 6);
  bars.forEach((bar, i) => {
    const height = bar.height && Math.max(1, 20 * bar.height);
    const box = h("svg:rect", { class: "wb-bar", x: i * wide, width: wide * 0.86, y: 20 - height, height });
    if (bar.name === undefined) { picture.append(box); return; }
    const title = h("svg:title", {}, `${bar.name}: ${count(bar.count)} records`);
    picture.append(h("svg:g", {}, box, h("svg:rect", { class: "wb-catch", x: i * wide, width: wide, y: 0, height: 20 }), title));
  });
  return picture;
}

const TYPES = [["number", "number"], ["number 1,234.5", "number as 1,234.5"], ["number 1.234,5", "number as 1.234,5"],
  ["date", "date"], ["date dd/mm/yyyy", "date as dd/mm/yyyy"], ["date mm/dd/yyyy", "date as mm/dd/yyyy"], ["text", "text"]];
const FORMAT = "format"; // a typed date format

/** A menu for the type of a column: the detected one, a common one, or dates in a typed format. */
function typeChoice(name, found, declared, send) {
  const choose = value => send("choose", { field: "type", column: name, value });
  const options = [["", found ? KINDS[found][1] : "as found"], ...TYPES];
  if (declared && !options.some(([kind]) => kind === declared)) options.push([declared, declared.replace(" ", " as ")]);
  options.push([FORMAT, "date in another format…"]);
  const choice = h("select", { class: "wb-type", "aria-label": `Type of ${name}`, onchange: event => {
    if (event.target.value !== FORMAT) return choose(event.target.value);
    form.hidden = false;
    form.focus();
  } }, options.map(([kind, word]) => h("option", { value: kind, selected: kind === (declared ?? "") }, word)));
  const form = h("input", { type: "text", class: "wb-format", hidden: true, spellcheck: "false", placeholder: "dd.mm.yy",
    "aria-label": `Date format of ${name}`, title: "dd, mm, yyyy or yy as they are written, or as in strptime: %d %b %Y",
    onkeydown: event => { if (event.key === "Escape") { choice.value = declared ?? ""; form.hidden = true; } },
    onchange: () => { if (form.value.trim()) choose(`date ${form.value.trim()}`); } });
  return h("span", { class: "wb-types" }, choice, form);
}

/** An unreadable column: the reason, and the ways to read it. */
function unreadableLine({ name, text, choices, texts, values }, declared, send) {
  const ways = choices.map(kind => h("button", { type: "button",
    onclick: () => send("choose", { field: "type", column: name, value: kind }) }, kind.replace(" ", " as ")));
  if (texts.length) ways.push(h("button", { type: "button",
    onclick: () => send("choose", { field: "missing", add: values }) }, texts.length === 1 ? "Read it as missing" : "Read these as missing"));
  return h("li", {}, h("b", {}, name), " ", typeChoice(name, "", declared, send), h("span", { class: "wb-wrong" }, text),
    texts.length ? h("span", { class: "wb-offending" }, "Not numbers: ", texts.map((one, i) => [i ? ", " : "", h("code", {}, one)])) : null,
    ways.length ? h("span", { class: "wb-row" }, ways) : null);
}

function columnLine(column, records, declared, send) {
  const [, word] = KINDS[column.kind];
  const share = column.missing / records;
  return h("tr", { "data-name": column.name.toLowerCase() },
    h("th", { scope: "row", title: column.name }, column.name,
      column.range ? h("span", { class: "wb-range", title: `Minimum and maximum: ${column.range}` }, column.range) : null),
    h("td", { title: word }, typeChoice(column.name, column.kind, declared[column.name], send)),
    h("td", { class: "wb-number" }, count(column.distinct)),
    h("td", { class: "wb-number", title: column.missing ? `${count(column.missing)} records` : null },
      column.missing ? perCent(share) : h("span", { class: "wb-none" }, "–")),
    h("td", {}, histogram(column.bars, column.name)));
}

export default widget(({ model, el, send, on, trait, mark }) => {
  const { element, body, chosen } = step("Data", { model, trait });
  el.classList.add("wb-data");
  el.append(element);
  let state = { data: {}, paths: true, most: 0, chunk: 1e6, given: false }, upload = null, open = null, busy = "";

  // --- the source
  const tabs = [["bundled", "Adult", "The bundled census data"],
    ["path", "Path", "A file on the server"], ["upload", "Upload", "A file from your machine"],
    ["spark", "Tables", "A table in Spark, which is queried there, or in a DuckDB file"], ["given", "Notebook", "The data from the notebook"]];
  const group = fresh("source");
  const radios = Object.fromEntries(tabs.map(([key]) => [key, h("input", {
    type: "radio", name: group, value: key, class: "wb-hush", onchange: () => choose(key),
  })]));
  const labels = Object.fromEntries(tabs.map(([key, word, help]) => [key, h("label", { title: help }, radios[key], h("span", {}, word))]));
  const source = h("div", { class: "wb-sources", role: "radiogroup", "aria-label": "Source of the data", "data-field": "source" },
    h("div", { class: "wb-segments" }, Object.values(labels)));

  const path = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "folder/table.csv" });
  const pathPanel = h("form", { class: "wb-panel", onsubmit: event => {
    event.preventDefault();
    send("choose", { field: "path", value: path.value });
  } }, field("path", "File on the server, or in the notebook's folder", path));
  path.after(h("button", { type: "submit" }, "Read"));

  const catalog = catalogOf({ send, on, use: (remote, path) => send("choose", { field: "spark", remote, path }) });

  const file = h("input", { type: "file", class: "wb-hush", tabindex: -1, "aria-label": "File to upload" });
  const pick = h("button", { type: "button", onclick: () => file.click() }, "Choose a file…");
  const limit = h("span", { class: "wb-note" });
  const drop = h("div", { class: "wb-panel wb-drop", "data-field": "upload" },
    h("div", { class: "wb-row" }, pick, h("span", { class: "wb-note" }, "or drop it here"), file), limit,
    h("span", { class: "wb-wrong", role: "alert" }));
  file.addEventListener("change", () => { if (file.files[0]) uploadFile(file.files[0]); file.value = ""; });
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("wb-over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("wb-over"));
  drop.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("wb-over");
    if (event.dataTransfer.files[0]) uploadFile(event.dataTransfer.files[0]);
  });

  // --- progress
  const bar = h("progress", { max: 1, "aria-label": "Progress" });
  const doing = h("span", { class: "wb-doing", role: "status" });
  const work = h("div", { class: "wb-work", hidden: true }, bar, doing,
    h("button", { type: "button", onclick: cancel }, "Cancel"));

  function cancel() {
    upload?.stop();
    upload = null;
    send("cancel");
    idle();
  }

  function idle() {
    work.hidden = true;
    busy = "";
    drawState();
  }

  function working(text, share) {
    work.hidden = false;
    doing.textContent = text;
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  }

  function uploadFile(one) {
    upload?.stop();
    upload = null;
    mark("upload", "");
    if (one.size > state.most) {
      mark("upload", `${one.name}: ${megabytes(one.size)} are more than the ${megabytes(state.most)} allowed; ` +
        `leave out columns that are not needed, or pack it (.gz, .parquet)${state.paths ? ", or name a path on the server" : ""}`);
      return;
    }
    upload = sending(one, send, {
      chunk: state.chunk,
      progressed: done => working(`${one.name}: ${(done / 1e6).toFixed(1)} of ${megabytes(one.size)}`, done / one.size),
      ended: wrong => {
        upload = null;
        if (wrong) { cancel(); mark("upload", wrong); }
      },
    });
    send("upload", { field: "upload", upload: upload.token, name: one.name, size: one.size });
  }

  on("welcome", ({ upload: token }) => { if (upload?.token === token) upload.begin(); });
  on("got", ({ upload: token, received }) => { if (upload?.token === token) upload.got(received); });
  on("idle", idle);
  on("reading", ({ what, records, words }) => {
    busy = what;
    working(words ? `${what}: ${words}` : records ? `${what}: ${count(records)} records read` : `Reading ${what}…`);
    for (const name of ["source", "path", "upload", "spark"]) mark(name, "");
  });

  // --- the current data
  const missing = h("input", { type: "checkbox", id: fresh("missing"), onchange: event => {
    const wanted = event.target.checked;
    event.target.checked = !!state.data.drop_missing; // Python decides
    send("choose", { field: "drop_missing", value: wanted });
  } });
  const would = h("span", { class: "wb-soft" });
  const missingRow = h("div", { class: "wb-check", "data-field": "drop_missing" }, missing,
    h("label", { for: missing.id }, "Drop records with missing values", " ", would));
  const sample = h("input", { type: "number", min: 1, step: 1, class: "wb-sample", placeholder: "all", onchange: () => {
    send("choose", { field: "sample", value: sample.value === "" ? "" : Number(sample.value) });
  } });
  const sampleRow = field("sample", "Sample size (records)", sample,
    "Drawn at random without replacement. Everything derived from it is labelled as based on a sample.");
  const markers = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "only empty cells",
    onchange: () => send("choose", { field: "missing", value: markers.value }) });
  const asFound = h("button", { type: "button", hidden: true, title: "Recognize the usual texts, such as NA",
    onclick: () => send("choose", { field: "missing", value: null }) }, "As found");
  const markersRow = h("div", { class: "wb-markers" }, field("missing", "Missing values", markers,
    "Empty cells and these texts, separated by commas: NA, unknown"));
  markers.after(asFound);
  const typeWrong = h("div", { "data-field": "type" }, h("span", { class: "wb-wrong", role: "alert" }));
  const unreadable = h("ul", { class: "wb-unreadable", hidden: true, "aria-label": "Columns that cannot be read" });
  const tables = h("div", { class: "wb-row wb-tables", role: "group", "aria-label": "Tables of the file", hidden: true, "data-field": "table" });
  const using = h("div", { class: "wb-using" });
  const search = h("input", { type: "search", placeholder: "Find a column", "aria-label": "Find a column", oninput: filter });
  const rows = h("tbody");
  const none = h("p", { class: "wb-note", hidden: true }, "No column matches.");
  const table = h("div", { class: "wb-scroll wb-columns", tabindex: 0, role: "region", "aria-label": "Columns" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "column"), h("th", { scope: "col" }, "type"),
      h("th", { scope: "col", class: "wb-number" }, "distinct"), h("th", { scope: "col", class: "wb-number" }, "missing"),
      h("th", { scope: "col" }, "values"))), rows));
  const notes = h("ul"), notesTitle = h("summary");
  const noted = h("details", { class: "wb-notes" }, notesTitle, notes);
  const known = h("div", { hidden: true }, h("div", { class: "wb-data-head" }, using, search), table, none, missingRow, sampleRow, noted);
  body.append(source, pathPanel, catalog.element, drop, work, tables, unreadable, typeWrong, markersRow, known);

  let summary = {};
  const drawRows = () => rows.replaceChildren(
    ...(summary.columns ?? []).map(column => columnLine(column, summary.records, state.data.types ?? {}, send)));
  function filter() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows.children) {
      row.hidden = !row.dataset.name.includes(wanted);
      if (!row.hidden) shown++;
    }
    none.hidden = shown > 0 || !rows.children.length;
  }

  on("summary", given => {
    summary = given;
    known.hidden = !summary.records;
    if (!summary.records) return drawState();
    drawRows();
    search.hidden = summary.columns.length < 8;
    filter();
    notes.replaceChildren(...summary.notes.map(note => h("li", {}, note)));
    notesTitle.textContent = summary.notes.length === 1 ? "1 note on reading the data" : `${summary.notes.length} notes on reading the data`;
    noted.hidden = !summary.notes.length;
    drawState();
  });

  const origin = () => ["bundled", "path", "sql", "spark", "given"].find(key => key in state.data) ?? "bundled";
  const originTab = () => origin() === "given" && String(state.data.given).startsWith("upload: ") ? "upload"
    : state.data.table && /\.(duckdb|ddb)$/i.test(state.data.path) ? "spark" : origin();

  function choose(key) {
    open = key;
    if (key === "bundled" || key === "given") send("choose", { field: "source", value: key });
    drawState();
    if (key === "path") path.focus();
    if (key === "spark") catalog.server.focus();
  }

  function drawState() {
    const at = open ?? originTab();
    for (const [key, radio] of Object.entries(radios)) radio.checked = key === at;
    labels.path.hidden = labels.spark.hidden = !state.paths;
    labels.given.hidden = !state.given;
    pathPanel.hidden = at !== "path" || !state.paths;
    catalog.element.hidden = at !== "spark" || !state.paths;
    drop.hidden = at !== "upload";
    limit.textContent = `At most ${megabytes(state.most).replace(".0", "")}; ${state.known ?? ""}`;
    const inFile = state.data.table ? `: ${state.data.table}` : "";
    const name = { bundled: "adult (bundled)", path: state.data.path + inFile, spark: state.data.spark, given: state.data.given }[origin()] ?? "a query";
    if (!summary.records) return chosen(busy ? `reading ${busy}…` : "none yet");
    const drops = summary.incomplete;
    using.replaceChildren(h("b", {}, name), ` ${count(summary.records)} records × ${count(summary.columns.length)} columns`);
    using.title = name;
    missing.checked = !!state.data.drop_missing;
    if (document.activeElement !== sample) sample.value = state.data.sample ?? "";
    missing.disabled = !drops && !state.data.drop_missing;
    would.textContent = !drops ? "(there are none)" : drops === summary.records
      ? "(all of them: make columns with mostly missing values identifiers)"
      : `(${count(drops)}, ${perCent(drops / summary.records)}, counting all columns)`;
    const drawn = state.data.sample < summary.records ? `a random sample of ${count(state.data.sample)} of ` : "";
    chosen(`${name}, ${drawn}${count(summary.records)} records × ${count(summary.columns.length)} columns`);
  }

  on("state", given => {
    const before = JSON.stringify(state.data);
    state = given;
    if (before !== JSON.stringify(state.data)) open = null;
    if (before !== JSON.stringify(state.data)) { drawRows(); filter(); }
    markers.value = state.missing ?? "";
    unreadable.hidden = !(state.unreadable ?? []).length;
    asFound.hidden = !state.listed;
    tables.hidden = !(state.tables ?? []).length;
    tables.replaceChildren(...(state.tables ?? []).map(name =>
      h("button", { type: "button", onclick: () => send("choose", { field: "table", value: name }) }, name)),
      h("span", { class: "wb-wrong", role: "alert" }));
    unreadable.replaceChildren(
      ...(state.unreadable ?? []).map(one => unreadableLine(one, (state.types ?? {})[one.name], send)));
    if (!path.value && state.typed) path.value = state.typed;
    if (!path.value && state.data.path && originTab() === "path") path.value = state.data.path;
    if (!catalog.server.value) catalog.server.value = state.data.remote ?? (originTab() === "spark" ? state.data.path ?? "" : "");
    if (state.busy && !upload) { busy = state.busy; working(`Reading ${busy}…`); }
    drawState();
  });

  return () => { if (upload) cancel(); };
});
