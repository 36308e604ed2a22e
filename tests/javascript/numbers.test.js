// Numbers as they are shown; tests/browser/test_views.py compares them with Python's on thousands of values.
import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { aboutPerCent, count, figures, figuresNextTo, perCent } = await import("../../widgets/base/shared.js");
const { numbersIn, tidy } = await import("../../widgets/hierarchies/cuts.js");
const { firm } = await import("../../widgets/dashboard/table.js");

test("three significant digits, thousands separated, tiny numbers with an exponent", () => {
  assert.deepEqual([0, 1 / 9, 75.245, 1234567, 0.00001234].map(value => figures(value)),
    ["0", "0.111", "75.2", "1,234,567", "1.23e-5"]);
  assert.deepEqual([null, "inf", -Infinity].map(value => figures(value)), ["undefined", "infinite", "minus infinite"]);
});

test("a guarantee is never shown as better than it is", () => {
  assert.equal(figures(0.12341, "lower"), "0.124");
  assert.equal(figures(0.12349, "higher"), "0.123");
  assert.equal(figures(0.12341), "0.123");
});

test("a number next to its limit has the digits that distinguish them", () => {
  assert.equal(figuresNextTo(0.10004, 0.1), "0.10004");
  assert.equal(figuresNextTo(0.2, 0.1), "0.2");
});

test("shares are rounded to 0 and 100 % only if they are", () => {
  assert.deepEqual([0, 0.0001, 0.5, 0.9999, 1].map(perCent), ["0 %", "under 0.1 %", "50 %", "over 99.9 %", "100 %"]);
  assert.deepEqual([0.004, 0.125, 0.996].map(aboutPerCent), ["under 1 %", "13 %", "over 99 %"]);
  assert.equal(count(45222), "45,222");
});

test("typed lists of numbers are read, and floating-point rests removed", () => {
  assert.deepEqual(numbersIn("10, 20;30  40"), [10, 20, 30, 40]);
  assert.equal(tidy(0.1 + 0.2), "0.3");
});

test("a number and its unit stay on one line", () => {
  assert.equal(firm("over 99 % and 3 × as likely"), "over 99\u00a0% and 3\u00a0× as likely");
});
