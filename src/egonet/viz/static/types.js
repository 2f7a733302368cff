// Types of edges: an edge of type t counts as a node labeled t between its ends, half a hop from both.

/** Give a graph the types of its edges: a number per arc for 1-WL, and with `members` the graph with a node on every edge. */
function addTypes(graph, edges, sets, members) {
  graph.arcSets = new Int32Array(graph.indices.length);
  const next = graph.indptr.slice(0, graph.numNodes);
  for (let i = 0; i < edges.length; i += 2) {
    graph.arcSets[next[edges[i]]++] = sets[i / 2];
    if (!graph.directed) graph.arcSets[next[edges[i + 1]]++] = sets[i / 2];
  }
  if (members) graph.typed = subdivided(graph, edges, sets, members);
}

/** Return the graph with a node on every edge, one per type; its labels are those of the nodes, then the types. */
function subdivided(graph, edges, sets, members) {
  const types = [],
    ends = [];
  for (let i = 0; i < edges.length; i += 2) {
    for (const type of members[sets[i / 2]]) {
      const between = graph.numNodes + types.length;
      ends.push(edges[i], between, between, edges[i + 1]);
      types.push(type);
    }
  }
  const made = adjacency(graph.numNodes + types.length, ends, graph.directed);
  made.labels = [...(graph.labels ?? new Array(graph.numNodes).fill(0)), ...types];
  return made;
}

/** Return whether a key counts an edge. */
function isEdgeKey(key) {
  return DATA.settings.typeNames !== null && key[0] % 2 === 1;
}

/** Return the distance of a key in hops. */
function hopsOf(key) {
  return DATA.settings.typeNames === null ? key[0] : key[0] / 2;
}
