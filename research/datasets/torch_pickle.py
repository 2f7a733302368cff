"""A reader for pickled lists of PyG graphs that admits plain arrays and executes nothing from the file."""

import io
import math
import pickle
import pickletools
from collections import OrderedDict
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from egonet.errors import FileError

#: Storage class in the file → type of its numbers.
_STORAGES = {"LongStorage": "<i8", "IntStorage": "<i4", "FloatStorage": "<f4", "DoubleStorage": "<f8"}
_MAX_BYTES = 1 << 30
#: What the pickle machine raises for damaged bytes.
_DAMAGE = (
    *(pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError),
    *(OverflowError, MemoryError, RecursionError),
)


class _Record(dict[str, Any]):
    """Stands in for a graph object: keeps its fields, has no behavior."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.update(state)


class _Storage:
    """Stands in for the type of a storage; `dtype` is what its numbers are."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype


class _GraphUnpickler(pickle.Unpickler):
    """Admits lists, dicts, numbers, and the three names a list of PyG graphs needs."""

    def find_class(self, module: str, name: str) -> Any:
        """Return our own stand-in for an admitted name; nothing is ever imported."""
        admitted = {
            ("torch_geometric.data.data", "Data"): _Record,
            ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
            ("torch.storage", "_load_from_bytes"): _numbers,
            ("collections", "OrderedDict"): OrderedDict,
        }
        return admitted.get((module, name)) or _refuse(module, name)


class _StorageUnpickler(pickle.Unpickler):
    """Admits the header of one storage."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the type of numbers a storage class stands for."""
        if module == "torch" and name in _STORAGES:
            return _Storage(_STORAGES[name])
        return _refuse(module, name)

    def persistent_load(self, pid: Any) -> Any:
        """Return the type of numbers and their count."""
        _, storage, key, _, size, *_ = pid
        return storage.dtype, str(key), int(size)


def read_torch_pickle(path: str | Path) -> list[dict[str, Any]]:
    """Return the graphs of a pickled list of PyG `Data` objects as dicts of arrays, executing nothing.

    Raises
    ------
    FileError
        If the file names anything but graphs, tensors and their storages, or breaks off.
    """
    try:
        graphs = _load(_GraphUnpickler, io.BytesIO(Path(path).read_bytes()))
        return [dict(graph) for graph in graphs]
    except FileError as error:
        raise FileError(f"{path}: {error}") from None
    except _DAMAGE as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0].encode("unicode_escape").decode()[:200]
        raise FileError(f"{path} is not a pickled list of graphs ({why}).") from error


def _load(kind: type[pickle.Unpickler], stream: io.BytesIO) -> Any:
    """Return the next object, unless it marks one with a number beyond its length, which would take memory."""
    begin, most = stream.tell(), stream.getbuffer().nbytes
    for opcode, argument, _ in pickletools.genops(stream):
        if opcode.name.endswith("PUT") and isinstance(argument, int) and argument > most:
            raise FileError(f"the pickle marks an object with {argument:,}, more than it has bytes.")
    stream.seek(begin)
    return kind(stream).load()


def _numbers(data: bytes) -> np.ndarray[Any, Any]:
    """Return the numbers of one storage in torch's serial form: four headers, keys, a count, raw numbers."""
    stream = io.BytesIO(data)
    for _ in range(3):
        _load(_StorageUnpickler, stream)
    dtype, _, size = _load(_StorageUnpickler, stream)
    _load(_StorageUnpickler, stream)
    stream.read(8)
    width = np.dtype(dtype).itemsize
    if not 0 <= size * width <= min(len(data), _MAX_BYTES):
        raise FileError(f"a storage claims {size} numbers but has {len(data)} bytes.")
    return np.frombuffer(stream.read(size * width), dtype=dtype)


def _rebuild(
    numbers: np.ndarray[Any, Any], offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: Any
) -> np.ndarray[Any, Any]:
    """Return a tensor as a new array; every entry is looked up, so no stride can leave the storage."""
    if math.prod(shape) > len(
        numbers
    ):  # a list of graphs repeats no number, and a damaged shape can ask for years
        raise FileError(f"a tensor of shape {shape!r:.60} has only {len(numbers):,} numbers.")
    positions = np.full(shape, offset, dtype=np.int64)
    for axis, (length, step) in enumerate(zip(shape, stride, strict=True)):
        along = np.arange(length) * step
        positions += along.reshape([-1 if axis == other else 1 for other in range(len(shape))])
    return numbers[positions]


def _refuse(module: str, name: str) -> NoReturn:
    """Say which name the file asked for."""
    wanted = f"{module}.{name}".encode("unicode_escape").decode()[:80]
    raise FileError(f"the pickle asks for {wanted}, which is not part of a list of graphs; nothing was run.")
