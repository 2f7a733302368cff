// How edges look and what that means: a color and dashes per type, a width per weight, and arrows.

const KINDS_SHOWN = 6; // types beyond these share one look
const DASHES = [[], [], [6, 3], [1.5, 3], [9, 3, 2, 3], [3, 2], [12, 4]];
const WIDTH_NAMES = ["the smaller half", "above the middle", "the largest 20 %", "the largest 5 %"];

/** Return what the types of edges look like: {titles, of} with the place of every set of types, or null. */
function readEdgeKinds(wholes) {
  const members = wholes.find(({ typeMembers }) => typeMembers)?.typeMembers;
  if (!members) return null;
  const counts = new Int32Array(members.length);
  for (const { typeSets } of wholes) for (const set of typeSets ?? []) counts[set]++;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const of = new Int32Array(members.length);
  const titles = [null];
  order.forEach((set, rank) => {
    of[set] = rank < KINDS_SHOWN ? rank + 1 : 0;
    if (rank < KINDS_SHOWN) titles.push(members[set].map((type) => DATA.settings.typeNames[type]).join(" and "));
  });
  const others = order.length - KINDS_SHOWN;
  if (others > 0) titles[0] = counted(others, "other type", "other types");
  return { titles, of };
}

/** Return the type and the width of an edge of a whole graph, as they are drawn. */
function edgeLook(whole, place) {
  return {
    kind: EDGE_KINDS && whole.typeSets ? EDGE_KINDS.of[whole.typeSets[place]] : 0,
    width: whole.widths?.[place] ?? 0,
  };
}

/** Return whether an edge is shown: all are, or those of one type or width. */
function isShownEdge({ kind, width }, picked) {
  return picked === null || (picked.by === "kind" ? kind === picked.value : width === picked.value);
}

/** Fill the legend of edges, or hide it if all edges look alike; a click shows only the edges of one row. */
function showEdgeLegend(section, panel, graphs, picked, pick) {
  const parts = [];
  const [directed, limits] = [graphs[0].directed, graphs[0].whole.widthLimits];
  if (EDGE_KINDS) parts.push(edgeRows(graphs, "kind", EDGE_KINDS.titles, picked, pick));
  if (limits) parts.push(edgeRows(graphs, "width", widthTitles(limits), picked, pick));
  const notes = [];
  if (limits) notes.push("Wider lines have larger weights.");
  if (directed)
    notes.push(
      directed === "in" ? "Arrows are followed against their direction." : "Arrows are followed in their direction.",
    );
  if (parts.length) notes.push("Select a row to draw only its edges; classes and counts do not change.");
  section.hidden = !parts.length && !notes.length;
  panel.replaceChildren(...parts, ...(notes.length ? [element("p", { class: "hint" }, notes.join(" "))] : []));
}

/** Return what the widths mean: "up to 12 (the smaller half)"; widths that no weight has are left out. */
function widthTitles(limits) {
  return WIDTH_NAMES.map((name, width) =>
    width === 0 ? `up to ${shortNumber(limits[0])} (${name})` : `above ${shortNumber(limits[width - 1])} (${name})`,
  );
}

/** Return the rows of a legend of edges: a line as it is drawn, what it means, and the number of edges. */
function edgeRows(graphs, by, titles, picked, pick) {
  const counts = new Int32Array(titles.length);
  for (const { whole, places } of graphs)
    for (const place of places)
      if (!whole.times || whole.times[place] <= state.time) counts[edgeLook(whole, place)[by]]++;
  const most = Math.max(1, ...counts);
  const order = [...titles.keys()].filter((value) => titles[value] !== null && (by === "kind" || counts[value]));
  if (by === "kind") order.sort((a, b) => (a === 0) - (b === 0) || a - b);
  const rows = order.map((value) => {
    const isPicked = picked?.by === by && picked.value === value;
    const line = shape(
      "svg",
      { class: "edge-swatch", viewBox: "0 0 28 12", "aria-hidden": "true" },
      edgeSample(by, value),
    );
    const click = () => pick(isPicked ? null : { by, value });
    const label = `${titles[value]}: ${counted(counts[value], "edge", "edges")}`;
    const attributes = { type: "button", "aria-pressed": String(isPicked), "aria-label": label, click };
    const title = element("span", { class: "title" }, clipped(titles[value], 44));
    return element("li", {}, element("button", attributes, line, title, amountBar(counts[value], most, null)));
  });
  return element("ul", { class: "classes legend edge-legend" }, ...rows);
}

/** Return a line that looks like the edges of a type or a width. */
function edgeSample(by, value) {
  return shape("path", { class: by === "kind" ? `edges kind-${value}` : `edges width-${value}`, d: "M1,6L27,6" });
}
