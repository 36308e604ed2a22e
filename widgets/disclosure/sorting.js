// The classes of a release as columns of numbers, which are sorted and filtered here.

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float64: Float64Array };

export const NUMBERS = /[[{<]?-?\d[\d.,:]*/g; // including an opening bracket

/** Return a message with its buffers as typed arrays by name. */
export function unpacked(content, buffers) {
  const columns = {};
  content.columns.forEach(([name, type], i) => {
    const { buffer, byteOffset, byteLength } = buffers[i];
    columns[name] = new ARRAYS[type](buffer.slice(byteOffset, byteOffset + byteLength)); // aligned
  });
  return { ...content, columns };
}

/**
 * The columns of the table. `by` are the values for sorting. Widths do not depend on the content, except for long
 * numbers, so that columns do not move; `narrow` is the width for narrow pages.
 */
export function fieldsOf(data) {
  const { columns, loss, limits } = data;
  /** @type {any[]} */
  const fields = [{ key: "size", title: "Size", width: "46px", narrow: "42px", by: columns.size, number: true, help: "people in the class" }];
  const released = data.quasi.map(({ labels }) => Math.min(100, 10 + 7 * longestNumber(labels)));
  data.quasi.forEach(({ name, labels }, a) => fields.push({
    key: `quasi ${name}`, title: name, width: `minmax(${Math.max(66, released[a])}px, 1fr)`,
    narrow: `minmax(${Math.max(54, released[a])}px, 1fr)`, by: columns[`quasi ${a}`], labels,
    help: `${name}: the released values`,
  }));
  if (loss) fields.push({
    key: "bars", title: data.sensitive, width: "104px", narrow: "84px", picture: true, by: columns.commonest,
    help: `distribution of ${data.sensitive}: bars in the class, marks in the whole table, each row to its own scale; `
      + "sorted by the share of the most frequent value",
  }, {
    key: "loss", title: "Loss", width: "66px", narrow: "60px", by: columns.loss, number: true,
    help: "privacy loss: how far the distribution in the class is from the whole table's (Jensen-Shannon)",
  }, {
    key: "exposed", title: "Most exposed", width: "minmax(120px, 1.2fr)", narrow: "minmax(98px, 1.2fr)", by: columns.posterior,
    help: "the value with the largest increase: its share in the whole table and in the class; sorted by the latter",
  });
  if (limits.length) fields.push({
    key: "used", title: "Nearest limit", width: "112px", narrow: "88px", by: columns.used,
    help: "the limit of the model that the class is closest to; the bar is full at the limit",
  });
  return fields;
}

/** Return the length of the longest number in some labels. */
function longestNumber(labels) {
  let longest = 0;
  for (const label of labels) for (const [found] of label.matchAll(NUMBERS)) longest = Math.max(longest, found.length);
  return longest;
}

/** Sort all classes by a column; ties are sorted by number. */
export function sorted(data, by, descending) {
  const order = new Uint32Array(data.classes).map((_, i) => i), sign = descending ? -1 : 1;
  return order.sort((a, b) => (by[a] < by[b] ? -sign : by[a] > by[b] ? sign : a - b));
}

/** Filter sorted classes by { text, risk, size: [low, high], loss: [low, high], only }. */
export function filtered(data, order, filter, threshold, selected) {
  const { size, loss } = data.columns, words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const tables = words.map(word => matching(data, word)), kept = new Uint32Array(order.length);
  const [least, most] = filter.size, [low, high] = filter.loss;
  let n = 0;
  for (const row of order) {
    if (size[row] < least || size[row] > most) continue;
    if (loss && (loss[row] < low || loss[row] > high || (filter.risk && loss[row] < threshold))) continue;
    if (filter.only && !selected.has(row)) continue;
    if (tables.every(columns => columns.some(([codes, hit]) => hit[codes[row]]))) kept[n++] = row;
  }
  return kept.subarray(0, n);
}

/** Return the codes of each column with labels, and which labels contain a word. */
function matching(data, word) {
  const all = data.quasi.map((one, a) => [data.columns[`quasi ${a}`], one.labels]);
  if (data.loss) all.push([data.columns.worst, data.loss.worst.map(one => one.label)]);
  return all.map(([codes, labels]) => [codes, labels.map(label => label.toLowerCase().includes(word))]);
}

/** How many classes and records lose at least so much. */
export function atRisk(data, threshold) {
  const { size, loss } = data.columns;
  let classes = 0, records = 0;
  for (let row = 0; row < data.classes; row++) if (loss[row] >= threshold) { classes++; records += size[row]; }
  return { classes, records };
}

/** The shares of a class: [label, in the class, in the whole table] of each bar. */
export function valuesOf(data, row) {
  const { bars, table } = data.loss, { counts, size } = data.columns;
  return bars.map((label, v) => [label, counts[row * bars.length + v] / size[row], table[v]]);
}
