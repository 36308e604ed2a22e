// The dashboard's slider and its small picture of the frontier.

import { h } from "../base/shared.js";

export const STOPS = 1000; // steps of the slider, and one more if there are releases with infinite loss

/** Convert between limits and positions of the slider, with the safest limit on the left for every measure. */
export function scaleOf({ privacy: { better, low, high, endless }, stops: caps }) {
  const [safe, open] = better === "higher" ? [high, low] : [low, high];
  const span = open - safe || 1;
  const place = cap => (cap === null ? STOPS + 1 : Math.round((STOPS * (cap - safe)) / span));
  const stops = caps.map(cap => ({ cap, place: place(cap) }));
  if (endless) stops.push({ cap: null, place: STOPS + 1 }); // no limit
  const distance = (stop, at) => Math.abs(stop.place - at);
  return {
    last: STOPS + (endless ? 1 : 0),
    place,
    stops,
    nearest: at => stops.reduce((best, stop) => (distance(stop, at) < distance(best, at) ? stop : best)),
  };
}

const FOUND = [
  ["here", "the release shown here"], ["efficient", "no other is both safer and more accurate"],
  ["unsafe", "not safe enough to be recommended"], ["dominated", "another is at least as good on both"],
];

/** Draw the small frontier: disclosure to the right, lost accuracy upwards, the limit as a line. */
export function frontierPicture(study, { cap: asked, proposed, here, first, hidden }, open) {
  const cap = proposed ? null : asked; // a proposed limit excludes nothing
  const W = 400, H = 160, left = 26, bottom = 26, top = 8, right = 8;
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
  const across = p => (hidden.includes(p.index) ? limit : x(p.x)); // within the limit by its exact figure
  const steps = shown.filter(p => p.efficient).sort((a, b) => a.x - b.x);
  const path = steps.map((p, i) => (i ? `H${across(p)}V${y(p.y)}` : `M${across(p)} ${y(p.y)}`)).join("");
  const kind = p => (p.index === here ? "here" : !p.efficient ? "dominated" : p.unsafe ? "unsafe" : "efficient");
  const size = { here: 7, efficient: 4.5, unsafe: 4.5, dominated: 3 };
  const marks = shown.sort((a, b) => size[kind(a)] - size[kind(b)]).map(p => {
    const at = { cx: across(p), cy: y(p.y) };
    return h("svg:g", { class: p.opened && "wb-mark-open", onclick: p.opened ? () => open(p.index === first ? -1 : p.index) : null },
      p.opened && h("svg:circle", { ...at, r: 9, class: "wb-mark-around" }), // easier to hit
      h("svg:circle", { ...at, r: size[kind(p)], class: `wb-mark-${kind(p)}` }), h("svg:title", {}, `Number ${p.number}: ${p.title}`));
  });
  const words = `${steps.length} of ${shown.length} releases are efficient: none of the others is both safer and more accurate. Each other release is dominated by one of them.`;
  const found = new Set(shown.map(kind));
  const key = FOUND.filter(([name]) => found.has(name)).map(([name, text]) => h("span", {},
    h("svg:svg", { viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" },
      h("svg:circle", { cx: 7, cy: 7, r: Math.min(size[name], 6), class: `wb-mark-${name}` })), text));
  const { ends } = study;
  return [
    h("h2", {}, "Every release: lower is more accurate, left is safer"),
    h("svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": words },
      cap === null ? [] : h("svg:rect", { class: "wb-beyond", x: limit, y: top, width: Math.max(0, W - right - limit), height: H - top - bottom }),
      h("svg:path", { class: "wb-axis", d: `M${left} ${top}V${H - bottom}H${W - right}` }),
      h("svg:path", { class: "wb-stair", d: path }),
      cap === null ? [] : h("svg:path", { class: "wb-limit", d: `M${limit} ${top}V${H - bottom}` }),
      marks,
      h("svg:text", { x: left, y: H - 8 }, `← ${ends[0]}`),
      h("svg:text", { x: W - right, y: H - 8, "text-anchor": "end" }, `${ends[1]} →`),
      h("svg:text", { x: -top, y: 14, "text-anchor": "end", transform: "rotate(-90)" }, "more accuracy is lost →")),
    h("figcaption", { class: "wb-note" }, key, cap === null ? [] : h("span", {}, "grey: beyond the limit"),
      h("span", {}, "positions are rounded, decisions are exact")),
  ];
}
