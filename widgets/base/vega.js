// Live charts: Altair writes the spec once, this shows it and swaps its rows in place. `script("vega", "yours")` and
// `styles("vega", "yours")` bring it; the widget's class derives from `widgets.base.vega.ChartPart`, which sends the library
// to a page that has none. Use, inside widget(({ el, say, on }) => ...):
//
//   const losses = chart(place, { say, on }, { picked: (datum, item) => say("pick", { index: datum.index }) });
//   on("losses", ({ spec, rows }) => losses.show(spec, { steps: rows }));  // Python: tell("losses", spec=live(altair))
//   losses.rows({ steps: rows });             // rows of an alt.NamedData("steps"): in place, the same axes
//   losses.view()                             // the Vega view, or null while it is not there
//   return () => losses.end();
//
// It takes the width of `place` and follows it. Given the same spec again only rows change. Options:
//   picked(datum, item)   a mark was clicked; without datum: the empty ground
//   tip(datum, item)      what hovering says: a text, nodes, or a promise of nodes; else the encoded tooltip as a list

const LIBRARY_PATIENCE = 8000; // ms until another view asks, should the first one's kernel be gone

/** Calls once the page has the library; one view of a page asks its kernel for it. Gives what ends the waiting. */
function withLibrary({ say, on }, call) {
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
    if (!(performance.now() - page.asked < LIBRARY_PATIENCE)) { page.asked = asked = performance.now(); say("library"); }
    timer = setTimeout(ask, LIBRARY_PATIENCE);
  };
  ask();
  return () => {
    clearTimeout(timer);
    page.waiting = page.waiting.filter(one => one !== waits);
    if (page.asked === asked) delete page.asked; // what was asked for goes with the one who asked: the next asks at once
  };
}

const WIDEST = 420; // pixels of what hovering says, as the style sheet has it

/**
 * What hovering a mark says, beside the mouse and inside the window. A popover lies above everything: inside the
 * output of a notebook, which contains what it shows, "fixed" alone would be cut off there.
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
    // towards the middle of the window: what is said later makes the box longer, and has room there
    const { clientX: x, clientY: y } = event, px = number => `${number}px`;
    const leftwards = x + 14 + Math.min(WIDEST, innerWidth / 2) > innerWidth, upwards = y > innerHeight / 2;
    const right = leftwards ? px(innerWidth - x + 14) : "auto", bottom = upwards ? px(innerHeight - y + 12) : "auto";
    Object.assign(box.style, { left: leftwards ? "auto" : px(x + 14), right, top: upwards ? "auto" : px(y + 12), bottom });
  };
  const list = value => typeof value !== "object" ? [String(value)] : [h("dl", {},
    Object.entries(value).filter(([, said]) => said !== "").map(([name, said]) => [h("dt", {}, name), h("dd", {}, String(said))]))];
  const handler = async (_, event, item, value) => {
    if (value === null || value === undefined || value === "") return hide();
    const now = ++run, said = tip?.(item.datum, item) ?? list(value);
    if (!(said instanceof Promise)) return put(said, event);
    const content = await said;
    if (now === run && content) put(content, event);
  };
  place.append(box);
  place.addEventListener("pointerleave", hide);
  place.addEventListener("wheel", hide, { passive: true });
  return { handler, hide, end: () => box.remove() };
}

/** Where the pointer is in the plot of a view, in pixels from its upper left corner, with the size of the plot. */
function within(view, event) {
  const box = view.container().querySelector("svg").getBoundingClientRect();
  const [left, top] = view.origin(), padding = view.padding();
  return {
    x: event.clientX - box.left - left - padding.left, y: event.clientY - box.top - top - padding.top,
    width: view.signal("width"), height: view.signal("height"),
  };
}

/** A chart in an element; see the top of this file. */
function chart(place, { say, on }, { picked, tip } = {}) {
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
    named = names; // rows that no mark draws are left aside
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
  const unwait = withLibrary({ say, on }, found => { embed = found; draw(); });

  const rows = given => { Object.assign(pending, given); Object.assign(kept, given); soon(); };
  return {
    rows,
    show(given, first = {}) {
      const written = JSON.stringify(given);
      if (written === shown) return rows(first);
      [spec, shown] = [given, written];
      kept = { ...first }; pending = {}; settled = false; // what comes meanwhile waits for the new picture
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
