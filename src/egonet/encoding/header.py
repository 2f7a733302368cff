"""The header of every file: settings and what was learned as JSON, the columns as arrays; validated when read.

.npz files and stores keep the columns as arrays; .json files, and the metadata of Parquet and Arrow tables, as lists.
"""

import json
import zlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from egonet.encoding.ranks import DegreeProfile
from egonet.encoding.schema import Schema
from egonet.encoding.settings import PairSettings, Settings, as_weight_bins
from egonet.errors import FileError, InputError, MissingFileError, in_python, show_value
from egonet.io.npz import one_error
from egonet.io.paths import as_path, reject_device
from egonet.kernel.reference import Rows
from egonet.typing import Array, Int64s
from egonet.version import other_format

if TYPE_CHECKING:
    from egonet.encoding.vocabulary import Vocabulary

Arrays = dict[str, Array]
Saved = TypeVar("Saved")
#: The format of a vocabulary as text.
FORMAT = "egonet vocabulary 1"
#: What files of each format are, and what reads them.
READERS = {
    "egonet encoding": "an encoding. " + in_python("Read it with egonet.load", "Look at it with egonet show"),
    "egonet stream": "a stream. " + in_python("Read it with egonet.Stream.open", "It is for Python alone"),
    "egonet events": in_python(
        "an EventEncoder with its history. Read it with egonet.EventEncoder.open",
        "the history of egonet events. Continue it with egonet events --state",
    ),
    "egonet embedding": "an embedding. "
    + in_python("Read it with egonet.Embedding.load", "Apply it with egonet embed --model"),
    "egonet transform": "a transform of PyTorch Geometric. Read it with egonet.AddMoleculeEncoding.load",
    "egonet vocabulary": "a vocabulary. "
    + in_python("Read it with egonet.Vocabulary.load", "Give it as --vocabulary"),
}
#: The name of this text in the metadata of a Parquet or Arrow table.
METADATA = b"egonet"
_HISTOGRAM_ARRAYS = ("indptr", "columns", "counts", "keys")
#: What rows are counted for, and the settings of these rows.
_SETTINGS: dict[str, type[Settings]] = {"node": Settings, "pair": PairSettings}
#: What a header has besides settings: the fields of `Schema` that are learned.
_LEARNED = ("labels", "edge_labels", "limits", "directed")


class OtherFormatError(ValueError):
    """A file has another format; the message is the end of a sentence about it."""


def check_format(format_read: object, expected: str) -> None:
    """Raise unless a file has the known format; another version or kind of egonet's files is an `OtherFormatError`."""
    if format_read == expected:
        return
    kind = str(format_read).rpartition(" ")[0]
    if kind != expected.rpartition(" ")[0] and kind in READERS:
        raise OtherFormatError(f"is {READERS[kind]}.")
    raise (OtherFormatError if kind == expected.rpartition(" ")[0] else ValueError)(
        other_format(format_read, expected)
    )


