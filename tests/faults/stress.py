"""Full disks, read-only folders, inputs that change, two writers, and signals, for every command that writes.

python -m faults.stress [--signals 10]: a line per command and fault, exit 1 if one of them was met badly. Disks are
small tmpfs mounts where mounting is permitted; otherwise files are limited in size (RLIMIT_FSIZE), and it says so.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from egonet.io.files import try_lock
from faults import cases, server
from faults.cases import Case, command, content, environment, run
from faults.kill import started
from research.datasets.fetch import find_file
from research.datasets.registry import data_set

FILES = (*cases.ENCODE_FILES.values(), cases.UPDATE_FILE, cases.EMBED, cases.EXPLORE, cases.REPORT)
CASES = (*FILES, cases.ENCODE_FOLDER, cases.UPDATE, cases.RUN, cases.FETCH)
#: Commands that keep finished parts when they are stopped.
RESUMED = (cases.ENCODE_FOLDER, cases.UPDATE, cases.RUN, cases.FETCH)
#: Commands that may have finished one file and not the next.
SEVERAL = (*RESUMED, cases.EMBED)
#: Commands that read while somebody changes a file, and the file.
READS = (
    (cases.ENCODE_FILES[".npz"], "edges.txt"),
    (cases.ENCODE_FOLDER, "edges.txt"),
    (cases.EXPLORE, "edges.txt"),
    (cases.EMBED, "edges.txt"),
    (cases.UPDATE_FILE, "edges.txt"),
    (cases.UPDATE_FILE, "added.txt"),
    (cases.UPDATE, "added.txt"),
)
DAMAGES = ("added to", "cut", "removed")


def can_mount() -> bool:
    """Return whether a tmpfs can be mounted here."""
    with tempfile.TemporaryDirectory() as name:
        made = subprocess.run(["mount", "-t", "tmpfs", "none", name], capture_output=True, check=False)
        if made.returncode == 0:
            subprocess.run(["umount", name], check=True)
        return made.returncode == 0


@contextmanager
def disk(size: int) -> Iterator[Path]:
    """Yield a file system of `size` bytes."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def used(folder: Path) -> int:
    """Return the bytes in use on the file system of a folder."""
    facts = os.statvfs(folder)
    return (facts.f_blocks - facts.f_bfree) * facts.f_frsize


def partial(folder: Path) -> list[str]:
    """Return files that a stopped command must not leave."""
    return [
        path.name
        for path in folder.rglob("*")
        if ".part" in path.suffixes or (path.suffix == ".lock" and path.name != ".lock")
    ]


def is_sentence(said: str) -> bool:
    """Return whether a command said one sentence about its failure and showed no traceback."""
    lines = [line for line in said.splitlines() if line.startswith(("egonet: ", "experiments: "))]
    return (
        len(lines) == 1
        and lines[0].endswith((".", "?"))
        and "Traceback" not in said
        and "Exception" not in said
    )


def full_disk(case: Case, whole: dict[str, str]) -> str:
    """Fill the disk at three points of a command; with free space, the next run must give the same bytes."""
    with disk(200 << 20) as folder:
        case.prepare(folder)
        before = used(folder)
        shutil.copytree(folder, folder / "copy")
        run(case, folder / "copy").check_returncode()
        needed = used(folder) - 2 * before
    for share in (0.0, 0.4, 0.9):
        with disk(200 << 20) as folder:
            case.prepare(folder)
            inputs = {path.name for path in folder.iterdir()}
            free = int(share * needed) // 4096 * 4096
            remount(folder, f"size={max(used(folder) + free, 4096)}")  # 0 means no limit
            done = run(case, folder)
            if done.returncode != 2 or not is_sentence(done.stderr):
                return f"with space for {share:.0%}: exit {done.returncode}, {done.stderr.strip()[-300:]!r}"
            left = {path.name for path in folder.iterdir()} - inputs
            if partial(folder) or (left and case not in SEVERAL):
                return f"with space for {share:.0%} it left {partial(folder) or left}"
            remount(folder, "size=200m")
            if run(case, folder).returncode or content(folder) != whole:
                return f"with space for {share:.0%}, then for all: other bytes"
    return ""


