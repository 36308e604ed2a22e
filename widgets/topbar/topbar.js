// The top bar. Ctrl+Z and Ctrl+Shift+Z work everywhere in the workbench except in text fields.

import { h, widget } from "../base/shared.js";

const REMEMBERED = "privacy-utility-workbench study";

export default widget(({ model, el, send, on }) => {
  el.classList.add("wb-topbar");
  let restored = false, counted = "", doing = "", remaining = "";
  const ask = what => () => send("ask", { what });
  const name = h("input", { class: "wb-name", "aria-label": "name of the study", spellcheck: "false", size: 14 });
  name.addEventListener("change", () => send("rename", { name: name.value }));
  const data = h("span", { class: "wb-chosen" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": "points measured" });
  const done = h("span", { class: "wb-done" });
  const cancel = h("button", { onclick: () => { cancel.disabled = true; done.textContent = "cancelling …"; send("ask", { what: "cancel" }); } }, "Cancel");
  const again = h("button", { class: "wb-main-action", hidden: true, onclick: ask("again") }, "Measure the remaining points");
  const running = h("span", { class: "wb-running", role: "status" }, bar, done, cancel, again);
  const undo = h("button", { title: "undo (Ctrl+Z)", "aria-label": "undo", onclick: ask("undo") }, "↶ Undo");
  const redo = h("button", { title: "redo (Ctrl+Shift+Z)", "aria-label": "redo", onclick: ask("redo") }, "↷ Redo");
  const file = h("input", { type: "file", accept: ".yaml,.yml", class: "wb-hush", "aria-label": "study file", tabindex: -1 });
  const open = h("button", { onclick: () => file.click() }, "Open study");
  file.addEventListener("change", async () => {
    if (file.files[0]) send("open", { field: "open", text: await file.files[0].text() });
    file.value = "";
  });
  const kept = h("span", { class: "wb-note" });
  const conflict = h("div", { class: "wb-conflict", role: "alert", hidden: true });
  const note = h("div", { class: "wb-note wb-line", role: "status" });

  const opening = h("span", { class: "wb-field wb-open", "data-field": "open" }, open, file, h("span", { class: "wb-wrong", role: "alert" }));
  el.append(h("div", { class: "wb-top-row" }, name, data, running, h("span", { class: "wb-row" }, undo, redo, opening)),
    conflict, h("div", { class: "wb-top-row wb-under" }, kept, note));

  const showProgress = () => {
    done.title = doing;
    if (!cancel.disabled) done.textContent = bar.hidden ? counted : [doing || counted, remaining].filter(Boolean).join("; ");
  };
  const shown = {
    name: value => { if (document.activeElement !== name) name.value = value; },
    data: value => { data.textContent = value; data.title = value; },
    undo: value => { undo.disabled = !value; },
    redo: value => { redo.disabled = !value; },
    busy: ([count, total, running]) => {
      bar.hidden = cancel.hidden = !running;
      cancel.disabled = false;
      bar.max = total || 1;
      bar.value = count;
      again.hidden = running || count >= total;
      counted = running ? `${count} of ${total} points` : count < total ? `stopped at ${count} of ${total} points` : total ? `${total} points` : "";
      if (!running) doing = remaining = "";
      showProgress();
    },
    doing: value => { doing = value; showProgress(); },
    remaining: value => { remaining = value; showProgress(); },
    kept: value => { kept.textContent = value; },
    note: value => { note.textContent = value; },
    conflict: value => {
      conflict.hidden = !value;
      conflict.replaceChildren(value || "", h("button", { onclick: ask("theirs") }, "Load the saved version"),
        h("button", { onclick: ask("mine") }, "Keep mine"));
    },
    study: text => { if (model.get("remembered") && !recalled()) remember(text); },
  };
  on("state", content => { for (const [key, call] of Object.entries(shown)) if (key in content) call(content[key]); });

  const remember = text => { try { sessionStorage.setItem(REMEMBERED, text); } catch { kept.textContent = "this browser cannot store the study: save the study before you close the page"; } };
  /** Restore the study of this tab, once, in a new kernel. */
  function recalled() {
    if (!model.get("fresh") || restored) return false;
    restored = true;
    let text = null;
    try { text = sessionStorage.getItem(REMEMBERED); } catch { /* reported when the study is stored */ }
    if (text) send("open", { text, recalled: true });
    return Boolean(text);
  }

  const keys = event => {
    const typed = event.target.closest?.("textarea, input:not([type=range]):not([type=checkbox]):not([type=radio])");
    if (typed || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    event.stopPropagation();
    send("ask", { what: event.shiftKey ? "redo" : "undo" });
  };
  const watch = setTimeout(() => el.closest(".wb-app")?.addEventListener("keydown", keys, true), 0);
  return () => { clearTimeout(watch); el.closest(".wb-app")?.removeEventListener("keydown", keys, true); };
});