def read_text(path: str | PathLike[str], what: str, unpack: Callable[[str], Saved]) -> Saved:
    """Return what `unpack` makes of the text of a file, or raise an error that names the file."""
    reject_device(file := as_path("path", path))
    try:
        text = file.read_text(encoding="utf-8")
        with one_error():
            return unpack(text)
    except FileNotFoundError as error:
        raise MissingFileError(f"there is no file {path}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    except OtherFormatError as error:
        raise FileError(f"{path} {error}") from error
    except FileError:
        raise
    except ValueError as error:
        raise damage_error(path, what) from error


def damage_error(path: str | PathLike[str], what: str) -> FileError:
    """Return the error for a file that is not what it should be, such as "an encoding that egonet saved"."""
    return FileError(f"{path} is not {what}, or is damaged.")


def pack_schema(schema: Schema) -> dict[str, Any]:
    """Return settings, what was learned and the kind of rows in a form that JSON keeps."""
    values: dict[str, Any] = asdict(schema.settings) | {name: getattr(schema, name) for name in _LEARNED}
    for name, value in values.items():
        if isinstance(value, tuple):
            values[name] = [to_json(item) for item in value]
    return values | {"rows": next(rows for rows, made in _SETTINGS.items() if type(schema.settings) is made)}


def pack_columns(vocabulary: "Vocabulary") -> Arrays:
    """Return the arrays of a vocabulary: its keys, the histograms that columns stand for, and degrees learned on."""
    histograms, degrees = vocabulary.histograms, vocabulary.degrees
    packed: Arrays = {"keys": vocabulary.keys}
    if histograms is not None:
        packed |= {f"histogram_{name}": getattr(histograms, name) for name in _HISTOGRAM_ARRAYS}
    return packed if degrees is None else packed | degrees.as_arrays()


def unpack_schema(header: Mapping[str, Any]) -> Schema:
    """Return the schema in the result of `pack_schema`, validated."""
    asked = dict(header)
    learned = {name: asked.pop(name) for name in _LEARNED if name in asked}  # early files do not have all
    for name in ("labels", "edge_labels", "limits"):
        if (values := learned.get(name)) is not None:
            if type(values) is not list:
                raise ValueError(f"{name} must be a list")
            learned[name] = tuple(map(from_json, values))
    names = (*(learned.get("labels") or ()), *(learned.get("edge_labels") or ()))
    if not all(isinstance(label, int | str) for label in names):
        raise ValueError("a label is neither a string nor a whole number")
    if learned.get("limits") is not None:
        learned["limits"] = as_weight_bins(learned["limits"], "limits")
    settings = valid_settings(asked, _SETTINGS[asked.pop("rows", "node")])
    return Schema(settings, **learned)


def unpack_fields(header: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Return the fields of a `Vocabulary` from the results of `pack_schema` and `pack_columns`, validated.

    >>> import egonet
    >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
    >>> unpack_fields(pack_schema(vocabulary.schema), pack_columns(vocabulary))["schema"].settings
    Settings(radius=1)
    """
    schema = unpack_schema(header)
    keys, histograms = valid_keys(arrays["keys"], schema), _unpack_histograms(arrays, schema)
    degrees = DegreeProfile.from_arrays(arrays) if "degrees" in arrays else None
    return {"schema": schema, "keys": keys, "histograms": histograms, "degrees": degrees}


def _unpack_histograms(arrays: Arrays, schema: Schema) -> Rows | None:
    """Return the histograms among the arrays of a file, checked."""
    if "histogram_keys" not in arrays:
        return None
    histograms = valid_rows(Rows(*(arrays[f"histogram_{name}"] for name in _HISTOGRAM_ARRAYS)))
    if histograms.keys.shape[1] != _histogram_width(schema) or (histograms.keys < 0).any():
        raise ValueError("the keys of the histograms are not those of the settings")
    if schema.settings.rooted != "node" and (np.diff(histograms.indptr) == 0).any():
        raise ValueError("the histogram of an edge or a pair is empty")
    return histograms


def _histogram_width(schema: Schema) -> int:
    """Return how many numbers a key of a histogram has, its radius included."""
    settings = schema.settings
    width = 1 if settings.common else 3 if settings.rooted == "refined" else 11
    return 1 + width + (schema.labels is not None)


def pack_text(vocabulary: "Vocabulary", **more: Any) -> str:
    """Return a vocabulary as JSON text with a checksum: a .json file, or the metadata of a table.

    `more` has further fields, which a reader of the vocabulary skips: "transform".
    """
    content: dict[str, Any] = {"settings": pack_schema(vocabulary.schema), **more}
    content |= {name: array.tolist() for name, array in pack_columns(vocabulary).items()}
    return json.dumps({"format": FORMAT, **content, "checksum": checksum_of(content)})


def unpack_text(text: str | bytes) -> dict[str, Any]:
    """Return the fields of the `Vocabulary` in the result of `pack_text`, validated; early files have no checksum."""
    header = json.loads(text)
    check_format(header["format"], FORMAT)
    content = {name: value for name, value in header.items() if name not in ("format", "checksum")}
    if "checksum" in header and header["checksum"] != checksum_of(content):
        raise ValueError("the checksum does not match")
    settings = content.pop("settings")
    content.pop("transform", None)
    names = {"keys", "degrees", "degrees_spread", *(f"histogram_{name}" for name in _HISTOGRAM_ARRAYS)}
    if strange := content.keys() - names:
        raise ValueError(f"there is no field {min(strange)!r}")
    arrays = {name: np.array(values, dtype=_dtype(name)) for name, values in content.items()}
    schema = unpack_schema(settings)
    widths = {"keys": 1 + len(schema.field_names), "histogram_keys": _histogram_width(schema), "degrees": 2}
    for name, width in widths.items():
        if name in arrays:
            arrays[name] = arrays[name].reshape(-1, width)  # a list does not say how wide an empty array is
    return unpack_fields(settings, arrays)


def _dtype(name: str) -> Any:
    if name == "degrees_spread":
        return np.float64
    return np.int32 if name in ("histogram_columns", "histogram_counts") else np.int64


def checksum_of(content: Mapping[str, Any]) -> int:
    """Return the checksum of the fields of a JSON file."""
    return zlib.crc32(json.dumps(list(content.values())).encode())


def to_json(value: Any) -> Any:
    """Return an id in a form JSON keeps apart: tuples become {"tuple": [...]}.

    >>> from_json(to_json(("a", (1, 2))))
    ('a', (1, 2))
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float) and value == value:  # part of a tuple, such as a position
        return float(value)
    if isinstance(value, tuple):
        return {"tuple": [to_json(item) for item in value]}
    raise InputError(
        f"ids of type {type(value).__name__} cannot be saved, got {show_value(value)}. Use strings or numbers."
    )


def from_json(value: Any) -> Hashable:
    """Return the id that `to_json` wrote."""
    if isinstance(value, dict):
        return tuple(from_json(item) for item in value["tuple"])
    return value  # type: ignore[no-any-return]


def valid_array(array: Array, dtype: Any, ndim: int = 1) -> Array:
    """Return an array; raise unless it has this dtype and number of dimensions.

    >>> valid_array(np.arange(2), np.int32)
    Traceback (most recent call last):
        ...
    ValueError: expected int32 in 1 dimensions, got int64 in 1
    """
    if array.dtype != dtype or array.ndim != ndim:
        expected = f"{np.dtype(dtype)} in {ndim} dimensions"
        raise ValueError(f"expected {expected}, got {array.dtype} in {array.ndim}")
    return array


def valid_pointers(indptr: Array, size: int) -> Int64s:
    """Return row pointers; raise unless they are non-decreasing from 0 to `size`."""
    pointers = valid_array(indptr, np.int64)
    if not len(pointers) or pointers[0] != 0 or pointers[-1] != size or (np.diff(pointers) < 0).any():
        raise ValueError("row pointers must be non-decreasing from 0 to the number of entries")
    return pointers


def valid_rows(rows: Rows) -> Rows:
    """Return rows; raise unless every array has its dtype and columns and counts are in range."""
    valid_pointers(rows.indptr, len(rows.columns))
    valid_array(rows.keys, np.int64, 2)
    valid_entries(rows.columns, rows.counts, len(rows.keys))
    return rows


def valid_entries(columns: Array, counts: Array, num_columns: int) -> None:
    """Raise unless every count is at least 1 and every column exists."""
    valid_array(columns, np.int32)
    valid_array(counts, np.int32)
    if len(columns) != len(counts):
        raise ValueError("columns and counts differ in length")
    if len(columns) and not 0 <= columns.min() <= columns.max() < num_columns:
        raise ValueError("an entry has no column")
    if len(counts) and counts.min() < 1:
        raise ValueError("a count is below 1")


def valid_numbers(array: Array, dtype: Any, size: int, limit: int) -> None:
    """Raise unless there are `size` numbers of a type, each at least 0 and below `limit`."""
    valid_array(array, dtype)
    if len(array) != size or (size and not 0 <= array.min() <= array.max() < limit):
        raise ValueError(f"expected {size} numbers from 0 up to {limit}")


def valid_keys(keys: Array, schema: Schema) -> Int64s:
    """Return keys; raise unless their width and radii match the schema and no number is negative."""
    valid_array(keys, np.int64, 2)
    if keys.shape[1] != 1 + len(schema.field_names) or (keys < 0).any():
        raise ValueError("the keys of the columns are not those of the settings")
    if not set(np.unique(keys[:, 0]).tolist()) <= set(schema.settings.radius):
        raise ValueError("a column has a radius that is not among the settings")
    return keys


def valid_settings(options: dict[str, Any], made: type[Settings] = Settings) -> Settings:
    """Return the settings in a file, validated."""
    strange = sorted(set(options) - {field.name for field in fields(made)})
    if strange:
        raise ValueError(f"there is no setting {strange[0]!r}")
    for name in made.flags:
        if not isinstance(options.get(name, True), bool):
            raise ValueError(f"{name} is neither true nor false")
    return made(**options | {"radius": list(options["radius"])})
