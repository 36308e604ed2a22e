// A text of queries, one per line, with completion, marked errors, and the true answer next to each query.

import { count, debounced, fresh, h } from "./shared.js";

const PAD = 6, LINE = 20; // pixels, as the style sheet has them
const OFFERS = /[\w"'`[\]=<>!(), .-]$/; // last characters after which completions are offered

/** Create the editor; `tried(text, ask)` is called while the user types, `kept(text)` when the text is confirmed. */
export function queryEditor({ send, on, tried, kept, label = "Queries, one per line", heading = "true answers", least = 4 }) {
  const id = fresh("queries");
  const text = h("textarea", {
    class: "wb-lines", id, wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: least, role: "combobox",
    "aria-label": label, "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-expanded": "false",
    "aria-controls": `${id}-options`, "aria-describedby": `${id}-help`,
  });
  const under = h("pre", { class: "wb-under", "aria-hidden": "true" });
  const answers = h("pre", { class: "wb-answers", "aria-hidden": "true" });
  const options = h("ul", { class: "wb-options", role: "listbox", id: `${id}-options`, "aria-label": "suggestions", hidden: true });
  const live = h("p", { class: "wb-hush", role: "status" }), help = h("span", { class: "wb-hush", id: `${id}-help` },
    "Suggestions appear as you type: choose one with the arrow keys and Enter, or with Tab; Escape closes them, Control and Space open them. Control and Enter save the lines.");
  const mistakes = h("ul", { class: "wb-mistakes", "aria-label": "Errors" });
  const measure = h("span", { class: "wb-under wb-letter", "aria-hidden": "true" }, "0".repeat(50));
  const element = h("div", { class: "wb-queries" },
    h("div", { class: "wb-paper" }, h("div", { class: "wb-code" }, h("div", { class: "wb-below" }, under, measure), text, options),
      h("div", { class: "wb-beside" }, h("span", { class: "wb-hush" }, heading), answers)),
    help, live, mistakes);

  const drafts = new Map(); // invalid texts by the name of their workload
  let of = "", asks = 0, wanted = -1, offered = { options: [], start: 0 }, active = -1, lines = [], results = new Map(), clean = "", known = "", tries = 0;

  // ---- the cursor
  const here = () => {
    const at = text.selectionEnd, begin = text.value.lastIndexOf("\n", at - 1) + 1, end = text.value.indexOf("\n", at);
    return { at, begin, row: text.value.slice(0, begin).split("\n").length - 1, column: at - begin,
      line: text.value.slice(begin, end < 0 ? undefined : end) };
  };

  // ---- suggestions
  const ask = debounced(() => {
    const { line, column } = here();
    wanted = ++asks;
    send("complete", { text: line, position: column, ask: wanted });
  }, 60);
  const close = () => {
    wanted = active = -1;
    offered = { options: [], start: 0 };
    options.hidden = true;
    text.setAttribute("aria-expanded", "false");
    text.removeAttribute("aria-activedescendant");
  };
  on("completions", ({ ask: answered, options: found, start }) => {
    if (answered !== wanted || document.activeElement !== text) return;
    const { column, line, row } = here(), typed = line.slice(start, column);
    if (!found.length || (found.length === 1 && found[0].text === typed)) return close();
    offered = { options: found, start };
    active = -1;
    text.removeAttribute("aria-activedescendant");
    options.replaceChildren(...found.map(({ text: word, kind }, i) => h("li", {
      role: "option", id: `${id}-${i}`, "aria-selected": "false",
      onpointerdown: event => { event.preventDefault(); take(i); },
    }, h("span", {}, word), h("span", { class: "wb-kind" }, kind))));
    options.hidden = false;
    options.scrollTop = 0;
    const letter = measure.getBoundingClientRect().width / 50;
    const left = PAD + start * letter - text.scrollLeft, most = text.parentElement.parentElement.clientWidth - options.offsetWidth;
    Object.assign(options.style, { top: `${PAD + (row + 1) * LINE - text.scrollTop}px`, left: `${Math.max(0, Math.min(left, most))}px` });
    text.setAttribute("aria-expanded", "true");
    live.textContent = `${found.length} suggestions`;
  });
  const point = place => {
    active = (place + offered.options.length) % offered.options.length;
    [...options.children].forEach((one, i) => one.setAttribute("aria-selected", String(i === active)));
    options.children[active].scrollIntoView({ block: "nearest" });
    text.setAttribute("aria-activedescendant", `${id}-${active}`);
  };
  const take = place => {
    const { begin, at } = here(), word = offered.options[place].text, next = text.value[at] ?? "";
    text.focus();
    text.setSelectionRange(begin + offered.start, at);
    const inserted = word + (word.endsWith("(") || next === " " ? "" : " ");
    close();
    if (!document.execCommand("insertText", false, inserted)) { // the only way that keeps the browser's own undo
      text.setRangeText(inserted, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };

  // ---- typing
  const trying = debounced(() => tried(text.value, ++tries), 120);
  text.addEventListener("input", event => {
    draw();
    trying();
    if (event.isComposing) return;
    const { line, column } = here();
    if (OFFERS.test(line.slice(0, column)) && line.trim()) ask(); else close();
  });
  text.addEventListener("keydown", event => {
    if (event.isComposing) return;
    const open = !options.hidden, key = event.key;
    if (key === "Enter" && event.ctrlKey) keep();
    else if (key === " " && event.ctrlKey) ask();
    else if (open && key === "ArrowDown") point(active + 1);
    else if (open && key === "ArrowUp") point(active < 0 ? -1 : active - 1);
    else if (open && key === "Enter" && active >= 0) take(active);
    else if (open && key === "Tab" && !event.shiftKey) take(Math.max(active, 0));
    else if (open && key === "Escape") close();
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End", "Enter"].includes(key)) close();
      return;
    }
    event.preventDefault();
  });
  const keep = () => {
    close();
    if (text.value !== clean) { clean = text.value; kept(text.value); }
  };
  text.addEventListener("blur", keep);
  text.addEventListener("click", close);
  text.addEventListener("scroll", () => {
    under.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
    answers.style.transform = `translateY(${-text.scrollTop}px)`;
    if (!options.hidden) close();
  });

  // ---- errors and answers
  function draw() {
    const rows = text.value.split("\n"), wrong = new Map(lines.filter(one => one.wrong).map(one => [one.row, one]));
    text.rows = Math.max(least, Math.min(14, rows.length + 1));
    under.replaceChildren(...rows.flatMap((row, i) => {
      const one = wrong.get(i), end = i < rows.length - 1 ? "\n" : "";
      if (!one || one.of !== row) return [row + end];
      const from = Math.min(one.at, Math.max(row.trimEnd().length - 1, 0));
      return [row.slice(0, from), h("mark", {}, row.slice(from) || " "), end];
    }));
    answers.replaceChildren(...rows.map((row, i) => {
      const one = results.get(i);
      return h("span", { class: wrong.get(i)?.of === row ? "wb-no" : null }, (wrong.get(i)?.of === row ? "✗" : one?.of === row ? one.answer : row.trim() ? "…" : "") + "\n");
    }));
  }
  const goTo = one => {
    const begin = text.value.split("\n").slice(0, one.row).join("\n").length + (one.row ? 1 : 0);
    text.focus();
    text.setSelectionRange(begin + one.at, begin + one.at);
  };
  on("tried", ({ ask: answered, lines: found }) => {
    if (answered !== tries) return;
    const rows = text.value.split("\n");
    lines = found.map(one => ({ ...one, of: rows[one.row] }));
    const shown = lines.filter(one => one.wrong || one.note);
    mistakes.replaceChildren(...shown.slice(0, 20).map(one => h("li", { class: one.wrong ? null : "wb-mild" },
      h("button", { type: "button", class: "wb-quiet wb-link", onclick: () => goTo(one) },
        one.wrong ? `line ${one.row + 1}, column ${one.at + 1}` : `line ${one.row + 1}`), `: ${one.wrong || one.note}`)),
    ...(shown.length > 20 ? [h("li", {}, `and ${count(shown.length - 20)} more`)] : []));
    text.setAttribute("aria-invalid", String(lines.some(one => one.wrong)));
    draw();
  });
  on("answers", ({ ask: answered, rows: found }) => {
    if (answered !== tries) return;
    const rows = text.value.split("\n"), { row } = here();
    results = new Map(found.map(([place, answer]) => [place, { answer, of: rows[place] }]));
    draw();
    const one = lines.find(line => line.row === row);
    if (document.activeElement === text) live.textContent = one?.wrong ? `line ${row + 1}: ${one.wrong}` : results.has(row) ? `line ${row + 1}: ${results.get(row).answer}` : "";
  });

  return {
    element,
    /** Show the saved text of a workload; text that was typed since then remains. */
    show(given, name) {
      const plain = text.value.split("\n").map(line => line.trim()).filter(Boolean).join("\n"), another = name !== of;
      if (another && of && plain !== known) drafts.set(of, text.value);
      if (another) {
        text.value = drafts.get(name) ?? given;
        drafts.delete(name);
        text.scrollTop = 0;
      } else if (plain !== given && given !== known && (plain === known || document.activeElement !== text)) {
        text.value = given; // changed elsewhere, or undone
      }
      if (another) { lines = []; results = new Map(); mistakes.replaceChildren(); close(); }
      [known, clean, of] = [given, given, name];
      draw();
      tried(text.value, ++tries);
    },
  };
}
