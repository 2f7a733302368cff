"""The learned record: a vector per column of the encoding, from which any node of any graph gets its own."""

import json
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Weighting
from egonet.encoding.saved import pack_columns, pack_settings, read_saved, unpack_vocabulary
from egonet.encoding.settings import one_of
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError
from egonet.io.atomic import atomic_path

FORMAT = "egonet embedding 1"


@dataclass(frozen=True)
class Lesson:
    """How an embedding was learned: everything that is not a vector.

    Attributes
    ----------
    losses
        The mean loss of every epoch.
    num_pairs
        Pairs of nodes that were looked at, random ones included.
    scale, shift
        The line from the product of two vectors to the log-odds that they met in a walk.
    seconds
        How long it took.
    settings
        The words it was learned with.
    """

    losses: tuple[float, ...] = ()
    num_pairs: int = 0
    scale: float = 1.0
    shift: float = 0.0
    seconds: float = 0.0
    settings: dict[str, Any] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """A vector per column; the vector of a node is the weighted sum over the columns of its encoding.

    Attributes
    ----------
    vocabulary
        What the columns are; the same is counted around every node that is given a vector.
    table
        float32 (num_columns, dim): the vector of every column.
    weighting
        How counts become weights; "paper" is log2(1 + count), rows summing to 1.
    lesson
        How it was learned.

    Examples
    --------
    A table by hand: columns (0, 1), (0, 2) and (1, 1) of a path, and the mean over each ego-network.

    >>> import egonet
    >>> path = egonet.named.path("abc")
    >>> vocabulary = egonet.encode(path, radius=1).vocabulary
    >>> embedding = Embedding(vocabulary, np.array([[0.0], [4.0], [2.0]], dtype=np.float32), weighting="count")
    >>> embedding.transform(path)
    array([[2.],
           [8.],
           [2.]], dtype=float32)
    """

    vocabulary: Vocabulary
    table: NDArray[np.float32]
    weighting: Weighting = "paper"
    lesson: Lesson = Lesson()

    def __post_init__(self) -> None:
        """Check that there is a vector per column."""
        if self.table.ndim != 2 or len(self.table) != len(self.vocabulary) or self.table.dtype != np.float32:
            raise InputError(
                f"the table must be float32 with a row for each of the {len(self.vocabulary)} columns, "
                f"got {self.table.dtype} of shape {self.table.shape}."
            )

    def __repr__(self) -> str:
        """Return the size, the settings and the last loss in one line."""
        radii = self.vocabulary.settings.radius
        radius = radii[0] if len(radii) == 1 else radii
        loss = f", loss={self.lesson.losses[-1]:.4f}" if self.lesson.losses else ""
        return f"Embedding(num_columns={len(self.table)}, dim={self.dim}, radius={radius}{loss})"

    @property
    def dim(self) -> int:
        """Return the length of the vectors."""
        return int(self.table.shape[1])

    @property
    def feature_names(self) -> list[str]:
        """Return a name for every dimension: "ego0", "ego1", ..."""
        return [f"ego{number}" for number in range(self.dim)]

    def transform(
        self,
        graph: Any,
        *,
        labels: Labels | None = None,
        roots: Iterable[Hashable] | None = None,
        unseen: UnseenPolicy = "clip",
        threads: int | None = None,
    ) -> NDArray[np.float32]:
        """Return a vector per node of any graph, float32 (num_nodes, dim), rows in the order of its nodes.

        Parameters
        ----------
        graph
            Anything `as_graph` accepts, several graphs, or an `Encoding` made with this vocabulary.
        labels, roots, unseen, threads
            As for `egonet.encode`.
        """
        encoding = (
            graph if isinstance(graph, Encoding) else self.encode(graph, labels, roots, unseen, threads)
        )
        if len(encoding.vocabulary) != len(self.vocabulary):
            raise InputError(
                f"the encoding has {len(encoding.vocabulary)} columns, the embedding {len(self.vocabulary)}. "
                "Give the graph itself, or encode it with vocabulary=embedding.vocabulary."
            )
        weights = encoding.weighted(self.weighting)
        return np.asarray(weights.astype(np.float32) @ self.table)

    def encode(
        self,
        graph: Any,
        labels: Labels | None = None,
        roots: Iterable[Hashable] | None = None,
        unseen: UnseenPolicy = "clip",
        threads: int | None = None,
    ) -> Encoding:
        """Return the encoding that `transform` weighs, with `unseen` saying what it had no column for."""
        words: Any = {"labels": labels, "roots": roots, "unseen": unseen, "threads": threads}
        return encode(graph, vocabulary=self.vocabulary, **words)

    def save(self, path: str | Path) -> None:
        """Write the embedding to one .npz file that `Embedding.load` reads back; nothing in it is pickled."""
        if Path(path).suffix != ".npz":
            raise InputError(f"an embedding is saved as .npz, got {str(path)!r}.")
        header = {
            "format": FORMAT,
            "settings": pack_settings(self.vocabulary),
            "weighting": self.weighting,
            "lesson": asdict(self.lesson),
        }
        with atomic_path(path) as temporary:
            np.savez(
                temporary,
                allow_pickle=False,
                header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                table=self.table,
                **pack_columns(self.vocabulary),
            )

    @classmethod
    def load(cls, path: str | Path) -> "Embedding":
        """Return the embedding that `save` wrote.

        Raises
        ------
        FileError
            If the file is not such a file, or is cut short.

        Examples
        --------
        >>> import tempfile, egonet
        >>> path = Path(tempfile.mkdtemp()) / "embedding.npz"
        >>> vocabulary = egonet.encode(egonet.named.path("abc"), radius=1).vocabulary
        >>> Embedding(vocabulary, np.eye(3, dtype=np.float32)).save(path)
        >>> Embedding.load(path)
        Embedding(num_columns=3, dim=3, radius=1)
        """
        return read_saved(path, "an embedding", _unpack)


def _unpack(arrays: dict[str, np.ndarray[Any, Any]]) -> Embedding:
    """Return the embedding held by the arrays of a file."""
    header = json.loads(arrays["header"].tobytes())
    if header["format"] != FORMAT:
        raise ValueError(header["format"])
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    lesson = Lesson(**header["lesson"])
    lesson = replace(lesson, losses=tuple(float(loss) for loss in lesson.losses))
    one_of("weighting", header["weighting"], get_args(Weighting))
    return Embedding(vocabulary, arrays["table"], header["weighting"], lesson)
