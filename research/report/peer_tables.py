"""The peers of the paper, trained here: scores, cost, what was not run, and Table 2's column "trained here"."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.datasets.readers import COUNT_NAMES
from research.nets.peers.spec import peer_spec
from research.report.page import Block
from research.report.peer_names import FOLDS, NAMES
from research.report.peer_verdicts import NOTE, cpu_cost_table, verdict_table

PEERS_FILE, COSTS_FILE, MEMORY_FILE = "peers/peers.jsonl", "peers/costs.jsonl", "peers/memory.jsonl"
CPU_COSTS_FILE = "peers/costs_cpu.jsonl"
#: The networks whose numbers the paper quotes, by its names; a data set may have another one.
QUOTED = {
    "k-hop": "k-hop",
    "GSN": "gsn-e",
    "NGNN": "nested",
    "ID-GNN": "id-gnn",
    "GNN-AK": "gnn-ak+",
    "ESAN": "dss-ego+",
}
EXCEPT = {("GSN", "mutag"): "gsn-v", ("ESAN", "proteins"): "dss-ego"}
#: Runs that ended before this share of their epochs are marked, and before the other one are not shown.
SHORT, TOO_SHORT = 0.8, 0.25

Lines = Sequence[dict[str, Any]]


def read_lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file that are not of quick runs; none without a file.

    Of a job that was run again after it had stopped early, the longest run counts.
    """
    if not path.is_file():
        return []
    longest: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in (json.loads(text) for text in path.read_text("utf-8").splitlines() if text.strip()):
        if line["quick"] or line.get("epochs", 1) < TOO_SHORT * line.get("planned_epochs", 1):
            continue
        key = (line["set"], line["method"], line.get("seed"), line.get("target"))
        if key not in longest or line.get("epochs", 1) >= longest[key].get("epochs", 1):
            longest[key] = line
    return list(longest.values())


def reported(method: str, name: str) -> str:
    """Return what the authors report, or a dash if it was not found in a public table.

    Examples
    --------
    >>> reported("gin", "mutag"), reported("ds-ed", "ptc")
    ('89.4', '–')
    """
    for figures in peer_spec()["reported"].get(method, {}).values():
        if name in figures:
            value = figures[name][0]
            return f"{value:.3f}" if value < 1 else f"{value:.1f}"
    return "–"


def own(lines: Lines, name: str, method: str) -> list[dict[str, Any]]:
    """Return the lines of a job."""
    return [line for line in lines if line["set"] == name and line["method"] == method]


def score(lines: Lines, name: str, method: str, key: str = "score") -> float | None:
    """Return the mean over seeds, or None if a job was not run."""
    found = [line[key] for line in own(lines, name, method)]
    return float(np.mean(found)) if found else None


def is_short(lines: Lines, name: str, method: str) -> bool:
    """Return whether a job was stopped long before its planned number of epochs."""
    found = own(lines, name, method)
    return any(line.get("epochs", 1) < SHORT * line.get("planned_epochs", 1) for line in found)


def network_of(method: str, name: str) -> str:
    """Return the network trained here for one of Table 2's methods on a set, "" if there is none.

    Examples
    --------
    >>> network_of("GSN", "mutag"), network_of("GSN", "ptc")
    ('gsn-v', 'gsn-e')
    """
    return EXCEPT.get((method, name), QUOTED.get(method, ""))


def trained_here(lines: Lines, method: str, name: str) -> str:
    """Return the number of one of Table 2's methods under both protocols, or "not run"."""
    network = network_of(method, name)
    value, validated = (score(lines, name, network, key) for key in ("score", "validated"))
    return "not run" if value is None else f"{value:.1f} ({validated:.1f})"


def fold_table(lines: Lines) -> Block:
    """Return accuracy of every method on the sets with folds: reported, best epoch, validated epoch."""
    sets = [name for name in FOLDS if any(line["set"] == name for line in lines)]
    rows = []
    for method in NAMES:
        cells = [NAMES[method]]
        for name in sets:
            value, validated = (score(lines, name, method, key) for key in ("score", "validated"))
            if value is None or validated is None:
                cells.append(f"{reported(method, name)} / not run")
                continue
            short = "†" if is_short(lines, name, method) else ""
            cells.append(f"{reported(method, name)} / {value:.1f}{short} / {validated:.1f}")
        rows.append(cells)
    caption = "Accuracy: reported by the authors / here, best epoch on test folds / here, validated epoch"
    return Block("table", caption, ["method", *sets], rows)


