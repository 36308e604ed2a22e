// The dashboard: the limit, the suggested release, disclosure and cost, alternatives, and the groups of people.

import { SILENT, debounced, download, fresh, h, throttled, widget } from "../base/shared.js";
import { STOPS, frontierPicture, scaleOf } from "./picture.js";
import { classTable, firm } from "./table.js";

const PATIENCE = 6000; // milliseconds until a server counts as lost

/** A card with a large figure and a sentence that explains it. */
function figureCard() {
  const title = h("h2", {});
  const figure = h("b", { class: "wb-figure" }), unit = h("span", { class: "wb-unit" });
  const sentence = h("p", {}), more = h("p", { class: "wb-note" });
  const element = h("section", { class: "wb-card" }, title, h("div", { class: "wb-large" }, figure, unit), sentence, more);
  return {
    element,
    show: card => {
      element.hidden = !card;
      if (!card) return;
      title.textContent = card.title;
      figure.textContent = firm(card.figure);
      unit.textContent = firm(card.unit);
      sentence.textContent = firm(card.sentence);
      sentence.hidden = !card.sentence;
      more.textContent = firm(card.worst ?? "");
      more.hidden = !card.worst;
    },
  };
}

/** Save a file on the reader's machine. */
async function save({ name, type, compressed }, bytes) {
  const sent = new Blob([bytes]).stream();
  const plain = compressed ? sent.pipeThrough(new DecompressionStream("gzip")) : sent;
  download(name, type, [await new Response(plain).arrayBuffer()]);
}

/** The address of a page of Voila contains the limit and the release, so that readers can share it. */
const ownPage = () => "voila" in document.body.dataset;
const fromAddress = name => (ownPage() ? new URLSearchParams(location.search).get(name) : null);
const toAddress = debounced((cap, release) => {
  if (!ownPage()) return;
  const address = new URL(location.href);
  address.searchParams.set("cap", cap === null ? "none" : String(cap));
  if (release) address.searchParams.set("release", release);
  else address.searchParams.delete("release");
  history.replaceState(history.state, "", address);
}, 250);

