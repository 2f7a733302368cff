"""How much code an edge list passes through: the number of files and functions that a reader follows."""

import subprocess
import sys

import pytest

#: Runs a statement and prints the functions of egonet that it calls. Comprehensions are part of their function.
TRACE = """
import contextlib, io, sys
import egonet, egonet.cli.commands, egonet.cli.main
called, home = {{}}, egonet.__file__.removesuffix("__init__.py")

def note(frame, event, _argument):
    code = frame.f_code
    file = code.co_filename.removeprefix(home)  # what lies beside the package in a folder of its name is not its own
    optimized = code.co_flags & 2 == 2  # only functions have fast local variables
    if event == "call" and file != code.co_filename and optimized and not code.co_name.startswith("<"):
        called[file, code.co_firstlineno, code.co_name] = None

out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
    sys.setprofile(note)
    try:
        {statement}
    finally:
        sys.setprofile(None)
for function in called:
    print(*function)
"""
CLI = 'sys.argv = ["egonet", "encode", {path!r}]; egonet.cli.main.main()'


def functions_called_by(statement):
    program = TRACE.format(statement=statement)
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = [tuple(line.split(" ")) for line in printed.stdout.splitlines()]
    assert found, printed.stderr
    return found


@pytest.mark.parametrize(
    "pairs", ['[("a", "b"), ("b", "c"), ("c", "a")]', "[(0, 1), (1, 2)]"], ids=["names", "numbers"]
)
def test_encode_takes_pairs_through_10_files_and_40_functions(pairs):
    found = functions_called_by(f"egonet.encode({pairs})")

    assert len({file for file, *_ in found}) <= 10
    assert len(found) <= 40


def test_the_command_takes_a_file_through_15_files_and_80_functions(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\nb,c\nc,a\nc,d\n")

    found = functions_called_by(
        f"try: {CLI.format(path=str(path))}\n        except SystemExit as end: assert not end.code"
    )

    assert len({file for file, *_ in found}) <= 15
    assert len(found) <= 80
