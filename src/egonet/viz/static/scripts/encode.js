// The encoding and 1-WL on adjacency arrays: the definition of egonet/kernel/reference.py in JavaScript.

const RADII = [0, 1, 2, 3, 4];
const KINDS = ["total", "layered", "full"];
const FIELDS = { total: ["degree"], layered: ["same", "farther"], full: ["closer", "same", "farther"] };
const UNKNOWN = -1; // the class of a node whose ego-network reaches beyond a sample

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
  let maxDegree = 0;
  for (let v = 0; v < numNodes; v++) maxDegree = Math.max(maxDegree, indptr[v + 1] - indptr[v]);
  const scratch = { maxDegree, distance: new Int32Array(numNodes).fill(-1), queue: new Int32Array(numNodes) };
  return { numNodes, indptr, indices, ...scratch, codes: new Float64Array(numNodes) };
}

/** Return the edges of base64 text as one flat list: per source a number of targets, then differences, seven bits a byte. */
function decodeEdges(text, numNodes, directed) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const edges = [];
  let at = 0;
  const next = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  for (let source = 0; source < numNodes; source++) {
    let target = directed ? 0 : source;
    for (let left = next(); left > 0; left--) {
      target += next();
      edges.push(source, target);
    }
  }
  return edges;
}

/** Return at most `limit` nodes nearest to some nodes, in increasing order. */
function nearestRows(graph, centers, limit) {
  const seen = new Uint8Array(graph.numNodes);
  const met = [...centers];
  for (const v of met) seen[v] = 1;
  for (let i = 0; i < met.length && met.length < limit; i++) {
    for (const w of neighbors(graph, met[i])) {
      if (!seen[w] && met.length < limit) {
        seen[w] = 1;
        met.push(w);
      }
    }
  }
  return Int32Array.from(met).sort();
}

/** Return the neighbors of a node, as a read-only view. */
function neighbors(graph, v) {
  return graph.indices.subarray(graph.indptr[v], graph.indptr[v + 1]);
}

/** Call visit(node, distance) for every node within `radius` hops of the root, then reset the distances. */
function visitBall(graph, root, radius, visit) {
  const { numNodes, indptr, indices, distance, queue } = graph;
  let size = 1;
  queue[0] = root;
  distance[root] = 0;
  for (let i = 0; i < size && size < numNodes && distance[queue[i]] < radius; i++) {
    const u = queue[i];
    for (let k = indptr[u]; k < indptr[u + 1]; k++) {
      const w = indices[k];
      if (distance[w] < 0) {
        distance[w] = distance[u] + 1;
        queue[size++] = w;
      }
    }
  }
  for (let i = 0; i < size; i++) visit(queue[i], distance[queue[i]]);
  for (let i = 0; i < size; i++) distance[queue[i]] = -1;
}

/** Call visit(node, distance, fields) for every node of the root's ego-network; `fields` is reused between calls. */
function visitEgo(graph, root, radius, options, visit) {
  const { indptr, indices, distance } = graph;
  const isTotal = options.degrees === "total";
  const fields = new Array(FIELDS[options.degrees].length);
  visitBall(graph, root, radius, (u, here) => {
    let closer = 0,
      same = 0,
      farther = 0;
    // Within the last ring all neighbors are inside; by definition the root at radius 0 keeps its degree.
    if (radius === 0 || (isTotal && here < radius)) farther = indptr[u + 1] - indptr[u];
    else {
      for (let k = indptr[u]; k < indptr[u + 1]; k++) {
        const there = distance[indices[k]];
        if (there < 0) continue;
        if (there === here) same++;
        else if (there < here) closer++;
        else farther++;
      }
    }
    if (here === radius && !options.frontierEdges) same = 0;
    if (isTotal) fields[0] = lowered(closer + same + farther, options);
    else {
      fields[fields.length - 1] = lowered(farther, options);
      fields[fields.length - 2] = lowered(same, options);
      if (fields.length === 3) fields[0] = lowered(closer, options);
    }
    visit(u, here, fields);
  });
}

/** Return a degree as it is counted: capped, and binned as 0, 1, 2–3, 4–7, ... by the options. */
function lowered(degree, options) {
  const capped = options.maxDegree === null ? degree : Math.min(degree, options.maxDegree);
  return options.degreeBins === "log" && capped > 0 ? 1 << (31 - Math.clz32(capped)) : capped;
}

