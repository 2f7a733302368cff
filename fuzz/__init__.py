"""Fuzzing: damaged files and objects for every reader, random graphs for every kernel and engine."""

import sys
from pathlib import Path

# The contracts of the kernels and the emulated GPU are in tests/.
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
