// One graph on the page: its drawing, pointer and keyboard.

const SVG_LIMIT = 300;
const SYMBOL_LENGTH = 3; // longer ids do not fit into a disc
const MAX_FIT_RADIUS = 22; // a node is drawn with at most this radius in pixels when the drawing is fitted
const REVEALED = 12; // a selected node at least this many pixels inside the frame stays where it is
const DRAGGED_RADIUS = 5; // smaller nodes, in pixels, are not dragged
const SETTLE_LIMIT = 12_000; // the layout of a large graph stops after this many milliseconds
const WIDE = window.matchMedia("(min-width: 900px)"); // the graph is next to the panels, as in style.css
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return the view of a graph in a frame; choose(node or null) is called on selection. */
function graphView(graph, frame, choose) {
  const layout = forceLayout(graph);
  const scene = {
    ...layout,
    graph,
    allLinks: layout.links,
    groups: [],
    lookAt: () => NO_LOOK,
    selected: null,
    ego: null,
    shownGroup: null,
    twinClass: null,
    time: Infinity,
    shownEdges: null,
  };
  const painter = graph.numNodes <= SVG_LIMIT ? svgPainter(scene) : canvasPainter(scene);
  const tip = element("div", { class: "tip", hidden: true });
  const names = nameLayer(scene);
  frame.append(painter.root, names.root, tip);
  const camera = cameraOf(frame, scene, painter, names);
  followPointer(frame, scene, painter, camera, tip, choose);
  followKeys(frame, scene, camera, choose);
  painter.move();
  if (graph.numNodes > SVG_LIMIT && !graph.whole.positions) settle(scene, painter, camera);
  return {
    scene,
    painter: graph.numNodes <= SVG_LIMIT ? "svg" : "canvas",
    durations: painter.durations ?? [],
    fit: camera.fit,
    reveal: (v) => camera.reveal(scene.points[v]),
    show(state) {
      Object.assign(scene, state);
      const { times } = graph.whole;
      const isKnown = (place) => !times || times[graph.places[place]] <= scene.time;
      scene.links =
        times || scene.shownEdges
          ? scene.allLinks.filter((link, i) => isKnown(i) && isShownEdge(link, scene.shownEdges))
          : scene.allLinks;
      painter.paint();
      names.show();
    },
  };
}

