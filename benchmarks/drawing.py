"""Frames per second of the explorer's drawing: python -m benchmarks.drawing [--output FILE].

Opens a page in Chromium without a GPU, waits until the layout has stopped, pans and zooms for three seconds each, and
writes one JSON line per graph: frames per second, milliseconds between frames, and the CPU milliseconds that the page
spends on drawing a frame. With a GPU and on an idle machine drawing is faster.
"""

import argparse
import json
import os
import statistics
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import egonet
from benchmarks.graphs import BenchmarkGraph, barabasi_albert, facebook

SECONDS = 3
SETTLED = 14_000  # milliseconds; the layout stops after twelve seconds
MOVE = """async ([kind, seconds]) => {
    const frame = document.querySelector(".frame");
    const box = frame.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const mouse = (type, dx, dy) => new MouseEvent(type, { bubbles: true, cancelable: true, view: window,
        clientX: x + dx, clientY: y + dy, buttons: type === "mouseup" ? 0 : 1 });
    const wheel = (deltaY) =>
        new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: x, clientY: y, deltaY });
    const gaps = [];
    if (kind === "pan") frame.dispatchEvent(mouse("mousedown", 0, 0));
    const began = performance.now();
    for (let i = 0, last = null; performance.now() - began < 1000 * seconds; i++) {
        const now = await new Promise((resolve) => requestAnimationFrame(resolve));
        if (last !== null) gaps.push(now - last);
        last = now;
        if (kind === "pan") window.dispatchEvent(mouse("mousemove", 250 * Math.sin(i / 12), 150 * Math.sin(i / 17)));
        else frame.dispatchEvent(wheel(Math.floor(i / 25) % 2 ? 40 : -40));
    }
    if (kind === "pan") window.dispatchEvent(mouse("mouseup", 0, 0));
    return { gaps, draws: egonet.frames()[0].slice(-gaps.length), seconds: (performance.now() - began) / 1000 };
}"""


def main() -> None:
    """Measure every graph and write the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/speed/drawing.jsonl"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    chosen = parser.parse_args()
    graphs = [graph for graph in (facebook(), barabasi_albert(20_000, 5)) if graph]
    lines = [json.dumps(measure(graph, chosen.chromium), ensure_ascii=False) for graph in graphs]
    chosen.output.write_text("\n".join(lines) + "\n", "utf-8")


def measure(given: BenchmarkGraph, chromium: str) -> dict[str, Any]:
    """Return the frames per second and the milliseconds of one graph."""
    from playwright.sync_api import sync_playwright

    graph = egonet.Graph.from_edges(given.edges(), num_nodes=given.num_nodes)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = egonet.explore(graph, max_nodes=20_000).write(Path(folder) / "page.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_selector("body:not(.busy)")
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        first = tab.evaluate(paint)
        tab.wait_for_timeout(SETTLED)
        moves = {}
        for kind in ("pan", "zoom"):
            moves[kind] = summary(tab.evaluate(MOVE, [kind, SECONDS]))
            tab.wait_for_timeout(2000)
        browser.close()
    return {
        "graph": given.name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "first_paint_ms": round(first),
        **moves,
        "machine": f"{os.cpu_count()} cores, no GPU, load {os.getloadavg()[0]:.1f}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def summary(found: dict[str, Any]) -> dict[str, float]:
    """Return frames per second, gaps between frames, and milliseconds of drawing."""
    gaps, draws = found["gaps"], found["draws"]
    return {
        "frames_per_second": round(len(gaps) / found["seconds"], 1),
        "median_gap_ms": round(statistics.median(gaps), 1),
        "gap_95_ms": round(float(np.percentile(gaps, 95)), 1),
        "median_draw_ms": round(statistics.median(draws), 2),
        "draw_95_ms": round(float(np.percentile(draws, 95)), 2),
    }


if __name__ == "__main__":
    main()
