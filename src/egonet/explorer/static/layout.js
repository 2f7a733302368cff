// Where things are drawn: forces for a whole graph, concentric rings for an ego-network; no chance involved.

/** Return the drawn radius of a vertex in a graph of some size. */
function vertexRadius(numNodes) {
  if (numNodes <= 40) return 12;
  if (numNodes <= 120) return 10;
  return numNodes <= 300 ? 8 : 5;
}

/** Return points and links laid out by forces; small graphs are settled before they are shown. */
function forceLayout(graph) {
  const size = vertexRadius(graph.numNodes);
  const points = Array.from({ length: graph.numNodes }, (_, index) => ({ index }));
  const links = [];
  for (let i = 0; i < graph.edges.length; i += 2) links.push({ source: graph.edges[i], target: graph.edges[i + 1] });
  const crowded = links.length > 3 * graph.numNodes;
  const simulation = d3
    .forceSimulation(points)
    .force("link", d3.forceLink(links).distance(size * (crowded ? 5 : 3.6)))
    .force("charge", d3.forceManyBody().strength(-size * (crowded ? 26 : 14)).distanceMax(size * 60))
    .force("collide", d3.forceCollide(size * 1.25))
    .force("x", d3.forceX().strength(0.045))
    .force("y", d3.forceY().strength(0.06))
    .stop();
  simulation.tick(graph.numNodes <= 300 ? 320 : 40);
  return { points, links, size, simulation };
}

/** Return {vertex: {x, y}} on rings around the origin, and the radius of each ring. */
function ringLayout(graph, found, extent) {
  const rings = [];
  for (const { vertex, distance } of found) (rings[distance] ??= []).push(vertex);
  const last = Math.max(1, rings.length - 1);
  const angle = new Map([[found[0].vertex, 0]]);
  const ringOf = new Map(found.map(({ vertex, distance }) => [vertex, distance]));
  for (const ring of rings.slice(1)) spread(ring, angle, (v) => pull(graph, v, angle, ringOf, 0));
  const sweeps = found.length <= 400 ? 12 : 3;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const ring of rings.slice(1)) spread(ring, angle, (v) => pull(graph, v, angle, ringOf, 1));
  }
  const radii = rings.map((_, distance) => (extent * distance) / last);
  const places = new Map();
  for (const { vertex, distance } of found) {
    const turn = angle.get(vertex) - Math.PI / 2;
    places.set(vertex, { x: radii[distance] * Math.cos(turn), y: radii[distance] * Math.sin(turn) });
  }
  return { places, radii };
}

/** Return the angle a vertex would like: the mean direction of its placed neighbours, inner ones first. */
function pull(graph, vertex, angle, ringOf, outerWeight) {
  let x = 0, y = 0;
  for (const w of neighbours(graph, vertex)) {
    if (!angle.has(w) || ringOf.get(w) === 0) continue;
    const weight = ringOf.get(w) < ringOf.get(vertex) ? 2 : outerWeight;
    x += weight * Math.cos(angle.get(w));
    y += weight * Math.sin(angle.get(w));
  }
  if (Math.hypot(x, y) < 1e-9) return angle.get(vertex) ?? null;
  return Math.atan2(y, x);
}

/** Give the vertices of a ring equal spacing, in the order of the angles they would like. */
function spread(ring, angle, wish) {
  const step = (2 * Math.PI) / ring.length;
  const wishes = ring.map((vertex, place) => ({ vertex, at: wish(vertex) ?? place * step }));
  for (const entry of wishes) entry.at = (entry.at + 4 * Math.PI) % (2 * Math.PI);
  wishes.sort((a, b) => a.at - b.at || a.vertex - b.vertex);
  // The best common turn is the mean direction of what is left between wish and place.
  const x = wishes.reduce((sum, { at }, place) => sum + Math.cos(at - place * step), 0);
  const y = wishes.reduce((sum, { at }, place) => sum + Math.sin(at - place * step), 0);
  const turn = Math.hypot(x, y) < 1e-9 ? 0 : Math.atan2(y, x);
  wishes.forEach(({ vertex }, place) => angle.set(vertex, place * step + turn));
}