/** Continue the layout of a large graph between frames, for the duration of a frame, so that the page responds. */
function settle(scene, painter, camera) {
  const until = performance.now() + SETTLE_LIMIT;
  const isDone = () => scene.simulation.alpha() <= 0.02 || performance.now() > until;
  let shown = performance.now();
  const step = () => {
    const began = performance.now();
    const share = prefersReducedMotion() ? Infinity : Math.min(120, Math.max(20, began - shown));
    while (!isDone() && performance.now() - began < share) scene.simulation.tick();
    shown = performance.now();
    painter.move();
    camera.fitUnlessMoved();
    if (!isDone()) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Return the zoom of a frame: fit() shows the whole graph, at() turns a pointer into a node. */
function cameraOf(frame, scene, painter, names) {
  let transform = d3.zoomIdentity,
    moved = false;
  const zoom = d3
    .zoom()
    .filter((event) => !event.button && (event.type !== "wheel" || event.ctrlKey || WIDE.matches))
    .on("zoom", (event) => {
      transform = event.transform;
      moved ||= event.sourceEvent !== null;
      painter.camera(transform, event.sourceEvent !== null);
      names.show(transform);
    });
  const target = d3.select(frame).call(zoom).on("dblclick.zoom", null);
  const fit = () => {
    moved = false;
    const all = fitting(scene, frame);
    zoom.scaleExtent([all.k / 2, Math.max(12, all.k)]); // zooming out further leaves nothing to see
    target.call(zoom.transform, all);
  };
  const fitUnlessMoved = () => moved || fit();
  new ResizeObserver(fitUnlessMoved).observe(frame);
  fit();
  return {
    fit,
    fitUnlessMoved,
    /** Move a point that is outside the frame, or at its edge, to the middle. */
    reveal({ x, y }) {
      const [left, top] = transform.apply([x, y]);
      const { clientWidth: width, clientHeight: height } = frame;
      const isIn = left > REVEALED && left < width - REVEALED && top > REVEALED && top < height - REVEALED;
      if (!isIn && width && height) target.call(zoom.translateTo, x, y);
    },
    scaleBy: (factor) => target.call(zoom.scaleBy, factor),
    place: (point) => [transform.applyX(point.x), transform.applyY(point.y)],
    at(x, y) {
      const reach = Math.max(scene.size, 12 / transform.k) + 2;
      return nearest(scene.points, transform.invertX(x), transform.invertY(y), reach);
    },
    scale: () => transform.k,
    moved: () => names.show(),
  };
}

/** Return the zoom transform that shows every node with a margin. */
function fitting(scene, frame) {
  const { clientWidth: width, clientHeight: height } = frame;
  if (!scene.points.length || !width || !height) return d3.zoomIdentity;
  const box = sceneBox(scene);
  const scale = Math.min(width / box.width, height / box.height, MAX_FIT_RADIUS / scene.size);
  return d3.zoomIdentity
    .translate(width / 2, height / 2)
    .scale(scale)
    .translate(-(box.left + box.width / 2), -(box.top + box.height / 2));
}

/** Return the index of the point nearest to a position, or null if none is within reach. */
function nearest(points, x, y, reach) {
  let best = null,
    least = reach;
  points.forEach((point, index) => {
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance <= least) [best, least] = [index, distance];
  });
  return best;
}

/** Handle the pointer: select, show a tooltip, drag. */
function followPointer(frame, scene, painter, camera, tip, choose) {
  const spot = (event) => {
    const box = frame.getBoundingClientRect();
    return camera.at(event.clientX - box.left, event.clientY - box.top);
  };
  frame.addEventListener("click", (event) => choose(spot(event)));
  frame.addEventListener("pointerleave", () => (tip.hidden = true));
  frame.addEventListener("pointermove", (event) => {
    const node = event.buttons ? null : spot(event);
    frame.classList.toggle("over", node !== null);
    tip.hidden = node === null;
    if (node === null) return;
    tip.textContent = tipText(scene.graph, node);
    placeTip(
      tip,
      frame,
      camera.place(scene.points[node]),
      drawnRadius(scene, node, camera.scale()) * camera.scale() + 8,
    );
  });
  const drag = d3
    .drag()
    .container(frame)
    .subject((event) => {
      const node = spot(event.sourceEvent);
      // Where nodes are small, dragging moves the drawing: nearly every point would be near some node.
      return node === null || drawnRadius(scene, node, camera.scale()) * camera.scale() < DRAGGED_RADIUS
        ? null
        : { node, x: 0, y: 0 };
    })
    .on("drag", (event) => {
      const point = scene.points[event.subject.node];
      point.x += event.dx / camera.scale();
      point.y += event.dy / camera.scale();
      tip.hidden = true;
      painter.move();
      camera.moved();
    });
  d3.select(frame).call(drag);
}

/** Put the tooltip above a node, or below it at the top of the frame, and within the sides. */
function placeTip(tip, frame, [x, y], distance) {
  const half = tip.offsetWidth / 2 + 4;
  const above = y - distance >= tip.offsetHeight + 4;
  tip.classList.toggle("below", !above);
  tip.style.left = `${Math.max(half, Math.min(x, frame.clientWidth - half))}px`;
  tip.style.top = `${above ? y - distance : y + distance}px`;
}

/** Handle the keyboard: move from node to node, zoom, fit. */
function followKeys(frame, scene, camera, choose) {
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS) choose(stepFrom(scene, ARROWS[event.key]));
    else if (event.key === "+" || event.key === "=") camera.scaleBy(1.3);
    else if (event.key === "-") camera.scaleBy(1 / 1.3);
    else if (event.key === "f") camera.fit();
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  });
}

/** Return the closest node in a direction; sideways distance costs more. */
function stepFrom(scene, [dx, dy]) {
  if (scene.selected === null) return scene.points.length ? 0 : null;
  const from = scene.points[scene.selected];
  let best = scene.selected,
    least = Infinity;
  scene.points.forEach((point, index) => {
    const x = point.x - from.x,
      y = point.y - from.y;
    const along = x * dx + y * dy,
      aside = Math.abs(x * dy) + Math.abs(y * dx);
    const cost = along + 2.5 * aside;
    if (along > 1e-6 && cost < least) [best, least] = [index, cost];
  });
  return best;
}
