// Deterministic layouts: stress and forces for a whole graph, concentric rings for an ego-network.

const STRESS_LIMIT = 300;
const PIVOTS = 50;
const FEW_PIVOTS = 12; // for more than LARGE nodes: the first picture comes sooner
const LARGE = 2000;

/** Return the radius of a drawn node by the size of the graph. */
function nodeRadius(numNodes) {
  if (numNodes <= 40) return 12;
  if (numNodes <= 120) return 10;
  return numNodes <= 300 ? 8 : 5;
}

/** Return a radius for every node: in large graphs, nodes with many neighbors are larger. */
function nodeRadii(graph, size) {
  if (graph.numNodes <= STRESS_LIMIT) return new Float32Array(graph.numNodes).fill(size);
  const { indptr } = graph.whole;
  return Float32Array.from(graph.rows, (row) => {
    const degree = indptr[row + 1] - indptr[row];
    return size * Math.min(2, 0.75 + 0.11 * Math.log2(1 + degree));
  });
}

/** Return points and links: by distances for small graphs, then by forces for large ones. */
function forceLayout(graph) {
  const size = nodeRadius(graph.numNodes);
  const degree = graph.edges.length / Math.max(1, graph.numNodes);
  const hop = size * Math.max(3.6, Math.min(9, 1.8 + 0.95 * degree));
  const links = [];
  for (let i = 0; i < graph.edges.length; i += 2) {
    const order = graph.whole.orders?.[graph.places[i / 2]];
    links.push({
      source: graph.edges[i],
      target: graph.edges[i + 1],
      order,
      ...edgeLook(graph.whole, graph.places[i / 2]),
    });
  }
  if (graph.whole.positions) return givenLayout(graph, links, size);
  const undirected = graph.directed ? adjacency(graph.numNodes, graph.edges, false) : graph;
  const positions = distancePositions(
    undirected,
    graph.numNodes <= STRESS_LIMIT ? graph.numNodes : graph.numNodes > LARGE ? FEW_PIVOTS : PIVOTS,
  );
  const points = alongWidth(positions).map(([x, y], index) => ({ index, x: x * hop, y: y * hop }));
  const crowded = links.length > 3 * graph.numNodes;
  const simulation = d3.forceSimulation(points).force("link", d3.forceLink(links).distance(hop).strength(0)).stop();
  simulation.force("collide", d3.forceCollide(size * 1.3));
  if (graph.numNodes > STRESS_LIMIT) {
    simulation.force("link", d3.forceLink(links).distance(size * (crowded ? 5 : 3.6)));
    simulation.force(
      "charge",
      d3
        .forceManyBody()
        .strength(-size * (crowded ? 26 : 14))
        .distanceMax(size * 60),
    );
    simulation.force("x", d3.forceX().strength(0.045)).force("y", d3.forceY().strength(0.06));
  }
  simulation.tick(graph.numNodes <= STRESS_LIMIT ? 30 : graph.numNodes > LARGE ? 0 : 40);
  return { points, links, size, radii: nodeRadii(graph, size), simulation };
}

/** Return the layout of given coordinates, scaled so that edges are a few nodes long. */
function givenLayout(graph, links, size) {
  const { positions } = graph.whole;
  const points = Array.from(graph.rows, (row, index) => ({ index, x: positions[2 * row], y: positions[2 * row + 1] }));
  for (const link of links) Object.assign(link, { source: points[link.source], target: points[link.target] });
  const lengths = links.map(({ source, target }) => Math.hypot(source.x - target.x, source.y - target.y));
  const middle = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)] || 1;
  for (const point of points)
    Object.assign(point, { x: (point.x * 4 * size) / middle, y: (point.y * 4 * size) / middle });
  return { points, links, size, radii: nodeRadii(graph, size), simulation: null };
}

