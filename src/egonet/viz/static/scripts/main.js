// The page: one state, and one update that recomputes the classes and shows them everywhere.

const DATA = JSON.parse(byId("data").textContent);
const STABLE = 6; // the last value of the rounds slider: refine until nothing changes
const HEAVY = 2e7; // above this many steps the page shows that it is busy
const TWINS_MARKED = 24; // above this many nodes of the same class, marks would hide the ego-network
const LEGEND_HINTS = {
  similarity:
    "Nodes of one color have similar ego-networks: groups of close encodings with binned degrees, named by the median degree and the median number of nodes.",
  degree: "Number of neighbors in the whole graph.",
};
const DESCRIPTIONS = {
  none: DATA.settings.labelNames
    ? "All nodes of one label start with one class; only neighbor rounds tell them apart."
    : "All nodes start with one class; only neighbor rounds tell them apart.",
  total: "A node is described by how many nodes are at each distance, and by how many links these have.",
  layered:
    "A node is described by how many nodes are at each distance, and by their links on the same ring and one ring farther.",
  full: "A node is described by how many nodes are at each distance, and by their links one ring closer, on the same ring and one ring farther.",
};

const EDGE_KINDS = readEdgeKinds(DATA.graphs);
const wholes = DATA.graphs.map(readGraph);
const graphs = wholes.map((whole) => takeSample(whole, whole.centers));
const colorings = readColorings(wholes);
const SIMILAR = Uint8Array.from(atob(DATA.similar?.nodes ?? ""), (letter) => letter.charCodeAt(0));
const state = {
  radius: DATA.settings.radius,
  degrees: DATA.settings.degrees,
  rounds: 0,
  smallerRadii: DATA.settings.smallerRadii,
  logBins: DATA.settings.degreeBins === "log",
  // The name of a coloring, or null for classes. In a large graph nearly every node has a unique class.
  colorBy:
    DATA.opening?.colorBy ??
    (graphs.length === 1 && graphs[0].numNodes > SVG_LIMIT && colorings.length ? "similarity" : null),
  time: Infinity,
  selected: null, // {side, node}, the node as a row of the whole graph
  shownGroup: null,
  shownEdges: null, // {by: "kind" or "width", value}, or null for all
};
const tests = cachedTests(graphs, DATA.settings);
const cached = new Map();
const views = graphs.map((_, side) => makeView(side));
let current = { classes: [], looks: [] };

/** Return a graph of the data with adjacency, names, and the known radius of each node. */
function readGraph(given) {
  const edges = decodeEdges(given.edges, given.numNodes, given.directed);
  const whole = adjacency(given.numNodes, edges, given.directed);
  Object.assign(whole, given, { edges, names: given.nodes });
  if (given.typeSets) addTypes(whole, edges, given.typeSets, given.typeMembers);
  whole.reach = knownRadius(whole);
  return whole;
}

/** Return the part of a graph that is drawn: all of it if it is small, else the nodes nearest to some nodes. */
function takeSample(whole, centers) {
  const rows = whole.numNodes <= whole.maxNodes ? null : nearestRows(whole, centers, whole.maxNodes);
  const position = new Int32Array(whole.numNodes).fill(-1);
  if (rows) rows.forEach((row, v) => (position[row] = v));
  else position.forEach((_, row) => (position[row] = row));
  const edges = [],
    places = [];
  for (let i = 0; i < whole.edges.length; i += 2) {
    const u = position[whole.edges[i]],
      v = position[whole.edges[i + 1]];
    if (u < 0 || v < 0) continue;
    edges.push(u, v);
    places.push(i / 2);
  }
  const numNodes = rows ? rows.length : whole.numNodes;
  const graph = adjacency(numNodes, edges, whole.directed);
  const outside = (row) => neighbors(whole, row).some((w) => position[w] < 0);
  const shown = rows ?? Int32Array.from({ length: numNodes }, (_, row) => row);
  const cut = new Set(whole.cut.map((row) => position[row]).filter((v) => v >= 0));
  if (rows) rows.forEach((row, v) => outside(row) && cut.add(v));
  const parts = { whole, rows: shown, position, edges, places, centers, sampled: rows !== null, cut: [...cut] };
  Object.assign(graph, parts, { name: whole.name, directed: whole.directed });
  graph.names = Array.from(shown, (row) => whole.names[row]);
  if (whole.typeSets)
    addTypes(
      graph,
      edges,
      places.map((place) => whole.typeSets[place]),
    );
  graph.reach = knownRadius(graph);
  return graph;
}

