// Live charts: Altair writes the spec once; this file shows it and replaces its rows in place. Import `chart`, include
// the styles with `styles("base/vega", "yours")`, and derive the widget's class from `widgets.base.vega.ChartPart`,
// which sends the library to the page. Use, inside widget(({ el, send, on }) => ...):
//
//   const losses = chart(place, { send, on }, { picked: (datum, item) => send("pick", { index: datum.index }) });
//   on("losses", ({ spec, rows }) => losses.show(spec, { steps: rows }));  // Python: send_message("losses", spec=live(altair))
//   losses.rows({ steps: rows });             // rows of an alt.NamedData("steps"): in place, the same axes
//   losses.view()                             // the Vega view, or null while it is not there
//   return () => losses.end();
//
// The chart follows the width of `place`. If the spec is unchanged, only rows are replaced. Options:
//   picked(datum, item)   called when a mark is clicked; without datum: the background
//   tip(datum, item)      content of the tooltip: a text, nodes, or a promise of nodes; default: the encoded tooltip as a list

import { h } from "./shared.js";

const LIBRARY_PATIENCE = 8000; // ms until another view requests it, in case the first one's kernel is gone

/** Call once the page has the library, which one of its views requests. Return a function that cancels the call. */
function withLibrary({ send, on }, call) {
  const page = (window.workbenchCharts ??= { waiting: [] });
  if (page.embed) { call(page.embed); return () => {}; }
  let timer = null, asked = null;
  const waits = () => call(page.embed);
  page.waiting.push(waits);
  on("library", (_, [code]) => {
    if (page.embed) return;
    const element = document.createElement("script");
    element.textContent = new TextDecoder().decode(code);
    document.head.append(element);
    element.remove();
  });
  const ask = () => {
    if (page.embed) return;
    if (!(performance.now() - page.asked < LIBRARY_PATIENCE)) { page.asked = asked = performance.now(); send("library"); }
    timer = setTimeout(ask, LIBRARY_PATIENCE);
  };
  ask();
  return () => {
    clearTimeout(timer);
    page.waiting = page.waiting.filter(one => one !== waits);
    if (page.asked === asked) delete page.asked; // this view's request is lost with it: the next view requests the library at once
  };
}

const WIDEST = 420; // width of a tooltip in pixels, as in the style sheet

/**
 * A tooltip next to the mouse and inside the window. It is a popover, since a notebook's output cuts off elements
 * that are only "fixed".
 */
function tooltip(place, tip) {
  const box = h("div", { class: "wb-tip", role: "tooltip", popover: "manual", hidden: true });
  let run = 0;
  const hide = () => {
    run++;
    if (box.matches(":popover-open")) box.hidePopover();
    box.hidden = true;
  };
  const put = (content, event) => {
    if (!box.isConnected) return;
    box.replaceChildren(...[content].flat());
    box.hidden = false;
    if (!box.matches(":popover-open")) box.showPopover();
    // towards the middle of the window, where there is room for content that arrives later
    const { clientX: x, clientY: y } = event, px = number => `${number}px`;
    const leftwards = x + 14 + Math.min(WIDEST, innerWidth / 2) > innerWidth, upwards = y > innerHeight / 2;
    const right = leftwards ? px(innerWidth - x + 14) : "auto", bottom = upwards ? px(innerHeight - y + 12) : "auto";
    Object.assign(box.style, { left: leftwards ? "auto" : px(x + 14), right, top: upwards ? "auto" : px(y + 12), bottom });
  };
  const list = value => typeof value !== "object" ? [String(value)] : [h("dl", {},
    Object.entries(value).filter(([, text]) => text !== "").map(([name, text]) => [h("dt", {}, name), h("dd", {}, String(text))]))];
  const handler = async (_, event, item, value) => {
    if (value === null || value === undefined || value === "") return hide();
    const now = ++run, content = tip?.(item.datum, item) ?? list(value);
    if (!(content instanceof Promise)) return put(content, event);
    const arrived = await content;
    if (now === run && arrived) put(arrived, event);
  };
  place.append(box);
  place.addEventListener("pointerleave", hide);
  place.addEventListener("wheel", hide, { passive: true });
  return { handler, hide, end: () => box.remove() };
}

/** Return the pointer's position in the plot of a view, in pixels from its upper left corner, and the plot's size. */
export function within(view, event) {
  const box = view.container().querySelector("svg").getBoundingClientRect();
  const [left, top] = view.origin(), padding = view.padding();
  return {
    x: event.clientX - box.left - left - padding.left, y: event.clientY - box.top - top - padding.top,
    width: view.signal("width"), height: view.signal("height"),
  };
}

/**
 * Create a chart in an element; see the top of this file.
 * @param {HTMLElement} place
 * @param {{ send: Function, on: Function }} messages
 * @param {{ picked?: Function, tip?: Function }} [options]
 */
export function chart(place, { send, on }, { picked, tip } = {}) {
  let view = null, spec = null, shown = null, embed = null, width = 0, drawnWidth = 0, serial = 0, frame = 0, settled = false, ended = false;
  let pending = {}, kept = {}, named = new Set();
  const stage = h("div", { class: "wb-chart" });
  place.append(stage);
  const over = tooltip(place, tip);

  const flush = async () => {
    frame = 0;
    if (!settled || ended) return;
    const target = view;
    for (const [name, rows] of Object.entries(pending)) if (named.has(name)) target.data(name, rows);
    pending = {};
    if (drawnWidth !== width) target.width(drawnWidth = width);
    await target.runAsync();
  };
  const soon = () => { frame ||= requestAnimationFrame(flush); };

  const draw = async () => {
    if (!embed || !spec || !width || ended) return;
    const mine = ++serial, asked = width, own = document.createElement("div");
    let names = new Set();
    const family = getComputedStyle(place).fontFamily;
    const result = await embed(own, { ...spec, width: asked }, {
      renderer: "svg", actions: false, tooltip: over.handler, config: { font: family },
      patch: compiled => {
        names = new Set(compiled.data.map(data => data.name));
        for (const data of compiled.data) if (data.name in kept) data.values = structuredClone(kept[data.name]);
        return compiled;
      },
    });
    if (mine !== serial || ended) return result.finalize();
    view?.finalize();
    view = result.view;
    settled = true;
    named = names; // rows that no mark draws are ignored
    drawnWidth = asked;
    over.hide();
    stage.replaceChildren(own);
    view.addEventListener("click", (_, item) => picked?.(item?.datum, item));
    await flush();
  };

  const sized = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now < 50 || now === width) return; // folded away
    const first = !width;
    width = now;
    if (first || !settled) draw(); else soon();
  });
  sized.observe(stage);
  const unwait = withLibrary({ send, on }, found => { embed = found; draw(); });

  const rows = given => { Object.assign(pending, given); Object.assign(kept, given); soon(); };
  return {
    rows,
    show(given, first = {}) {
      const written = JSON.stringify(given);
      if (written === shown) return rows(first);
      [spec, shown] = [given, written];
      kept = { ...first }; pending = {}; settled = false; // rows that arrive now wait for the new chart
      draw();
    },
    view: () => view,
    end() {
      ended = true; settled = false;
      unwait();
      sized.disconnect();
      cancelAnimationFrame(frame);
      over.end();
      view?.finalize();
      stage.remove();
    },
  };
}
