// A small histogram of a numeric column, and below it the cut points of each level, which can be dragged or moved with keys.

import { debounced, figures, h } from "../base/shared.js";

const CUTS = { left: 20, right: 8, top: 4, bars: 54, lane: 18, axis: 16, most: 160 };
const LEVEL_HUES = ["--wb-blue", "--wb-orange", "--wb-green", "--wb-purple", "--wb-amber"];
export const hueOf = level => `var(${LEVEL_HUES[level % LEVEL_HUES.length]})`;

/** Round up to 1, 2 or 5 times a power of ten. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(digit => digit * power).find(step => step >= least * (1 - 1e-9));
}

export const numbersIn = text => String(text).split(/[,;\s]+/).filter(Boolean).map(Number);
/** Remove rounding errors from a number. */
export const tidy = number => String(Number(number.toPrecision(12)));

/** Return the cut points of a row: [{ at, nth }], where `nth` is the number from the origin, or the position in the list. */
export function linesOf(form, text, low, high, lines) {
  const { by, bottom, top } = form, origin = Number(form.origin || 0);
  const within = found => found.filter(({ at }) => !(bottom && at <= Number(bottom)) && !(top && at >= Number(top)));
  if (by === "quantiles") return within((lines ?? []).map((at, nth) => ({ at, nth })));
  const numbers = numbersIn(text);
  if (!numbers.length || numbers.some(n => !Number.isFinite(n))) return [];
  if (by === "cuts") return within(numbers.map((at, nth) => ({ at, nth })).filter(({ at }) => at >= low && at <= high));
  const width = numbers[0];
  if (!(width > 0) || (high - low) / width > 5000) return null;
  const found = [];
  for (let nth = Math.ceil((low - origin) / width); origin + nth * width <= high; nth++) {
    if (nth) found.push({ at: origin + nth * width, nth });
  }
  return within(found);
}

/**
 * moved(row, text) while a line moves, settled() when it has come to rest.
 * paint(histogram, form, about) draws; without a histogram there is nothing to see.
 */
