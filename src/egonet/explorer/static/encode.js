// The encoding and 1-WL on adjacency arrays: the definition of egonet/kernel/reference.py, once more.

const RADII = [0, 1, 2, 3, 4];
const KINDS = ["total", "layered", "full"];
const FIELDS = { total: ["degree"], layered: ["same", "farther"], full: ["closer", "same", "farther"] };
const UNKNOWN = -1; // the class of a vertex whose surroundings reach beyond a sample
const BASE = 4096; // above every degree, count and label: a page holds at most 2,000 vertices a graph

/** Return the adjacency of a graph given as one flat list of edges (of arcs, if it is directed). */
function adjacency(numNodes, edges, directed) {
  const indptr = new Int32Array(numNodes + 1);
  for (let i = 0; i < edges.length; i += 2) {
    indptr[edges[i] + 1]++;
    if (!directed) indptr[edges[i + 1] + 1]++;
  }
  for (let v = 0; v < numNodes; v++) indptr[v + 1] += indptr[v];
  const indices = new Int32Array(indptr[numNodes]);
  const next = indptr.slice(0, numNodes);
  for (let i = 0; i < edges.length; i += 2) {
    indices[next[edges[i]]++] = edges[i + 1];
    if (!directed) indices[next[edges[i + 1]]++] = edges[i];
  }
  const scratch = { distance: new Int32Array(numNodes).fill(-1), queue: new Int32Array(numNodes) };
  return { numNodes, indptr, indices, ...scratch, codes: new Float64Array(numNodes) };
}

/** Return the neighbours of a vertex, a view that must not be written to. */
function neighbours(graph, v) {
  return graph.indices.subarray(graph.indptr[v], graph.indptr[v + 1]);
}

/** Call visit(vertex, distance, closer, same, farther) for every vertex of the root's ego-network. */
function visitEgo(graph, root, radius, frontierEdges, visit) {
  const { indptr, indices, distance, queue } = graph;
  let size = 1;
  queue[0] = root;
  distance[root] = 0;
  for (let i = 0; i < size && distance[queue[i]] < radius; i++) {
    const u = queue[i];
    for (let k = indptr[u]; k < indptr[u + 1]; k++) {
      const w = indices[k];
      if (distance[w] < 0) {
        distance[w] = distance[u] + 1;
        queue[size++] = w;
      }
    }
  }
  for (let i = 0; i < size; i++) {
    const u = queue[i], here = distance[u];
    let closer = 0, same = 0, farther = 0;
    for (let k = indptr[u]; k < indptr[u + 1]; k++) {
      const there = distance[indices[k]];
      if (there < 0) farther += radius === 0; // by definition the lone root of radius 0 keeps its degree
      else if (there < here) closer++;
      else if (there > here) farther++;
      else if (frontierEdges || here < radius) same++;
    }
    visit(u, here, closer, same, farther);
  }
  for (let i = 0; i < size; i++) distance[queue[i]] = -1;
}

/** Return what is counted of a degree: capped, and in bins 0, 1, 2–3, 4–7, ... if asked. */
function lowered(degree, options) {
  const capped = options.maxDegree === null ? degree : Math.min(degree, options.maxDegree);
  return options.degreeBins === "log" && capped > 0 ? 1 << (31 - Math.clz32(capped)) : capped;
}

/** Return the degrees of a key, in the order of FIELDS. */
function degreeFields(options, closer, same, farther) {
  if (options.degrees === "total") return [lowered(closer + same + farther, options)];
  if (options.degrees === "layered") return [lowered(same, options), lowered(farther, options)];
  return [lowered(closer, options), lowered(same, options), lowered(farther, options)];
}

/** Return the root's ego-network: its vertices with distance, and the key each is counted under. */
function egoNetwork(graph, root, radius, options) {
  const found = [];
  visitEgo(graph, root, radius, options.frontierEdges, (vertex, distance, closer, same, farther) => {
    const key = [distance, ...degreeFields(options, closer, same, farther)];
    if (graph.labels) key.push(graph.labels[vertex]);
    found.push({ vertex, distance, key });
  });
  return found;
}

/** Return the histogram of an ego-network as [{key, count}], keys in lexicographic order. */
function histogram(found) {
  const counts = new Map();
  for (const { key } of found) {
    const code = key.reduce((sum, field) => sum * BASE + field, 0);
    const entry = counts.get(code);
    if (entry) entry.count++;
    else counts.set(code, { key, count: 1 });
  }
  return [...counts.entries()].sort((a, b) => a[0] - b[0]).map(([, entry]) => entry);
}

/** Numbers sequences of whole numbers: equal sequences end in equal states, others in different ones. */
class Sequences {
  constructor() {
    this.next = new Map();
  }
  step(state, value) {
    const key = state * 2 ** 20 + value;
    let found = this.next.get(key);
    if (found === undefined) {
      found = this.next.size + 1;
      this.next.set(key, found);
    }
    return found;
  }
}

