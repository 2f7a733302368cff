// The appearance of a class: a color from a palette for color-blind readers, a mark once colors repeat, a number.

// The colors of Okabe and Ito, ordered so that consecutive ones differ; each with a readable text color.
const PALETTE = [
  ["#0072b2", "#ffffff"],
  ["#e69f00", "#1a1206"],
  ["#009e73", "#ffffff"],
  ["#cc79a7", "#1d0a14"],
  ["#56b4e9", "#06202f"],
  ["#d55e00", "#ffffff"],
  ["#f0e442", "#1f1d00"],
  ["#7a7f87", "#ffffff"],
];
const MARKS = ["solid", "ringed", "dotted"];

/** Return the appearance of every class: larger classes use the palette first; a class of one node is hollow. */
function classLooks(classes) {
  const sizes = classSizes(classes);
  const total = Array.from(sizes[0], (_, number) => sizes.reduce((sum, side) => sum + side[number], 0));
  const shared = total.map((size, number) => ({ size, number })).filter(({ size }) => size > 1);
  shared.sort((a, b) => b.size - a.size || a.number - b.number);
  const looks = total.map((size, number) => ({ number, size, mark: "hollow", fill: null, ink: null }));
  shared.forEach(({ number }, rank) => {
    const [fill, ink] = PALETTE[rank % PALETTE.length];
    const mark = MARKS[Math.floor(rank / PALETTE.length) % MARKS.length];
    Object.assign(looks[number], { mark, fill, ink });
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
