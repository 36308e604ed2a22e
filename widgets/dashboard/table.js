/** Shorten a released value: an interval without brackets, or the number of values of a set. */

import { aboutPerCent, count, debounced, h } from "../base/shared.js";

function short(label) {
  if (label.startsWith("[") && label.endsWith(" or missing")) return `${short(label.slice(0, -11))} or missing`;
  const ends = label.match(/^\[(-?[\d.]+?)(-|\.\.| to )(-?[\d.]+)[\][]$/);
  if (ends) return ends[1].startsWith("-") ? `${ends[1]} to ${ends[3]}` : `${ends[1]}–${ends[3]}`;
  const set = label.match(/^\{(.*)\}( or missing)?$/s);
  if (!set) return label.replace(/(?<=\S) \*$/, " …").replace(/^(\w+)\*$/, "beginning with $1");
  const missing = set[2] ?? "", ranged = set[1].match(/ \.\. .*: (\d+) values$/s), values = set[1].split(", ");
  if (!ranged && values.length <= 3) return values.join(" or ") + missing;
  const kind = values.some(value => value.endsWith("*")) ? "groups" : "values";
  return `any of ${count(Number(ranged?.[1] ?? values.length))} ${kind}${missing}`;
}

/** A released value with the name of its column; a click on a shortened set shows its values. */
function tag(column, label) {
  const brief = short(label), named = h("span", {}, column);
  if (!brief.startsWith("any of ") || label.includes(" values}")) return h("span", { class: "wb-tag" }, named, ` ${brief}`);
  const text = h("u", {}, brief), whole = label.replace(/[{}]/g, "");
  const button = h("button", { class: "wb-tag", "aria-expanded": "false", onclick: () => {
    const open = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(open));
    text.textContent = open ? whole : brief;
  } }, named, " ", text);
  return button;
}

/** Keep a number and its sign on one line. */
export const firm = text => text.replaceAll(" %", "\u00a0%").replaceAll(" ×", "\u00a0×");

const HEADS = ["", "Size", "What an attacker would believe", "Exposure"];

/** The table of classes: the most exposed first, twenty at a time, with a search. */
export function classTable(send) {
  let study = null, index = null, wanted = "", loaded = 0, goOn = false;
  const body = h("tbody", {}), small = h("p", { class: "wb-note" }), order = h("p", { class: "wb-note" }), meaning = h("p", { class: "wb-note" });
  const same = h("p", { class: "wb-note", role: "status", hidden: true });
  const tally = h("span", { class: "wb-note", role: "status" });
  const more = h("button", { onclick: () => { goOn = document.activeElement === more; ask(loaded); } }, "Show 20 more");
  const find = h("input", {
    type: "search", maxlength: 100, placeholder: "a word, or a number such as 42", oninput: debounced(() => ask(0), 200),
  });
  const ask = start => { wanted = find.value; send("classes", { start, wanted, field: "classes" }); };
  const between = (low, high) => h("div", { class: "wb-track" }, // unpublished parts are hatched
    h("div", { class: "wb-fill wb-hot wb-between", style: `width:${100 * low}%` }),
    h("div", { class: "wb-open wb-between", style: `width:${100 * (high - low)}%` }));
  const track = (value, kind) => h("div", { class: "wb-track" }, h("div", { class: kind, style: `width:${100 * value}%` }));
  const share = (name, value, kind) => h("div", { class: "wb-share" },
    h("span", {}, name), track(value, kind), h("span", { class: "wb-number" }, firm(aboutPerCent(value))));
  const cell = (i, ...children) => h("td", { "data-head": heads[i].textContent }, ...children);
  const row = one => {
    const known = one.labels.map((label, i) => [study.columns[i], label]).filter(([, label]) => label !== null);
    const wide = ([, label]) => short(label).startsWith("any of "); // values that distinguish groups come first
    const parts = [...known.filter(each => !wide(each)), ...known.filter(wide)].map(each => tag(...each));
    const bars = one.posterior === null || one.prior === null ? [] : [share("here", one.posterior, "wb-fill wb-hot"), share("all", one.prior, "wb-fill")];
    return h("tr", {},
      cell(0, parts.length ? parts : one.who),
      cell(1, one.people),
      cell(2, firm(one.sentence ?? ""), bars.length ? h("div", { class: "wb-bars", "aria-hidden": "true" }, bars) : []),
      cell(3, firm(one.exposed), h("div", { "aria-hidden": "true" }, between(one.fewest, one.share))));
  };
  const heads = HEADS.map(name => h("th", { scope: "col" }, name)), caption = h("caption", { class: "wb-hush" });
  const looking = h("label", { class: "wb-find" }, "Search ", find);
  const listed = h("div", {}, meaning,
    same,
    h("table", {}, caption, h("thead", {}, h("tr", {}, heads)), body),
    h("div", { class: "wb-row" }, tally, h("span", { class: "wb-space" }), more),
    small);
  const element = h("section", { class: "wb-card wb-classes", "data-field": "classes" },
    h("div", { class: "wb-row" }, h("h2", {}, "Most exposed groups"), h("span", { class: "wb-space" }), looking),
    order,
    listed);
  return {
    element,
    about: given => {
      study = given;
      meaning.textContent = `Exposure: ${given.exposure}. Hatched: not published.`;
      small.textContent = given.rounding;
    },
    at: (next, card) => {
      order.textContent = card.unlisted || card.order;
      caption.textContent = `Groups ${card.listed.are}`;
      heads[0].textContent = card.listed.who;
      looking.hidden = listed.hidden = Boolean(card.unlisted);
      if (next !== index) { index = next; if (!card.unlisted) ask(0); }
    },
    show: found => {
      if (found.index !== index || found.wanted !== wanted || (found.start && found.start !== loaded)) return;
      if (!found.start) body.replaceChildren();
      const rows = found.rows.map(row), first = found.rows[0];
      if (!found.start) {
        const believed = rows.length > 1 && found.rows.every(one => one.sentence === first.sentence);
        same.hidden = !believed;
        same.textContent = believed ? "An attacker would believe the same of the first groups below; they differ only in their people." : "";
      }
      body.append(...rows);
      loaded = found.start + found.rows.length;
      tally.textContent = found.count ? `${count(loaded)} of ${count(found.count)} groups` : "No match. The search covers who is in each group and the value that stands out.";
      more.hidden = loaded >= found.count;
      if (goOn && more.hidden && rows.length) { // the button that had the focus is gone
        rows[0].tabIndex = -1;
        rows[0].focus({ preventScroll: true });
      }
      goOn = false;
    },
  };
}
