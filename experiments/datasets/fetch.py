"""Where data files lie, and how they get there: a folder of the user's, or fetched with their hash checked."""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from egonet.atomic import atomic_path, reserved, writing
from egonet.errors import EgonetError, FileError, MissingExtraError
from egonet.graph.ids import printable
from experiments.datasets.registry import DataFile, DataSet, data_set

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
    """Return where a file lies, or None."""
    return next((folder / file.path for folder in folders() if (folder / file.path).is_file()), None)


def is_intact(path: Path, file: DataFile) -> bool:
    """Return whether a file has the size and sha256 it should."""
    if path.stat().st_size != file.bytes:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256


def data_path(name: str, path: str) -> Path:
    """Return one file of a data set where it lies, whole as it was published, or say how to get it."""
    chosen = data_set(name)
    file = next(file for file in chosen.files if file.path == path)
    found = find_file(file)
    if found is None:
        raise FileError(
            f"{path} of data set {name!r} is not in {' or '.join(map(str, folders()))}. "
            f"Run: egonet datasets fetch {name}"
        )
    if not is_intact(found, file):
        raise FileError(
            f"{found} is not the file of data set {name!r}: its size or sha256 differs. "
            f"Run: egonet datasets fetch {name}"
        )
    return found


def verify(chosen: DataSet) -> Iterator[tuple[DataFile, str]]:
    """Yield every file of a data set with its state: "good", "missing" or "damaged"."""
    for file in chosen.files:
        found = find_file(file)
        yield file, "missing" if found is None else "good" if is_intact(found, file) else "damaged"


def fetch(chosen: DataSet, folder: Path | None = None, report: Report = lambda _: None) -> list[Path]:
    """Return the files of a data set, fetching those that are missing or damaged into `folder`.

    Each is tried at its public addresses in turn, then in the set's archive; what arrives with a wrong hash
    is thrown away. A file that is whole already is left alone.

    Raises
    ------
    DownloadError
        If a file could not be had; it names the file, its sha256 and the folder to put it in.
    """
    target = folder or folders()[-1]
    needed = _needed(chosen, target)
    if not needed:
        return [find_file(file) or target / file.path for file in chosen.files]
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
    with reserved(target / f"{chosen.name}.files"):
        return _fetch(chosen, target, needed, report)


def _fetch(chosen: DataSet, target: Path, needed: list[DataFile], report: Report) -> list[Path]:
    """Return the files of a data set, of which some have to be fetched."""
    archive: dict[str, Path] = {}
    paths = []
    for file in chosen.files:
        place = target / file.path
        if file not in needed:
            paths.append(find_file(file) or place)
            continue
        reasons = _from_addresses(chosen, file, place, report)
        if reasons is not None and chosen.archive:
            archive = archive or _from_archive(chosen, needed, target, reasons, report)
            reasons = None if file.path in archive else reasons
        if reasons is not None:
            raise DownloadError(_by_hand(file, place, reasons))
        paths.append(place)
    return paths


def _needed(chosen: DataSet, target: Path) -> list[DataFile]:
    """Return the files that are missing or damaged; a set readable from one good file of two needs no second."""
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


def _from_addresses(chosen: DataSet, file: DataFile, place: Path, report: Report) -> list[str] | None:
    """Fetch one file from the first address that has it; return None, or why none did."""
    reasons = []
    for address in chosen.addresses(file):
        try:
            report(f"{file.path} ({file.bytes:,} bytes) from {address}")
            _retrieve(address, place, file.sha256)
        except (OSError, ValueError) as error:
            reasons.append(f"{address}: {_why(error)}")
            report(reasons[-1])
        else:
            return None
    return reasons or ["it has no public address of its own"]


def _retrieve(address: str, place: Path, sha256: str) -> None:
    """Fetch one address to a name beside the file's place; it moves there when its hash is right."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(place.name + ".part")
    download(address, part)
    with part.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    if found != sha256:
        part.unlink()
        raise ValueError("what arrived has another sha256; it was thrown away")
    os.replace(part, place)


def download(address: str, part: Path) -> None:
    """Write what is at an address to a file; one that broke off before is kept and only the rest asked for.

    Certificates are checked, and a redirect from https to http is refused.
    """
    try:
        import requests
    except ImportError as error:
        raise MissingExtraError(
            'fetching data needs an extra package: pip install "egonet[datasets]".'
        ) from error
    have = part.stat().st_size if part.is_file() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with requests.get(address, headers=headers, stream=True, timeout=_TIMEOUT_SECONDS, verify=True) as answer:
        if address.startswith("https:") and not answer.url.startswith("https:"):
            raise ValueError(f"it leads to {answer.url}, which is not encrypted")
        if answer.status_code == requests.codes.requested_range_not_satisfiable:
            part.unlink()
        answer.raise_for_status()
        resumed = answer.status_code == requests.codes.partial_content
        # Never through a link that somebody else put there.
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_APPEND if resumed else os.O_TRUNC)
        with os.fdopen(os.open(part, flags, 0o666), "wb") as file:
            for chunk in answer.iter_content(1 << 16):
                file.write(chunk)
        expected = answer.headers.get("Content-Length")
        size = part.stat().st_size
        if expected is not None and size < int(expected) + (have if resumed else 0):
            raise OSError(f"broke off after {size:,} bytes; the next try goes on from there")


def _from_archive(
    chosen: DataSet, needed: list[DataFile], target: Path, reasons: list[str], report: Report
) -> dict[str, Path]:
    """Fetch the set's archive and unpack the files that are needed from it."""
    part = target / f"{chosen.name}.zip.part"
    try:
        report(f"{chosen.name}.zip from {chosen.archive}")
        download(chosen.archive, part)
        found = unpack(part, needed, target)
        part.unlink()
        return found
    except FileError as error:
        part.unlink(missing_ok=True)
        reasons.append(f"{chosen.archive}: {_why(error)}")
    except (OSError, ValueError) as error:
        reasons.append(f"{chosen.archive}: {_why(error)}")
    return {}


def unpack(
    archive: Path, wanted: list[DataFile], target: Path, limit: int = MAX_ARCHIVE_BYTES
) -> dict[str, Path]:
    """Unpack the wanted files of a zip file, found by name and accepted by hash alone; return where they lie.

    No path inside the archive decides where anything is written, nothing larger than it should be is read,
    and members that nobody asked for are left alone.

    Raises
    ------
    FileError
        If the archive is damaged, larger than `limit` when unpacked, or a member has the wrong hash.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            if sum(member.file_size for member in opened.infolist()) > limit:
                raise FileError(
                    f"{archive.name} would unpack to more than {limit:,} bytes; it was not opened."
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
                        f"{name} in {archive.name} has not the sha256 it should; it was not unpacked."
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
        why = printable(str(error))[:200].rstrip(".")
        raise FileError(f"{archive.name} is not a whole zip file ({why}).") from error


def _write(content: bytes, place: Path) -> Path:
    """Write a file whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(place) as temporary:
        temporary.write_bytes(content)
    return place


def _why(error: Exception) -> str:
    """Return an error of the network or the hash check in a few words."""
    text = str(error)
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"the server answered {answer.status_code}"
    if "Max retries" in text or "NameResolution" in text or "Connection" in type(error).__name__:
        return "no connection"
    return text.rstrip(".")


def _by_hand(file: DataFile, place: Path, reasons: list[str]) -> str:
    """Return what to say when a file cannot be fetched: what was tried, and how to place it by hand."""
    tried = "; ".join(reasons)
    return f"{place.name} could not be fetched ({tried}). Put the file with sha256 {file.sha256} at {place}."
