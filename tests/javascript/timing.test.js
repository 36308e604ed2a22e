// Calls that are put off.
import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { debounced, throttled } = await import("../../widgets/base/shared.js");

test("the last call is made, with its arguments, once the calls stop", context => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const made = [], call = debounced(value => made.push(value), 100);
  call(1);
  context.mock.timers.tick(99);
  call(2);
  context.mock.timers.tick(99);
  assert.deepEqual(made, []);
  context.mock.timers.tick(1);
  assert.deepEqual(made, [2]);
});

test("calls are made at most once in a while, and the last one always", context => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const made = [], call = throttled(value => made.push(value), 1e9);
  [1, 2, 3].forEach(value => call(value));
  context.mock.timers.tick(1e9);
  assert.deepEqual(made, [3]);
});
