// Two nodes and what they have in common: the nodes around each on a ring, and the shared ones between them.

const RING_NODES = 26; // more on a ring would overlap; the others are counted
const NAMED_STEP = 14; // shared nodes farther apart than this have their names next to them
const PAIR_LISTED = 30;
const PAIR_PLACES = ["first", "both", "second"];

/** Return the neighbors of both nodes of the pair at the shown time: {first, both, second, linked}, against arcs too. */
function pairNeighbors(whole, [first, second], time) {
  const sides = [new Set(), new Set()];
  for (let i = 0; i < whole.edges.length; i += 2) {
    if (whole.times && whole.times[i / 2] > time) continue;
    const ends = [whole.edges[i], whole.edges[i + 1]];
    [first, second].forEach((node, side) => {
      if (ends[0] === node) sides[side].add(ends[1]);
      if (ends[1] === node) sides[side].add(ends[0]);
    });
  }
  const linked = sides[0].has(second);
  sides[0].delete(second);
  sides[1].delete(first);
  const degree = (v) => whole.indptr[v + 1] - whole.indptr[v];
  const sorted = (nodes) => [...nodes].sort((a, b) => degree(b) - degree(a) || a - b);
  return {
    first: sorted([...sides[0]].filter((v) => !sides[1].has(v))),
    both: sorted([...sides[0]].filter((v) => sides[1].has(v))),
    second: sorted([...sides[1]].filter((v) => !sides[0].has(v))),
    linked,
  };
}

/** Return what a pair has in common, in a sentence. */
function pairSentence(whole, pair, found) {
  const [first, second] = pair.map((node) => clipped(whole.names[node], 40));
  const either = PAIR_PLACES.reduce((sum, place) => sum + found[place].length, 0);
  const shared = `${first} and ${second} share ${grouped(found.both.length)} of ${counted(either, "neighbor", "neighbors")} that either has`;
  return `${shared}; they are ${found.linked ? "linked" : "not linked"}.`;
}

/** Return the panel of a pair: a sentence, the drawing, and the neighbors as buttons. */
function pairParts(whole, pair, time) {
  const found = pairNeighbors(whole, pair, time);
  const [first, second] = pair.map((node) => clipped(whole.names[node], 24));
  const until = time === Infinity ? "" : ` until ${timeText(time)}`;
  const titles = {
    both: "Neighbors of both",
    first: `Neighbors of ${first} alone`,
    second: `Neighbors of ${second} alone`,
  };
  const lists = ["both", "first", "second"].map((place) => {
    const nodes = found[place];
    const items = nodes
      .slice(0, PAIR_LISTED)
      .map((node) =>
        element(
          "li",
          {},
          element(
            "button",
            { type: "button", class: "chip", click: () => choose(0, node) },
            clipped(whole.names[node], 24),
          ),
        ),
      );
    const more = nodes.length - items.length;
    return element(
      "div",
      { class: "twins" },
      element("h3", {}, `${titles[place]} `, element("span", { class: "count" }, grouped(nodes.length))),
      ...(items.length ? [element("ul", { class: "chips" }, ...items)] : []),
      ...(more > 0 ? [element("p", { class: "hint" }, `and ${grouped(more)} more.`)] : []),
    );
  });
  return [
    element("h2", { id: "pair-title" }, `The neighbors of ${first} and ${second}${until}`),
    ...(time === Infinity ? [] : [element("p", { class: "about", role: "status" }, pairSentence(whole, pair, found))]),
    pairFigure(whole, pair, found),
    ...lists,
    element("p", { class: "hint" }, "Select a node to see its own ego-network; Escape comes back to the pair."),
  ];
}

/** Return the drawing of a pair: a ring around each node, and the shared neighbors on a line between them. */
function pairFigure(whole, pair, found) {
  const [width, height, radius] = [500, 260, 92];
  const centers = [
    [-134, 0],
    [134, 0],
  ];
  const places = new Map();
  const crowded = [];
  // The nodes of one end alone are on the outer three quarters of its ring.
  ["first", "second"].forEach((place, side) => {
    const shown = found[place].slice(0, RING_NODES);
    const outward = side ? 0 : Math.PI;
    shown.forEach((node, i) => {
      const turn = outward + (shown.length > 1 ? (i / (shown.length - 1) - 0.5) * 1.3 * Math.PI : 0);
      places.set(node, [centers[side][0] + radius * Math.cos(turn), radius * Math.sin(turn), place]);
    });
    if (found[place].length > shown.length)
      crowded.push([centers[side][0], height / 2 - 8, `and ${grouped(found[place].length - shown.length)} more`]);
  });
  const both = found.both.slice(0, RING_NODES);
  const step = Math.min(26, (height - 60) / Math.max(1, both.length));
  both.forEach((node, i) => places.set(node, [0, (i - (both.length - 1) / 2) * step, "both"]));
  if (found.both.length > both.length)
    crowded.push([0, height / 2 - 8, `and ${grouped(found.both.length - both.length)} more`]);
  const lines = [];
  for (const [x, y, place] of places.values()) {
    if (place !== "second") lines.push([...centers[0], x, y, place]);
    if (place !== "first") lines.push([...centers[1], x, y, place]);
  }
  const size = (place) =>
    place === "both"
      ? Math.min(9, 0.42 * step)
      : Math.min(
          8,
          0.4 *
            ((1.3 * Math.PI * radius) /
              Math.max(8, found[place].length ? Math.min(RING_NODES, found[place].length) : 8)),
        );
  const dots = [...places].map(([node, [x, y, place]]) => {
    const r = Math.max(2.5, size(place));
    const isNamed = place === "both" && step >= NAMED_STEP;
    return shape(
      "g",
      { class: `around ${place}` },
      shape("title", {}, whole.names[node]),
      shape("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1) }),
      ...(isNamed
        ? [
            shape(
              "text",
              { x: (x + r + 3).toFixed(1), y: (y + 4).toFixed(1) },
              clipped(whole.names[node], Math.abs(y) > 60 ? 10 : 13),
            ),
          ]
        : []),
    );
  });
  const ends = pair.map((node, side) => {
    const [x, y] = centers[side];
    return shape(
      "g",
      { class: "end" },
      shape("circle", { cx: x, cy: y, r: 12 }),
      shape("text", { x, y: y - radius - 16 }, clipped(whole.names[node], 24)),
    );
  });
  // The tie of the pair leads below the shared neighbors, one of which may be on the straight line.
  const below = Math.min(height / 2 - 26, ((both.length - 1) / 2) * step + 24);
  const tie = `M${centers[0]}Q0,${2 * below} ${centers[1]}`;
  return shape(
    "svg",
    {
      class: "pair-figure",
      role: "img",
      viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`,
      "aria-label": `Neighbors of both in the middle, those of one alone around it. ${pairSentence(whole, pair, found)}`,
    },
    ...centers.map(([cx, cy]) => shape("circle", { class: "guide", cx, cy, r: radius })),
    ...lines.map(([x1, y1, x2, y2, place]) =>
      shape("line", { class: `tie ${place}`, x1, y1, x2: x2.toFixed(1), y2: y2.toFixed(1) }),
    ),
    ...(found.linked
      ? [shape("path", { class: "tie linked", d: both.length ? tie : `M${centers[0]}L${centers[1]}` })]
      : []),
    ...dots,
    ...ends,
    ...crowded.map(([x, y, text]) => shape("text", { class: "guide-label", x, y }, text)),
  );
}