/** Renumbers states by first appearance, as `Encoding.classes` does; UNKNOWN stays. */
class Numbering {
  constructor() {
    this.numbers = new Map();
  }
  of(state) {
    if (state === UNKNOWN) return UNKNOWN;
    if (!this.numbers.has(state)) this.numbers.set(state, this.numbers.size);
    return this.numbers.get(state);
  }
}

/** Return the state of a root's row: its sorted keys with their counts, walked through `sequences`. */
function rowState(graph, root, radius, options, sequences, state) {
  let size = 0;
  visitEgo(graph, root, radius, options.frontierEdges, (vertex, distance, closer, same, farther) => {
    let code = distance;
    for (const field of degreeFields(options, closer, same, farther)) code = code * BASE + field;
    graph.codes[size++] = graph.labels ? code * BASE + graph.labels[vertex] : code;
  });
  const codes = graph.codes.subarray(0, size).sort();
  for (let i = 0, end; i < size; i = end) {
    for (end = i + 1; end < size && codes[end] === codes[i]; ) end++;
    // A code has five digits at most; all five are walked, so that equal states mean equal codes.
    for (let digit = 0, code = codes[i]; digit < 5; digit++, code = Math.floor(code / BASE)) {
      state = sequences.step(state, code % BASE);
    }
    state = sequences.step(state, end - i);
  }
  return state;
}

/** Return for every vertex how many hops it may look without leaving the sample (Infinity if there is none). */
function knownRadius(graph) {
  const reach = new Float64Array(graph.numNodes).fill(Infinity);
  const arrivals = Array.from({ length: graph.numNodes }, () => []);
  for (let u = 0; u < graph.numNodes; u++) for (const w of neighbours(graph, u)) arrivals[w].push(u);
  let front = graph.cut;
  for (const v of front) reach[v] = 0;
  for (let hops = 1; front.length; hops++) {
    const next = [];
    for (const w of front) {
      for (const u of arrivals[w]) {
        if (reach[u] === Infinity) {
          reach[u] = hops;
          next.push(u);
        }
      }
    }
    front = next;
  }
  return reach;
}

/** Return a class number per vertex of each graph: equal if and only if the encodings are equal. */
function encodingClasses(graphs, radius, options) {
  const sequences = new Sequences(), numbering = new Numbering();
  const radii = options.smallerRadii ? RADII.filter((r) => r >= Math.min(1, radius) && r <= radius) : [radius];
  return graphs.map((graph) => {
    const classes = new Int32Array(graph.numNodes);
    for (let v = 0; v < graph.numNodes; v++) {
      let state = graph.reach[v] < Math.max(1, radius) ? UNKNOWN : 0;
      if (state !== UNKNOWN) {
        for (const r of radii) state = rowState(graph, v, r, options, sequences, sequences.step(state, r));
      }
      classes[v] = numbering.of(state);
    }
    return classes;
  });
}

/** Return one class for all vertices: where plain 1-WL starts. */
function uniformClasses(graphs) {
  return graphs.map((graph) => new Int32Array(graph.numNodes));
}

/** Return the classes after one round of 1-WL: own class, then the sorted classes of the neighbours. */
function refineOnce(graphs, start) {
  const sequences = new Sequences(), numbering = new Numbering();
  return graphs.map((graph, side) =>
    start[side].map((own, v) => {
      const around = neighbours(graph, v).map((w) => start[side][w]).sort();
      if (own === UNKNOWN || graph.reach[v] === 0 || around[0] === UNKNOWN) return UNKNOWN;
      return numbering.of(around.reduce((state, color) => sequences.step(state, color), sequences.step(0, own)));
    }),
  );
}

/** Return the classes after some rounds of 1-WL (Infinity: until nothing changes), and how many were needed. */
function refine(graphs, start, rounds) {
  let classes = start, done = 0;
  while (done < rounds) {
    const next = refineOnce(graphs, classes);
    if (samePartition(next, classes)) break;
    classes = next;
    done++;
  }
  return { classes, rounds: done };
}

/** Return whether a refinement changed nothing: as many classes and as many unknown vertices as before. */
function samePartition(after, before) {
  return countClasses(after) === countClasses(before) && countUnknown(after) === countUnknown(before);
}

/** Return the number of classes over all graphs. */
function countClasses(classes) {
  return classes.reduce((most, side) => side.reduce((a, b) => Math.max(a, b), most), -1) + 1;
}

/** Return how many vertices have no class, over all graphs. */
function countUnknown(classes) {
  return classes.reduce((sum, side) => sum + side.filter((number) => number === UNKNOWN).length, 0);
}

/** Return the number of vertices of each class, a row per graph. */
function classSizes(classes) {
  const width = countClasses(classes);
  return classes.map((side) => {
    const sizes = new Int32Array(width);
    for (const number of side) if (number !== UNKNOWN) sizes[number]++;
    return sizes;
  });
}

/** Return whether two graphs have equally many vertices of every class. */
function sameMultiset(classes) {
  const [left, right] = classSizes(classes);
  return left.every((size, number) => size === right[number]);
}