/** Return what is counted around a root: nodes with distances and keys, and edges if they have types. */
function egoEntries(graph, root, radius, options) {
  const { base, step } = countedGraph(graph);
  const found = [];
  visitEgo(base, root, step * radius, options, (node, distance, fields) => {
    const key = [distance, ...fields];
    if (graph.labels || node >= graph.numNodes) key.push(base.labels[node]);
    found.push({ node, distance: distance / step, key });
  });
  return found;
}

/** Return the root's ego-network: its nodes with distances and keys. */
function egoNetwork(graph, root, radius, options) {
  return egoEntries(graph, root, radius, options).filter(({ node }) => node < graph.numNodes);
}

/** Return the graph that is searched, and the steps that are one hop: two if edges count as nodes. */
function countedGraph(graph) {
  return graph.typed ? { base: graph.typed, step: 2 } : { base: graph, step: 1 };
}

/** Return the histogram of an ego-network as [{key, count}], keys in lexicographic order. */
function histogram(found) {
  const counts = new Map();
  for (const { key } of found) {
    const text = key.join();
    const entry = counts.get(text);
    if (entry) entry.count++;
    else counts.set(text, { key, count: 1 });
  }
  return [...counts.values()].sort((a, b) => {
    const place = a.key.findIndex((field, i) => field !== b.key[i]);
    return place < 0 ? 0 : a.key[place] - b.key[place];
  });
}

/** Return the Euclidean distance of two nodes: of log(1 + count) with log-binned degrees, as `similarity_rows`. */
function similarityDistance(first, second, radius) {
  const options = { degrees: "total", degreeBins: "log", maxDegree: null, frontierEdges: true };
  const rows = [first, second].map(({ whole, node }) => {
    const bars = histogram(egoNetwork({ ...whole, labels: null, typed: null }, node, radius, options));
    return new Map(bars.map(({ key, count }) => [key.join(), Math.log1p(count)]));
  });
  let sum = 0;
  for (const key of new Set([...rows[0].keys(), ...rows[1].keys()]))
    sum += ((rows[0].get(key) ?? 0) - (rows[1].get(key) ?? 0)) ** 2;
  return Math.sqrt(sum);
}

/** Numbers sequences of whole numbers by first appearance, as `Encoding.classes` does. */
class Numbering {
  constructor() {
    this.size = 0;
    this.buckets = new Map();
  }
  /** Return the number of a sequence; the hash only finds candidates, which are then compared. */
  of(sequence) {
    let hash = sequence.length;
    for (let i = 0; i < sequence.length; i++) {
      hash = Math.imul(hash ^ (sequence[i] >>> 0), 0x9e3779b1) ^ (hash >>> 15) ^ (sequence[i] / 2 ** 32);
    }
    const bucket = this.buckets.get(hash);
    const known = bucket?.find((entry) => sameSequence(entry.sequence, sequence));
    if (known) return known.number;
    const entry = { sequence: sequence.slice(), number: this.size++ };
    if (bucket) bucket.push(entry);
    else this.buckets.set(hash, [entry]);
    return entry.number;
  }
}