def limited_files(case: Case, _whole: dict[str, str]) -> str:
    """Let no file grow beyond 2 kB, which is what can be done without the right to mount."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.prepare(folder)
        inputs = {path.name for path in folder.iterdir()}
        # What measures coverage would write a larger file at the end.
        unmeasured = {
            name: text for name, text in environment(case).items() if not name.startswith("COVERAGE")
        }
        done = subprocess.run(
            command(case),
            cwd=folder,
            env=unmeasured,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)),
        )
        if done.returncode != 2 or not is_sentence(done.stderr):
            return f"exit {done.returncode}, {done.stderr.strip()[-300:]!r}"
        left = {path.name for path in folder.iterdir()} - inputs
        return f"it left {left}" if partial(folder) or (left and case not in SEVERAL) else ""


def read_only(case: Case, _whole: dict[str, str]) -> str:
    """Refuse a read-only folder with one sentence."""
    with disk(200 << 20) as folder:
        case.prepare(folder)
        remount(folder, "ro")
        done = run(case, folder)
        return (
            "" if done.returncode == 2 and is_sentence(done.stderr) else f"{done.returncode}: {done.stderr!r}"
        )


def two_writers(case: Case, whole: dict[str, str]) -> str:
    """Pause a command while it has its output locked; a second one fails, and the first ends with the same bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.prepare(folder)
        process, pipe = started(case, folder)
        output = folder / case.output
        lock = (
            output / ".lock"
            if case in (cases.ENCODE_FOLDER, cases.UPDATE)
            else output.with_name(f".{output.name}.lock")
        )
        while process.poll() is None and not _is_locked(lock):
            time.sleep(0.0005)
        os.kill(process.pid, signal.SIGSTOP)
        second = run(case, folder)
        os.kill(process.pid, signal.SIGCONT)
        while os.read(pipe, 4096):
            pass
        os.close(pipe)
        status = process.wait()
        if (
            second.returncode != 2
            or "another process is writing to" not in second.stderr
            or not is_sentence(second.stderr)
        ):
            return f"the second: exit {second.returncode}, {second.stderr.strip()[-300:]!r}"
        return "" if status == 0 and content(folder) == whole else f"the first: exit {status}, other bytes"


def _is_locked(lock: Path) -> bool:
    """Return whether a process holds a lock file."""
    try:
        descriptor = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def signals(case: Case, whole: dict[str, str], moments: int = 10) -> str:
    """Send SIGTERM and Ctrl-C some time after random changes, or after the start of the work."""
    rng = random.Random(case.name)
    for moment in range(moments):
        number, status = ((signal.SIGTERM, 143), (signal.SIGINT, 130))[moment % 2]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            case.prepare(folder)
            inputs = {path.name for path in folder.iterdir()}
            process, pipe = started(case, folder)
            for _ in range(rng.choice((1, 1, 2, 2, 3, 5, 20))):
                os.read(pipe, 1)
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(number)
            while os.read(pipe, 4096):
                pass
            os.close(pipe)
            found = process.wait()
            if content(folder) == whole:
                continue  # the signal came after the work
            if found != status:
                return f"{number.name}: exit {found}"
            left = {path.name for path in folder.iterdir()} - inputs
            if partial(folder) or (left and case not in SEVERAL):
                return f"{number.name} left {partial(folder) or left}"
            if run(case, folder).returncode or content(folder) != whole:
                return f"after {number.name}: other bytes"
    return ""


def changed_input(case: Case, file: str, what: str, attempts: int = 8) -> str:
    """Change, cut or remove an input while it is read; nothing may be written from it.

    On a busy machine the file may be read before this process changes it, and an update of a million edges takes
    minutes. Such a run is stopped and repeated.
    """
    for _ in range(attempts):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            case.prepare(folder)
            edges = folder / file
            edges.write_text("".join(f"{i} {i + 1}\n" for i in range(1_500_000)))
            before = _besides(edges)
            process = subprocess.Popen(
                command(case), cwd=folder, env=environment(case), stderr=subprocess.PIPE, text=True
            )
            try:
                if not _wait_for_open(process, edges):
                    continue
                damage(edges, what)
                said = process.communicate(timeout=30)[1]
            except subprocess.TimeoutExpired:
                continue
            finally:
                process.kill()
                process.communicate()
            good = process.returncode == 2 and is_sentence(said) and file in said
            changed = sorted(set(_besides(edges).items()) ^ set(before.items()))
            return "" if good and not changed else f"{what}: {process.returncode}, {said[-300:]!r}, {changed}"
    return f"{file} was never changed in time in {attempts} runs"


