// Draws a graph as SVG, for up to a few hundred nodes.

/** Return a painter: an element, paint() after a change of appearance, move() after a change of positions. */
function svgPainter(scene) {
  const styles = [...new Set(scene.links.map(edgeStyle))].sort();
  const edges = styles.map((style) => shape("path", { class: `edges ${style}` }));
  const inside = styles.map((style) => shape("path", { class: `edges inside ${style}` }));
  const dashed = shape("path", { class: "edges dashed" });
  const nodes = scene.points.map((point) => svgNode(scene, point));
  const camera = shape("g", {}, ...edges, ...inside, dashed, ...nodes.map((node) => node.group));
  const root = shape("svg", { class: "drawing", "aria-hidden": "true" }, camera);
  let scale = 1;
  const placeNodes = () =>
    nodes.forEach(({ group }, v) => {
      const { x, y } = scene.points[v];
      const shrink = drawnRadius(scene, v, scale) / scene.radii[v];
      group.setAttribute("transform", `translate(${x.toFixed(2)},${y.toFixed(2)}) scale(${shrink.toFixed(3)})`);
    });
  const drawEdges = () => {
    const isInside = insideEgo(scene);
    styles.forEach((style, place) => {
      const isOfStyle = (link) => edgeStyle(link) === style;
      edges[place].setAttribute(
        "d",
        edgePath(scene, (link) => isOfStyle(link) && !isInside(link)),
      );
      inside[place].setAttribute(
        "d",
        edgePath(scene, (link) => isOfStyle(link) && isInside(link)),
      );
    });
    dashed.setAttribute("d", aromaticPath(scene));
  };
  return {
    root,
    camera(transform) {
      camera.setAttribute("transform", transform.toString());
      if (transform.k === scale) return;
      scale = transform.k;
      placeNodes();
    },
    move() {
      drawEdges();
      placeNodes();
    },
    paint() {
      drawEdges();
      root.classList.toggle("focused", scene.ego !== null);
      nodes.forEach((node, v) => paintSvgNode(scene, node, v));
    },
  };
}

/** Return the classes of a link: its width, and its type if edges have types. */
function edgeStyle({ width, kind }) {
  return kind ? `width-${width} kind-${kind}` : `width-${width}`;
}

/** Return the text inside a node: its symbol, or its id if that is short. */
function discText(graph, v) {
  const symbol = graph.whole.symbols?.[graph.rows[v]];
  if (symbol !== undefined && symbol !== null) return clipped(symbol, SYMBOL_LENGTH);
  return graph.names[v].length <= SYMBOL_LENGTH ? graph.names[v] : "";
}

/** Return the elements of one node: halo, disc and text inside. */
function svgNode(scene, point) {
  const size = scene.size;
  const text = discText(scene.graph, point.index);
  const parts = {
    halo: shape("circle", { class: "halo", r: size + 5 }),
    disc: shape("circle", { class: "disc", r: size }),
    number: shape("text", { class: "number", "font-size": numberSize(size, text.length), dy: "0.35em" }, text),
  };
  return { ...parts, group: shape("g", { class: "node" }, ...Object.values(parts)) };
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
  return size * (length <= 2 ? 0.95 : 1.85 / length);
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
    if (scene.graph.directed) path += arrowText(link, scene.size);
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

/** Return the three points of an arrowhead at the target's disc: one side, the tip, the other side. */
function arrowhead({ source, target }, size) {
  const length = Math.hypot(target.x - source.x, target.y - source.y) || 1;
  const [x, y] = [(target.x - source.x) / length, (target.y - source.y) / length];
  const tip = [target.x - 1.1 * size * x, target.y - 1.1 * size * y];
  const [back, aside] = [0.7 * size, 0.35 * size];
  const side = (turn) => [tip[0] - back * x - turn * aside * y, tip[1] - back * y + turn * aside * x];
  return [side(1), tip, side(-1)];
}

/** Return the arrowhead of a link as path text. */
function arrowText(link, size) {
  return `M${arrowhead(link, size)
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`)
    .join("L")}`;
}

/** Return a link as path text, moved sideways. */
function lineText({ source, target }, aside) {
  const length = Math.hypot(target.x - source.x, target.y - source.y) || 1;
  const x = (-(target.y - source.y) / length) * aside,
    y = ((target.x - source.x) / length) * aside;
  return `M${(source.x + x).toFixed(1)},${(source.y + y).toFixed(1)}L${(target.x + x).toFixed(1)},${(target.y + y).toFixed(1)}`;
}