/** Return positions turned so that the longest direction is horizontal: panels are wide. */
function alongWidth(positions) {
  const at = (axis) => mean(positions.map((place) => place[axis]));
  const [x0, y0] = [at(0), at(1)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of positions) {
    xx += (x - x0) ** 2;
    xy += (x - x0) * (y - y0);
    yy += (y - y0) ** 2;
  }
  const turn = -0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return positions.map(([x, y]) => [(x - x0) * cos - (y - y0) * sin, (x - x0) * sin + (y - y0) * cos]);
}

/** Return positions in the plane whose distances approximate hops: scaling by pivots, then stress for small graphs. */
function distancePositions(graph, numPivots) {
  const hops = pivotHops(graph, Math.min(numPivots, graph.numNodes));
  if (hops.length === 0) return [];
  const every = Math.ceil(hops.length / PIVOTS);
  const positions = pivotScaling(
    graph.numNodes,
    hops.filter((_, pivot) => pivot % every === 0),
  );
  if (hops.length < graph.numNodes) return positions;
  const rounds = Math.min(150, Math.ceil(6e6 / graph.numNodes ** 2));
  for (let round = 0; round < rounds; round++) reduceStress(positions, hops);
  return positions;
}

/** Return hops from some nodes, each chosen far from the previous ones; other components are two hops farther. */
function pivotHops(graph, numPivots) {
  const wholeGraph = numPivots === graph.numNodes;
  const least = new Float64Array(graph.numNodes).fill(Infinity);
  const rows = [];
  for (let pivot = 0; rows.length < numPivots; pivot = wholeGraph ? rows.length : farthest(least)) {
    const row = new Float64Array(graph.numNodes).fill(Infinity);
    visitBall(graph, pivot, Infinity, (node, distance) => (row[node] = distance));
    const most = row.reduce((best, hops) => (hops < Infinity ? Math.max(best, hops) : best), 0);
    rows.push(row.map((hops) => (hops === Infinity ? most + 2 : hops)));
    rows.at(-1).forEach((hops, v) => (least[v] = Math.min(least[v], hops)));
  }
  return rows;
}

/** Return the index of the largest value. */
function farthest(values) {
  return values.reduce((best, value, index) => (value > values[best] ? index : best), 0);
}

/** Return positions from the two main directions of the doubly centered squared hops to the pivots. */
function pivotScaling(numNodes, hops) {
  const squares = hops.map((row) => row.map((value) => value * value));
  const ofNode = Array.from({ length: numNodes }, (_, v) => mean(squares.map((row) => row[v])));
  const overall = mean(ofNode);
  const centered = squares.map((row) => {
    const own = mean(row);
    return row.map((value, v) => (ofNode[v] + own - overall - value) / 2);
  });
  const axes = [];
  for (let axis = 0; axis < 2; axis++) axes.push(mainDirection(centered, axes));
  const along = axes.map((axis) =>
    centered[0].map((_, v) => centered.reduce((sum, row, p) => sum + row[v] * axis[p], 0)),
  );
  const scale = Math.max(1e-9, Math.sqrt(mean(along[0].map((x, v) => x * x + along[1][v] ** 2))));
  const wanted = Math.sqrt(mean(ofNode) / 2) || 1;
  return Array.from({ length: numNodes }, (_, v) => [
    (along[0][v] / scale) * wanted + 1e-3 * Math.cos(2.4 * v),
    (along[1][v] / scale) * wanted + 1e-3 * Math.sin(2.4 * v),
  ]);
}

/** Return the mean of some numbers. */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Return the direction (over pivots) in which nodes differ most, orthogonal to the previous ones. */
function mainDirection(centered, before) {
  let axis = centered.map((_, p) => Math.cos(1 + 2.4 * p));
  for (let round = 0; round < 60; round++) {
    for (const other of before) {
      const shared = axis.reduce((sum, value, p) => sum + value * other[p], 0);
      axis = axis.map((value, p) => value - shared * other[p]);
    }
    const length = Math.hypot(...axis) || 1;
    axis = axis.map((value) => value / length);
    const along = centered[0].map((_, v) => centered.reduce((sum, row, p) => sum + row[v] * axis[p], 0));
    if (round < 59) axis = centered.map((row) => row.reduce((sum, value, v) => sum + value * along[v], 0));
  }
  return axis;
}

