// The table of classes: columns of numbers from a message, sorted and filtered.
import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { atRisk, fieldsOf, filtered, sorted, unpacked, valuesOf } = await import("../../widgets/disclosure/sorting.js");

/** A message with four classes of two towns, as Python sends it. */
function message() {
  const columns = [
    ["size", "uint32", Uint32Array.of(10, 30, 10, 50)], ["quasi 0", "uint8", Uint8Array.of(0, 1, 1, 0)],
    ["loss", "float64", Float64Array.of(0.4, 0.1, 0.2, 0)], ["counts", "uint32", Uint32Array.of(5, 5, 30, 0, 10, 0, 10, 40)],
    ["worst", "uint8", Uint8Array.of(1, 0, 0, 1)], ["commonest", "float64", new Float64Array(4)],
    ["posterior", "float64", new Float64Array(4)],
  ];
  const content = {
    classes: 4, columns: columns.map(([name, type]) => [name, type]), limits: [], sensitive: "disease",
    quasi: [{ name: "town", labels: ["Ash", "Birch [10 .. 20)"] }],
    loss: { bars: ["flu", "ulcer"], table: [0.55, 0.45], worst: [{ label: "flu" }, { label: "ulcer" }] },
  };
  return unpacked(content, columns.map(([, , values]) => new DataView(values.buffer)));
}
const every = { text: "", risk: false, size: [0, Infinity], loss: [-Infinity, Infinity], only: false };
const rows = (filter, data = message(), order = Uint32Array.of(0, 1, 2, 3), chosen = new Set()) =>
  [...filtered(data, order, { ...every, ...filter }, 0.2, chosen)];

test("classes are sorted in both directions; ties stay in their order", () => {
  const data = message();
  assert.deepEqual([...sorted(data, data.columns.size, false)], [0, 2, 1, 3]);
  assert.deepEqual([...sorted(data, data.columns.size, true)], [3, 1, 0, 2]);
});

test("filters are combined, and keep the order", () => {
  assert.deepEqual(rows({}), [0, 1, 2, 3]);
  assert.deepEqual(rows({ text: "birch" }), [1, 2]);
  assert.deepEqual(rows({ text: "BIRCH flu" }), [1, 2]);
  assert.deepEqual(rows({ text: "ash flu" }), []);
  assert.deepEqual(rows({ risk: true }), [0, 2]);
  assert.deepEqual(rows({ size: [20, 60], loss: [0.05, 1] }), [1]);
  assert.deepEqual(rows({ only: true }, message(), Uint32Array.of(3, 2, 1, 0), new Set([0, 3])), [3, 0]);
});

test("classes and records at risk are counted from the threshold on", () => {
  assert.deepEqual(atRisk(message(), 0.2), { classes: 2, records: 20 });
});

test("a row has the shares of its class and of the table", () => {
  assert.deepEqual(valuesOf(message(), 3), [["flu", 0.2, 0.55], ["ulcer", 0.8, 0.45]]);
});

test("columns depend on what the release publishes", () => {
  const keys = data => fieldsOf(data).map(field => field.key);
  assert.deepEqual(keys(message()), ["size", "quasi town", "bars", "loss", "exposed"]);
  assert.deepEqual(keys({ ...message(), loss: null, limits: ["k"] }), ["size", "quasi town", "used"]);
});
