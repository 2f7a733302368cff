// Names on the drawing: 12 pixels at every zoom, without overlaps; the selected node and its ego-network come first.

const NAMES_SHOWN = 60;
const NAME_SPACE = 5000; // square pixels per name where names may cover nodes, so that a phone does not show names alone
const NAMES_TRIED = 400; // more candidates would slow down dragging
const NAME_LENGTH = 24;
const NAME_HEIGHT = 15;
const HUBS = 12; // the first names, in the order of `nameOrder`, may cover a part of other discs: they say most
const COVERING = 0.5; // such a name is covered by discs up to this share
const LARGEST = 22; // nodes have at most this radius in pixels, so that zooming in makes space
const COVERED = 6; // names may cover discs below this radius in pixels: they would leave no space in large graphs
const RING = 8; // how far the ring around the selected node reaches beyond its disc, in pixels
const FONT_SIZE = 12; // the smallest text inside a disc, in pixels
const TEXT_HEIGHT = 7; // how high digits of that size are, without their round corners
const ARROWS_FROM = 9; // arrowheads are drawn at discs of this radius in pixels
const SMALLEST_NAMED = 6; // no text fits into a disc below this radius in pixels
const CELL = 64; // pixels of a cell of the grid of discs
const textWidths = new Map();

/** Return the radius of a node in the units of the drawing, at a zoom. */
function drawnRadius(scene, v, scale) {
  return Math.min(scene.radii[v], LARGEST / scale);
}

/** Return the layer of names of a scene: an element, and show(transform) after any change. */
function nameLayer(scene) {
  const root = shape("svg", { class: "names", "aria-hidden": "true" });
  const { indptr } = scene.graph.whole;
  const degree = (v) => indptr[scene.graph.rows[v] + 1] - indptr[scene.graph.rows[v]];
  const byDegree = scene.points.map((_, v) => v).sort((a, b) => degree(b) - degree(a) || a - b);
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = "12px system-ui, sans-serif";
  let transform = d3.zoomIdentity,
    scheduled = false;
  const draw = () => {
    scheduled = false;
    const frame = { width: root.clientWidth, height: root.clientHeight };
    const texts = placeNames(
      scene,
      nameOrder(scene, byDegree),
      transform,
      frame,
      (text) => ruler.measureText(text).width,
    );
    root.replaceChildren(
      ...texts.map(({ x, y, text, selected }) => shape("text", { x, y, class: selected ? "selected" : null }, text)),
    );
  };
  return {
    root,
    show(next = transform) {
      transform = next;
      if (!scheduled) requestAnimationFrame(draw);
      scheduled = true;
    },
  };
}

/** Return the nodes in the order in which they get names: near a selected node, or those of large degree, first. */
function nameOrder(scene, byDegree) {
  const { selected, ego } = scene;
  if (selected === null) {
    const pair = (DATA.opening?.pair ?? []).map((row) => scene.graph.position[row]).filter((v) => v >= 0);
    return [...pair, ...byDegree.filter((v) => !pair.includes(v) && !isFaded(scene, v))];
  }
  const others = byDegree.filter((v) => v !== selected && ego?.has(v));
  return [selected, ...others.sort((a, b) => ego.get(a) - ego.get(b))];
}

/** Return whether a node is one of the two that the page is about. */
function isOfPair(graph, v) {
  return (DATA.opening?.pair ?? []).includes(graph.rows[v]);
}

/** Return whether a disc says which node it is: with its id, or, unless it is selected, a symbol where ids are numbers. */
function isNamedInside(graph, v, selected) {
  const text = discText(graph, v);
  return text !== "" && (text === graph.names[v] || (!selected && /^\d+$/.test(graph.names[v])));
}

/** Return the font size in pixels of a text inside a disc of a radius in pixels, or 0 if it does not fit. */
function discFont(text, radius) {
  if (!text || radius < SMALLEST_NAMED) return 0;
  const usual = numberSize(radius, text.length);
  if (usual >= FONT_SIZE) return usual;
  if (!textWidths.has(text)) {
    const ruler = document.createElement("canvas").getContext("2d");
    ruler.font = `600 ${FONT_SIZE}px system-ui, sans-serif`;
    textWidths.set(text, ruler.measureText(text).width);
  }
  return Math.hypot(textWidths.get(text), TEXT_HEIGHT) <= 2 * radius ? FONT_SIZE : 0;
}

