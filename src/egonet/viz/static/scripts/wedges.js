// The ego-network of a hub: rings divided into wedges, sized by number of nodes and colored by degree.

const WEDGES_FROM = 120; // above this many nodes discs would overlap
const WEDGE_NODES_LISTED = 60;

/** Return the drawing of a large ego-network, and a function that highlights one key of it. */
function wedgesFigure(graph, found, options, choose) {
  const most = Math.max(...found.map(({ distance }) => distance));
  const rings = Array.from({ length: most + 1 }, () => new Map());
  for (const entry of found) {
    const bin = degreeBin(entry.key, options);
    if (!rings[entry.distance].has(bin)) rings[entry.distance].set(bin, []);
    rings[entry.distance].get(bin).push(entry);
  }
  const lastBin = Math.max(...rings.flatMap((ring) => [...ring.keys()]));
  const list = element("div", { class: "wedge-nodes", role: "status" });
  const wedges = rings.slice(1).flatMap((ring, i) => ringWedges(graph, ring, i + 1, { most, lastBin, list, choose }));
  const step = EXTENT / (most + 0.35);
  const center = shape("circle", { class: "wedge-root", r: step * 0.3 });
  const figure = shape(
    "svg",
    {
      class: "rings wedges",
      role: "group",
      viewBox: `${-EXTENT - 8} ${-EXTENT - 8} ${2 * EXTENT + 16} ${2 * EXTENT + 16}`,
      "aria-label": `Ego-network of ${grouped(found.length)} nodes on ${most} rings; wedges are groups of equal degree range`,
    },
    ...wedges.map(({ path }) => path),
    ...wedges.flatMap(({ label }) => label),
    center,
  );
  const highlight = (key) => {
    figure.classList.toggle("picking", key !== null);
    for (const { path, distance, bin } of wedges)
      path.classList.toggle("picked", key !== null && distance === hopsOf(key) && bin === degreeBin(key, options));
  };
  const inside = new Set(found.map(({ node }) => node));
  const titles = rings.slice(1).map((ring, i) => {
    const count = [...ring.values()].reduce((sum, entries) => sum + entries.length, 0);
    return `${counted(count, "node", "nodes")} at distance ${i + 1}`;
  });
  const caption = element(
    "p",
    { class: "hint" },
    `${titles.join(", ")}. A wedge is a range of degrees inside, as wide as it has nodes. Select a wedge to list its nodes.`,
  );
  return { figure: element("div", {}, figure, caption, list), highlight, has: (node) => inside.has(node) };
}

/** Return the log bin of the degree of a key: 0, 1, 2 for 2–3, 3 for 4–7, ... */
function degreeBin(key, options) {
  const degree = key.slice(1, 1 + FIELDS[options.degrees].length).reduce((sum, field) => sum + field, 0);
  return degree === 0 ? 0 : 32 - Math.clz32(degree);
}

/** Return a range of degrees as text: 4–7. */
function binText(bin) {
  return bin < 2 ? String(bin) : `${2 ** (bin - 1)}–${2 ** bin - 1}`;
}

/** Return the wedges of one ring, lowest degrees first. */
function ringWedges(graph, ring, distance, { most, lastBin, list, choose }) {
  const step = EXTENT / (most + 0.35);
  const inner = step * (distance - 0.6) + 1,
    outer = step * (distance + 0.35);
  const bins = [...ring.keys()].sort((a, b) => a - b);
  const total = bins.reduce((sum, bin) => sum + ring.get(bin).length, 0);
  let angle = -Math.PI / 2;
  return bins.map((bin) => {
    const entries = ring.get(bin);
    const end = angle + (2 * Math.PI * entries.length) / total;
    const text = `distance ${distance}, degree ${binText(bin)}: ${counted(entries.length, "node", "nodes")}`;
    const path = shape(
      "path",
      { class: "wedge", d: wedgePath(inner, outer, angle, end), tabindex: "0", role: "button", "aria-label": text },
      shape("title", {}, text),
    );
    path.style.fill = scaleColor(bin / Math.max(1, lastBin));
    const open = () => list.replaceChildren(...wedgeList(graph, entries, text, choose));
    path.addEventListener("click", open);
    path.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      open();
    });
    const middle = (angle + end) / 2,
      radius = (inner + outer) / 2;
    const wide = (end - angle) * radius > 7 * binText(bin).length;
    const place = { x: (radius * Math.cos(middle)).toFixed(1), y: (radius * Math.sin(middle)).toFixed(1) };
    const label = wide ? [shape("text", { class: "wedge-label", ...place, dy: "0.35em" }, binText(bin))] : [];
    if (bin / Math.max(1, lastBin) > 0.5) for (const each of label) each.classList.add("on-light");
    angle = end;
    return { path, label, distance, bin };
  });
}

/** Return the outline of a wedge; a whole ring is two circles. */
function wedgePath(inner, outer, start, end) {
  const point = (r, turn) => `${(r * Math.cos(turn)).toFixed(2)},${(r * Math.sin(turn)).toFixed(2)}`;
  if (end - start > 2 * Math.PI - 1e-9) {
    const circle = (r, sweep) =>
      `M${point(r, 0)}A${r},${r} 0 1 ${sweep} ${point(r, Math.PI)}A${r},${r} 0 1 ${sweep} ${point(r, 0)}Z`;
    return circle(outer, 1) + circle(inner, 0);
  }
  const large = end - start > Math.PI ? 1 : 0;
  return `M${point(outer, start)}A${outer},${outer} 0 ${large} 1 ${point(outer, end)}L${point(inner, end)}A${inner},${inner} 0 ${large} 0 ${point(inner, start)}Z`;
}

/** Return the nodes of a wedge as buttons. */
function wedgeList(graph, entries, text, choose) {
  const shown = entries
    .slice(0, WEDGE_NODES_LISTED)
    .map(({ node }) =>
      element(
        "li",
        {},
        element("button", { type: "button", class: "chip", click: () => choose(node) }, clipped(graph.names[node], 24)),
      ),
    );
  const more = entries.length - shown.length;
  return [
    element("h3", {}, text),
    element("ul", { class: "chips" }, ...shown),
    ...(more > 0 ? [element("p", { class: "hint" }, `and ${grouped(more)} more.`)] : []),
  ];
}
