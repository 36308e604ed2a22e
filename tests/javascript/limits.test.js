// The dashboard's slider: the safest limit is on the left for every measure.
import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { STOPS, scaleOf } = await import("../../widgets/dashboard/picture.js");
const losses = { privacy: { better: "lower", low: 0, high: 0.5, endless: false }, stops: [0.1, 0.2, 0.5] };

test("a loss grows to the right", () => {
  const scale = scaleOf(losses);
  assert.deepEqual(scale.stops, [{ cap: 0.1, place: 200 }, { cap: 0.2, place: 400 }, { cap: 0.5, place: STOPS }]);
  assert.equal(scale.nearest(310).cap, 0.2);
  assert.equal(scale.last, STOPS);
});

test("protection grows to the left", () => {
  const scale = scaleOf({ privacy: { better: "higher", low: 2, high: 10, endless: false }, stops: [10, 4] });
  assert.deepEqual(scale.stops.map(stop => stop.place + 0), [0, 750]);
});

test("releases with infinite loss add a stop without a limit", () => {
  const scale = scaleOf({ ...losses, privacy: { ...losses.privacy, endless: true } });
  assert.deepEqual(scale.stops.at(-1), { cap: null, place: STOPS + 1 });
  assert.deepEqual([scale.last, scale.nearest(STOPS + 1).cap], [STOPS + 1, null]);
});
