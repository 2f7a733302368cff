// The page: one state, and one update that recomputes the classes and shows them everywhere.

const DATA = JSON.parse(byId("data").textContent);
const STABLE = 6; // the last value of the rounds slider: refine until nothing changes
const HEAVY = 2e7; // above this many steps the page shows that it is busy
const TWINS_MARKED = 24; // above this many nodes of the same class, marks would hide the ego-network
const DESCRIPTIONS = {
  none: "All nodes start with one class; only rounds of 1-WL distinguish them.",
  total: "Counts (distance, degree inside the ego-network).",
  layered: "Counts (distance, neighbors on the same ring, neighbors one ring farther).",
  full: "Counts (distance, neighbors one ring closer, same ring, one ring farther).",
};

const graphs = DATA.graphs.map(readGraph);
const state = {
  radius: DATA.settings.radius,
  degrees: DATA.settings.degrees,
  rounds: 0,
  smallerRadii: DATA.settings.smallerRadii,
  selected: null,
  shownClass: null,
};
const tests = cachedTests(graphs, DATA.settings);
const cached = new Map();
const views = graphs.map((graph, side) => makeView(graph, side));
let current = { classes: [], looks: [] };

/** Return a graph of the data with adjacency, names, and the known radius of each node. */
function readGraph(given) {
  const graph = adjacency(given.numShown, given.edges, given.directed);
  const names = given.nodes ?? Array.from({ length: given.numShown }, (_, v) => String(v));
  Object.assign(graph, given, { names, hasNames: true });
  graph.reach = knownRadius(graph);
  return graph;
}

/** Return the options of the encoding. */
function options() {
  return {
    ...DATA.settings,
    degrees: state.degrees === "none" ? "total" : state.degrees,
    smallerRadii: state.smallerRadii,
  };
}

/** Return the classes of the current state, cached per setting. */
function currentClasses() {
  const setting = [state.degrees, state.radius, state.rounds, state.smallerRadii].join();
  if (!cached.has(setting)) {
    const start = state.degrees === "none" ? uniformClasses(graphs) : encodingClasses(graphs, state.radius, options());
    cached.set(setting, refine(graphs, start, state.rounds).classes);
  }
  return cached.get(setting);
}

/** Add a graph to the page: a frame with its name and size. */
function makeView(graph, side) {
  const sample = graph.sampled
    ? `sample of ${grouped(graph.numShown)} of ${counted(graph.numNodesTotal, "node", "nodes")} around ${clipped(graph.center, 30)}`
    : counted(graph.numShown, "node", "nodes");
  const edges = graph.sampled
    ? ""
    : `, ${counted(graph.edges.length / 2, graph.directed ? "arc" : "edge", graph.directed ? "arcs" : "edges")}`;
  const frame = element("div", {
    class: "frame",
    id: `graph-${side}`,
    tabindex: "0",
    role: "application",
    "aria-label": `${graph.name}: ${sample}${edges}. Arrow keys move from node to node, f fits, plus and minus zoom, Escape clears.`,
  });
  const fit = element("button", { type: "button", class: "fit", title: "Show the whole graph (f)" }, "Fit");
  const head = element(
    "div",
    { class: "graph-head" },
    element("h2", {}, clipped(graph.name, 60)),
    element("p", { class: graph.sampled ? "sampled" : null }, sample + edges),
    fit,
  );
  byId("graphs").append(element("section", { class: "graph" }, head, frame));
  const view = graphView(graph, frame, (node) => choose(side, node));
  fit.addEventListener("click", view.fit);
  return view;
}

/** Select a node, or nothing if it is null. */
function choose(side, node) {
  state.selected = node === null ? null : { side, node };
  state.shownClass = null;
  show();
  // Scroll to the panel only if it is next to the graph; below it, the graph would leave the screen.
  if (node !== null && WIDE.matches) byId("node-panel").scrollIntoView({ block: "nearest" });
}

/** Show one class alone, or all of them. */
function pickClass(number) {
  state.shownClass = number;
  state.selected = null;
  show();
}

/** Recompute after a change of the setting; show the busy state first if that is slow. */
function update() {
  state.shownClass = null;
  showControls();
  const work = graphs.reduce((sum, graph) => sum + graph.numNodes * graph.indices.length, 0);
  document.body.classList.toggle("busy", work > HEAVY);
  clearTimeout(update.timer);
  if (work <= HEAVY) recolor();
  else update.timer = setTimeout(recolor, 30);
}

/** Compute classes and their appearance, and show them. */
function recolor() {
  const classes = currentClasses();
  current = { classes, looks: classLooks(classes) };
  document.body.classList.remove("busy");
  show();
}

/** Show the current classes and selection in all parts of the page. */
function show() {
  const { classes, looks } = current;
  const chosen = state.selected ? classes[state.selected.side][state.selected.node] : UNKNOWN;
  const twinClass = chosen === UNKNOWN || looks[chosen].size > TWINS_MARKED ? null : chosen;
  views.forEach((view, side) => {
    const here = state.selected?.side === side ? state.selected.node : null;
    const ego =
      here === null ? null : new Set(egoNetwork(graphs[side], here, state.radius, options()).map(({ node }) => node));
    view.show({ classes: classes[side], looks, selected: here, ego, shownClass: state.shownClass, twinClass });
  });
  byId("summary").textContent = summaryText(classes, looks);
  if (graphs.length > 1) showVerdict(byId("verdict-panel"), graphs, state, tests, classes);
  showNode(byId("node-panel"), selection());
  showClasses(byId("class-panel"), graphs, looks, classes, pickClass, state.shownClass);
}

/** Return the data of the node panel for the selected node, or null. */
function selection() {
  if (!state.selected) return null;
  const { side, node } = state.selected;
  const number = current.classes[side][node];
  const twins = [];
  if (number !== UNKNOWN) {
    current.classes.forEach((classes, other) =>
      classes.forEach((mine, v) => {
        if (mine === number && (other !== side || v !== node))
          twins.push({ graph: graphs[other], side: other, node: v });
      }),
    );
  }
  return {
    graph: graphs[side],
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

/** Return the one-line summary above the graph. */
function summaryText(classes, looks) {
  const single = looks.filter(({ size }) => size === 1).length;
  const kinds = counted(looks.length, "class", "classes");
  return `${kinds} · ${settingText(state)}${single ? ` · ${grouped(single)} unique` : ""}`;
}

/** Update the controls from the state. */
function showControls() {
  byId("radius").value = state.radius;
  byId("radius-value").textContent = state.radius;
  byId("rounds").value = Math.min(state.rounds, STABLE);
  byId("rounds-value").textContent = state.rounds === Infinity ? "stable" : state.rounds;
  byId("smaller").checked = state.smallerRadii;
  for (const input of document.querySelectorAll('input[name="degrees"]')) input.checked = input.value === state.degrees;
  byId("degrees-text").textContent = DESCRIPTIONS[state.degrees];
}

/** Connect controls and keys to the state. */
function start() {
  const searchInput = byId("search");
  searchBox(searchInput, byId("matches"), graphs, (side, node) => choose(side, node));
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
    if (event.key !== "/" || event.target.matches("input[type=search]")) return;
    searchInput.focus();
    event.preventDefault();
  });
  byId("verdict-section").hidden = graphs.length < 2;
  document.body.classList.toggle("pair", graphs.length > 1);
  update();
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
    histogram(egoNetwork(graphs[side], node, radius, { ...DATA.settings, degrees })),
  painters: views.map(({ painter }) => painter),
});
