// Shared by all widgets.

const SVG = "http://www.w3.org/2000/svg";
export const SILENT = "voila" in document.body.dataset // a page of Voila has no cell to run
  ? "The server is not responding. Reload this page." : "The kernel is not responding. Run the cell again.";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate", "open", "hidden"]);

/** Create an element: `h("button", { onclick: f }, "text")`, `h("svg:rect", { x: 1 })`. */
export function h(tag, attributes = {}, ...children) {
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

const HUGE = 1e15; // floating-point numbers are not exact integers far beyond this

/** Round to three significant digits; for a guarantee (`better`: lower or higher) round toward the worse side.
 * workbench/base/figures.py has the same rule and functions. */
function rounded(value, better, digits = 3) {
  const near = Number(value.toPrecision(digits)), exact = Number(value.toPrecision(12)); // further digits are rounding errors
  if (!((better === "lower" && near < exact) || (better === "higher" && near > exact))) return near;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(exact))) + 1 - digits);
  return Number((better === "lower" ? near + step : near - step).toPrecision(digits));
}

/** Format a number for display; Python sends infinity as "inf" and undefined as null. */
export function figures(value, better = "", digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (value === "inf" || value === Infinity) return "infinite";
  if (value === "-inf" || value === -Infinity) return "minus infinite";
  const exact = Number.isInteger(value) && Math.abs(value) < HUGE;
  const shown = (exact ? value : rounded(value, better, digits)) + 0, size = Math.abs(shown); // -0 + 0 is 0
  if (size >= HUGE || (size && size < 1e-4)) return shown.toExponential().replace("e+", "e");
  return size < 1000 ? String(shown) : shown.toLocaleString("en", { maximumFractionDigits: 9 });
}

/** Format a number with enough digits to distinguish it from its limit. */
export function figuresNextTo(value, limit) {
  for (let digits = 3; digits <= 12; digits++) {
    if (figures(value, "", digits) !== figures(limit)) return figures(value, "", digits);
  }
  return figures(value);
}

export const count = value => Number(value).toLocaleString("en");

/** Format a share in percent with three significant digits; shares near 0 or 1 are not rounded to 0 or 100 %. */
export function perCent(share) {
  if ((share > 0 && share < 0.001) || (share > 0.999 && share < 1)) return share < 0.5 ? "under 0.1 %" : "over 99.9 %";
  return `${rounded(100 * share)} %`;
}

/** Format a share in whole percent; shares near 0 or 1 are not rounded to 0 or 100 %. */
export function aboutPerCent(share) {
  if ((share > 0 && share < 0.01) || (share > 0.99 && share < 1)) return share < 0.5 ? "under 1 %" : "over 99 %";
  return `${Math.round(Number((100 * share).toPrecision(12)))} %`;
}

/** Call at most once per `wait` milliseconds, with the latest arguments; the last call is always made. */
export function throttled(call, wait) {
  let last = 0, timer = null, latest = null;
  const run = () => { timer = null; last = performance.now(); call(...latest); };
  return (...given) => {
    latest = given;
    timer ??= setTimeout(run, Math.max(0, wait - (performance.now() - last)));
  };
}

/** Call with the latest arguments after the next frame, so that a chart in that frame is drawn first. */
export function afterFrame(call) {
  let frame = 0, latest = null;
  const run = () => { frame = 0; call(...latest); };
  return (...given) => { latest = given; frame ||= requestAnimationFrame(() => setTimeout(run)); };
}

/** Call with the latest arguments after `wait` milliseconds without another request. */
export function debounced(call, wait) {
  let timer = null;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), wait); };
}

// each widget on a page has its own copy of this module, and names must be unique on the page
const instance = Math.random().toString(36).slice(2);
let serial = 0;
/** Return a unique name: for elements, groups of radio buttons, views. */
export const fresh = name => `wb-${name}-${instance}-${++serial}`;

