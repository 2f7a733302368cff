"""Where data files are, and how they are fetched: by pooch, with every sha256 checked."""

import hashlib
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urljoin

from egonet.errors import EgonetError, FileError
from egonet.io import atomic_path, reserved, writing
from research.datasets.registry import DataFile, DataSet, data_set

Report: TypeAlias = Callable[[str], None]

MAX_ARCHIVE_BYTES = 1 << 30
_TIMEOUT_SECONDS = 30.0


class DownloadError(EgonetError, OSError):
    """A file could not be fetched from any of its addresses; the message says how to place it by hand."""


def folders() -> list[Path]:
    """Return the folders that are searched for data: EGONET_DATA if set, then the user's cache."""
    named = os.environ.get("EGONET_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "egonet"
    return [*([Path(named)] if named else []), cache]


def find_file(file: DataFile) -> Path | None:
    """Return the path of a file, or None."""
    return next((folder / file.path for folder in folders() if (folder / file.path).is_file()), None)


def is_intact(path: Path, file: DataFile) -> bool:
    """Return whether a file has the size and sha256 it should."""
    if path.stat().st_size != file.bytes:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256


def data_path(name: str, path: str) -> Path:
    """Return the path of one file of a data set, its hash checked; the error says how to get it."""
    chosen = data_set(name)
    file = next(file for file in chosen.files if file.path == path)
    found = find_file(file)
    if found is None:
        raise FileError(
            f"{path} of data set {name!r} is not in {' or '.join(map(str, folders()))}. "
            f"Run: python -m research datasets fetch {name}"
        )
    if not is_intact(found, file):
        raise FileError(
            f"{found} is not the file of data set {name!r}: its size or sha256 differs. "
            f"Run: python -m research datasets fetch {name}"
        )
    return found


def verify(chosen: DataSet) -> Iterator[tuple[DataFile, str]]:
    """Yield every file of a data set with its state: "good", "missing" or "damaged"."""
    for file in chosen.files:
        found = find_file(file)
        yield file, "missing" if found is None else "good" if is_intact(found, file) else "damaged"


def fetch(chosen: DataSet, folder: Path | None = None, report: Report = lambda _: None) -> list[Path]:
    """Return the files of a data set, fetching those that are missing or damaged into `folder`.

    Each file is tried at its public addresses in turn, then in the set's archive. A download with a wrong hash
    is deleted. A file with the right hash is not fetched again.

    Raises
    ------
    DownloadError
        If a file could not be fetched; it names the file, its sha256 and the folder to put it in.
    """
    target = folder or folders()[-1]
    if not _needed(chosen, target):
        _clean_up(chosen, target)
        return [find_file(file) or target / file.path for file in chosen.files]
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
    with _reserved(chosen, target) as incoming:
        return _fetch(chosen, target, incoming, report)


@contextmanager
def _reserved(chosen: DataSet, target: Path) -> Iterator[Path]:
    """Yield an empty folder for the downloads of a data set, which no other process fetches meanwhile."""
    with (
        reserved(target / f"{chosen.name}.files"),
        _empty_folder(target / f"{chosen.name}.incoming") as incoming,
    ):
        yield incoming


def _clean_up(chosen: DataSet, target: Path) -> None:
    """Remove what a run left that was killed after its last file, unless another process is at work there."""
    left = (f".{chosen.name}.files.lock", f"{chosen.name}.incoming")
    if any((target / name).exists() for name in left):
        with suppress(OSError), _reserved(chosen, target):
            pass


@contextmanager
def _empty_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that is removed afterwards; what a killed run left there is removed first."""
    if path.exists():
        shutil.rmtree(path)
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _fetch(chosen: DataSet, target: Path, incoming: Path, report: Report) -> list[Path]:
    """Return the files of a data set, some of which are missing."""
    needed, archive = _needed(chosen, target), dict[str, Path]()
    paths = []
    for file in chosen.files:
        place = target / file.path
        if file not in needed or file.path in archive:
            paths.append(archive.get(file.path) or find_file(file) or place)
            continue
        reasons = _from_addresses(chosen, file, place, incoming, report)
        if reasons is not None and chosen.archive:
            archive, more = _from_archive(chosen, needed, target, incoming, report)
            reasons = None if file.path in archive else reasons + more
        if reasons is not None:
            raise DownloadError(_by_hand(file, place, reasons))
        paths.append(place)
    return paths


def _needed(chosen: DataSet, target: Path) -> list[DataFile]:
    """Return the files that are missing or damaged; EXP needs only one of its two files."""
    needed = []
    for file in chosen.files:
        found = target / file.path if (target / file.path).is_file() else find_file(file)
        if found is None or not is_intact(found, file):
            needed.append(file)
    if chosen.name == "exp" and len(needed) < len(chosen.files):
        return []
    if chosen.name == "exp":
        return [file for file in needed if file.remote]
    return needed


def _from_addresses(
    chosen: DataSet, file: DataFile, place: Path, incoming: Path, report: Report
) -> list[str] | None:
    """Fetch one file from the first address that has it; return None, or why no address did."""
    reasons = []
    for address in chosen.addresses(file):
        try:
            report(f"{file.path} ({file.bytes:,} bytes) from {address}")
            arrived = download(address, incoming, f"sha256:{file.sha256}")
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(arrived, place)
        except (OSError, ValueError) as error:
            reasons.append(f"{address}: {_why(error)}")
            report(reasons[-1])
        else:
            return None
    return reasons or ["it has no public address"]


def download(address: str, folder: Path, known_hash: str | None = None) -> Path:
    """Download an address into a folder and return the file; a file with another hash is deleted.

    Certificates are verified, and a redirect from https to http is an error.
    """
    import pooch

    pooch.get_logger().setLevel("ERROR")
    downloader = pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS, hooks={"response": _check_redirect})
    return Path(pooch.retrieve(address, known_hash, "arrived", folder, downloader=downloader))


def _check_redirect(answer: Any, *_: Any, **__: Any) -> None:
    """Raise if an encrypted address leads to one that is not."""
    target = urljoin(answer.url, answer.headers.get("Location", ""))
    if answer.is_redirect and answer.url.startswith("https:") and not target.startswith("https:"):
        raise ValueError(f"it redirects to {target}, which is not encrypted")


def _from_archive(
    chosen: DataSet, needed: list[DataFile], target: Path, incoming: Path, report: Report
) -> tuple[dict[str, Path], list[str]]:
    """Fetch the set's archive and unpack the files that are needed; return them, or why there are none."""
    try:
        report(f"{chosen.name}.zip from {chosen.archive}")
        return unpack(download(chosen.archive, incoming), needed, target), []
    except (OSError, ValueError) as error:
        return {}, [f"{chosen.archive}: {_why(error)}"]


def unpack(
    archive: Path, wanted: list[DataFile], target: Path, limit: int = MAX_ARCHIVE_BYTES
) -> dict[str, Path]:
    """Unpack the wanted files of a zip file, found by name and accepted by hash; return their paths.

    Paths inside the archive never decide where a file is written. No more bytes are read than a file should
    have, and other members are ignored.

    Raises
    ------
    FileError
        If the archive is damaged, larger than `limit` when unpacked, or a member has the wrong hash.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            if sum(member.file_size for member in opened.infolist()) > limit:
                raise FileError(
                    f"{archive.name} would unpack to more than {limit:,} bytes; it was not unpacked."
                )
            members = {member.filename.rsplit("/", 1)[-1]: member for member in opened.infolist()}
            found = {}
            for file in wanted:
                name = file.path.rsplit("/", 1)[-1]
                if name not in members:
                    continue
                with opened.open(members[name]) as stream:
                    content = stream.read(file.bytes + 1)
                if hashlib.sha256(content).hexdigest() != file.sha256:
                    raise FileError(
                        f"{name} in {archive.name} does not have the expected sha256; it was not unpacked."
                    )
                found[file.path] = _write(content, target / file.path)
            return found
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OSError,
        EOFError,
    ) as error:
        if isinstance(error, EgonetError):
            raise
        why = str(error).encode("unicode_escape").decode()[:200].rstrip(".")
        raise FileError(f"{archive.name} is not a complete zip file ({why}).") from error


def _write(content: bytes, place: Path) -> Path:
    """Write a file completely or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(place) as temporary:
        temporary.write_bytes(content)
    return place


def _why(error: Exception) -> str:
    """Return a short reason for an error of the network or the hash check."""
    text = str(error)
    if "does not match the known hash" in text:
        return "it has another sha256 and was deleted"
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"the server answered {answer.status_code}"
    if "Max retries" in text or "NameResolution" in text or "Connection" in type(error).__name__:
        return "no connection"
    return text.rstrip(".")


def _by_hand(file: DataFile, place: Path, reasons: list[str]) -> str:
    """Return the message for a file that cannot be fetched: what was tried, and where to put it by hand."""
    tried = "; ".join(reasons)
    return f"{place.name} could not be fetched ({tried}). Put the file with sha256 {file.sha256} at {place}."