def cost_table(costs: Lines, memory: Lines = ()) -> Block:
    """Return what one method costs on MUTAG, ten folds trained at once; `memory` has the peaks, if the lines do not."""
    peaks = {line["method"]: line for line in memory}
    base = {line["method"]: line for line in costs}.get("gin")
    rows = []
    for line in costs:
        if line["method"] not in NAMES:
            continue
        ratio = f"{line['milliseconds'] / base['milliseconds']:.1f}" if base else "–"
        rows.append(
            [
                NAMES[line["method"]],
                f"{line['prepare_seconds']:.3f}",
                f"{line['milliseconds']:.1f}",
                ratio,
                _megabytes(peaks.get(line["method"], line)),
                f"{line['rows_per_node']:.1f}",
                f"{line['weights']:,}",
            ]
        )
    header = [
        "method",
        "preparation, s",
        "epoch, ms",
        "times GIN",
        "peak GPU memory, MiB",
        "subgraph nodes per node",
        "weights",
    ]
    return Block("table", "Cost on MUTAG: ten folds trained at once, alone on the GPU", header, rows)


def _megabytes(line: dict[str, Any]) -> str:
    """Return the peak memory of a line for ten replicas, or a dash."""
    if not line["peak_bytes"]:
        return "–"
    return f"{line['peak_bytes'] / 2**20 / line['replicas'] * 10:,.0f}"


def large_cost_table(lines: Lines) -> list[Block]:
    """Return what three networks at once cost on ZINC-12k, where peak memory was measured."""
    rows = []
    for method in NAMES:
        found = [line for line in own(lines, "zinc", method) if line["peak_bytes"]]
        if found:
            first = found[0]
            rows.append(
                [
                    NAMES[method],
                    f"{first['prepare_seconds']:.1f}",
                    f"{first['peak_bytes'] / 2**20:,.0f}",
                    f"{first['rows_per_node']:.1f}",
                    f"{first['weights']:,}",
                ]
            )
    if not rows:
        return []
    header = [
        "method",
        "preparation, s",
        "peak GPU memory, MiB",
        "subgraph nodes per node",
        "weights",
    ]
    caption = (
        "Cost on ZINC-12k: three networks at once. Several runs shared the GPU: seconds of preparation are rough, "
        "those of an epoch are left out, and memory has up to 1 GiB of buffers that earlier jobs left. GIN, ID-GNN "
        "(fast), GNN-AK and I²-GNN were run without the fused kernels, which need less"
    )
    return [Block("table", caption, header, rows)]


def other_table(lines: Lines) -> list[Block]:
    """Return counting, EXP, Graph8c and SR25 of every method that was run there.

    ZINC is left out: its networks had a tenth of the epochs that their authors use.
    """
    blocks = []
    counted = [m for m in NAMES if own(lines, "randomgraph", m)]
    if counted:
        rows = []
        for method in counted:
            cells = [NAMES[method] + ("†" if is_short(lines, "randomgraph", method) else "")]
            for target in range(len(COUNT_NAMES)):
                found = [
                    line["score"] for line in own(lines, "randomgraph", method) if line["target"] == target
                ]
                cells.append(f"{np.mean(found):.2g}" if found else "–")
            rows.append(cells)
        blocks.append(
            Block("table", "Counting: squared error of the normalized counts", ["method", *COUNT_NAMES], rows)
        )
    rows = []
    for method in NAMES:
        cells = [NAMES[method]]
        for name in ("graph8c", "sr25", "exp"):
            value = score(lines, name, method)
            short = "†" if value is not None and is_short(lines, name, method) else ""
            shown = (
                "not run"
                if value is None
                else f"{value:,.0f}"
                if name in ("graph8c", "sr25")
                else f"{value:.4g}"
            )
            cells.append(shown + short)
        rows.append(cells)
    header = [
        "method",
        "Graph8c, equal pairs",
        "SR25, equal pairs of 105",
        "EXP, accuracy",
    ]
    return [*blocks, Block("table", "Isomorphism and EXP", header, rows)]


