// The catalog of a Spark server or a DuckDB file: catalogs, schemas, tables, columns; each level is read when it is unfolded.

import { count, field, h } from "../base/shared.js";

const KINDS_OF = ["catalog", "schema", "table"];

/** A form for the address of a server or the name of a file, with a tree below; `use(remote, path)` is called with a chosen table. */
export function catalogOf({ send, on, use }) {
  const server = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "sc://host:15002, or people.duckdb" });
  const connect = h("button", { type: "submit" }, "Connect");
  const doing = h("span", { class: "wb-doing", role: "status" });
  const work = h("div", { class: "wb-row", hidden: true }, doing, h("button", { type: "button", onclick: stop }, "Cancel"));
  const tree = h("div", { class: "wb-catalog", role: "group", "aria-label": "Tables", hidden: true });
  const element = h("div", { class: "wb-panel" },
    h("form", { onsubmit: event => { event.preventDefault(); connected = server.value.trim(); ask([]); } },
      field("spark", "Spark Connect server, or DuckDB file", server,
        "The token is read from the environment variable SPARK_CONNECT_AUTHENTICATE_TOKEN; do not type it here")),
    work, tree);
  server.after(connect);
  let connected = "", pending = null;
  const places = new Map(); // unfolded elements by path
  const name = path => JSON.stringify(path);

  function ask(path) {
    if (pending?.length) fold(pending); // one request at a time
    pending = path;
    if (!path.length) {
      places.clear();
      places.set(name([]), tree);
      tree.hidden = true;
    }
    doing.textContent = `Reading ${path.at(-1) ?? connected}…`;
    work.hidden = false;
    send("look", { field: "spark", remote: connected, path });
  }

  function fold(path) {
    const place = places.get(name(path));
    if (!place) return;
    delete place.dataset.known;
    place.replaceChildren();
    place.parentElement.open = false;
  }

  function rest() {
    pending = null;
    work.hidden = true;
  }

  function stop() {
    send("stop");
    if (pending?.length) fold(pending);
    rest();
  }

  function take(path, size) {
    if (pending) size.textContent = ""; // counting is cancelled
    rest();
    use(connected, path);
  }

  function branch(path) {
    const inside = h("div", { class: "wb-inside" });
    places.set(name(path), inside);
    const one = h("details", { ontoggle: () => { if (one.open && !inside.dataset.known) ask(path); } },
      h("summary", { title: KINDS_OF[path.length - 1] }, path.at(-1)), inside);
    return one;
  }

  on("found", ({ remote, path, names, columns, records }) => {
    const place = places.get(name(path));
    if (remote !== connected || !place) return;
    place.dataset.known = "yes";
    tree.hidden = false;
    if (names) {
      place.replaceChildren(...names.map(one => branch([...path, one])));
      if (!names.length) place.append(h("p", { class: "wb-note" }, "Empty, or without visible contents."));
    } else if (columns) {
      const size = h("span", { class: "wb-note" }, "counting records…");
      place.replaceChildren(
        h("div", { class: "wb-row" }, h("button", { type: "button", onclick: () => take(path, size) }, "Use this table"), size),
        h("table", { "aria-label": `Columns of ${path.at(-1)}` }, columns.map(([column, kind]) =>
          h("tr", {}, h("th", { scope: "row" }, column), h("td", {}, kind)))));
      doing.textContent = `Counting the records of ${path.at(-1)}…`;
      return;
    } else place.querySelector(".wb-note").textContent = `${count(records)} records`;
    rest();
  });
  on("stopped", () => { if (pending?.length) fold(pending); rest(); });

  return { element, server };
}
