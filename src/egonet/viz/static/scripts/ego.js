// The panel of one node: its ego-network on rings, its histogram, and the nodes of the same class.

const EXTENT = 150; // radius of the outermost ring, in drawing units
const TWINS_SHOWN = 60;
const FEW_NODES = 40;
const HUBS_SHOWN = 10;
const ROWS_SHOWN = 30; // above this many keys the histogram is binned

/** Fill the node panel, or empty it if nothing is selected. */
function showNode(panel, choice) {
  const pair = DATA.opening?.pair;
  const start = () => (pair ? pairParts(wholes[0], pair, state.time) : [nodeHint(), ...firstNodes()]);
  panel.replaceChildren(...(choice === null ? start() : nodeParts(choice)));
}

/** Return the text of the panel before a node is selected. */
function nodeHint() {
  return element(
    "p",
    { class: "hint" },
    "Select a node: click it, search for it, or focus a graph and use the arrow keys. ",
    "The panel then shows its ego-network on rings, its histogram, and the nodes of the same class.",
  );
}

/** Return the nodes with the most neighbors as buttons, to start with in a large graph. */
function firstNodes() {
  const all = wholes.flatMap((graph, side) =>
    Array.from(graph.names, (_, node) => ({ side, node, degree: graph.indptr[node + 1] - graph.indptr[node] })),
  );
  if (all.length <= FEW_NODES) return []; // every node is easy to find in the drawing
  all.sort((a, b) => b.degree - a.degree || a.side - b.side || a.node - b.node);
  const items = all.slice(0, HUBS_SHOWN).map(({ side, node, degree }) => {
    const count = element("span", { class: "count" }, grouped(degree));
    const click = () => choose(side, node);
    return element(
      "li",
      {},
      element("button", { type: "button", class: "chip", click }, clipped(wholes[side].names[node], 24), " ", count),
    );
  });
  const title = element("h3", {}, "Nodes with most neighbors ", element("span", { class: "count" }, "with degrees"));
  return [element("div", { class: "twins" }, title, element("ul", { class: "chips" }, ...items))];
}

/** Return the parts of the panel of one node. */
function nodeParts(choice) {
  const { graph, node, radius, options, look } = choice;
  const found = egoNetwork(graph, node, radius, options);
  const bars = histogram(egoEntries(graph, node, radius, options));
  const pick = (row) => choice.choose(choice.side, row);
  const rings =
    found.length > WEDGES_FROM ? wedgesFigure(graph, found, options, pick) : ringsFigure(graph, found, options);
  const title = element("h2", { id: "node-title" }, "Node ", element("b", {}, clipped(graph.names[node], 80)));
  const unique = look.size === 1 ? "unique class " : "class ";
  if (choice.several) title.append(element("span", { class: "from" }, ` in ${graph.name}`));
  const numEdges =
    found.reduce((sum, { node }) => sum + neighbors(graph, node).filter((w) => rings.has(w)).length, 0) /
    (graph.directed ? 1 : 2);
  const gray =
    look.mark === "other" && !currentColoring() ? " Its class is one of the smaller ones, which are all gray." : "";
  const about = `${counted(found.length, "node", "nodes")} within ${counted(radius, "hop", "hops")}, ${counted(numEdges, "edge", "edges")}`;
  const parts = [
    element("div", { class: "node-head" }, title, element("span", { class: "class-of" }, unique, classBadge(look))),
    element(
      "p",
      { class: "about" },
      graph.reach[node] < radius
        ? `${about}, within the page; the complete ego-network is larger.`
        : `${about}.${gray}`,
    ),
    element("div", { class: "close-up" }, rings.figure, histogramTable(bars, options, rings.highlight)),
    multisetPart(bars),
    ...similarList(choice),
    twinsList(choice),
  ];
  return parts;
}

/** Return the encoding as text, folded if it is long. */
function multisetPart(bars) {
  const text = element(
    "code",
    { class: "multiset", tabindex: "0", "aria-label": "The encoding as a multiset" },
    multisetText(bars),
  );
  if (bars.length <= ROWS_SHOWN) return text;
  return element("details", {}, element("summary", {}, `Encoding in Python, ${grouped(bars.length)} keys`), text);
}

/** Return the multiset in Python syntax: {(0, 2): 1, (1, 4): 1}. */
function multisetText(bars) {
  const value = (field) => (typeof field === "number" ? field : JSON.stringify(field));
  return `{${bars.map(({ key, count }) => `(${labeled(key).map(value).join(", ")}): ${count}`).join(", ")}}`;
}