def radius_table(lines: Lines) -> list[Block]:
    """Return GIN with the encoding of radius 1 or 2, chosen on validation graphs, where both were run."""
    rows = []
    for name in peer_spec()["sets"]:
        targets = sorted({line.get("target", 0) for line in own(lines, name, "gin+ego1")})
        for target in targets:
            found = {}
            for method in ("gin", "gin+ego1", "gin+ego2", "gin+ego"):
                chosen = [line for line in own(lines, name, method) if line.get("target", 0) == target]
                if chosen:
                    key = "validated" if "validated" in chosen[0] else "score"
                    loss = "validation_loss" if "validated" in chosen[0] else "validation"
                    found[method] = tuple(float(np.mean([line[k] for line in chosen])) for k in (key, loss))
            if len(found) < 4:
                continue
            best = min(("gin+ego1", "gin+ego2"), key=lambda method: found[method][1])
            label = f"{name}, {COUNT_NAMES[target]}" if name == "randomgraph" else name
            values = [f"{found[method][0]:.4g}" for method in ("gin", "gin+ego1", "gin+ego2")]
            rows.append([label, *values, best[-1], f"{found[best][0]:.4g}", f"{found['gin+ego'][0]:.4g}"])
    if not rows:
        return []
    header = ["set", "GIN", "radius 1", "radius 2", "chosen", "chosen on validation", "both radii"]
    return [Block("table", "Epoch and radius chosen on validation graphs", header, rows)]


def missing_table(lines: Lines) -> Block:
    """Return what was not run, per set."""
    rows = []
    for name in peer_spec()["sets"]:
        left_out = peer_spec()["sets"][name].get("leave_out", {})
        none = [NAMES[m] for m in NAMES if not own(lines, name, m) and m not in left_out]
        why = [f"{NAMES[m]}: {reason}" for m, reason in left_out.items()]
        short = [NAMES[m] for m in NAMES if own(lines, name, m) and is_short(lines, name, m)]
        shown = "everything" if not any(line["set"] == name for line in lines) else ", ".join(none) or "–"
        rows.append([name, shown, "; ".join(why) or "–", ", ".join(short) or "–"])
    return Block("table", "Not run", ["set", "not enough time", "left out", "fewer epochs (†)"], rows)


def peer_blocks(folder: Path) -> list[Block]:
    """Return all tables of the peers, or nothing without lines."""
    lines, costs = read_lines_of(folder / PEERS_FILE), read_lines_of(folder / COSTS_FILE)
    on_cpu = read_lines_of(folder / CPU_COSTS_FILE)
    if not lines:
        return []
    blocks = [Block("heading", "Peers, trained here"), *verdict_table(lines, on_cpu), fold_table(lines)]
    if costs:
        blocks.append(cost_table(costs, read_lines_of(folder / MEMORY_FILE)))
    notes = (
        "† fewer than 80 % of the epochs, because time ran out (the learning rate still fell to zero); below 25 % a "
        "run is not shown. GPU memory: per ten networks, of a run of 40 with two batch "
        f"norms per layer, without recorded steps. {_on_cpu(lines)} Cost on one CPU core: time of "
        f"the process, each measured once, next to other programs. {NOTE}"
    )
    return [
        *blocks,
        *cpu_cost_table(on_cpu),
        *large_cost_table(lines),
        *other_table(lines),
        *radius_table(lines),
        missing_table(lines),
        Block("paragraph", notes),
    ]


def _on_cpu(lines: Lines) -> str:
    """Return which scores come from runs on a CPU, in one sentence."""
    by_set: dict[str, list[str]] = {}
    for line in lines:
        if not line["environment"]["device"].startswith("NVIDIA") and line["method"] in NAMES:
            by_set.setdefault(line["set"], []).append(line["method"])
    parts = []
    for name, methods in by_set.items():
        others = {line["method"] for line in lines if line["set"] == name} - set(methods)
        if len(others) < len(set(methods)):
            parts.append(f"{name} (all but {_listed(others)})" if others else f"{name} (all)")
        else:
            parts.append(f"{name} ({_listed(methods)})")
    return f"Run on a CPU, all others on a GPU: {'; '.join(parts)}." if parts else ""


def _listed(methods: Collection[str]) -> str:
    """Return the names of some methods, in the order of the tables."""
    return ", ".join(shown for method, shown in NAMES.items() if method in methods)
