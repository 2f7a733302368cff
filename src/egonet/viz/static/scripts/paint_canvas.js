// Draws a graph on a canvas, for graphs too large for one SVG element per node.

const EDGES_WHILE_MOVING = 6000;
const DISCS_WHILE_MOVING = 3000; // above this many nodes squares are drawn while the drawing moves
const REST = 160; // milliseconds after the last movement until everything is drawn again
const MARGIN = 0.25; // the bitmap reaches beyond the frame by this share of its sides
const BLURRED = 2.5; // the bitmap is shown at most this much larger or smaller than it was drawn
const LINES_PER_PATH = 2000; // the time of one path grows faster than its number of lines
const LINKS_MEASURED = 500; // the mean length is taken of at most this many links
const SMALLEST = 1.5; // nodes have at least this radius in pixels
const FRAMES_KEPT = 300;
const WIDENING = [1, 1.6, 2.4, 3.6]; // how much wider links of larger weights are drawn

/** Return a painter with the same methods as `svgPainter`. The graph is drawn on a bitmap, which follows the camera. */
function canvasPainter(scene) {
  const root = element("canvas", { class: "drawing", "aria-hidden": "true" });
  const still = { canvas: element("canvas"), at: null, ratio: 1 };
  const durations = [];
  const isLight = () => scene.links.length <= EDGES_WHILE_MOVING && scene.points.length <= DISCS_WHILE_MOVING;
  let transform = d3.zoomIdentity,
    scheduled = false,
    moving = false,
    resting;
  const repaint = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      const began = performance.now();
      if (!still.at || !isCovered(scene, root, still, transform))
        drawStill(scene, root, still, transform, moving && !isLight());
      showStill(root, still, transform);
      if (durations.push(performance.now() - began) > FRAMES_KEPT) durations.shift();
    });
  };
  const outdate = () => {
    still.at = null;
    repaint();
  };
  const moveFor = (milliseconds) => {
    moving = true;
    clearTimeout(resting);
    resting = setTimeout(() => {
      moving = false;
      outdate();
    }, milliseconds);
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", outdate);
  return {
    root,
    durations,
    camera(next, byHand = false) {
      transform = next;
      if (!byHand) return outdate();
      moveFor(REST);
      if (isLight()) outdate();
      else repaint();
    },
    move() {
      if (!isLight()) moveFor(REST);
      outdate();
    },
    paint: outdate,
  };
}

/** Draw the graph on the bitmap, at a zoom; quickly while it moves. */
function drawStill(scene, root, still, transform, moving) {
  const { clientWidth, clientHeight } = root;
  const ratio = moving ? 1 : window.devicePixelRatio || 1;
  const [left, top] = [MARGIN * clientWidth, MARGIN * clientHeight];
  const [width, height] = [clientWidth + 2 * left, clientHeight + 2 * top];
  const size = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (still.canvas.width !== size[0] || still.canvas.height !== size[1])
    [still.canvas.width, still.canvas.height] = size;
  const context = still.canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, ...size);
  const shifted = { k: transform.k, x: transform.x + left, y: transform.y + top };
  paintScene(scene, context, shifted, { css: getComputedStyle(root), ratio, width, height, moving });
  Object.assign(still, { at: transform, ratio, left, top, width, height });
}

/** Show the bitmap where the camera wants it. */
function showStill(root, still, transform) {
  const ratio = window.devicePixelRatio || 1;
  const size = [Math.round(root.clientWidth * ratio), Math.round(root.clientHeight * ratio)];
  if (root.width !== size[0] || root.height !== size[1]) [root.width, root.height] = size;
  const context = root.getContext("2d");
  const scale = transform.k / still.at.k;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, ...size);
  if (!size[0] || !size[1]) return;
  const x = transform.x - scale * (still.at.x + still.left),
    y = transform.y - scale * (still.at.y + still.top);
  context.drawImage(still.canvas, ratio * x, ratio * y, ratio * scale * still.width, ratio * scale * still.height);
}

