// Draws a graph on a canvas, for graphs too large for one SVG element per node.

/** Return a painter with the same methods as `svgPainter`. */
function canvasPainter(scene) {
  const root = element("canvas", { class: "drawing", "aria-hidden": "true" });
  const context = root.getContext("2d");
  let transform = d3.zoomIdentity;
  let scheduled = false;
  const repaint = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      paintCanvas(scene, root, context, transform);
    });
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  return {
    root,
    camera(next) {
      transform = next;
      repaint();
    },
    move: repaint,
    paint: repaint,
  };
}

/** Clear the canvas and draw edges, then nodes, at the current zoom. */
function paintCanvas(scene, canvas, context, transform) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio * transform.k, 0, 0, ratio * transform.k, ratio * transform.x, ratio * transform.y);
  const css = getComputedStyle(canvas);
  const color = (name) => css.getPropertyValue(name).trim();
  const isInside = insideEgo(scene);
  const faint = Math.max(0.12, Math.min(0.8, (1.8 * scene.points.length) / Math.max(1, scene.links.length)));
  strokeLinks(context, scene, (link) => !isInside(link), color("--edge"), scene.ego ? faint / 3 : faint);
  strokeLinks(context, scene, isInside, color("--edge-strong"), faint);
  const showNumbers = transform.k * scene.size >= 7;
  const order = scene.points.map((_, v) => v).sort((a, b) => isFaded(scene, b) - isFaded(scene, a) || a - b);
  for (const v of order) paintNode(context, scene, v, color, showNumbers);
}

/** Stroke the links that pass a test as one path. */
function strokeLinks(context, scene, passes, color, alpha) {
  context.beginPath();
  for (const link of scene.links) {
    if (!passes(link)) continue;
    context.moveTo(link.source.x, link.source.y);
    context.lineTo(link.target.x, link.target.y);
  }
  context.globalAlpha = alpha;
  context.strokeStyle = color;
  context.lineWidth = 0.8;
  context.stroke();
}

/** Draw one node: disc, mark, halo if selected, and its class number if it fits. */
function paintNode(context, scene, v, color, showNumber) {
  const { x, y } = scene.points[v];
  const look = lookOf(scene.looks, scene.classes[v]);
  const disc = (radius) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };
  context.globalAlpha = isFaded(scene, v) ? 0.18 : 1;
  if (scene.selected === v || isTwin(scene, v)) {
    disc(scene.size + 4);
    context.lineWidth = scene.selected === v ? 2.5 : 0.8;
    context.strokeStyle = color("--accent");
    context.stroke();
  }
  disc(scene.size);
  context.fillStyle = look.fill ?? color(look.mark === "unknown" ? "--line" : "--panel");
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = look.fill ? color("--panel") : color("--muted");
  if (look.mark !== "unknown") context.stroke();
  if (look.mark === "ringed" || look.mark === "dotted") {
    disc(look.mark === "ringed" ? scene.size * 0.62 : scene.size * 0.25);
    context.lineWidth = 1.2;
    context.strokeStyle = context.fillStyle = look.ink;
    if (look.mark === "ringed") context.stroke();
    else context.fill();
  }
  if (!showNumber || look.mark === "unknown") return;
  context.font = `600 ${numberSize(scene.size, String(look.number).length)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = look.ink ?? color("--text");
  context.fillText(look.number, x, y);
}