/** Move every node to reduce the stress: one round of majorization, near nodes have more weight. */
function reduceStress(positions, hops) {
  for (let v = 0; v < positions.length; v++) {
    const here = positions[v],
      row = hops[v];
    let x = 0,
      y = 0,
      weights = 0;
    for (let w = 0; w < positions.length; w++) {
      if (v === w) continue;
      const weight = 1 / (row[w] * row[w]);
      const dx = here[0] - positions[w][0],
        dy = here[1] - positions[w][1];
      const ratio = row[w] / Math.max(1e-6, Math.sqrt(dx * dx + dy * dy));
      x += weight * (positions[w][0] + dx * ratio);
      y += weight * (positions[w][1] + dy * ratio);
      weights += weight;
    }
    if (weights) [here[0], here[1]] = [x / weights, y / weights];
  }
}

/** Return {node: {x, y}} on rings around the origin, and the radius of each ring. */
function ringLayout(graph, found, extent) {
  const rings = [];
  for (const { node, distance } of found) (rings[distance] ??= []).push(node);
  const last = Math.max(1, rings.length - 1);
  const angle = new Map([[found[0].node, 0]]);
  const ringOf = new Map(found.map(({ node, distance }) => [node, distance]));
  for (const ring of rings.slice(1)) spread(ring, angle, (v) => pull(graph, v, angle, ringOf, 0));
  const sweeps = found.length <= 400 ? 12 : 3;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const ring of rings.slice(1)) spread(ring, angle, (v) => pull(graph, v, angle, ringOf, 1));
  }
  const radii = rings.map((_, distance) => (extent * distance) / last);
  const positions = new Map();
  for (const { node, distance } of found) {
    const turn = angle.get(node) - Math.PI / 2;
    positions.set(node, { x: radii[distance] * Math.cos(turn), y: radii[distance] * Math.sin(turn) });
  }
  return { positions, radii };
}

/** Return the preferred angle of a node: the mean angle of its placed neighbors, inner ones weighted more. */
function pull(graph, node, angle, ringOf, outerWeight) {
  let x = 0,
    y = 0;
  for (const w of neighbors(graph, node)) {
    if (!angle.has(w) || ringOf.get(w) === 0) continue;
    const weight = ringOf.get(w) < ringOf.get(node) ? 2 : outerWeight;
    x += weight * Math.cos(angle.get(w));
    y += weight * Math.sin(angle.get(w));
  }
  if (Math.hypot(x, y) < 1e-9) return angle.get(node) ?? null;
  return Math.atan2(y, x);
}

/** Space the nodes of a ring equally, in the order of their preferred angles. */
function spread(ring, angle, preferred) {
  const step = (2 * Math.PI) / ring.length;
  const entries = ring.map((node, place) => ({ node, at: preferred(node) ?? place * step }));
  for (const entry of entries) entry.at = (entry.at + 4 * Math.PI) % (2 * Math.PI);
  entries.sort((a, b) => a.at - b.at || a.node - b.node);
  // The best rotation is the mean angle between preferred and equally spaced angles.
  const x = entries.reduce((sum, { at }, place) => sum + Math.cos(at - place * step), 0);
  const y = entries.reduce((sum, { at }, place) => sum + Math.sin(at - place * step), 0);
  const turn = Math.hypot(x, y) < 1e-9 ? 0 : Math.atan2(y, x);
  entries.forEach(({ node }, place) => angle.set(node, place * step + turn));
}

/** Return the gaps between directions, each as {angle, gap}: its start and its width. */
function gapsBetween(angles) {
  const sorted = [...angles].sort((a, b) => a - b);
  return sorted.map((angle, i) => ({
    angle,
    gap: (i + 1 < sorted.length ? sorted[i + 1] : sorted[0] + 2 * Math.PI) - angle,
  }));
}