export function cutChart({ moved, settled }) {
  const svg = h("svg:svg", { class: "wb-hier-cuts", role: "group", "aria-label": "Cut points of each level" });
  const element = h("div", { class: "wb-hier-chart" }, svg);
  const rest = debounced(settled, 600);
  let now = null, drag = null;

  const scale = () => {
    const { low, high } = now.histogram, width = Math.max(svg.clientWidth || element.clientWidth || 340, 120);
    const inner = width - CUTS.left - CUTS.right;
    return { width, inner, x: value => CUTS.left + (value - low) / (high - low) * inner,
      value: x => low + (x - CUTS.left) / inner * (high - low) };
  };
  const smallest = () => {
    const least = roundStep((now.histogram.high - now.histogram.low) / 300);
    return now.histogram.whole ? Math.max(1, Math.round(least)) : least;
  };

  /** Return the text of a row after its line `nth` has moved to `value`. */
  function moveTo(row, nth, value) {
    const { by, origin } = now.form, step = smallest(), old = numbersIn(now.form[by][row]);
    const near = number => Math.round(number / step) * step;
    if (by === "widths") return tidy(Math.max(step, near((value - Number(origin || 0)) / nth)));
    const below = nth ? old[nth - 1] + step : -Infinity, above = nth + 1 < old.length ? old[nth + 1] - step : Infinity;
    return old.map((cut, i) => i === nth ? tidy(Math.min(Math.max(near(value), below), above)) : tidy(cut)).join(", ");
  }

  function change(row, text) {
    if (text === now.form[now.form.by][row]) return;
    now.form = { ...now.form, [now.form.by]: now.form[now.form.by].map((one, i) => i === row ? text : one) };
    draw();
    moved(row, text);
  }

  svg.addEventListener("pointerdown", event => {
    const grip = event.target.closest("[data-grip]");
    if (!grip || event.button) return;
    const [row, nth] = grip.dataset.grip.split(":").map(Number);
    drag = { row, nth };
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("wb-hier-dragging");
    element.querySelector(`[data-grip="${grip.dataset.grip}"]`)?.focus?.({ preventScroll: true });
    event.preventDefault();
  });
  svg.addEventListener("pointermove", event => {
    if (!drag) return;
    const { value } = scale();
    change(drag.row, moveTo(drag.row, drag.nth, value(event.clientX - svg.getBoundingClientRect().left)));
  });
  const drop = () => {
    if (!drag) return;
    drag = null;
    svg.classList.remove("wb-hier-dragging");
    settled();
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("keydown", event => {
    const grip = event.target.closest("[role=slider]");
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!grip || !way) return;
    event.preventDefault();
    const [row, nth] = grip.dataset.grip.split(":").map(Number), { by } = now.form;
    const step = way * smallest(), old = numbersIn(now.form[by][row]);
    change(row, by === "widths" ? tidy(Math.max(smallest(), old[0] + step)) : moveTo(row, nth, old[nth] + step));
    rest();
  });
  svg.addEventListener("dblclick", event => {
    const lane = event.target.closest("[data-lane]");
    if (!lane || now.form.by !== "cuts") return;
    const row = Number(lane.dataset.lane), step = smallest();
    const at = Math.round(scale().value(event.clientX - svg.getBoundingClientRect().left) / step) * step;
    const cuts = [...new Set([...numbersIn(now.form.cuts[row]), at])].sort((a, b) => a - b);
    change(row, cuts.map(tidy).join(", "));
    settled();
  });

  function bars(histogram, { x, inner }) {
    const most = Math.max(...histogram.counts), width = inner / histogram.counts.length;
    return histogram.counts.map((n, i) => {
      const height = n ? Math.max(1, n / most * CUTS.bars) : 0;
      return h("svg:rect", { class: "wb-hier-bar", x: x(histogram.low) + i * width + 0.25, y: CUTS.top + CUTS.bars - height,
        width: Math.max(width - 0.5, 0.5), height });
    });
  }

  /** A line across the histogram, with a grip in its lane. For a level of widths, one line handles the keys for all. */
  function line(row, { at, nth }, y, x, asks) {
    const { by } = now.form, movable = by !== "quantiles";
    const name = by === "widths" ? `Level ${row + 1}, width` : `Level ${row + 1}, cut ${nth + 1}`;
    const attributes = movable && asks ? { role: "slider", tabindex: 0, "aria-label": name, "aria-valuenow":
      by === "widths" ? numbersIn(now.form.widths[row])[0] : at, "aria-orientation": "horizontal" } : {};
    return h("svg:g", { ...attributes, class: movable && "wb-hier-grip", "data-grip": movable ? `${row}:${nth}` : null,
      style: `--hue: ${hueOf(row)}` },
      h("svg:line", { class: "wb-hier-through", x1: x(at), x2: x(at), y1: CUTS.top, y2: y }),
      h("svg:line", { class: "wb-hier-tick", x1: x(at), x2: x(at), y1: y, y2: y + CUTS.lane - 4 }),
      movable && h("svg:rect", { class: "wb-hier-hold", x: x(at) - 5, y, width: 10, height: CUTS.lane - 2 },
        h("svg:title", {}, by === "widths" ? `${name} ${now.form.widths[row]}: drag to change` : `${name} at ${tidy(at)}: drag to move`)));
  }

  /** The groups at both ends. */
  function ends(y, x) {
    const { low, high } = now.histogram, inside = text => text !== "" && Number(text) > low && Number(text) <= high;
    const end = (from, to, name) => h("svg:rect", { class: "wb-hier-end", x: x(from), y, width: x(to) - x(from), height: CUTS.lane - 4 },
      h("svg:title", {}, name));
    const { bottom = "", top = "" } = now.form;
    return [inside(bottom) && end(low, Number(bottom), `under ${bottom}: one group`),
      inside(top) && end(Number(top), high, `${top} and over: one group`)].filter(Boolean);
  }

  function lane(row, base, scaled) {
    const { form, histogram, about } = now, y = base + row * CUTS.lane, { low, high } = histogram;
    const found = linesOf(form, form[form.by][row], low, high, about?.rows?.[row]?.lines);
    const back = h("svg:rect", { class: "wb-hier-lane", "data-lane": row, x: CUTS.left, y, width: scaled.inner, height: CUTS.lane - 4 },
      form.by === "cuts" && h("svg:title", {}, "Double-click adds a cut here"));
    const name = h("svg:text", { class: "wb-hier-lanename", x: 4, y: y + 11, style: `fill: ${hueOf(row)}` }, row + 1);
    if (found === null || found.length > CUTS.most) {
      return [back, name, h("svg:text", { class: "wb-hier-many", x: CUTS.left + 6, y: y + 11 }, "too many lines to draw")];
    }
    const asks = form.by === "widths" ? found[Math.floor(found.length / 2)] : null;
    return [back, name, ends(y, scaled.x), found.map(one => line(row, one, y, scaled.x, asks === null || asks === one))];
  }

  function draw() {
    if (!now?.histogram || !now.form[now.form.by]) return;
    const { histogram, form } = now, rows = form[form.by].length, base = CUTS.top + CUTS.bars + 4;
    const focused = svg.getRootNode().activeElement?.dataset?.grip, scaled = scale();
    const height = base + rows * CUTS.lane + CUTS.axis;
    const marks = [histogram.low, (histogram.low + histogram.high) / 2, histogram.high];
    svg.setAttribute("height", height);
    svg.replaceChildren(
      ...bars(histogram, scaled),
      ...form[form.by].flatMap((_, row) => lane(row, base, scaled)).flat(),
      ...marks.map((at, i) => h("svg:text", { class: "wb-hier-axis", x: scaled.x(at), y: height - 4,
        "text-anchor": ["start", "middle", "end"][i] }, figures(at))));
    if (focused && svg.contains(svg.querySelector("[role=slider]"))) {
      const row = focused.split(":")[0];
      const again = svg.querySelector(`[role=slider][data-grip="${focused}"]`) ?? svg.querySelector(`[role=slider][data-grip^="${row}:"]`);
      again?.focus({ preventScroll: true });
    }
  }

  const watch = new ResizeObserver(() => { if (!drag) draw(); });
  watch.observe(element);
  return {
    element,
    paint(histogram, form, about) {
      now = { histogram, form: drag && now ? now.form : form, about };
      element.hidden = !histogram;
      draw();
    },
    end: () => watch.disconnect(),
  };
}