/** Return a key with the name of its label or type, if it has one. */
function labeled(key) {
  const names = isEdgeKey(key) ? DATA.settings.typeNames : DATA.settings.labelNames;
  return names ? [...key.slice(0, -1), names[key.at(-1)]] : key;
}

/** Return the name of the last column of a histogram, if keys have labels or types. */
function labelHead() {
  const { labelNames, typeNames } = DATA.settings;
  return [labelNames && "label", typeNames && "type"].filter(Boolean).join(" or ");
}

/** Return the degrees of a key in the short form shown inside a node: 4, or 1/2. */
function degreeText(key, options) {
  return key.slice(1, 1 + FIELDS[options.degrees].length).join("/");
}

/** Return the drawing of an ego-network, and a function that highlights one key of it. */
function ringsFigure(graph, found, options) {
  const { positions, radii } = ringLayout(graph, found, EXTENT);
  const sizes = discSizes(found, radii);
  const discs = found.map((entry) =>
    egoNode(entry, positions.get(entry.node), sizes[entry.distance], degreeText(entry.key, options), graph),
  );
  const guides = radii.slice(1).map((r) => shape("circle", { class: "guide", r }));
  const labels = radii.slice(1).flatMap((r, i) => ringLabel(r, i + 1, found, positions));
  const margin = EXTENT + Math.max(...sizes) + 8;
  const figure = shape(
    "svg",
    {
      class: "rings",
      role: "img",
      viewBox: `${-margin} ${-margin} ${2 * margin} ${2 * margin}`,
      "aria-label": `Ego-network of ${found.length} nodes on ${radii.length - 1} rings, labeled with degrees inside`,
    },
    ...guides,
    ...egoEdges(graph, found, positions),
    ...discs.map(({ group }) => group),
    ...(radii.length > 1 ? labels : []),
  );
  const highlight = (key) => {
    figure.classList.toggle("picking", key !== null);
    discs.forEach(({ group }, i) => group.classList.toggle("picked", key !== null && sameKey(found[i].key, key)));
  };
  return { figure, highlight, has: (node) => positions.has(node) };
}

/** Return the label of a ring, in the gap between its nodes nearest to top or bottom; none if all are narrow. */
function ringLabel(radius, distance, found, positions) {
  const ring = found.filter((entry) => entry.distance === distance).map(({ node }) => positions.get(node));
  const gaps = gapsBetween(ring.map(({ x, y }) => Math.atan2(y, x)));
  const turns = gaps
    .filter(({ gap }) => gap * radius > 100)
    .map(({ angle, gap }) => labelTurn(angle, gap, 50 / radius));
  if (!turns.length) return [];
  const turn = turns.reduce((best, next) => (Math.abs(Math.sin(next)) > Math.abs(Math.sin(best)) + 1e-6 ? next : best));
  return [
    shape(
      "text",
      { class: "guide-label", x: radius * Math.cos(turn), y: radius * Math.sin(turn), dy: "0.35em" },
      `distance ${distance}`,
    ),
  ];
}

/** Return the direction within a gap that is nearest to vertical, with `margin` on both sides for the label. */
function labelTurn(angle, gap, margin) {
  const low = angle + margin,
    high = angle + gap - margin;
  const upright = [-0.5, 0.5, 1.5, 2.5].map((quarter) => quarter * Math.PI).find((turn) => low <= turn && turn <= high);
  if (upright !== undefined) return upright;
  return Math.abs(Math.sin(low)) > Math.abs(Math.sin(high)) ? low : high;
}

/** Return a disc radius for every ring at which its nodes do not overlap. */
function discSizes(found, radii) {
  const numbers = radii.map(() => 0);
  for (const { distance } of found) numbers[distance]++;
  const arcs = radii.map((r, distance) => (distance ? (2 * Math.PI * r) / numbers[distance] : Infinity));
  return arcs.map((arc) => Math.max(1.5, Math.min(14, 0.42 * arc)));
}

/** Return the elements of one node on a ring; an unreadable label is omitted. */
function egoNode({ node, distance }, place, size, text, graph) {
  const title = shape("title", {}, `${graph.names[node]} · distance ${distance} · degree ${text}`);
  const disc = shape("circle", { r: size });
  const fontSize = Math.min(size, (2.1 * size) / text.length) * 1.05;
  const label = fontSize >= 4.5 ? [shape("text", { "font-size": fontSize, dy: "0.35em" }, text)] : [];
  const transform = `translate(${place.x.toFixed(2)},${place.y.toFixed(2)})`;
  return {
    group: shape(
      "g",
      { class: `ego ring${Math.min(distance, 4)}${size < 4 ? " tiny" : ""}`, transform },
      title,
      disc,
      ...label,
    ),
  };
}

