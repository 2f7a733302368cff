// Saves what is shown: the drawing as SVG or PNG, the nodes as CSV.

/** Connect the save menu of a graph. */
function saveButtons(view, side) {
  const save = {
    SVG: () => offer(new Blob([sceneSvg(view.scene)], { type: "image/svg+xml" }), "graph.svg"),
    PNG: () => scenePng(view.scene, (blob) => offer(blob, "graph.png")),
    CSV: () => offer(new Blob([nodesCsv(side)], { type: "text/csv" }), "nodes.csv"),
  };
  const hints = { SVG: "Save the drawing as SVG", PNG: "Save the drawing as PNG", CSV: "Save the shown nodes as CSV" };
  return Object.entries(save).map(([name, click]) =>
    element("button", { type: "button", class: "fit", title: hints[name], "aria-label": hints[name], click }, name),
  );
}

/** Offer a file for download. */
function offer(blob, name) {
  const link = document.createElement("a");
  link.setAttribute("download", name);
  const address = URL.createObjectURL(blob);
  link.setAttribute("href", address);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Return the drawing as the text of an SVG file, in the colors of the page. */
function sceneSvg(scene) {
  const css = getComputedStyle(document.documentElement);
  const color = (name) => css.getPropertyValue(name).trim();
  const { left, top, width, height } = sceneBox(scene);
  const lines = scene.links.map(
    ({ source, target, width, kind }) =>
      `<line x1="${source.x.toFixed(1)}" y1="${source.y.toFixed(1)}" x2="${target.x.toFixed(1)}" y2="${target.y.toFixed(1)}"${width ? ` stroke-width="${0.8 * WIDENING[width]}"` : ""}${kind ? ` stroke="${color(`--kind${kind}`)}" stroke-dasharray="${DASHES[kind].join(" ")}"` : ""}/>`,
  );
  const heads = scene.graph.directed ? scene.links.map((link) => arrowText(arrowhead(scene, link, 1))) : [];
  const discs = scene.points.map((point, v) => {
    const fill = scene.lookAt(v).fill ?? color("--panel");
    const title = scene.graph.names[v].replace(/[&<>]/g, (mark) => `&#${mark.codePointAt(0)};`);
    return `<circle cx="${point.x.toFixed(1)}" cy="${point.y.toFixed(1)}" r="${scene.radii[v].toFixed(1)}" fill="${fill}"><title>${title}</title></circle>`;
  });
  return (
    `<svg xmlns="${SVG}" viewBox="${left.toFixed(1)} ${top.toFixed(1)} ${width.toFixed(1)} ${height.toFixed(1)}">` +
    `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="100%" height="100%" fill="${color("--panel")}"/>` +
    `<g stroke="${color("--edge")}" stroke-width="0.8" stroke-opacity="0.7">${lines.join("")}</g>` +
    (heads.length
      ? `<path d="${heads.join("")}" fill="none" stroke="${color("--edge-strong")}" stroke-width="0.8"/>`
      : "") +
    `<g stroke="${color("--edge-strong")}" stroke-width="0.6">${discs.join("")}</g></svg>`
  );
}

/** Return the rectangle that contains the drawing. */
function sceneBox(scene) {
  const margin = 2 * scene.size;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of scene.points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (!scene.points.length) [left, right, top, bottom] = [0, 0, 0, 0];
  return {
    left: left - margin,
    top: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  };
}

/** Paint the whole drawing on a canvas of 1,600 pixels and hand its PNG to a function. */
function scenePng(scene, use) {
  const { left, top, width, height } = sceneBox(scene);
  const scale = 1600 / Math.max(width, height);
  const canvas = element("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  const context = canvas.getContext("2d");
  const css = getComputedStyle(document.documentElement);
  context.fillStyle = css.getPropertyValue("--panel").trim();
  context.fillRect(0, 0, canvas.width, canvas.height);
  const transform = { k: scale, x: -left * scale, y: -top * scale };
  paintScene(scene, context, transform, { css, ratio: 1, width: canvas.width, height: canvas.height, moving: false });
  canvas.toBlob(use, "image/png");
}

/** Return the shown nodes as CSV: those of the selected ego-network or group if there is one, otherwise all. */
function nodesCsv(side) {
  const { scene } = views[side];
  const graph = graphs[side];
  const cell = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const head = ["id", "degree", "class", ...colorings.map(({ name }) => name).filter((name) => name !== "degree")];
  const rows = scene.points
    .map((_, v) => v)
    .filter((v) => !isFaded(scene, v))
    .map((v) => {
      const row = graph.rows[v];
      const number = current.classes[side][v];
      const values = colorings.filter(({ name }) => name !== "degree").map((coloring) => coloring.text(side, row));
      const degree = graph.whole.indptr[row + 1] - graph.whole.indptr[row];
      return [graph.names[v], String(degree), number === UNKNOWN ? "" : String(number), ...values].map(cell).join(",");
    });
  return `${[head.map(cell).join(","), ...rows].join("\r\n")}\r\n`;
}