export default widget(({ el, send, on, mark }) => {
  el.classList.add("wb-dashboard");
  let study = null, scale = null, moving = 0, touched = false;
  const title = h("h1", {}), about = h("p", { class: "wb-about" }), limit = h("p", { class: "wb-warn", role: "status" });
  const others = h("p", { class: "wb-about" }), neutral = h("p", { class: "wb-neutral" });
  const slider = h("input", { type: "range", id: fresh("cap"), min: 0, max: STOPS, step: 1 });
  const meaning = h("output", { class: "wb-meaning", for: slider.id });
  const spoken = h("p", { class: "wb-hush", role: "status" });
  const speak = debounced(text => { spoken.textContent = text; }, 700);
  const question = h("label", { for: slider.id });
  const learned = figureCard(), worst = figureCard(), cost = figureCard();
  const attackers = h("dl", {}), holds = h("p", { class: "wb-note" }), sure = h("section", { class: "wb-card wb-attackers" }, h("h2", {}, "What attackers can be certain of"), attackers, holds);
  const answers = h("dl", {}), withheld = h("p", { class: "wb-note" });
  const queries = h("section", { class: "wb-card wb-queries" }, h("h2", {}, "What users of the data would find"), answers, withheld);
  const picture = h("figure", { class: "wb-card wb-picture" });
  const chosen = h("section", { class: "wb-card wb-chosen-release" }), beside = h("div", { class: "wb-three" });
  const classes = classTable(send);
  const ask = throttled(cap => send("cap", { cap, field: "cap" }), 30);
  const open = index => { touched = true; send("open", { index, field: "open" }); };

  const move = cap => { moving = performance.now(); touched = true; ask(cap); };
  slider.addEventListener("input", () => move(scale.nearest(Number(slider.value)).cap));
  slider.addEventListener("change", () => { slider.value = scale.nearest(Number(slider.value)).place; });
  slider.addEventListener("keydown", event => { // an arrow key moves to the next release, not to the next pixel
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const now = Number(slider.value), beyond = scale.stops.filter(stop => way * (stop.place - now) > 0);
    const next = way > 0 ? beyond[0] : beyond.at(-1);
    if (next) { slider.value = next.place; move(next.cap); }
  });

  const board = h("div", { class: "wb-board", hidden: true },
    h("header", {}, title, about, limit, others, neutral),
    h("section", { class: "wb-card wb-question", "data-field": "cap" },
      h("div", { class: "wb-ask" }, h("h2", {}, question), meaning),
      h("div", { class: "wb-slide" }, h("span", { "aria-hidden": "true" }, "less: safer"), slider,
        h("span", { "aria-hidden": "true" }, "more: more accurate"))),
    h("div", { class: "wb-offer", "data-field": "open" }, chosen, picture),
    h("div", { class: "wb-three wb-cards" }, learned.element, worst.element, cost.element),
    sure, beside, queries, classes.element, spoken);
  const missing = h("p", { class: "wb-missing", role: "alert", hidden: true });
  el.append(missing, board);

  let waits = null; // the button that waits for a file
  const ready = () => {
    if (!waits) return;
    clearTimeout(waits.timer);
    waits.button.removeAttribute("aria-disabled"); // not `disabled`, which would lose the focus
    waits.button.textContent = waits.words;
    waits = null;
  };
  const wait = (button, words, kind) => {
    if (waits?.button === button) return;
    ready();
    waits = { button, words, timer: setTimeout(() => { ready(); mark("download", SILENT); }, PATIENCE) };
    button.setAttribute("aria-disabled", "true");
    button.textContent = "Preparing …";
    send(kind, { field: "download" });
  };
  const button = (words, look, kind) => {
    const element = h("button", { class: look, onclick: () => wait(element, words, kind) }, words);
    return element;
  };

  function drawChosen({ card, name, why, nearly, here, first, recommended, proposed, none, within }) {
    const back = here === first ? [] : h("button", { onclick: () => open(-1) }, "Back to the first");
    const focused = chosen.contains(document.activeElement), warned = none && here === first;
    const heading = h("h2", { tabindex: -1, class: warned ? "wb-title" : null }, name);
    const unsafe = [card.unsafe, warned && none !== study.limit ? none : ""].filter(Boolean).join(" ");
    const definition = nearly ? h("details", { class: "wb-inline" }, h("summary", {}, "What is nearly certain?"), h("span", {}, firm(nearly))) : [];
    const file = recommended && proposed ? "Download this suggestion" : "Download the release";
    ready();
    chosen.replaceChildren(
      h("div", { class: "wb-row" }, heading, h("span", { class: "wb-space" }), back),
      warned ? [] : h("p", { class: "wb-title" }, firm(card.brief)),
      unsafe ? h("p", { class: "wb-warn", role: "status" }, firm(unsafe)) : [],
      within ? h("p", {}, firm([why, warned ? `${card.brief}.` : ""].filter(Boolean).join(" ")), definition) : h("p", { class: "wb-warn" }, "More may be learned from it than the limit allows."),
      card.also ? h("p", { class: "wb-note" }, firm(card.also)) : [],
      card.alone ? h("p", { class: study.alone ? "wb-alone" : "wb-note" }, firm(card.alone)) : [],
      h("div", { class: "wb-download", "data-field": "download" },
        h("div", { class: "wb-row" }, card.refused ? [] : button(file, recommended ? "wb-main-action" : null, "release"),
          button("Download the report", card.refused && recommended ? "wb-main-action" : null, "report"),
          h("details", { class: "wb-note" }, h("summary", {}, "How it was made"), firm([`Number ${card.number}`, card.recipe, card.groups, card.rule].filter(Boolean).join(" · ")))),
        card.refused ? h("p", { class: "wb-note" }, card.refused) : []));
    if (focused) heading.focus({ preventScroll: true });
  }

  function drawOthers({ alternatives, here }) {
    const at = [...beside.children].indexOf(document.activeElement);
    const small = ({ figure, unit }) => h("span", { class: "wb-small-figure" }, h("b", {}, firm(figure)), " ", firm(unit));
    beside.replaceChildren(...alternatives.map(one => one.none
      ? h("section", { class: "wb-card wb-none" }, h("h2", {}, one.name), h("p", { class: "wb-note" }, one.none))
      : h("button", { class: "wb-card wb-other", "aria-pressed": String(one.index === here), onclick: () => open(one.index === here ? -1 : one.index) },
        h("span", { class: "wb-kind" }, one.name, one.within ? [] : h("span", { class: "wb-warn" }, " over the limit")),
        h("span", { class: "wb-beside" }, one.beside),
        h("span", {}, firm(one.title)), one.unsafe ? h("span", { class: "wb-warn" }, firm(one.unsafe)) : [], small(one.learned), small(one.worst), small(one.cost),
        h("span", { class: "wb-go", "aria-hidden": "true" }, one.index === here ? "Shown above" : "Show this release"))));
    if (at >= 0) beside.children[at]?.focus({ preventScroll: true });
  }

  on("missing", ({ text }) => { missing.textContent = text; missing.hidden = false; board.hidden = true; });
  on("study", content => {
    study = content;
    scale = scaleOf(content);
    slider.max = scale.last;
    slider.disabled = scale.stops.length < 2;
    title.textContent = content.name;
    about.textContent = content.about;
    question.textContent = content.question;
    limit.textContent = firm(content.limit);
    limit.hidden = !content.limit;
    others.textContent = content.others;
    others.hidden = !content.others;
    neutral.textContent = content.as_they_are;
    neutral.hidden = !content.as_they_are;
    classes.about(content);
    board.hidden = false;
  });
  on("choice", content => {
    const { cap, here, first, card } = content;
    if (performance.now() - moving > 400) slider.value = scale.place(content.at);
    meaning.textContent = content.proposed ? "No limit is set: move the slider to set one" : firm(content.scale);
    slider.setAttribute("aria-valuetext", content.proposed ? `no limit is set; here it would be ${content.scale}` : content.scale);
    slider.classList.toggle("wb-unset", content.proposed);
    learned.show(card.learned);
    worst.show(card.worst);
    cost.show(card.cost);
    attackers.replaceChildren(...card.attackers.flatMap(([who, of]) => [h("dt", {}, who), h("dd", {}, "is certain of ", h("b", {}, firm(of)))]));
    holds.textContent = firm(card.holds);
    sure.hidden = !card.attackers.length && !card.holds;
    answers.replaceChildren(...card.queries.rows.flatMap(([query, answer]) => [h("dt", {}, h("code", {}, query)), h("dd", {}, firm(answer))]));
    withheld.textContent = firm(card.queries.others);
    withheld.hidden = !card.queries.others;
    queries.hidden = !card.queries.rows.length && !card.queries.others;
    picture.replaceChildren(...frontierPicture(study, content, open));
    drawChosen(content);
    drawOthers(content);
    classes.at(here, card);
    if (!touched) return;
    speak(`${content.name}: ${card.title}. ${card.learned.figure} ${card.learned.unit}.`);
    toAddress(cap, here === first ? null : `${study.edition}-${here}`);
  });
  on("classes", content => classes.show(content));
  on("preparing", () => clearTimeout(waits?.timer));
  on("file", (content, buffers) => { ready(); save(content, buffers[0]); });
  const problem = ({ field, text }) => { if (field === "download") ready(); mark(field, text); };
  on("problem", problem);

  const asked = fromAddress("cap"), release = fromAddress("release")?.match(/^(\w+)-(\d{1,6})$/);
  if (asked !== null) send("cap", { cap: asked === "none" ? null : asked, field: "cap" });
  if (release) send("open", { index: Number(release[2]), edition: release[1], field: "open" });
});