/** Return the options of the encoding. */
function options() {
  return {
    ...DATA.settings,
    degrees: state.degrees === "none" ? "total" : state.degrees,
    smallerRadii: state.smallerRadii,
    degreeBins: state.logBins ? "log" : null,
  };
}

/** Return the classes of the current state, cached per setting. */
function currentClasses() {
  const centers = graphs.map((graph) => graph.centers.join("+"));
  const setting = [
    state.degrees,
    state.radius,
    state.rounds,
    state.smallerRadii,
    state.logBins,
    state.time,
    ...centers,
  ].join();
  if (!cached.has(setting)) {
    const start = state.degrees === "none" ? uniformClasses(graphs) : encodingClasses(graphs, state.radius, options());
    cached.set(setting, refine(graphs, start, state.rounds).classes);
  }
  return cached.get(setting);
}

/** Add a graph to the page, or replace it after a new sample: a frame with its name and size. */
function makeView(side) {
  const graph = graphs[side];
  const { whole } = graph;
  const names = graph.centers.map((row) => clipped(whole.names[row], 30)).join(", ");
  const sample = graph.sampled
    ? `${grouped(graph.numNodes)} of ${counted(whole.numNodesTotal, "node", "nodes")} around ${names}`
    : counted(graph.numNodes, "node", "nodes");
  const edges = ` · ${counted(graph.edges.length / 2, graph.directed ? "arc" : "edge", graph.directed ? "arcs" : "edges")}`;
  const frame = element("div", {
    class: "frame",
    id: `graph-${side}`,
    tabindex: "0",
    role: "application",
    "aria-label": `${graph.name}: ${sample}${edges.replace(" · ", ", ")}. Arrow keys move from node to node, f fits, plus and minus zoom, Escape clears.`,
  });
  const view = graphView(graph, frame, (v) => choose(side, v === null ? null : graph.rows[v]));
  const fit = element(
    "button",
    { type: "button", class: "fit", title: "Show the whole drawing (f)", click: view.fit },
    "Fit",
  );
  const head = element(
    "div",
    { class: "graph-head" },
    element("h2", {}, clipped(graph.name, 60)),
    element("p", { class: graph.sampled ? "sampled" : null }, sample + edges),
    element("div", { class: "tools" }, fit, ...saveButtons(view, side)),
  );
  const section = element("section", { class: "graph", id: `section-${side}` }, head, frame);
  const before = byId(`section-${side}`);
  if (before) before.replaceWith(section);
  else byId("graphs").append(section);
  view.fit();
  return view;
}

/** Select a node of a whole graph, or nothing if it is null; a node outside the sample moves the sample. */
function choose(side, node) {
  state.selected = node === null ? null : { side, node };
  state.shownGroup = null;
  if (node !== null && graphs[side].position[node] < 0) {
    graphs[side] = takeSample(wholes[side], [node]);
    views[side] = makeView(side);
    recolor();
  } else show();
  if (node !== null) views[side].reveal(graphs[side].position[node]);
  // Scroll to the panel only if it is next to the graph; below it, the graph would leave the screen.
  if (node !== null && WIDE.matches) byId("node-panel").scrollIntoView({ block: "nearest" });
}

/** Show one class or group alone, or all of them. */
function pickGroup(number) {
  state.shownGroup = number;
  state.selected = null;
  show();
}

/** Draw the edges of one type or width alone, or all of them. */
function pickEdges(shownEdges) {
  state.shownEdges = shownEdges;
  show();
}

/** Recompute after a change of the setting; show the busy state first if that is slow. */
function update() {
  state.shownGroup = null;
  showControls();
  const work = graphs.reduce((sum, graph) => sum + graph.numNodes * graph.whole.indices.length, 0);
  document.body.classList.toggle("busy", work > HEAVY);
  clearTimeout(update.timer);
  cancelAnimationFrame(update.frame);
  if (work <= HEAVY) return recolor();
  if (!current.classes.length) showBeforeClasses();
  // A timer alone may run before the browser has painted anything, and then nothing is seen until it ends.
  update.frame = requestAnimationFrame(() => {
    update.timer = setTimeout(recolor, 30);
  });
}

/** Show a large graph before its classes are computed. */
function showBeforeClasses() {
  current = { classes: graphs.map((graph) => new Int32Array(graph.numNodes).fill(UNKNOWN)), looks: [] };
  show();
}

