// Caps that are dragged on the chart: the line follows the pointer at once, and Python is notified during the drag.

import { figures } from "./shared.js";
import { within } from "./vega.js";

const REACH = 8; // pixels

/** `caps()` returns { key, bound, worst, domain, value } for both axes; `moved(cap, value)` gets a number or null. */
export function draggedCaps(stage, picture, caps, moved) {
  let held = null; // 0: the cap on x, 1: on y
  const at = (which, cap) => {
    const value = cap.value ?? cap.worst;
    return picture.view().scale("xy"[which])(Math.min(Math.max(value, cap.domain[0]), cap.domain[1]));
  };
  const under = event => {
    const view = picture.view(), all = caps();
    if (!view || all.length !== 2) return null;
    const { x, y, width, height } = within(view, event);
    if (x < -12 || y < -12 || x > width + 4 || y > height + 4) return null;
    const near = which => Math.abs([x, y][which] - at(which, all[which])) <= REACH;
    const grip = which => which ? x < 10 : y < 10; // without a cap only the grip at the end can be dragged
    for (const which of [0, 1]) if (near(which) && (all[which].value !== null || grip(which))) return which;
    return null;
  };
  const to = event => {
    const view = picture.view(), cap = caps()[held], name = "xy"[held];
    const found = within(view, event), size = held ? found.height : found.width;
    const value = view.scale(name).invert(Math.min(Math.max(found[name], 0), size));
    const place = view.scale(name), at = place(value);
    if (Math.abs(at - place(cap.worst)) < 0.012 * size) return null; // released at the end: no cap
    const step = 10 ** Math.floor(Math.log10(Math.abs(place.invert(at + 1) - value))); // about one step per pixel
    return Number((Math.round(value / step) * step).toPrecision(12));
  };
  const row = (which, cap, value) => {
    const name = "xy"[which], place = picture.view().scale(name), [from, to] = place.range();
    return { [name]: value ?? cap.worst, [`${name}2`]: cap.worst,
      label: value === null ? "" : `${cap.bound} ${figures(value)}`,
      flip: value === null || Math.abs((place(cap.worst) - place(value)) / (to - from)) < 0.14 };
  };
  const down = event => {
    held = event.button === 0 ? under(event) : null;
    if (held === null) return;
    event.stopPropagation();
    event.preventDefault();
    stage.setPointerCapture(event.pointerId);
  };
  const move = event => {
    if (held === null) {
      const found = under(event);
      stage.style.cursor = found === null ? "" : found ? "ns-resize" : "ew-resize";
      return;
    }
    event.stopPropagation();
    const cap = caps()[held], value = to(event);
    if (value === cap.value) return;
    cap.value = value;
    picture.rows({ [`cap_${"xy"[held]}`]: [row(held, cap, value)] });
    moved(cap, value);
  };
  const up = event => {
    if (held === null) return;
    event.stopPropagation();
    held = null;
  };
  stage.addEventListener("pointerdown", down, true);
  stage.addEventListener("pointermove", move, true);
  stage.addEventListener("pointerup", up, true);
  stage.addEventListener("pointercancel", up, true);
  return { held: () => held !== null };
}
