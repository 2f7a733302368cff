// The time slider, and the state of the page in its address.

/** Connect the time slider, if edges have times: edges later than the chosen time are hidden and not counted. */
function startTimes() {
  const times = [...new Set(wholes.flatMap(({ times }) => times ?? []))].sort((a, b) => a - b);
  byId("time-control").hidden = times.length < 2;
  byId("time").max = times.length - 1;
  byId("time").value = times.length - 1;
  byId("time").addEventListener("input", (event) => {
    const place = Number(event.target.value);
    setTime(place === times.length - 1 ? Infinity : times[place]);
  });
}

/** Rebuild the graphs with the edges up to a time; the drawing keeps its positions. */
function setTime(time) {
  wholes.forEach((whole) => {
    if (!whole.times) return;
    const kept = [],
      sets = [];
    for (let i = 0; i < whole.edges.length; i += 2) {
      if (whole.times[i / 2] > time) continue;
      kept.push(whole.edges[i], whole.edges[i + 1]);
      sets.push(whole.typeSets?.[i / 2]);
    }
    Object.assign(whole, adjacency(whole.numNodes, kept, whole.directed));
    if (whole.typeSets) addTypes(whole, kept, sets, whole.typeMembers);
  });
  graphs.forEach((graph) => {
    if (!graph.whole.times) return;
    const kept = [],
      sets = [];
    graph.places.forEach((place, i) => {
      if (graph.whole.times[place] > time) return;
      kept.push(graph.edges[2 * i], graph.edges[2 * i + 1]);
      sets.push(graph.whole.typeSets?.[place]);
    });
    Object.assign(graph, adjacency(graph.numNodes, kept, graph.directed));
    if (graph.whole.typeSets) addTypes(graph, kept, sets);
  });
  setState({ time });
}

/** Return a time as text: a date if it looks like milliseconds since 1970, else the number. */
function timeText(time) {
  return time > 1e11 ? new Date(time).toISOString().slice(0, 16).replace("T", " ") : shortNumber(time);
}

/** Write the state into the address, so that a link shows the same page; not inside a notebook frame. */
function writeFragment() {
  if (location.protocol === "about:") return;
  const { side, node } = state.selected ?? {};
  const parts = new URLSearchParams({
    r: state.radius,
    d: state.degrees,
    w: state.rounds === Infinity ? STABLE : state.rounds,
    s: Number(state.smallerRadii),
    b: Number(state.logBins),
    c: state.colorBy ?? "",
  });
  if (state.selected) parts.set("n", `${side}:${node}`);
  history.replaceState(null, "", `#${parts}`);
}

/** Read the state from the address; anything that is not valid is ignored. */
function readFragment() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const number = (name, most) => {
    const value = Number(parts.get(name) ?? Number.NaN);
    return Number.isInteger(value) && value >= 0 && value <= most ? value : null;
  };
  const rounds = number("w", STABLE);
  state.radius = number("r", RADII.at(-1)) ?? state.radius;
  if (["none", ...KINDS].includes(parts.get("d"))) state.degrees = parts.get("d");
  if (rounds !== null) state.rounds = rounds === STABLE ? Infinity : rounds;
  if (number("s", 1) !== null) state.smallerRadii = parts.get("s") === "1";
  if (number("b", 1) !== null) state.logBins = parts.get("b") === "1";
  if (parts.get("c") === "" || colorings.some(({ name }) => name === parts.get("c")))
    state.colorBy = parts.get("c") || null;
  const [side, node] = (parts.get("n") ?? "").split(":").map(Number);
  if (wholes[side]?.names[node] !== undefined) {
    state.selected = { side, node };
    if (graphs[side].position[node] < 0) {
      graphs[side] = takeSample(wholes[side], [node]);
      views[side] = makeView(side);
    }
  }
}
