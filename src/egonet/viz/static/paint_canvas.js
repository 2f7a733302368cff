// Draws a graph on a canvas, for graphs too large for one SVG element per node.

const EDGES_WHILE_MOVING = 6000;
const DISCS_WHILE_MOVING = 3000; // above this many nodes squares are drawn while the drawing moves
const REST = 160; // milliseconds after the last movement until everything is drawn again

/** Return a painter with the same methods as `svgPainter`. */
function canvasPainter(scene) {
  const root = element("canvas", { class: "drawing", "aria-hidden": "true" });
  const context = root.getContext("2d");
  let transform = d3.zoomIdentity,
    scheduled = false,
    moving = false,
    resting;
  const repaint = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      const ratio = moving ? 1 : window.devicePixelRatio || 1;
      const { clientWidth: width, clientHeight: height } = root;
      const size = [Math.round(width * ratio), Math.round(height * ratio)];
      if (root.width !== size[0] || root.height !== size[1]) [root.width, root.height] = size;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, root.width, root.height);
      paintScene(scene, context, transform, { css: getComputedStyle(root), ratio, width, height, moving });
    });
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  return {
    root,
    camera(next, byHand = false) {
      transform = next;
      if (byHand) {
        moving = true;
        clearTimeout(resting);
        resting = setTimeout(() => {
          moving = false;
          repaint();
        }, REST);
      }
      repaint();
    },
    move: repaint,
    paint: repaint,
  };
}

/** Draw edges, then nodes, at a zoom; while the drawing moves, a part of the edges and squares for nodes. */
function paintScene(scene, context, transform, { css, ratio, width, height, moving }) {
  context.setTransform(ratio * transform.k, 0, 0, ratio * transform.k, ratio * transform.x, ratio * transform.y);
  const known = new Map();
  const color = (name) => {
    if (!known.has(name)) known.set(name, css.getPropertyValue(name).trim());
    return known.get(name);
  };
  const margin = 2 * scene.size;
  const left = -transform.x / transform.k - margin,
    top = -transform.y / transform.k - margin;
  const right = left + width / transform.k + 2 * margin,
    bottom = top + height / transform.k + 2 * margin;
  const isVisible = ({ x, y }) => x >= left && x <= right && y >= top && y <= bottom;
  const isInside = insideEgo(scene);
  const faint = Math.max(0.06, Math.min(0.8, (1.8 * scene.points.length) / Math.max(1, scene.links.length)));
  const step = moving ? Math.ceil(scene.links.length / EDGES_WHILE_MOVING) : 1;
  const drawn = step > 1 ? scene.links.filter((_, i) => i % step === 0) : scene.links;
  const near = drawn.filter(({ source, target }) => isVisible(source) || isVisible(target));
  strokeLinks(
    context,
    scene.ego ? near.filter((link) => !isInside(link)) : near,
    color("--edge"),
    scene.ego ? faint / 3 : faint,
  );
  if (scene.ego) strokeLinks(context, near.filter(isInside), color("--edge-strong"), faint);
  const visible = scene.points.filter(isVisible).map(({ index }) => index);
  if (moving && visible.length > DISCS_WHILE_MOVING) return paintSquares(context, scene, visible, color);
  const [faded, others] = [[], []];
  for (const v of visible) (isFaded(scene, v) ? faded : others).push(v);
  const showText = transform.k * scene.size >= 9;
  context.globalAlpha = 0.18;
  paintDiscs(context, scene, faded, color, false);
  context.globalAlpha = 1;
  paintDiscs(context, scene, others, color, showText);
}

/** Stroke links as one path. */
function strokeLinks(context, links, color, alpha) {
  context.beginPath();
  for (const { source, target } of links) {
    context.moveTo(source.x, source.y);
    context.lineTo(target.x, target.y);
  }
  context.globalAlpha = alpha;
  context.strokeStyle = color;
  context.lineWidth = 0.8;
  context.stroke();
}

/** Return nodes by fill color: one path per color is much faster than one per node. */
function byFill(scene, nodes, color) {
  const fills = new Map();
  for (const v of nodes) {
    const look = scene.lookAt(v);
    const fill = look.fill ?? color(look.mark === "unknown" ? "--line" : "--panel");
    if (!fills.has(fill)) fills.set(fill, []);
    fills.get(fill).push(v);
  }
  return fills;
}

/** Draw nodes as squares, for speed. */
function paintSquares(context, scene, nodes, color) {
  const side = 1.7 * scene.size;
  context.globalAlpha = 1;
  for (const [fill, members] of byFill(scene, nodes, color)) {
    context.fillStyle = fill;
    for (const v of members) context.fillRect(scene.points[v].x - side / 2, scene.points[v].y - side / 2, side, side);
  }
}

/** Draw nodes as discs with marks, halos of the selected ones, and ids if they fit. */
function paintDiscs(context, scene, nodes, color, showText) {
  const arc = (v, radius) => {
    const { x, y } = scene.points[v];
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };
  for (const [fill, members] of byFill(scene, nodes, color)) {
    context.beginPath();
    for (const v of members) arc(v, scene.size);
    context.fillStyle = fill;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = fill === color("--panel") ? color("--muted") : color("--panel");
    context.stroke();
  }
  for (const v of nodes) {
    const look = scene.lookAt(v);
    if (scene.selected === v || isTwin(scene, v)) {
      context.beginPath();
      arc(v, scene.size + 4);
      context.lineWidth = scene.selected === v ? 2.5 : 0.8;
      context.strokeStyle = color("--accent");
      context.stroke();
    }
    if (look.mark === "ringed" || look.mark === "dotted") {
      context.beginPath();
      arc(v, look.mark === "ringed" ? scene.size * 0.62 : scene.size * 0.25);
      context.lineWidth = 1.2;
      context.strokeStyle = context.fillStyle = look.ink;
      if (look.mark === "ringed") context.stroke();
      else context.fill();
    }
    const text = showText ? discText(scene.graph, v) : "";
    if (!text) continue;
    context.font = `600 ${numberSize(scene.size, text.length)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = look.ink ?? color("--text");
    context.fillText(text, scene.points[v].x, scene.points[v].y);
  }
}
