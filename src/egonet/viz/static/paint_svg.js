// Draws a graph as SVG, for up to a few hundred nodes.

/** Return a painter: an element, paint() after a change of appearance, move() after a change of positions. */
function svgPainter(scene) {
  const edges = shape("path", { class: "edges" });
  const inside = shape("path", { class: "edges inside" });
  const nodes = scene.points.map((point) => svgNode(scene, point));
  const camera = shape("g", {}, edges, inside, ...nodes.map((node) => node.group));
  const root = shape("svg", { class: "drawing", "aria-hidden": "true" }, camera);
  const drawEdges = () => {
    const isInside = insideEgo(scene);
    edges.setAttribute(
      "d",
      edgePath(scene, (link) => !isInside(link)),
    );
    inside.setAttribute("d", edgePath(scene, isInside));
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
      if (scene.showNames) nodes.forEach(({ name }, v) => placeName(scene, name, v));
    },
    paint() {
      drawEdges();
      root.classList.toggle("focused", scene.ego !== null);
      nodes.forEach((node, v) => paintSvgNode(scene, node, v));
    },
  };
}

/** Return the elements of one node: halo, disc, inner mark, class number and id. */
function svgNode(scene, point) {
  const size = scene.size;
  const parts = {
    halo: shape("circle", { class: "halo", r: size + 5 }),
    disc: shape("circle", { class: "disc", r: size }),
    mark: shape("circle", { class: "mark", r: size * 0.62 }),
    number: shape("text", { class: "number", "font-size": size * 0.92, dy: "0.35em" }),
    name: shape("text", { class: "name", "font-size": size * 0.95, dy: "0.35em" }),
  };
  if (scene.showNames) parts.name.textContent = clipped(scene.graph.names[point.index], 14);
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

/** Apply the class and the selection to one node. */
function paintSvgNode(scene, node, v) {
  const look = lookOf(scene.looks, scene.classes[v]);
  const part = scene.selected === v ? " selected" : isTwin(scene, v) ? " twin" : isFaded(scene, v) ? " outside" : "";
  node.group.setAttribute("class", `node ${look.mark}${part}`);
  node.group.style.setProperty("--fill", look.fill ?? "var(--panel)");
  node.group.style.setProperty("--ink", look.ink ?? "var(--text)");
  node.number.textContent = look.number;
  node.number.setAttribute("font-size", numberSize(scene.size, String(look.number).length));
}

/** Return whether a node has the class of the selected one. */
function isTwin(scene, v) {
  return scene.twinClass !== null && scene.classes[v] === scene.twinClass;
}

/** Return whether a node is outside the selection. */
function isFaded(scene, v) {
  if (scene.shownClass !== null) return scene.classes[v] !== scene.shownClass;
  return scene.ego !== null && !scene.ego.has(v) && !isTwin(scene, v);
}

/** Return a font size at which a class number fits its disc. */
function numberSize(size, digits) {
  return size * (digits <= 2 ? 0.95 : 2.1 / digits);
}

/** Return a test for links with both ends in the selected ego-network. */
function insideEgo(scene) {
  return (link) => scene.ego?.has(link.source.index) && scene.ego.has(link.target.index);
}

/** Return the path of the links that pass a test. */
function edgePath(scene, passes) {
  let path = "";
  for (const link of scene.links) {
    if (!passes(link)) continue;
    const { source, target } = link;
    path += `M${source.x.toFixed(1)},${source.y.toFixed(1)}L${target.x.toFixed(1)},${target.y.toFixed(1)}`;
  }
  return path;
}
