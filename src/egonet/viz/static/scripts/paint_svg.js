// Draws a graph as SVG, for up to a few hundred nodes.

const ARROW = 9; // the length of an arrowhead in pixels, where nodes have space for it

/** Return a painter: an element, paint() after a change of appearance, move() after a change of positions. */
function svgPainter(scene) {
  const styles = [...new Set(scene.links.map(edgeStyle))].sort();
  const edges = styles.map((style) => shape("path", { class: `edges ${style}` }));
  const inside = styles.map((style) => shape("path", { class: `edges inside ${style}` }));
  const heads = styles.map((style) => shape("path", { class: `edges heads ${style}` }));
  const insideHeads = styles.map((style) => shape("path", { class: `edges heads inside ${style}` }));
  const dashed = shape("path", { class: "edges dashed" });
  const nodes = scene.points.map((point) => svgNode(scene, point));
  const arrows = scene.graph.directed ? [...heads, ...insideHeads] : [];
  const camera = shape("g", {}, ...edges, ...inside, ...arrows, dashed, ...nodes.map((node) => node.group));
  const root = shape("svg", { class: "drawing", "aria-hidden": "true" }, camera);
  let scale = 1;
  const placeNodes = () =>
    nodes.forEach(({ group, number }, v) => {
      const { x, y } = scene.points[v];
      const radius = drawnRadius(scene, v, scale);
      const shrink = radius / scene.radii[v];
      const font = discFont(number.textContent, radius * scale);
      number.setAttribute("font-size", (font / (scale * shrink)).toFixed(2));
      group.setAttribute("transform", `translate(${x.toFixed(2)},${y.toFixed(2)}) scale(${shrink.toFixed(3)})`);
    });
  const drawEach = (outer, inner, pathOf) => {
    const isInside = insideEgo(scene);
    styles.forEach((style, place) => {
      const links = scene.links.filter((link) => edgeStyle(link) === style);
      outer[place].setAttribute(
        "d",
        links
          .filter((link) => !isInside(link))
          .map(pathOf)
          .join(""),
      );
      inner[place].setAttribute("d", links.filter(isInside).map(pathOf).join(""));
    });
  };
  const drawHeads = () => {
    if (scene.graph.directed) drawEach(heads, insideHeads, (link) => arrowText(arrowhead(scene, link, scale)));
  };
  const drawEdges = () => {
    drawEach(edges, inside, (link) => linkText(scene, link));
    drawHeads();
    dashed.setAttribute("d", aromaticPath(scene));
  };
  return {
    root,
    camera(transform) {
      camera.setAttribute("transform", transform.toString());
      if (transform.k === scale) return;
      scale = transform.k;
      placeNodes();
      drawHeads();
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
    number: shape("text", { class: "number", "font-size": 0, dy: "0.35em" }, text),
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

/** Return the path of a link: one line per bond order. */
function linkText(scene, link) {
  const lines = Math.max(1, Math.floor(link.order ?? 1));
  let path = "";
  for (let i = 0; i < lines; i++) path += lineText(link, (i - (lines - 1) / 2) * 0.34 * scene.size);
  return path;
}

/** Return the path of the second, dashed lines of aromatic bonds. */
function aromaticPath(scene) {
  return scene.links
    .filter(({ order }) => order === 1.5)
    .map((link) => lineText(link, 0.34 * scene.size))
    .join("");
}

/** Return the three points of an arrowhead at the target's disc, at a zoom: one side, the tip, the other side. */
function arrowhead(scene, { source, target, width }, scale) {
  const length = Math.hypot(target.x - source.x, target.y - source.y) || 1;
  const [x, y] = [(target.x - source.x) / length, (target.y - source.y) / length];
  const size = Math.min(0.8 * scene.size, (ARROW + 2 * (width ?? 0)) / scale);
  const reach = drawnRadius(scene, target.index, scale) + 2 / scale;
  const tip = [target.x - reach * x, target.y - reach * y];
  const side = (turn) => [tip[0] - size * (x + 0.5 * turn * y), tip[1] - size * (y - 0.5 * turn * x)];
  return [side(1), tip, side(-1)];
}

/** Return an arrowhead as path text. */
function arrowText(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}`;
}

/** Return a link as path text, moved sideways. */
function lineText({ source, target }, aside) {
  const length = Math.hypot(target.x - source.x, target.y - source.y) || 1;
  const x = (-(target.y - source.y) / length) * aside,
    y = ((target.x - source.x) / length) * aside;
  return `M${(source.x + x).toFixed(1)},${(source.y + y).toFixed(1)}L${(target.x + x).toFixed(1)},${(target.y + y).toFixed(1)}`;
}
