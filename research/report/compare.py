"""Our numbers compared with the paper's: result lines become rows, cell by cell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from research.paper.results import Line
from research.paper.spec import Cell, TableSpec
from research.report.statistics import Difference, Summary, holm, paired, summarize

Scores = Mapping[int, float]

#: How far from the published mean a classification accuracy may lie, in points.
POINTS = 1.5
_FACTOR = 2.0
_EXP_POINTS = 0.5
_EXACT = ("linear", "mlp")


@dataclass(frozen=True)
class Row:
    """One cell: what was published, what was measured, and how the two encodings differ.

    Attributes
    ----------
    cell
        The published numbers.
    control, encoded
        Ours without and with the encoding, or None if it was not run.
    difference
        Encoded minus control, paired by seed; None if a side is missing.
    corrected
        Its p-value after Holm's correction over the table.
    control_agrees, encoded_agrees
        Whether ours is near the published number; None if it was not run.
    chosen
        Which encoding was read.
    """

    cell: Cell
    control: Summary | None
    encoded: Summary | None
    difference: Difference | None
    corrected: float | None
    control_agrees: bool | None
    encoded_agrees: bool | None
    chosen: str


def index_lines(lines: Iterable[Line]) -> dict[tuple[str, str, str, str, int], dict[int, Line]]:
    """Return lines by (data, model, target, form, radius) and seed; quick ones are left out, later ones win."""
    found: dict[tuple[str, str, str, str, int], dict[int, Line]] = {}
    for line in lines:
        if not line.quick:
            key = (line.data, line.model, line.target, line.form, line.radius)
            found.setdefault(key, {})[line.seed] = line
    return found


def paper_rows(table: TableSpec, lines: Iterable[Line]) -> list[Row]:
    """Return a row per cell with the encoding the paper chose for it."""
    known = index_lines(lines)
    rows = []
    for cell in table.cells:
        where = (cell.data, cell.model, cell.target)
        control = _scores(known.get((*where, "none", 0), {}))
        encoded = _scores(known.get((*where, cell.form, cell.radius), {}))
        rows.append(_row(cell, control, encoded, f"{cell.form}, radius {cell.radius}"))
    return _with_holm(rows)


def honest_rows(table: TableSpec, lines: Iterable[Line]) -> list[Row]:
    """Return a row per cell; the radius is chosen per seed by the validation graphs, never by the test folds."""
    known = index_lines(lines)
    rows = []
    for cell in table.cells:
        where = (cell.data, cell.model, cell.target)
        control = _scores(known.get((*where, "none", 0), {}))
        sides = [known.get((*where, "encoding", radius), {}) for radius in (1, 2)]
        encoded: dict[int, float] = {}
        taken = [0, 0]
        for seed in sorted(set(sides[0]) & set(sides[1])):
            better = int(_validated(sides[1][seed]) > _validated(sides[0][seed]))
            encoded[seed] = sides[better][seed].score
            taken[better] += 1
        rows.append(_row(cell, control, encoded, f"radius 1 in {taken[0]} seeds, 2 in {taken[1]}"))
    return _with_holm(rows)


def beyond_rows(
    table: TableSpec, lines: Iterable[Line], form: str, radius: int, *, against_paper: bool = False
) -> list[Row]:
    """Return a row per cell for an encoding the paper did not try; cells without it are left out.

    Its control is the network without any encoding or, with `against_paper`, with the one the paper chose.
    """
    known = index_lines(lines)
    rows = []
    for cell in table.cells:
        where = (cell.data, cell.model, cell.target)
        encoded = _scores(known.get((*where, form, radius), {}))
        if encoded:
            usual = (cell.form, cell.radius) if against_paper else ("none", 0)
            control = _scores(known.get((*where, *usual), {}))
            rows.append(_row(cell, control, encoded, f"{form}, radius {radius}"))
    return _with_holm(rows)


def agrees(cell: Cell, ours: float, published: float) -> bool:
    """Return whether a measured mean is near the published one, by the measure of its kind.

    Accuracies of Table 1 may differ by 1.5 points and those of EXP by 0.5, errors of Table 5 by a factor of 2,
    pairs of Table 4 by one, and not at all for Linear and MLP.
    """
    if cell.target:
        return published / _FACTOR <= ours <= published * _FACTOR
    if cell.data in ("graph8c", "sr25"):
        return abs(ours - published) <= (0.0 if cell.model in _EXACT else 1.0)
    return abs(ours - published) <= (_EXP_POINTS if cell.data == "exp" else POINTS)


def _validated(line: Line) -> int:
    """Return how many validation graphs were right, over all folds."""
    return sum(line.details.get("validation_right", [0]))


def _scores(lines: Mapping[int, Line]) -> dict[int, float]:
    """Return seed → score."""
    return {seed: line.score for seed, line in sorted(lines.items())}


def _row(cell: Cell, control: Scores, encoded: Scores, chosen: str) -> Row:
    """Return one row, its p-value not yet corrected."""
    both = sorted(set(control) & set(encoded))
    difference = paired([encoded[s] for s in both], [control[s] for s in both]) if len(both) > 1 else None
    ours = {"control": summarize(list(control.values())) if control else None}
    ours["encoded"] = summarize(list(encoded.values())) if encoded else None
    return Row(
        cell=cell,
        control=ours["control"],
        encoded=ours["encoded"],
        difference=difference,
        corrected=None,
        control_agrees=None if ours["control"] is None else agrees(cell, ours["control"].mean, cell.control),
        encoded_agrees=None if ours["encoded"] is None else agrees(cell, ours["encoded"].mean, cell.value),
        chosen=chosen,
    )


def _with_holm(rows: Sequence[Row]) -> list[Row]:
    """Return rows with p-values corrected for how many of them were tested."""
    tested = [row.difference.p_value for row in rows if row.difference is not None]
    corrected = iter(holm(tested))
    return [row if row.difference is None else replace(row, corrected=next(corrected)) for row in rows]
