"""A small suite for compute-sanitizer: every kernel family once or twice, compared with the reference.

compute-sanitizer --tool memcheck python tests/contracts/gpu_sanitizer.py
compute-sanitizer --tool racecheck python tests/contracts/gpu_sanitizer.py warp block   # these only
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from contracts.gpu import NAMED, check_algorithms, random_case
from contracts.kernel import graph_case


def main() -> None:
    """Run the suite; a wrong byte raises."""
    rng = np.random.default_rng(0)
    cases = [
        replace(NAMED[name], radius=radius) for name in ("star", "clique", "path") for radius in (0, 1, 2, 3)
    ]
    cases += [replace(NAMED["star"], radius=2, degrees=degrees) for degrees in ("layered", "full")]
    cases += [random_case(rng, 60) for _ in range(6)]
    edges = rng.integers(700, size=(900, 2)).tolist()
    hubs = graph_case(700, edges + [(hub, leaf) for hub in range(3) for leaf in range(3, 650 - 100 * hub)])
    cases += [replace(hubs, radius=radius, roots=np.arange(0, 700, 40)) for radius in (1, 2)]
    for case in cases:
        check_algorithms(case, only=sys.argv[1:] or None)
    sys.stdout.write(f"{len(cases)} cases equal the reference\n")


if __name__ == "__main__":
    main()
