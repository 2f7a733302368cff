"""Children of a process that has loaded every test: one loop over the collected tests, and limits for each child."""

import gc
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

KILLED = 1
MEMORY = 6 << 30
TEMPORARY = Path(tempfile.gettempdir()) / f"egonet-mutants-{os.getpid()}"
OPTIONS = [
    *("-s", "-q", "-x", "--hypothesis-seed=0"),
    *(
        word
        for plugin in ("cacheprovider", "xdist", "cov", "faulthandler")
        for word in ("-p", f"no:{plugin}")
    ),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # hypothesis is loaded already
]
#: Tests that use the three rooms in this process; those that start another one see no mutant.
TESTS = [
    *(
        "tests/graph",
        "tests/encoding",
        "tests/wl",
        "tests/viz/test_plot.py",
        "tests/store/test_encode_store.py",
        "tests/store/test_sort_edges.py",
    ),
    *("tests/store/test_stored_encoding.py", "tests/store/test_stored_triangles.py", "tests/viz/test_explorer.py"),
    "tests/faults/test_faults.py::test_a_file_changed_while_it_is_read_raises",
    *(f"tests/test_{name}.py" for name in ("cli_commands", "contrast", "dataframes", "estimator", "main")),
    *(
        "tests/test_transform.py",
        "tests/test_transform_sets.py",
        "src/egonet/graph",
        "src/egonet/encoding",
        "src/egonet/wl",
        "README.md",
    ),
    *("--deselect", "tests/encoding/test_encode_cuda.py"),
]


class Steady:
    """A plugin: Hypothesis without a memory, and without shrinking, which says nothing new here."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Set it before the tests are imported, and after conftest has set its own."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", deadline=None, database=None, phases=phases)
        settings.load_profile("mutants")


class Loop(Steady):
    """A plugin that calls a function with the collected tests instead of running them."""

    def __init__(self, work: Callable[[pytest.Session], None]) -> None:
        self.work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work."""
        gc.collect()
        gc.freeze()  # children share these pages as long as nobody writes to them
        self.work(session)
        return True


def run_pytest(tests: list[str], plugin: Steady) -> int:
    """Return the exit status of pytest in this process."""
    return int(pytest.main([*OPTIONS, f"--basetemp={TEMPORARY}", *tests], plugins=[plugin]))


def in_child(work: Callable[[], int], *, quiet: bool = True) -> int:
    """Return what a function returns in a child with limits; minus the signal if one ended it, 1 if it raised."""
    child = os.fork()
    if child == 0:
        status = KILLED
        try:
            if quiet:
                silence()
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            status = work()
        except BaseException:  # noqa: BLE001 - whatever it is must not go up into the parent's code
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # whatever it has started
    return os.waitstatus_to_exitcode(ended)


def silence() -> None:
    """Put this process into a group of its own that says nothing."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def arm(seconds: float) -> None:
    """End this process by a signal if a test takes far more than its seconds, of the processor or of the clock."""
    signal.setitimer(signal.ITIMER_PROF, 3 + 10 * seconds)
    signal.alarm(int(60 + 30 * seconds))
