// Draws a graph as SVG, for up to a few hundred nodes.

const NAMES_LIMIT = 40; // ids next to nodes are readable up to here

/** Return a painter: an element, paint() after a change of appearance, move() after a change of positions. */
function svgPainter(scene) {
  const edges = shape("path", { class: "edges" });
  const inside = shape("path", { class: "edges inside" });
  const dashed = shape("path", { class: "edges dashed" });
  const nodes = scene.points.map((point) => svgNode(scene, point));
  const camera = shape("g", {}, edges, inside, dashed, ...nodes.map((node) => node.group));
  const root = shape("svg", { class: "drawing", "aria-hidden": "true" }, camera);
  const drawEdges = () => {
    const isInside = insideEgo(scene);
    edges.setAttribute(
      "d",
      edgePath(scene, (link) => !isInside(link)),
    );
    inside.setAttribute("d", edgePath(scene, isInside));
    dashed.setAttribute("d", aromaticPath(scene));
  };
  return {
    root,
    camera(transform) {
      camera.setAttribute("transform", transform.toString());
    },
    move() {
      drawEdges();
      nodes.forEach(({ group }, v) => {
        group.setAttribute("transform", `translate(${scene.points[v].x.toFixed(2)},${scene.points[v].y.toFixed(2)})`);
      });
      nodes.forEach(({ name }, v) => name.textContent && placeName(scene, name, v));
    },
    paint() {
      drawEdges();
      root.classList.toggle("focused", scene.ego !== null);
      nodes.forEach((node, v) => paintSvgNode(scene, node, v));
    },
  };
}

/** Return the text inside a node: its symbol, or its id if that is short. */
function discText(graph, v) {
  const symbol = graph.whole.symbols?.[graph.rows[v]];
  if (symbol !== undefined && symbol !== null) return clipped(symbol, SYMBOL_LENGTH);
  return graph.names[v].length <= SYMBOL_LENGTH ? graph.names[v] : "";
}

/** Return the elements of one node: halo, disc, inner mark, text inside, and its id outside if that is too long. */
function svgNode(scene, point) {
  const size = scene.size;
  const text = discText(scene.graph, point.index);
  const parts = {
    halo: shape("circle", { class: "halo", r: size + 5 }),
    disc: shape("circle", { class: "disc", r: size }),
    mark: shape("circle", { class: "mark", r: size * 0.86 }),
    number: shape("text", { class: "number", "font-size": numberSize(size, text.length), dy: "0.35em" }, text),
    name: shape("text", { class: "name", "font-size": size * 0.95, dy: "0.35em" }),
  };
  if (!text && scene.points.length <= NAMES_LIMIT) parts.name.textContent = clipped(scene.graph.names[point.index], 14);
  return { ...parts, group: shape("g", { class: "node" }, ...Object.values(parts)) };
}

/** Draw the id of a node in the widest gap between its neighbors, or below a node without neighbors. */
function placeName(scene, name, v) {
  const here = scene.points[v];
  const around = Array.from(neighbors(scene.graph, v), (w) =>
    Math.atan2(scene.points[w].y - here.y, scene.points[w].x - here.x),
  );
  const widest = gapsBetween(around).reduce((best, next) => (next.gap > best.gap + 0.01 ? next : best), {
    angle: 0,
    gap: 0,
  });
  const turn = around.length ? widest.angle + widest.gap / 2 : Math.PI / 2;
  const cos = Math.cos(turn),
    sin = Math.sin(turn);
  name.setAttribute("x", cos * scene.size * 1.35);
  name.setAttribute("y", sin * scene.size * 1.75);
  name.setAttribute("text-anchor", cos > 0.4 ? "start" : cos < -0.4 ? "end" : "middle");
}

/** Apply the color and the selection to one node. */
function paintSvgNode(scene, node, v) {
  const look = scene.lookAt(v);
  const part = scene.selected === v ? " selected" : isTwin(scene, v) ? " twin" : isFaded(scene, v) ? " outside" : "";
  node.group.setAttribute("class", `node ${look.mark}${part}`);
  node.group.setAttribute("data-group", String(look.number));
  node.group.style.setProperty("--fill", look.fill ?? "var(--panel)");
  node.group.style.setProperty("--ink", look.ink ?? "var(--text)");
}

/** Return whether a node has the class of the selected one. */
function isTwin(scene, v) {
  return scene.twinClass !== null && scene.groups[v] === scene.twinClass;
}

/** Return whether a node is outside the selection. */
function isFaded(scene, v) {
  if (scene.shownGroup !== null) return scene.groups[v] !== scene.shownGroup;
  return scene.ego !== null && !scene.ego.has(v) && !isTwin(scene, v);
}

/** Return a font size at which a text fits its disc. */
function numberSize(size, length) {
  return size * (length <= 2 ? 0.95 : 2.1 / length);
}

/** Return a test for links with both ends in the selected ego-network. */
function insideEgo(scene) {
  return (link) => scene.ego?.has(link.source.index) && scene.ego.has(link.target.index);
}

/** Return the path of the links that pass a test: one line per bond order. */
function edgePath(scene, passes) {
  let path = "";
  for (const link of scene.links) {
    if (!passes(link)) continue;
    const lines = Math.max(1, Math.floor(link.order ?? 1));
    for (let i = 0; i < lines; i++) path += lineText(link, (i - (lines - 1) / 2) * 0.34 * scene.size);
  }
  return path;
}

/** Return the path of the second, dashed lines of aromatic bonds. */
function aromaticPath(scene) {
  return scene.links
    .filter(({ order }) => order === 1.5)
    .map((link) => lineText(link, 0.34 * scene.size))
    .join("");
}

/** Return a link as path text, moved sideways. */
function lineText({ source, target }, aside) {
  const length = Math.hypot(target.x - source.x, target.y - source.y) || 1;
  const x = (-(target.y - source.y) / length) * aside,
    y = ((target.x - source.x) / length) * aside;
  return `M${(source.x + x).toFixed(1)},${(source.y + y).toFixed(1)}L${(target.x + x).toFixed(1)},${(target.y + y).toFixed(1)}`;
}
