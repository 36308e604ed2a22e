// The dashboard: a slider in words, two large numbers, the release to choose, and who would be exposed.

const STOPS = 1000; // of the slider; one more where there are releases of infinite loss

/** Where the slider stands for a cap, and back: the safest on the left, whichever way the measure points. */
function scaleOf({ better, low, high, endless }) {
  const [safe, open] = better === "higher" ? [high, low] : [low, high];
  const span = open - safe || 1;
  return {
    last: STOPS + (endless ? 1 : 0),
    place: cap => (cap === null ? STOPS + 1 : Math.round((STOPS * (cap - safe)) / span)),
    cap: place => {
      if (place > STOPS) return null;
      if (place <= 0) return safe;
      return place >= STOPS ? open : Number((safe + (span * place) / STOPS).toPrecision(4));
    },
  };
}

/** The small frontier: what is learnt to the right, what is lost upwards, the limit as a line. */
function frontierPicture(study, { cap, here, recommended }, open) {
  const W = 340, H = 212, left = 26, bottom = 26, top = 8, right = 8;
  const sign = study.privacy.better === "higher" ? -1 : 1;
  const shown = study.points.map((point, index) => ({ ...point, index }))
    .filter(({ x, y, baseline }) => Number.isFinite(x) && Number.isFinite(y) && !baseline);
  const range = (values, first) => {
    const low = Math.min(first, ...values), high = Math.max(...values);
    return [low, high + 0.06 * (high - low || 1)];
  };
  const [x0, x1] = range(shown.map(p => p.x), shown.every(p => p.x >= 0) ? 0 : Infinity);
  const [y0, y1] = range(shown.map(p => p.y), shown.every(p => p.y >= 0) ? 0 : Infinity);
  const x = value => left + ((value - x0) / (x1 - x0)) * (W - left - right);
  const y = value => H - bottom - ((value - y0) / (y1 - y0)) * (H - top - bottom);
  const limit = cap === null ? W - right : x(sign * cap);
  const steps = shown.filter(p => p.efficient).sort((a, b) => a.x - b.x);
  const path = steps.map((p, i) => (i ? `H${x(p.x)}V${y(p.y)}` : `M${x(p.x)} ${y(p.y)}`)).join("");
  const order = p => (p.index === here ? 3 : p.efficient ? 2 : 1);
  const marks = shown.sort((a, b) => order(a) - order(b)).map(p => {
    const kind = ["wb-mark", p.efficient && "wb-mark-efficient", p.index === here && "wb-mark-here", p.opened && "wb-mark-open"];
    const size = p.index === here ? 7 : p.efficient ? 4.5 : 3;
    return h("svg:circle", {
      cx: x(p.x), cy: y(p.y), r: size, class: kind.filter(Boolean).join(" "),
      onclick: p.opened ? () => open(p.index === recommended ? -1 : p.index) : null,
    }, h("svg:title", {}, p.recipe));
  });
  const words = `${steps.length} of ${shown.length} releases are worth a choice; the others are beaten by one of them.`;
  return h("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": words },
    cap === null ? [] : h("svg:rect", { class: "wb-beyond", x: limit, y: top, width: Math.max(0, W - right - limit), height: H - top - bottom }),
    h("svg:path", { class: "wb-axis", d: `M${left} ${top}V${H - bottom}H${W - right}` }),
    h("svg:path", { class: "wb-stair", d: path }),
    cap === null ? [] : h("svg:path", { class: "wb-limit", d: `M${limit} ${top}V${H - bottom}` }),
    marks,
    h("svg:text", { x: W - right, y: H - 8, "text-anchor": "end" }, "more is learnt about a person →"),
    h("svg:text", { x: -top, y: 14, "text-anchor": "end", transform: "rotate(-90)" }, "more accuracy is lost →"));
}

/** A number large enough to be remembered, and the sentence that makes it true. */
function figureCard(title) {
  const figure = h("span", { class: "wb-figure" }), unit = h("span", { class: "wb-unit" });
  const sentence = h("p", { "aria-live": "polite" });
  return {
    element: h("section", { class: "wb-card" }, h("h3", {}, title), h("div", { class: "wb-large" }, figure, unit), sentence),
    show: said => {
      figure.textContent = said.figure; unit.textContent = said.unit; sentence.textContent = said.sentence;
    },
  };
}

/** A released value as it fits into a line: an interval without its brackets, a long set by its ends. */
function short(label) {
  if (!label.startsWith("{") || !label.endsWith("}")) return label.replace(/^\[(-?[\d.]+)-([\d.]+)\]$/, "$1–$2");
  const values = label.slice(1, -1).split(", ");
  if (values.length <= 3) return values.join(" or ").replace(" .. ", " … ");
  return `${values[0]} … ${values.at(-1)} (${values.length} values)`;
}