def _wait_for_open(process: "subprocess.Popen[str]", path: Path, seconds: float = 20) -> bool:
    """Wait until a process has a file open; return False if it ends or takes longer."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if str(path) in _open_files(process.pid):
            return True
        time.sleep(0.0005)
    return False


def damage(path: Path, what: str) -> None:
    """Remove a file, cut it, or add to it."""
    if what == "removed":
        path.unlink()
    elif what == "cut":
        os.truncate(path, path.stat().st_size // 10)
    else:
        with path.open("a") as file:
            file.write("1 3\n")


def _besides(path: Path) -> dict[str, str]:
    """Return the other files in the folder of a file, without the lock and the manifest of an empty store."""
    found = content(path.parent)
    has_no_block = not any("block-" in name for name in found)
    return {
        name: digest
        for name, digest in found.items()
        if name != path.name
        and not name.endswith(".lock")
        and not (has_no_block and name == "out/manifest.json")
    }


def changed_data(case: Case, what: str) -> str:
    """Change, cut or remove a data set before it is read; no result may be written from it."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as data:
        file = data_set("sr25").files[0]
        found = find_file(file)
        if found is None:
            return "the data set sr25 is not here"
        path = Path(data, file.path)
        path.parent.mkdir(parents=True)
        shutil.copy(found, path)
        damage(path, what)
        done = run(case, Path(name), EGONET_DATA=data, XDG_CACHE_HOME=data)
        written = sorted(content(Path(name)))
        said = done.stderr.startswith("research: ") and done.stderr.endswith(
            "Run: python -m research datasets fetch sr25\n"
        )
        good = done.returncode == 2 and said and "Traceback" not in done.stderr and not written
        return "" if good else f"{what}: exit {done.returncode}, {done.stderr[-300:]!r}, {written}"


def _open_files(process: int) -> list[str]:
    try:
        return [os.readlink(path) for path in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return []


def undisturbed(case: Case) -> dict[str, str]:
    """Return the files of a run without faults."""
    with tempfile.TemporaryDirectory() as name:
        case.prepare(Path(name))
        run(case, Path(name)).check_returncode()
        return content(Path(name))


def check(fault: Callable[..., str], case: Case, *arguments: object) -> bool:
    """Try one fault, print the result, and return whether it was handled."""
    complaint = fault(case, *arguments)
    print(f"{fault.__name__:<14} {case.name:<20} {complaint or 'handled'}", flush=True)
    return not complaint


def main() -> None:
    """Try every fault on every command; exit 1 if one was not handled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=10, help="how many signals each command gets")
    parser.add_argument("--only", help="a part of a fault's or command's name")
    arguments = parser.parse_args()
    running = server.start()
    os.environ["FAULTS_SERVER"] = running.base
    mounts = can_mount()
    print(
        "disks are small tmpfs mounts" if mounts else "no right to mount: RLIMIT_FSIZE, and no read-only disk"
    )
    faults = (full_disk, read_only, limited_files, two_writers) if mounts else (limited_files, two_writers)
    good = []
    for case in CASES:
        whole = undisturbed(case)
        for fault in faults:
            if not arguments.only or arguments.only in f"{fault.__name__} {case.name}":
                good.append(check(fault, case, whole))
        if not arguments.only or arguments.only in f"signals {case.name}":
            good.append(check(signals, case, whole, arguments.signals))
    for case, file in READS:
        for what in DAMAGES:
            if not arguments.only or arguments.only in f"changed_input {case.name}":
                good.append(check(changed_input, case, file, what))
    for what in DAMAGES:
        if not arguments.only or arguments.only in f"changed_data {cases.RUN.name}":
            good.append(check(changed_data, cases.RUN, what))
    running.shutdown()
    print(f"{sum(good)} of {len(good)} handled")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
