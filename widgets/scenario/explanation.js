// What a miner learns: a bar for each column, and a small tree as text.

import { count, field, h, step, widget } from "../base/shared.js";

export default widget(({ model, el, send, on, trait }) => {
  const { element, body, chosen } = step("What a miner learns", { model, trait });
  el.classList.add("wb-scenario", "wb-explanation");
  el.append(element);
  const target = h("select", { onchange: () => choose() }), miner = h("select", { onchange: () => choose() });
  const choose = () => send("choose", { field: "learn", target: target.value, miner: miner.value });
  const button = h("button", { type: "button", class: "wb-main-action", onclick: () => send("learn", { field: "learn" }) }, "Show what it learns");
  const stop = h("button", { type: "button", class: "wb-small", hidden: true, onclick: () => send("stop", { field: "learn" }) }, "Cancel");
  const doing = h("span", { role: "status", class: "wb-note" });
  const words = h("p"), unit = h("small", { class: "wb-note" }), bars = h("tbody"), more = h("p", { class: "wb-note" }), tree = h("pre", { class: "wb-tree", tabindex: 0, "aria-label": "Predictions by group" });
  const shown = h("div", { hidden: true }, words, h("div", { class: "wb-found" },
    h("div", {}, h("h4", {}, "Importance of each column"), unit, h("table", {}, h("thead", { class: "wb-hush" }, h("tr", {}, h("th", {}, "Column"), h("th", {}, "Importance"), h("th", {}, "Bar"))), bars), more),
    h("div", {}, h("h4", {}, "Predictions by group"), tree)));
  body.append(h("p", { class: "wb-note" }, "Trained on this release only, in three folds. These exact figures are for you and are never published."),
    h("div", { class: "wb-row wb-asks", "data-field": "learn" }, field("target", "Predicted column", target), field("miner", "Miner", miner), button, stop, doing, h("span", { class: "wb-wrong", role: "alert" })), shown);

  const going = text => {
    doing.textContent = text;
    stop.hidden = !text;
    button.hidden = Boolean(text);
  };
  on("choices", ({ columns, target: name, miners, miner: who, ready, busy }) => {
    const fill = (one, options, value) => {
      const now = JSON.stringify(options);
      if (one.dataset.options !== now) one.replaceChildren(...options.map(each => h("option", { value: each.name, title: each.about }, each.name)));
      one.dataset.options = now;
      one.value = value;
    };
    fill(target, columns.map(each => ({ name: each })), name);
    fill(miner, miners, who);
    button.disabled = !ready;
    chosen(ready ? `${name} by ${who}` : "");
    if (!busy) going("");
  });
  on("doing", ({ text }) => going(text));
  on("explanation", found => {
    going("");
    shown.hidden = false;
    shown.classList.toggle("wb-stale", found.stale);
    words.textContent = found.text + (found.stale ? " (Results for the previous settings.)" : "");
    unit.textContent = `After shuffling its values between people: ${found.unit}.`;
    bars.replaceChildren(...found.bars.map(({ column, size, figure }) => h("tr", {}, h("th", { scope: "row" }, column), h("td", { class: "wb-number" }, figure),
      h("td", { class: "wb-long" }, h("div", { class: "wb-bar", style: `width: ${(100 * size).toFixed(1)}%` })))));
    more.textContent = found.more ? `and ${count(found.more)} less important columns` : "";
    tree.textContent = found.tree;
  });
});