/** The table of classes: the worst first, twenty at a time, with a word to look for. */
function classTable(say) {
  let study = null, index = null, wanted = "", loaded = 0;
  const body = h("tbody", {}), small = h("p", { class: "wb-note" }), tally = h("span", { class: "wb-note", role: "status" });
  const more = h("button", { onclick: () => ask(loaded) }, "Show 20 more");
  const find = h("input", { type: "search", maxlength: 100, placeholder: "for example Doctorate", oninput: debounced(() => ask(0), 200) });
  const ask = start => { wanted = find.value; say("classes", { start, wanted, field: "classes" }); };
  const share = (name, value, kind) => value === null ? [] : h("div", { class: "wb-share" },
    h("span", {}, name), h("div", { class: "wb-track" }, h("div", { class: kind, style: `width:${100 * value}%` })), h("span", { class: "wb-number" }, percent(value, 0)));
  const row = one => {
    const parts = one.labels.map((label, i) => label === null ? null : h("span", { class: "wb-tag", title: label },
      h("span", {}, study.columns[i]), ` ${short(label)}`)).filter(Boolean);
    const bars = one.posterior === null || one.prior === null ? [] : [share("here", one.posterior, "wb-fill wb-hot"), share("all", one.prior, "wb-fill")];
    return h("tr", {},
      h("td", {}, parts.length ? parts : "everybody"),
      h("td", {}, one.people),
      h("td", {}, one.sentence, bars.length ? h("div", { class: "wb-bars", "aria-hidden": "true" }, bars) : []),
      h("td", {}, h("div", { class: "wb-track", role: "img", "aria-label": `${percent(one.share, 0)} of a full disclosure` },
        h("div", { class: "wb-fill wb-hot", style: `width:${100 * one.share}%` }))));
  };
  const head = ["Who they are", "How many", "What would be believed of them", "How exposed"];
  const element = h("section", { class: "wb-card wb-classes", "data-field": "classes" },
    h("div", { class: "wb-row" }, h("h3", {}, "Who would be exposed most"), h("span", { class: "wb-space" }),
      h("label", {}, "Look for ", find)),
    h("table", {}, h("caption", { class: "wb-hush" }, "Groups of people alike, the most exposed first"),
      h("thead", {}, h("tr", {}, head.map(name => h("th", { scope: "col" }, name)))), body),
    h("div", { class: "wb-row" }, tally, h("span", { class: "wb-space" }), more),
    small);
  return {
    element,
    about: given => {
      study = given;
      small.textContent = `Counts below ${given.smallest} are shown as "fewer than ${given.smallest}", and what would tell them is left out or told in quarters.`;
    },
    at: next => { if (next !== index) { index = next; ask(0); } },
    show: found => {
      if (found.index !== index || found.wanted !== wanted || (found.start && found.start !== loaded)) return;
      if (!found.start) body.replaceChildren();
      body.append(...found.rows.map(row));
      loaded = found.start + found.rows.length;
      tally.textContent = found.count ? `${count(loaded)} of ${count(found.count)} groups` : "No group fits.";
      more.hidden = loaded >= found.count;
    },
  };
}

/** Bytes to a file of the visitor's. */
async function save({ name, type, compressed }, bytes) {
  const sent = new Blob([bytes]).stream();
  const plain = compressed ? sent.pipeThrough(new DecompressionStream("gzip")) : sent;
  download(name, type, [await new Response(plain).arrayBuffer()]);
}

/** The address of Voila's page holds the limit, so that it can be sent on; JupyterLab's is not ours. */
const ownPage = () => "voila" in document.body.dataset;
const fromAddress = () => (ownPage() ? new URLSearchParams(location.search).get("cap") : null);
const toAddress = debounced(cap => {
  if (!ownPage()) return;
  const address = new URL(location.href);
  address.searchParams.set("cap", cap === null ? "none" : String(cap));
  history.replaceState(history.state, "", address);
}, 250);