/** Let the browser download a file. */
export function download(name, type, pieces) {
  const link = h("a", { href: URL.createObjectURL(new Blob(pieces, { type })), download: name, style: "display: none" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Create a labelled field with a place for errors: `field("path", "Path", input, "help")`. */
export function field(name, label, input, help) {
  const id = input.id || (input.id = fresh(name));
  const wrong = h("span", { class: "wb-wrong", role: "alert", id: `${id}-wrong` });
  input.setAttribute("aria-describedby", wrong.id);
  return h("div", { class: "wb-field", "data-field": name },
    h("label", { for: id, title: help }, label), input, wrong);
}

/** Redraw and restore, by data-key, the focus, half-typed text and open details. */
export function keepingPlace(root, draw) {
  /** @type {any} */
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const keys = [...root.querySelectorAll("[data-key]:not(details)")].map(one => one.dataset.key);
  const place = active && { key: active.dataset.key, value: active.value, from: active.selectionStart, to: active.selectionEnd,
    typing: active.type === "text" && active.value !== active.defaultValue && !active.dataset.sent };
  const unfolded = new Set([...root.querySelectorAll("details[open]")].map(one => one.dataset.key));
  const hush = event => event.stopImmediatePropagation(); // a removed field would report its half-typed text as a change
  root.addEventListener("change", hush, true);
  draw();
  root.removeEventListener("change", hush, true);
  for (const one of root.querySelectorAll("details")) one.open = unfolded.has(one.dataset.key);
  if (!place?.key) return;
  const now = new Map([...root.querySelectorAll("[data-key]:not(details)")]
    .filter(one => one.checkVisibility()).map(one => [one.dataset.key, one]));
  const again = now.get(place.key);
  if (!again) return now.get(keys.slice(0, keys.indexOf(place.key)).findLast(key => now.has(key)))?.focus(); // the element before the removed one
  again.focus({ preventScroll: true });
  if (place.typing) again.value = place.value;
  if (again.type === "text") again.setSelectionRange(place.from, place.to);
}

/**
 * A step of the workbench; one step of a group is open at a time, and a closed step shows its choices.
 * All views of a step are open or closed together, which the browser's own groups of details do not allow.
 */
export function step(title, { model, trait }) {
  const chosen = h("span", { class: "wb-chosen" });
  const body = h("div", { class: "wb-body" });
  const group = model.get("group");
  const element = h("details", { class: "wb-step", "data-group": group, "data-step": title },
    h("summary", {}, h("b", {}, title), chosen), body);
  element.addEventListener("toggle", () => {
    if (element.open !== model.get("unfolded")) { model.set("unfolded", element.open); model.save_changes(); }
  });
  trait("unfolded", open => {
    element.open = open;
    if (!open || !group) return;
    for (const one of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.wb-step[open]"))) {
      if (one.dataset.group === group && one.dataset.step !== title) one.open = false;
    }
  });
  return { element, body, chosen: text => { chosen.textContent = text; chosen.title = text; } };
}

/**
 * Create a widget's module from one function: build({ model, el, view, send, on, trait, mark, at }).
 *   send(kind, content, buffers)  sends a message to Python, with the name of this view as `from`
 *   on(kind, call)               handles messages from Python: call(content, buffers), unless they are `to` another view
 *   trait(name, call)            calls now and whenever the trait changes
 *   at(field)                    the element with that data-field, if there is one
 *   mark(field, text)            shows an error there, or at the top; without text it removes the error
 *   view                         this view's name: a widget may be shown more than once
 */
export function widget(build) {
  return {
    render({ model, el }) {
      const calls = {}, watched = [], view = fresh("view");
      el.classList.add("wb");
      // keys typed here are not commands of JupyterLab, whose selectors match the very element that has the focus
      el.addEventListener("focusin", event => { event.target.dataset.lmSuppressShortcuts = "true"; });
      // the notebook would swallow Enter, which a text field needs
      el.addEventListener("keydown", event => event.stopPropagation());
      const top = h("div", { class: "wb-wrong", role: "alert", "data-field": "" });
      const send = (kind, content = {}, buffers) => {
        try {
          model.send({ ...content, kind, from: view }, undefined, buffers);
        } catch {  // the kernel is gone
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
      const at = name => el.querySelector(`[data-field="${CSS.escape(name)}"]`);
      const mark = (name, text) => {
        const place = at(name) ?? top;
        let wrong = place === top ? top : place.querySelector(".wb-wrong");
        if (!wrong) place.append(wrong = h("span", { class: "wb-wrong", role: "alert" }));
        wrong.textContent = text;
        place.querySelector("input, select, textarea")?.setAttribute("aria-invalid", text ? "true" : "false");
      };
      on("problem", ({ field, text }) => mark(field, text));
      on("fine", ({ field }) => { mark(field, ""); mark("", ""); });
      // a saved notebook shows its widgets before their kernel runs
      const silence = setTimeout(() => mark("", SILENT), 8000);
      const receive = (message, buffers) => {
        clearTimeout(silence);
        if (top.textContent === SILENT) mark("", "");
        if (!message.to || message.to === view) calls[message.kind]?.(message, buffers);
      };
      model.on("msg:custom", receive);
      el.append(top);
      const left = build({ model, el, view, send, on, trait, mark, at });
      send("hello");
      return () => {
        clearTimeout(silence);
        model.off("msg:custom", receive);
        for (const [name, call] of watched) model.off(name, call);
        left?.();
      };
    },
  };
}