/** Compute classes and their appearance, and show them. */
function recolor() {
  const classes = currentClasses();
  current = { classes, looks: classLooks(classes) };
  document.body.classList.remove("busy");
  show();
}

/** Color by similarity if a third of the nodes have a class of their own: such classes would leave most of them hollow. */
function colorUniqueNodes() {
  const unique = current.looks.filter(({ size }) => size === 1).length;
  if (graphs.length > 1 || state.colorBy !== null || 3 * unique < graphs[0].numNodes) return;
  if (!colorings.some(({ name }) => name === "similarity")) return;
  state.colorBy = "similarity";
  showControls();
  show();
}

/** Return the coloring that is shown, or null for classes. */
function currentColoring() {
  return colorings.find(({ name }) => name === state.colorBy) ?? null;
}

/** Show the current classes and selection in all parts of the page. */
function show() {
  const { classes, looks } = current;
  const coloring = currentColoring();
  const groups = coloring ? graphs.map((graph, side) => graph.rows.map((row) => coloring.groups[side][row])) : classes;
  const { side: chosenSide, node: chosenNode } = state.selected ?? {};
  const chosen = state.selected ? classes[chosenSide][graphs[chosenSide].position[chosenNode]] : UNKNOWN;
  const twinClass = coloring || chosen === UNKNOWN || looks[chosen].size > TWINS_MARKED ? null : chosen;
  views.forEach((view, side) => {
    const graph = graphs[side];
    const here = chosenSide === side ? graph.position[chosenNode] : null;
    const around = here === null ? null : egoNetwork(graph.whole, chosenNode, state.radius, options());
    const ego =
      around && new Map(around.map(({ node, distance }) => [graph.position[node], distance]).filter(([v]) => v >= 0));
    const lookAt = coloring ? (v) => coloring.look(groups[side][v]) : (v) => lookOf(looks, classes[side][v]);
    view.show({
      groups: groups[side],
      lookAt,
      selected: here,
      ego,
      shownGroup: state.shownGroup,
      twinClass,
      time: state.time,
      shownEdges: state.shownEdges,
    });
  });
  byId("summary").textContent = summaryText(classes, looks);
  if (graphs.length > 1) showVerdict(byId("verdict-panel"), graphs, state, tests, classes);
  showNode(byId("node-panel"), selection());
  byId("classes-title").textContent = coloring ? `Colors: ${coloring.name}` : "Classes";
  byId("classes-hint").textContent = coloring
    ? (LEGEND_HINTS[coloring.name] ?? "")
    : "Nodes of one color have the same encoding; its number is the name of the class.";
  if (coloring) showLegend(byId("class-panel"), coloring, groups, pickGroup, state.shownGroup);
  else showClasses(byId("class-panel"), graphs, looks, classes, pickGroup, state.shownGroup);
  showEdgeLegend(byId("edge-section"), byId("edge-panel"), graphs, state.shownEdges, pickEdges);
  writeFragment();
}

/** Return the data of the node panel for the selected node, or null. */
function selection() {
  if (!state.selected) return null;
  const { side, node } = state.selected;
  const number = current.classes[side][graphs[side].position[node]];
  const twins = [];
  if (number !== UNKNOWN) {
    current.classes.forEach((classes, other) =>
      classes.forEach((mine, v) => {
        const row = graphs[other].rows[v];
        if (mine === number && (other !== side || row !== node)) twins.push({ side: other, node: row });
      }),
    );
  }
  return {
    graph: wholes[side],
    side,
    node,
    radius: state.radius,
    options: options(),
    look: lookOf(current.looks, number),
    twins,
    several: graphs.length > 1,
    known: number !== UNKNOWN,
    choose,
  };
}

/** Return the tooltip of a drawn node: its id, its class, and the value of the shown coloring. */
function tipText(graph, v) {
  const side = graphs.indexOf(graph);
  const number = current.classes[side][v];
  const coloring = currentColoring();
  const parts = [clipped(graph.names[v], 60), number === UNKNOWN ? "class unknown" : `class ${number}`];
  if (coloring) parts.push(`${coloring.name}: ${clipped(coloring.text(side, graph.rows[v]), 40)}`);
  return parts.join(" · ");
}