/** Return whether the bitmap has everything that is in the frame, and is not too blurred. */
function isCovered(scene, root, still, transform) {
  const { at } = still;
  const scale = transform.k / at.k;
  if (scale > BLURRED || scale < 1 / BLURRED) return false;
  const box = sceneBox(scene);
  const clamp = (value, low, size) => Math.min(Math.max(value, low), low + size);
  const inverse = (place, origin) => (place - origin) / transform.k;
  const left = clamp(inverse(0, transform.x), box.left, box.width) * at.k + at.x,
    right = clamp(inverse(root.clientWidth, transform.x), box.left, box.width) * at.k + at.x,
    top = clamp(inverse(0, transform.y), box.top, box.height) * at.k + at.y,
    bottom = clamp(inverse(root.clientHeight, transform.y), box.top, box.height) * at.k + at.y;
  const [beyondX, beyondY] = [still.width - still.left, still.height - still.top];
  return left >= -still.left - 1 && right <= beyondX + 1 && top >= -still.top - 1 && bottom <= beyondY + 1;
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
  const step = moving ? Math.ceil(scene.links.length / EDGES_WHILE_MOVING) : 1;
  const drawn = step > 1 ? scene.links.filter((_, i) => i % step === 0) : scene.links;
  const near = drawn.filter(({ source, target }) => isVisible(source) || isVisible(target));
  paintLinks(context, scene, near, color, ratio * transform.k);
  const visible = scene.points.filter(isVisible).map(({ index }) => index);
  const paint = moving && visible.length > DISCS_WHILE_MOVING ? paintSquares : paintDiscs;
  const [faded, others] = [[], []];
  for (const v of visible) (isFaded(scene, v) ? faded : others).push(v);
  context.globalAlpha = 0.18;
  paint(context, scene, faded, color, transform.k, false);
  context.globalAlpha = 1;
  paint(context, scene, others, color, transform.k, true);
}

/** Draw the links: those outside the selected ego-network, inside it, and of the selected node itself. */
function paintLinks(context, scene, near, color, scale) {
  const faint = linkOpacity(scene, scale);
  const isInside = insideEgo(scene);
  const isOwn = ({ source, target }) => source.index === scene.selected || target.index === scene.selected;
  const [outside, inside, own] = [[], [], []];
  for (const link of near) (isOwn(link) ? own : isInside(link) ? inside : outside).push(link);
  const focused = scene.ego !== null || scene.shownGroup !== null;
  const arrows = scene.graph.directed && scale * scene.size >= ARROWS_FROM ? scene : null;
  const ofKind = (plain) => (kind) => color(kind ? `--kind${kind}` : plain);
  strokeLinks(context, outside, ofKind("--edge"), focused ? faint / 3 : faint, scale, arrows);
  strokeLinks(context, inside, ofKind("--edge-strong"), Math.min(faint, 0.05 + 150 / inside.length), scale, arrows);
  const ownAlpha = Math.max(0.25, Math.min(0.9, 12 / Math.sqrt(own.length)));
  strokeLinks(context, own, ofKind("--accent"), ownAlpha, scale, arrows);
}

/** Return how wide links are drawn: many of them at most one pixel, which is drawn ten times as fast. */
function linkWidth(count, scale) {
  return count > LINES_PER_PATH ? Math.min(Math.max(0.8, 0.7 / scale), 1 / scale) : Math.min(0.8, 1.6 / scale);
}

/** Return an opacity at which the links do not cover the drawing: lower the more of its area they would cover. */
function linkOpacity(scene, scale) {
  const count = scene.links.length;
  if (!count) return 0.8;
  const step = Math.ceil(count / LINKS_MEASURED);
  const some = scene.links.filter((_, i) => i % step === 0);
  const length = some.reduce(
    (sum, { source, target }) => sum + Math.hypot(source.x - target.x, source.y - target.y),
    0,
  );
  const { width, height } = sceneBox(scene);
  const layers = ((count * length) / some.length) * (linkWidth(count, scale) / (width * height));
  return Math.max(0.025, Math.min(0.8, 0.75 * Math.sqrt(scene.points.length / count), 1.3 / layers));
}