/** Return the share of a box that discs other than that of a node cover; those that `isNamed` must not be covered. */
function coveredShare(box, discs, v, isNamed) {
  let area = 0;
  for (const [left, top, right, bottom, other] of discs) {
    const width = Math.min(box[2], right) - Math.max(box[0], left),
      height = Math.min(box[3], bottom) - Math.max(box[1], top);
    if (other === v || width <= 0 || height <= 0) continue;
    if (isNamed(other, (right - left) / 2)) return Infinity;
    area += width * height;
  }
  return area / ((box[2] - box[0]) * (box[3] - box[1]));
}

/** Return the box that discs cover least, or null if they cover much of each. */
function leastCovered(boxes, discsNear, v, isNamed) {
  const shares = boxes.map((box) => coveredShare(box, discsNear(box), v, isNamed));
  const least = Math.min(...shares);
  return least <= COVERING ? boxes[shares.indexOf(least)] : null;
}

/** Return a function from a box to the discs in the same cells of a grid: comparing with all of them is slow. */
function discGrid(discs) {
  const cells = new Map();
  const keysOf = ([left, top, right, bottom]) => {
    const keys = [];
    for (let i = Math.floor(left / CELL); i <= right / CELL; i++)
      for (let j = Math.floor(top / CELL); j <= bottom / CELL; j++) keys.push(`${i} ${j}`);
    return keys;
  };
  for (const disc of discs)
    for (const key of keysOf(disc)) {
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(disc);
    }
  return (box) => [...new Set(keysOf(box).flatMap((key) => cells.get(key) ?? []))];
}

/** Return the names that fit: each right of its node, left, below or above it, where nothing else is. */
function placeNames(scene, order, { k, x, y }, frame, widthOf) {
  const taken = [],
    texts = [];
  const at = (v) => [scene.points[v].x * k + x, scene.points[v].y * k + y, drawnRadius(scene, v, k) * k];
  // The ring of a disc in SVG grows with the disc.
  const ringOf = (v, near) =>
    v !== scene.selected ? 0 : scene.points.length > SVG_LIMIT ? RING : RING * Math.max(1, near / scene.size);
  const isInside = (box) => box[0] >= 2 && box[2] <= frame.width - 2 && box[1] >= 2 && box[3] <= frame.height - 2;
  const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const discs = [];
  scene.points.forEach((_, v) => {
    const [cx, cy, near] = at(v);
    if ((near < COVERED && scene.points.length > SVG_LIMIT) || isFaded(scene, v)) return;
    const r = near + ringOf(v, near);
    const box = [cx - r, cy - r, cx + r, cy + r, v];
    if (overlaps(box, [0, 0, frame.width, frame.height])) discs.push(box);
  });
  const discsNear = discGrid(discs);
  const isNamed = (v, near) => v === scene.selected || discFont(discText(scene.graph, v), near) > 0;
  const space = scene.points.length > SVG_LIMIT ? (frame.width * frame.height) / NAME_SPACE : NAMES_SHOWN;
  for (const [rank, v] of order.slice(0, NAMES_TRIED).entries()) {
    if (texts.length >= Math.min(NAMES_SHOWN, space)) break;
    const [cx, cy, near] = at(v);
    const r = near + ringOf(v, near);
    const selected = v === scene.selected || (scene.selected === null && isOfPair(scene.graph, v));
    if (cx < 0 || cy < 0 || cx > frame.width || cy > frame.height) continue;
    const inside = discText(scene.graph, v);
    if (discFont(inside, near) && isNamedInside(scene.graph, v, selected)) continue;
    const text = clipped(isNamedInside(scene.graph, v, selected) ? inside : scene.graph.names[v], NAME_LENGTH);
    const width = widthOf(text) + 4;
    const half = NAME_HEIGHT / 2;
    const boxes = [
      [cx + r + 2, cy - half],
      [cx - r - 2 - width, cy - half],
      [cx - width / 2, cy + r + 1],
      [cx - width / 2, cy - r - 1 - NAME_HEIGHT],
    ].map(([left, top]) => [left, top, left + width, top + NAME_HEIGHT]);
    const isUntaken = (box) => isInside(box) && !taken.some((other) => overlaps(box, other));
    const isFree = (box) => isUntaken(box) && !discsNear(box).some((d) => d[4] !== v && overlaps(box, d));
    const box =
      boxes.find(isFree) ??
      (selected ? (boxes.find(isInside) ?? boxes[0]) : null) ??
      (rank < HUBS ? leastCovered(boxes.filter(isUntaken), discsNear, v, isNamed) : null);
    if (!box) continue;
    taken.push(box);
    texts.push({ x: (box[0] + 2).toFixed(1), y: (box[3] - 4).toFixed(1), text, selected });
  }
  return texts;
}