/** Return the one-line summary above the graph. */
function summaryText(classes, looks) {
  const single = looks.filter(({ size }) => size === 1).length;
  const kinds = counted(looks.length, "class", "classes");
  const coloring = currentColoring();
  const colored = coloring ? ` · colored by ${clipped(coloring.name, 40)}` : "";
  return `${kinds} · ${settingText(state)}${state.logBins ? ", log bins" : ""}${single ? ` · ${grouped(single)} unique` : ""}${colored}`;
}

/** Return what the settings mean, in words. */
function settingsText() {
  const { rounds } = state;
  const times = rounds === Infinity ? "until nothing changes" : counted(rounds, "time", "times");
  const then = rounds
    ? ` Then every node looks at the classes of its neighbors, ${times}, and classes are split by what they see (1-WL).`
    : "";
  return `${DESCRIPTIONS[state.degrees]}${then}`;
}

/** Update the controls from the state. */
function showControls() {
  byId("radius").value = state.radius;
  byId("radius-value").textContent = state.radius;
  byId("rounds").value = Math.min(state.rounds, STABLE);
  byId("rounds-value").textContent = state.rounds === Infinity ? "stable" : state.rounds;
  byId("smaller").checked = state.smallerRadii;
  byId("bins").checked = state.logBins;
  byId("color-by").value = state.colorBy ?? "";
  byId("time-value").textContent = state.time === Infinity ? "all" : timeText(state.time);
  for (const input of document.querySelectorAll('input[name="degrees"]')) input.checked = input.value === state.degrees;
  byId("degrees-text").textContent = settingsText();
}

/** Connect controls and keys to the state. */
function start() {
  const searchInput = byId("search");
  searchBox(searchInput, byId("matches"), wholes, (side, node) => {
    choose(side, node);
    byId(`graph-${side}`).focus({ preventScroll: true });
  });
  byId("note").textContent = DATA.opening?.note ?? "";
  byId("note").hidden = !DATA.opening?.note;
  byId("color-by").append(...colorings.map(({ name }) => element("option", { value: name }, clipped(name, 40))));
  byId("color-by").addEventListener("change", (event) => setState({ colorBy: event.target.value || null }));
  byId("bins").addEventListener("change", (event) => setState({ logBins: event.target.checked }));
  startTimes();
  byId("radius").addEventListener("input", (event) => setState({ radius: Number(event.target.value) }));
  byId("smaller").addEventListener("change", (event) => setState({ smallerRadii: event.target.checked }));
  byId("rounds").addEventListener("input", (event) => {
    const rounds = Number(event.target.value);
    setState({ rounds: rounds === STABLE ? Infinity : rounds });
  });
  for (const input of document.querySelectorAll('input[name="degrees"]')) {
    input.addEventListener("change", () =>
      setState({
        degrees: input.value,
        rounds: input.value === "none" && state.rounds === 0 ? Infinity : state.rounds,
      }),
    );
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && state.selected && !event.defaultPrevented) return choose(0, null);
    if (event.key !== "/" || event.target.matches("input[type=search]")) return;
    searchInput.focus();
    searchInput.select();
    event.preventDefault();
  });
  byId("more").addEventListener("click", (event) => {
    const open = byId("controls").classList.toggle("open");
    event.currentTarget.setAttribute("aria-expanded", String(open));
    event.currentTarget.textContent = open ? "Fewer settings" : "More settings";
  });
  byId("verdict-section").hidden = graphs.length < 2;
  document.body.classList.toggle("pair", graphs.length > 1);
  const isShared = location.hash !== ""; // an address says which colors are shown
  readFragment();
  update();
  if (!isShared) colorUniqueNodes();
}

/** Change the setting and recompute. */
function setState(change) {
  Object.assign(state, change);
  update();
}

start();

// For the console and tests: the values that the page shows.
globalThis.egonet = Object.freeze({
  state,
  classes: (radius, degrees, rounds = 0) => {
    const setting = { ...DATA.settings, degrees, smallerRadii: false };
    const begin = degrees === "none" ? uniformClasses(graphs) : encodingClasses(graphs, radius, setting);
    return refine(graphs, begin, rounds ?? Infinity).classes.map((side) => Array.from(side));
  },
  encoding: (side, node, radius, degrees) =>
    histogram(egoEntries(wholes[side], node, radius, { ...DATA.settings, degrees })),
  rows: () => graphs.map(({ rows }) => Array.from(rows)),
  painters: views.map(({ painter }) => painter),
  frames: () => views.map(({ durations }) => [...durations]), // milliseconds of the last drawn frames
});