/** Stroke links, those of one width and type together; `colorOf` is the color of a type. */
function strokeLinks(context, links, colorOf, alpha, scale, arrows) {
  const byStyle = new Map();
  for (const link of links) {
    const style = 10 * link.width + link.kind;
    if (!byStyle.has(style)) byStyle.set(style, []);
    byStyle.get(style).push(link);
  }
  for (const [style, some] of byStyle) {
    const kind = style % 10;
    // Dashes of thousands of lines take longer than a frame.
    if (links.length <= LINES_PER_PATH) context.setLineDash(DASHES[kind].map((length) => length / scale));
    strokeWidth(context, some, colorOf(kind), alpha, scale, arrows, WIDENING[Math.floor(style / 10)]);
    context.setLineDash([]);
  }
}

/** Stroke links of one width, with the arrowheads of a scene if it is given; several paths, since one takes much longer. */
function strokeWidth(context, links, color, alpha, scale, arrows, widening) {
  context.globalAlpha = alpha;
  context.strokeStyle = color;
  context.lineWidth = widening * linkWidth(links.length, scale);
  for (let start = 0; start < links.length; start += LINES_PER_PATH) {
    context.beginPath();
    for (const link of links.slice(start, start + LINES_PER_PATH)) {
      context.moveTo(link.source.x, link.source.y);
      context.lineTo(link.target.x, link.target.y);
    }
    context.stroke();
  }
  if (arrows) strokeHeads(context, links, arrows, scale);
}

/** Stroke arrowheads: never dashed, and less transparent than lines, which are longer. */
function strokeHeads(context, links, scene, scale) {
  context.setLineDash([]);
  context.globalAlpha = Math.min(1, 2 * context.globalAlpha);
  context.lineWidth = Math.min(context.lineWidth, 2 / scale);
  for (let start = 0; start < links.length; start += LINES_PER_PATH) {
    context.beginPath();
    for (const link of links.slice(start, start + LINES_PER_PATH)) {
      const [side, tip, other] = arrowhead(scene, link, scale);
      context.moveTo(...side);
      context.lineTo(...tip);
      context.lineTo(...other);
    }
    context.stroke();
  }
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
function paintSquares(context, scene, nodes, color, scale) {
  for (const [fill, members] of byFill(scene, nodes, color)) {
    context.fillStyle = fill;
    for (const v of members) {
      const half = 0.85 * Math.max(drawnRadius(scene, v, scale), SMALLEST / scale);
      context.fillRect(scene.points[v].x - half, scene.points[v].y - half, 2 * half, 2 * half);
    }
  }
}

/** Draw nodes as discs with marks, halos of the selected ones, and ids if they fit. */
function paintDiscs(context, scene, nodes, color, scale, showText) {
  for (const [fill, members] of byFill(scene, nodes, color)) {
    context.fillStyle = fill;
    context.lineWidth = Math.min(1, 0.5 / scale);
    context.strokeStyle = fill === color("--panel") ? color("--muted") : color("--panel");
    for (let start = 0; start < members.length; start += LINES_PER_PATH / 10) {
      context.beginPath();
      for (const v of members.slice(start, start + LINES_PER_PATH / 10))
        addCircle(context, scene, v, Math.max(drawnRadius(scene, v, scale), SMALLEST / scale));
      context.fill();
      context.stroke();
    }
  }
  for (const v of nodes) {
    const look = scene.lookAt(v),
      radius = drawnRadius(scene, v, scale);
    if (isTwin(scene, v) && scene.selected !== v)
      strokeCircle(context, scene, v, radius + Math.min(4, 4 / scale), Math.min(0.8, 1.6 / scale), color("--accent"));
    if (!showText || radius * scale < SMALLEST_NAMED) continue;
    const text = discText(scene.graph, v);
    const font = discFont(text, radius * scale);
    if (!font) continue;
    context.font = `600 ${font / scale}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = look.ink ?? color("--text");
    context.fillText(text, scene.points[v].x, scene.points[v].y);
  }
  if (!nodes.includes(scene.selected)) return;
  const around = drawnRadius(scene, scene.selected, scale) + 5 / scale;
  strokeCircle(context, scene, scene.selected, around, 6 / scale, color("--panel"));
  strokeCircle(context, scene, scene.selected, around, 3 / scale, color("--accent"));
}

/** Add a circle around a node to the path. */
function addCircle(context, scene, v, radius) {
  const { x, y } = scene.points[v];
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Draw a circle around a node. */
function strokeCircle(context, scene, v, radius, width, color) {
  context.beginPath();
  addCircle(context, scene, v, radius);
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
}
