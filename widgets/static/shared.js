// What all widgets share. Python reads this file and the widget's own into one module.

const SVG = "http://www.w3.org/2000/svg";
const SILENT = "Python does not answer: run the cell (again).";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate", "open", "hidden"]);

/** An element: `h("button", { onclick: f }, "text")`, `h("svg:rect", { x: 1 })`. */
function h(tag, attributes = {}, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** Numbers as people read them: 3 figures, thousands apart; what Python sends as "inf" or null is a word. */
function figures(value) {
  if (value === null || value === undefined) return "undefined";
  if (value === "inf" || value === Infinity) return "infinite";
  if (value === "-inf" || value === -Infinity) return "−infinite";
  const size = Math.abs(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size > 0 && size < 0.0001) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

const count = value => Number(value).toLocaleString("en");
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

/** Calls at most once a `wait`, with the latest arguments, the last call always. */
function throttled(call, wait) {
  let last = 0, timer = null, latest = null;
  const run = () => { timer = null; last = performance.now(); call(...latest); };
  return (...given) => {
    latest = given;
    timer ??= setTimeout(run, Math.max(0, wait - (performance.now() - last)));
  };
}

/** Calls when nothing was asked for a while. */
function debounced(call, wait) {
  let timer = null;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), wait); };
}

let serial = 0;
const fresh = name => `wb-${name}-${++serial}`;

/** A labelled field with room for what is wrong with it: `field("path", "Path", input, "help")`. */
function field(name, label, input, help) {
  const id = input.id || (input.id = fresh(name));
  const wrong = h("span", { class: "wb-wrong", role: "alert", id: `${id}-wrong` });
  input.setAttribute("aria-describedby", wrong.id);
  return h("div", { class: "wb-field", "data-field": name },
    h("label", { for: id, title: help }, label), input, wrong);
}

/** A step of the workbench, one of its group open at a time; what was chosen stays readable when it is closed. */
function step(title, model) {
  const chosen = h("span", { class: "wb-chosen" });
  const body = h("div", { class: "wb-body" });
  const element = h("details", { class: "wb-step", open: model.get("unfolded"), name: model.get("group") || null },
    h("summary", {}, h("b", {}, title), chosen), body);
  element.addEventListener("toggle", () => {
    if (element.open !== model.get("unfolded")) { model.set("unfolded", element.open); model.save_changes(); }
  });
  model.on("change:unfolded", () => { element.open = model.get("unfolded"); });
  return { element, body, chosen: text => { chosen.textContent = text; chosen.title = text; } };
}

/**
 * A widget's module from one function: build({ model, el, say, on, trait, seen }).
 *   say(kind, content, buffers)  asks Python
 *   on(kind, call)               hears Python: call(content, buffers)
 *   trait(name, call)            calls now and whenever the trait changes
 *   seen()                       whether the view is still on the page
 * Problems are shown at the element with that data-field, or at the top.
 */
function widget(build) {
  return {
    render({ model, el }) {
      const calls = {}, watched = [];
      el.classList.add("wb");
      // keys typed here are not commands of JupyterLab, whose selectors match the very element that has the focus
      el.addEventListener("focusin", event => { event.target.dataset.lmSuppressShortcuts = "true"; });
      // its notebook swallows Enter, of which a text field makes a change
      el.addEventListener("keydown", event => event.stopPropagation());
      const top = h("div", { class: "wb-wrong wb-top", role: "alert", "data-field": "" });
      const say = (kind, content = {}, buffers) => {
        try {
          model.send({ kind, ...content }, undefined, buffers);
        } catch {  // its kernel is gone
          mark("", SILENT);
        }
      };
      const on = (kind, call) => { calls[kind] = call; };
      const trait = (name, call) => {
        const changed = () => call(model.get(name));
        model.on(`change:${name}`, changed);
        watched.push([`change:${name}`, changed]);
        changed();
      };
      const wrongAt = name => {
        const at = name && [...el.querySelectorAll("[data-field]")].find(e => e.dataset.field === name);
        if (!at) return [top, null];
        let place = at.querySelector(".wb-wrong");
        if (!place) at.append(place = h("span", { class: "wb-wrong", role: "alert" }));
        return [place, at];
      };
      const mark = (name, text) => {
        const [place, at] = wrongAt(name);
        place.textContent = text;
        at?.querySelector("input, select, textarea")?.setAttribute("aria-invalid", text ? "true" : "false");
      };
      on("problem", ({ field, text }) => mark(field, text));
      on("fine", ({ field }) => { mark(field, ""); mark("", ""); });
      // a saved notebook shows its widgets before a kernel stands behind them
      const silence = setTimeout(() => mark("", SILENT), 8000);
      const heard = (message, buffers) => {
        clearTimeout(silence);
        if (top.textContent === SILENT) mark("", "");
        calls[message.kind]?.(message, buffers);
      };
      model.on("msg:custom", heard);
      el.append(top);
      const left = build({ model, el, say, on, trait, mark, seen: () => el.isConnected });
      say("hello");
      return () => {
        clearTimeout(silence);
        model.off("msg:custom", heard);
        for (const [name, call] of watched) model.off(name, call);
        left?.();
      };
    },
  };
}