/** Return the edges of an ego-network: straight between rings, curved outward along a ring. */
function egoEdges(graph, found, positions) {
  const ringOf = new Map(found.map(({ node, distance }) => [node, distance]));
  let between = "",
    along = "";
  const edges = edgesToDraw(graph, found, ringOf);
  for (const [u, w] of edges) {
    const a = positions.get(u),
      b = positions.get(w);
    if (ringOf.get(w) === ringOf.get(u)) along += `M${at(a)}Q${at(bow(a, b))} ${at(b)}`;
    else if (crossesRoot(a, b)) between += `M${at(a)}Q${at(detour(a, b))} ${at(b)}`;
    else between += `M${at(a)}L${at(b)}`;
  }
  const opacity = Math.max(0.2, Math.min(0.8, 9 / Math.sqrt(edges.length)));
  return [
    shape("path", { class: "between", d: between, opacity }),
    shape("path", { class: "along", d: along, opacity }),
  ];
}

/** Return the edges inside an ego-network. */
function edgesToDraw(graph, found, ringOf) {
  const edges = [];
  for (const { node: u } of found) {
    for (const w of neighbors(graph, u)) if (ringOf.has(w) && (graph.directed || u < w)) edges.push([u, w]);
  }
  return edges;
}

/** Return the control point that curves a chord of a ring outward, away from the root. */
function bow(a, b) {
  const x = (a.x + b.x) / 2,
    y = (a.y + b.y) / 2;
  const out = Math.hypot(x, y),
    chord = Math.hypot(a.x - b.x, a.y - b.y);
  if (out < 1e-6) return { x: 0.5 * -a.y, y: 0.5 * a.x };
  return { x: x + (x / out) * 0.22 * chord, y: y + (y / out) * 0.22 * chord };
}

/** Return whether an edge between two rings would cross the root without ending there. */
function crossesRoot(a, b) {
  const chord = Math.hypot(a.x - b.x, a.y - b.y);
  if (Math.hypot(a.x, a.y) < 1e-6 || Math.hypot(b.x, b.y) < 1e-6) return false;
  return a.x * b.x + a.y * b.y < 0 && Math.abs(a.x * b.y - a.y * b.x) / chord < 0.12 * EXTENT;
}

/** Return the control point that leads an edge around the root. */
function detour(a, b) {
  const chord = Math.hypot(a.x - b.x, a.y - b.y),
    far = 0.45 * EXTENT;
  return { x: (a.x + b.x) / 2 + (far * (b.y - a.y)) / chord, y: (a.y + b.y) / 2 - (far * (b.x - a.x)) / chord };
}

/** Return a position as path text. */
function at({ x, y }) {
  return `${x.toFixed(2)},${y.toFixed(2)}`;
}

/** Return whether two keys are equal. */
function sameKey(a, b) {
  return a.length === b.length && a.every((field, i) => field === b[i]);
}

/** Return the histogram as a table with bars, binned if it is long; hovering over a row highlights its nodes. */
function histogramTable(bars, options, highlight) {
  const width = FIELDS[options.degrees].length;
  const names = [...FIELDS[options.degrees], ...(labelHead() ? [labelHead()] : [])];
  const padded = (texts) => (labelHead() && texts.length < width + 2 ? [...texts, ""] : texts);
  const head = element(
    "tr",
    {},
    ...[DATA.settings.typeNames ? "half hops" : "distance", ...names, DATA.settings.typeNames ? "count" : "nodes"].map(
      (name) => element("th", { scope: "col" }, name),
    ),
  );
  const body = element("tbody", {});
  const fill = (binned) => {
    const shown = binned ? binnedBars(bars, options) : bars.map((bar) => ({ ...bar, texts: padded(labeled(bar.key)) }));
    const most = Math.max(...shown.map(({ count }) => count));
    body.replaceChildren(...shown.map((bar, i) => histogramRow(bar, shown[i - 1], most, highlight)));
  };
  fill(bars.length > ROWS_SHOWN);
  const caption = element("caption", {}, "Histogram");
  if (bars.length > ROWS_SHOWN) {
    const toggle = element("input", { type: "checkbox", change: (event) => fill(!event.target.checked) });
    caption.append(element("label", { class: "all-keys" }, toggle, ` all ${grouped(bars.length)} keys`));
  }
  const table = element("table", {}, caption, element("thead", {}, head), body);
  return element("div", { class: "histogram", tabindex: "0", role: "region", "aria-label": "Histogram" }, table);
}