export default widget(({ el, say, on }) => {
  el.classList.add("wb-dashboard");
  let study = null, scale = null, moving = 0;
  const waiting = new Set(); // for a file
  const title = h("h1", {}), about = h("p", { class: "wb-about" });
  const slider = h("input", { type: "range", id: fresh("cap"), min: 0, max: STOPS, step: 1 });
  const meaning = h("output", { class: "wb-meaning", for: slider.id });
  const learnt = figureCard("What an attacker would learn"), cost = figureCard("What it costs in accuracy");
  const picture = h("figure", { class: "wb-card wb-picture" });
  const chosen = h("section", { class: "wb-card wb-chosen-release" }), others = h("div", { class: "wb-others" });
  const classes = classTable(say);
  const ask = throttled(cap => say("cap", { cap, field: "cap" }), 30);
  const open = index => say("open", { index, field: "open" });

  slider.addEventListener("input", () => {
    moving = performance.now();
    const cap = scale.cap(Number(slider.value));
    ask(cap);
    toAddress(cap);
  });

  const board = h("div", { class: "wb-board", hidden: true },
    h("header", {}, title, about),
    h("section", { class: "wb-card wb-question", "data-field": "cap" },
      h("label", { for: slider.id }, "How much may be learnt about any one person?"),
      slider, h("div", { class: "wb-ends", "aria-hidden": "true" }, h("span", {}, "less: safer"), meaning, h("span", {}, "more: more accurate"))),
    h("div", { class: "wb-three" }, learnt.element, cost.element, picture),
    h("div", { class: "wb-offer", "data-field": "open" }, chosen, others),
    classes.element);
  const missing = h("p", { class: "wb-missing", role: "alert", hidden: true });
  el.append(missing, board);

  const button = (words, kind, field) => {
    const element = h("button", { class: kind }, words);
    element.addEventListener("click", () => {
      const ready = () => { element.disabled = false; element.textContent = words; waiting.delete(ready); };
      element.disabled = true;
      element.textContent = "Preparing …";
      waiting.add(ready);
      setTimeout(ready, 10_000);
      say(field, { field: "download" });
    });
    return element;
  };

  function drawChosen({ card, title: name, why, here, recommended, within }) {
    const back = here === recommended ? [] : h("button", { onclick: () => open(-1) }, "Back to the recommended");
    const beyond = within ? [] : h("p", { class: "wb-warn" }, "More may be learnt from it than your limit allows.");
    const focused = chosen.contains(document.activeElement);
    chosen.replaceChildren(
      h("div", { class: "wb-row" }, h("h3", {}, name), h("span", { class: "wb-space" }), back),
      h("p", { class: "wb-recipe" }, card.recipe),
      h("p", {}, card.promise ? `Its promise: ${card.promise}. ` : "", card.groups ? `${card.groups}.` : ""),
      beyond.length ? beyond : h("p", {}, why),
      h("p", { class: "wb-note" }, card.losses.join(" · ")),
      h("div", { class: "wb-row", "data-field": "download" },
        card.refused ? h("span", { class: "wb-note" }, `No file: ${card.refused}.`) : button("Download the release", "wb-main-action", "release"),
        button("Download the report", null, "report")));
    if (focused) (chosen.querySelector("button"))?.focus({ preventScroll: true });
  }

  function drawOthers({ alternatives, here, recommended }) {
    const at = [...others.children].indexOf(document.activeElement);
    others.replaceChildren(...alternatives.map(one => one.none
      ? h("div", { class: "wb-card wb-none" }, h("h3", {}, one.title), h("p", { class: "wb-note" }, one.none))
      : h("button", { class: "wb-card wb-other", "aria-pressed": String(one.index === here), onclick: () => open(one.index === here ? -1 : one.index) },
        h("h3", {}, one.title, one.within ? [] : h("span", { class: "wb-warn" }, " over your limit")),
        h("div", { class: "wb-pair" }, pair(one.learnt), pair(one.cost)),
        h("span", { class: "wb-recipe" }, one.recipe))));
    if (at >= 0) others.children[at]?.focus({ preventScroll: true });
  }
  const pair = ({ figure, unit }) => h("span", {}, h("b", {}, figure), h("span", {}, unit));

  on("missing", ({ text }) => { missing.textContent = text; missing.hidden = false; board.hidden = true; });
  on("study", content => {
    study = content;
    scale = scaleOf(content.privacy);
    slider.max = scale.last;
    slider.disabled = content.privacy.low === content.privacy.high && !content.privacy.endless;
    title.textContent = content.name;
    about.textContent = content.about;
    classes.about(content);
    board.hidden = false;
  });
  on("choice", content => {
    if (performance.now() - moving > 400) slider.value = scale.place(content.cap);
    meaning.textContent = content.scale;
    slider.setAttribute("aria-valuetext", content.scale);
    learnt.show(content.card.learnt);
    cost.show(content.card.cost);
    picture.replaceChildren(frontierPicture(study, content, open));
    drawChosen(content);
    drawOthers(content);
    classes.at(content.here);
  });
  on("classes", content => classes.show(content));
  on("file", (content, buffers) => { waiting.forEach(ready => ready()); save(content, buffers[0]); });

  const asked = fromAddress();
  if (asked !== null) say("cap", { cap: asked === "none" ? null : asked, field: "cap" });
});