/** Return whether two sequences are equal. */
function sameSequence(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Return a function that turns a key into one number: digits in one base, or a number by first appearance. */
function keyCoder(wholes, options) {
  const numLabels = Math.max(0, ...wholes.flatMap(({ labels }) => labels ?? [])) + 1;
  const largest = Math.max(numLabels, 2 * RADII.length, ...wholes.map(({ maxDegree }) => maxDegree));
  const base = 2 ** Math.ceil(Math.log2(largest + 1));
  if (base ** (FIELDS[options.degrees].length + 2) <= Number.MAX_SAFE_INTEGER)
    return (label, distance, fields) => fields.reduce((code, field) => code * base + field, distance) * base + label;
  const known = new Map();
  return (label, distance, fields) => {
    const text = `${distance},${fields},${label}`;
    if (!known.has(text)) known.set(text, known.size);
    return known.get(text);
  };
}

/** Append a root's row to a sequence: the radius, then every key in order with its count; return the new length. */
function appendRow(graph, root, radius, options, sequence, length) {
  let size = 0;
  visitEgo(graph, root, radius, options, (node, distance, fields) => {
    graph.codes[size++] = options.code(graph.labels ? graph.labels[node] : 0, distance, fields);
  });
  const codes = graph.codes.subarray(0, size).sort();
  sequence[length++] = radius;
  for (let i = 0, end; i < size; i = end) {
    for (end = i + 1; end < size && codes[end] === codes[i]; ) end++;
    sequence[length++] = codes[i];
    sequence[length++] = end - i;
  }
  return length;
}

/** Return for every node how many hops around it are inside the sample (Infinity without a sample). */
function knownRadius(graph) {
  const reach = new Float64Array(graph.numNodes).fill(Infinity);
  if (!graph.cut.length) return reach;
  const arrivals = Array.from({ length: graph.numNodes }, () => []);
  for (let u = 0; u < graph.numNodes; u++) for (const w of neighbors(graph, u)) arrivals[w].push(u);
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

/** Return a class number per drawn node of each graph: equal if and only if the encodings are equal. */
function encodingClasses(graphs, radius, given) {
  const numbering = new Numbering();
  const radii = given.smallerRadii ? RADII.filter((r) => r >= Math.min(1, radius) && r <= radius) : [radius];
  const options = {
    ...given,
    code: keyCoder(
      graphs.map(({ whole }) => countedGraph(whole).base),
      given,
    ),
  };
  return graphs.map(({ rows, whole }) => {
    const { base, step } = countedGraph(whole);
    const sequence = new Float64Array(radii.length * (2 * base.numNodes + 1));
    return Int32Array.from(rows, (row) => {
      if (whole.reach[row] < Math.max(1, radius)) return UNKNOWN;
      const length = radii.reduce((end, r) => appendRow(base, row, step * r, options, sequence, end), 0);
      return numbering.of(sequence.subarray(0, length));
    });
  });
}

/** Return the start of 1-WL: one class for all nodes, or for all nodes of a label. */
function uniformClasses(graphs) {
  const numbering = new Numbering();
  return graphs.map(({ rows, whole }) => Int32Array.from(rows, (row) => numbering.of([whole.labels?.[row] ?? 0])));
}

/** Return the classes after one round of 1-WL: the class of the node, then the sorted classes of its neighbors. */
function refineOnce(graphs, start) {
  const numbering = new Numbering();
  return graphs.map((graph, side) =>
    start[side].map((own, v) => {
      const around = neighbors(graph, v)
        .map((w, k) => arcColor(graph, start[side][w], graph.indptr[v] + k))
        .sort();
      if (own === UNKNOWN || graph.reach[v] === 0 || around[0] === UNKNOWN) return UNKNOWN;
      return numbering.of(Int32Array.of(own, ...around));
    }),
  );
}

/** Return the color of a neighbor as a node sees it: with the types of the edge between them. */
function arcColor(graph, color, arc) {
  return graph.arcSets && color !== UNKNOWN ? color * graph.whole.typeMembers.length + graph.arcSets[arc] : color;
}

/** Return the classes after some rounds of 1-WL (Infinity: until nothing changes), and their number. */
function refine(graphs, start, rounds) {
  let classes = start,
    done = 0;
  while (done < rounds) {
    const next = refineOnce(graphs, classes);
    if (samePartition(next, classes)) break;
    classes = next;
    done++;
  }
  return { classes, rounds: done };
}

/** Return whether a refinement changed nothing: as many classes and as many unknown nodes as before. */
function samePartition(after, before) {
  return countClasses(after) === countClasses(before) && countUnknown(after) === countUnknown(before);
}

/** Return the number of classes over all graphs. */
function countClasses(classes) {
  return classes.reduce((most, side) => side.reduce((a, b) => Math.max(a, b), most), -1) + 1;
}

/** Return how many nodes have no class, over all graphs. */
function countUnknown(classes) {
  return classes.reduce((sum, side) => sum + side.filter((number) => number === UNKNOWN).length, 0);
}

/** Return the number of nodes of each class, one row per graph. */
function classSizes(classes) {
  const width = countClasses(classes);
  return classes.map((side) => {
    const sizes = new Int32Array(width);
    for (const number of side) if (number !== UNKNOWN) sizes[number]++;
    return sizes;
  });
}

/** Return whether two graphs have equally many nodes of every class. */
function sameMultiset(classes) {
  const [left, right] = classSizes(classes);
  return left.every((size, number) => size === right[number]);
}

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