/** Return the rows of a long histogram: degrees merged into 0, 1, 2–3, 4–7, ... */
function binnedBars(bars, options) {
  const width = FIELDS[options.degrees].length;
  const found = new Map();
  for (const { key, count } of bars) {
    const bins = key.slice(1, 1 + width).map((field) => (field === 0 ? 0 : 32 - Math.clz32(field)));
    const rest = key.slice(1 + width);
    const text = [key[0], ...bins, ...rest].join();
    if (!found.has(text)) {
      const last = labeled(key).slice(1 + width);
      const texts = [key[0], ...bins.map(binText), ...(labelHead() && !last.length ? [""] : last)];
      found.set(text, { key, count: 0, texts });
    }
    found.get(text).count += count;
  }
  return [...found.values()];
}

/** Return one row of the histogram. */
function histogramRow({ key, count, texts }, before, most, highlight) {
  const bar = element("span", { class: `bar ring${Math.min(Math.ceil(hopsOf(key)), 4)}` });
  bar.style.width = `${(100 * count) / most}%`;
  const first = before === undefined || before.key[0] !== key[0];
  const cells = texts.map((text, place) =>
    element("td", { class: place === 0 && !first ? "again" : null }, String(text)),
  );
  const tally = element(
    "td",
    { class: "tally" },
    element("span", { class: "track" }, bar),
    element("span", {}, grouped(count)),
  );
  const listeners = { pointerenter: () => highlight(key), pointerleave: () => highlight(null) };
  return element("tr", { class: first ? "first" : null, ...listeners }, ...cells, tally);
}

/** Return the most similar nodes as buttons with their distances. */
function similarList({ side, node, choose, several }) {
  if (!DATA.similar?.count) return [];
  const { count, radius } = DATA.similar;
  const starts = [0];
  for (const whole of wholes) starts.push(starts.at(-1) + whole.numNodes);
  const items = Array.from({ length: count }, (_, place) => {
    const at = 3 * ((starts[side] + node) * count + place);
    const number = SIMILAR[at] + 256 * SIMILAR[at + 1] + 65536 * SIMILAR[at + 2];
    const other = number >= starts[1] && wholes.length > 1 ? 1 : 0;
    const row = number - starts[other];
    const distance = similarityDistance({ whole: wholes[side], node }, { whole: wholes[other], node: row }, radius);
    const text = clipped(wholes[other].names[row], 24) + (several ? ` · ${clipped(wholes[other].name, 16)}` : "");
    const button = element(
      "button",
      { type: "button", class: "chip", click: () => choose(other, row) },
      text,
      " ",
      element("span", { class: "count" }, distance.toFixed(2)),
    );
    return element("li", {}, button);
  });
  return [
    element(
      "div",
      { class: "twins similar" },
      element("h3", {}, "Most similar nodes ", element("span", { class: "count" }, "with distances")),
      element("ul", { class: "chips" }, ...items),
      element(
        "p",
        { class: "hint" },
        `Distance of log(1 + count) at radius ${radius}, degrees in bins 0, 1, 2–3, 4–7, …`,
      ),
    ),
  ];
}

/** Return the nodes of the same class as buttons. */
function twinsList({ twins, several, choose, known }) {
  const shown = twins.slice(0, TWINS_SHOWN).map(({ node, side }) => {
    const graph = wholes[side];
    const text = clipped(graph.names[node], 24) + (several ? ` · ${clipped(graph.name, 16)}` : "");
    return element(
      "li",
      {},
      element("button", { type: "button", class: "chip", click: () => choose(side, node) }, text),
    );
  });
  const none = known
    ? "No other node has this class."
    : "Its class is unknown: its ego-network reaches beyond the page.";
  const more =
    twins.length > TWINS_SHOWN
      ? [element("p", { class: "hint" }, `and ${grouped(twins.length - TWINS_SHOWN)} more.`)]
      : [];
  return element(
    "div",
    { class: "twins" },
    element("h3", {}, "Nodes of the same class ", element("span", { class: "count" }, grouped(twins.length))),
    ...(twins.length
      ? [element("ul", { class: "chips" }, ...shown), ...more]
      : [element("p", { class: "hint" }, none)]),
  );
}
