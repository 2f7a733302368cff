// What a node's color means and how it looks: its class, a group of similar nodes, or a column of numbers or text.

// The colors of Okabe and Ito, ordered so that consecutive ones differ; each with a readable text color.
const PALETTE = [
  ["#0072b2", "#ffffff"],
  ["#e69f00", "#1a1206"],
  ["#009e73", "#00130d"],
  ["#cc79a7", "#1d0a14"],
  ["#56b4e9", "#06202f"],
  ["#d55e00", "#140800"],
  ["#f0e442", "#1f1d00"],
  ["#7d4e2d", "#ffffff"],
  ["#5e3c99", "#ffffff"],
  ["#8fbf3f", "#16200a"],
  ["#b2182b", "#ffffff"],
  ["#3f48e0", "#ffffff"],
  ["#f7b6d2", "#2a0f1c"],
  ["#00b5ad", "#04201f"],
  ["#a89f00", "#1c1a00"],
  ["#b81fcb", "#ffffff"],
];

/** Return the appearance of every class: the largest have a color each, all smaller ones gray; a class of one node is hollow. */
function classLooks(classes) {
  const sizes = classSizes(classes);
  const total = Array.from(sizes[0], (_, number) => sizes.reduce((sum, side) => sum + side[number], 0));
  const shared = total.map((size, number) => ({ size, number })).filter(({ size }) => size > 1);
  shared.sort((a, b) => b.size - a.size || a.number - b.number);
  const looks = total.map((size, number) => ({ number, size, mark: "hollow", fill: null, ink: null }));
  shared.forEach(({ number }, rank) => {
    const [fill, ink] = PALETTE[rank] ?? OTHER;
    Object.assign(looks[number], { mark: rank < PALETTE.length ? "solid" : "other", fill, ink });
  });
  return looks;
}

const NO_LOOK = { number: "?", size: 0, mark: "unknown", fill: null, ink: null };

/** Return the appearance of a class number, UNKNOWN included. */
function lookOf(looks, number) {
  return looks[number] ?? NO_LOOK;
}

/** Return a small badge that shows a class: its color, mark and number. */
function classBadge(look) {
  const badge = element("span", { class: `badge ${look.mark}` }, String(look.number));
  if (look.fill) {
    badge.style.setProperty("--fill", look.fill);
    badge.style.setProperty("--ink", look.ink);
  }
  return badge;
}

// A scale from low to high whose order color-blind readers see too, after viridis; each with a readable text color.
const SCALE = ["#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#d2e21b"];
const SCALE_INK = ["#ffffff", "#ffffff", "#ffffff", "#111111", "#111111", "#111111"];
const OTHER = ["#9aa0a8", "#111111"];

/** Return the colorings of the page: {name, groups per graph, titles, look(group), isScale}. */
function readColorings(wholes) {
  const starts = [0];
  for (const whole of wholes) starts.push(starts.at(-1) + whole.numNodes);
  return DATA.colorings.map(({ name, names, hasRest, values }) => {
    const { titles, groupOf, look } = names ? categories(names, hasRest) : scale(values);
    const groups = wholes.map((_, side) => Int32Array.from(values.slice(starts[side], starts[side + 1]), groupOf));
    const text = (side, v) => {
      const value = values[starts[side] + v];
      return names ? names[value] : value === null || Number.isNaN(value) ? "missing" : shortNumber(value);
    };
    return { name, titles, groups, look, text, isScale: !names };
  });
}

/** Return how text values are shown: one color each, and gray for the last group if it has all rare values. */
function categories(names, hasRest) {
  return {
    titles: names,
    groupOf: (value) => value,
    look: (group) => {
      const [fill, ink] = hasRest && group === names.length - 1 ? OTHER : PALETTE[group];
      return { number: group, mark: "solid", fill, ink };
    },
  };
}

/** Return how numbers are shown: at most six groups of about equally many nodes, from low to high. */
function scale(values) {
  const known = values.filter((value) => value !== null && !Number.isNaN(value)).sort((a, b) => a - b);
  const bounds = [...new Set(SCALE.map((_, i) => known[Math.floor((i * known.length) / SCALE.length)]))].filter(
    (bound) => bound !== undefined,
  );
  const groupOf = (value) => {
    if (value === null || Number.isNaN(value)) return bounds.length;
    let group = 0;
    while (group + 1 < bounds.length && value >= bounds[group + 1]) group++;
    return group;
  };
  const tops = new Array(bounds.length).fill(-Infinity);
  for (const value of known) tops[groupOf(value)] = Math.max(tops[groupOf(value)], value);
  const titles = bounds.map((low, i) =>
    low === tops[i] ? shortNumber(low) : `${shortNumber(low)} to ${shortNumber(tops[i])}`,
  );
  if (known.length < values.length) titles.push("missing");
  const look = (group) => {
    if (group >= bounds.length) return { number: "?", mark: "unknown", fill: null, ink: null };
    const at = bounds.length > 1 ? Math.round((group * (SCALE.length - 1)) / (bounds.length - 1)) : 0;
    return { number: group, mark: "solid", fill: SCALE[at], ink: SCALE_INK[at] };
  };
  return { titles, groupOf, look };
}

/** Return the color of the scale at a share from 0 to 1. */
function scaleColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1);
  const low = Math.min(Math.floor(at), SCALE.length - 2);
  const part = (color, place) => Number.parseInt(color.slice(1 + 2 * place, 3 + 2 * place), 16);
  const mixed = [0, 1, 2].map((place) =>
    Math.round(part(SCALE[low], place) + (at - low) * (part(SCALE[low + 1], place) - part(SCALE[low], place))),
  );
  return `rgb(${mixed.join(" ")})`;
}

/** Return a number with at most three significant digits after thousands. */
function shortNumber(value) {
  return value.toLocaleString(
    "en-US",
    Math.abs(value) < 1000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}

/** Fill the legend of a coloring: a row per group with its number of drawn nodes; a click shows only these. */
function showLegend(panel, coloring, shown, pick, picked) {
  const counts = shown.map((groups) => {
    const found = new Int32Array(coloring.titles.length);
    for (const group of groups) found[group]++;
    return found;
  });
  const most = Math.max(1, ...counts.flatMap((side) => [...side]));
  const rows = coloring.titles.map((title, group) => {
    const look = coloring.look(group);
    const swatch = element("span", { class: `badge swatch ${look.mark}` });
    if (look.fill) swatch.style.setProperty("--fill", look.fill);
    const bars = counts.map((side) => amountBar(side[group], most, look.fill));
    const label = `${title}: ${counts.map((side) => side[group]).join(" and ")} nodes`;
    const click = () => pick(picked === group ? null : group);
    const attributes = { type: "button", "aria-pressed": String(picked === group), "aria-label": label, click };
    return element(
      "li",
      {},
      element("button", attributes, swatch, element("span", { class: "title" }, clipped(title, 44)), ...bars),
    );
  });
  panel.replaceChildren(element("ul", { class: `classes legend${shown.length > 1 ? " pair" : ""}` }, ...rows));
}

/** Return a bar with a number of nodes. */
function amountBar(count, most, fill) {
  const bar = element("span", { class: "bar", hidden: count === 0 });
  bar.style.width = `${(100 * count) / most}%`;
  bar.style.setProperty("--fill", fill ?? "var(--muted)");
  return element(
    "span",
    { class: "amount" },
    element("span", { class: "track" }, bar),
    element("span", { class: "size" }, grouped(count)),
  );
}
