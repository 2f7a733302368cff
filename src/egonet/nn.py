"""Torch modules that take encodings as input: counts in, vectors of a network's width out."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Self

from egonet.encoding.encoding import Encoding
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, MissingExtraError, as_flag
from egonet.graph.ids import show

try:
    import torch
    from torch import Tensor
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError('egonet.nn needs an extra package: pip install "egonet[torch]".') from error


class EgoInput(torch.nn.Module):
    """Turn the counts of an encoding into vectors that a network adds or appends to its node features.

    The counts go through log(1 + count), are standardized with the mean and the standard deviation of the training
    nodes, and then through a linear layer, or two with a ReLU between. `fit` learns the standardization and drops
    rare columns. Call it before you create the optimizer, because it sets the size of the first layer.

    A dense tensor is multiplied; a sparse one (`AddEgoEncoding(sparse=True)`, `to_torch(dense=False)`) is summed
    as bags of its entries (`embedding_bag`), which is faster for wide vocabularies. Both give the same vectors.

    Parameters
    ----------
    columns
        The columns of the encoding: a `Vocabulary`, an `Encoding`, or the names in order.
    dim
        The length of the vectors.
    mlp
        True: two linear layers with a ReLU between. False: one.
    min_nodes
        `fit` drops columns that are not zero in fewer training nodes than this.
    log
        False leaves log(1 + count) out, for encodings that are weighted already.
    attr_name
        Where a `Data` or a `Batch` has its encoding.

    Examples
    --------
    >>> import egonet
    >>> train = egonet.encode(egonet.named.karate_club(), radius=1)
    >>> module = EgoInput(train, dim=8, min_nodes=5).fit(train)
    >>> len(train.vocabulary), len(module.kept_columns), module(train.to_torch()).shape
    (19, 7, torch.Size([34, 8]))
    """

    kept: Tensor
    mean: Tensor
    scale: Tensor
    position: Tensor

    def __init__(
        self,
        columns: Vocabulary | Encoding | Sequence[str],
        dim: int,
        *,
        mlp: bool = True,
        min_nodes: int = 20,
        log: bool = True,
        attr_name: str = "ego_encoding",
    ) -> None:
        super().__init__()
        self.columns = _column_names(columns)
        self.dim = _at_least("dim", dim, 1)
        self.mlp = as_flag("mlp", mlp)
        self.min_nodes = _at_least("min_nodes", min_nodes, 0)
        self.log = as_flag("log", log)
        self.attr_name = attr_name
        self.fitted = False
        self.last = torch.nn.Linear(dim, dim) if self.mlp else None
        self.bias = torch.nn.Parameter(torch.zeros(dim))
        self._resize(torch.arange(len(self.columns)))

    @property
    def kept_columns(self) -> list[str]:
        """Return the names of the columns that are used."""
        return [self.columns[index] for index in self.kept.tolist()]

    @torch.no_grad()
    def fit(self, train: Any) -> Self:
        """Learn from training data which columns are used and how they are standardized.

        Parameters
        ----------
        train
            An `Encoding`, a tensor of counts, a `Data` or `Batch`, or a data set or list of these.
        """
        # Sums of the values, of their squares, and of non-zeros.
        sums = torch.zeros(3, len(self.columns), dtype=torch.float64)
        nodes = 0
        for counts in self._tensors(train):
            nodes += counts.shape[0]
            column, values = _entries(counts)
            values = self._transformed(values.double())
            for row, added in zip(sums, (values, values**2, torch.ones_like(values)), strict=True):
                row.index_add_(0, column, added)
        if nodes == 0:
            raise InputError("fit needs at least one training node, got none.")
        mean = sums[0] / nodes
        spread = (sums[1] / nodes - mean**2).clamp(min=0).sqrt()
        kept = torch.nonzero((sums[2] >= max(self.min_nodes, 1)) & (spread > 1e-6)).flatten()
        if not len(kept):
            raise InputError(
                f"no column is used by {self.min_nodes:,} of the {nodes:,} training nodes and differs between "
                "them. Lower min_nodes, or use a larger radius."
            )
        self._resize(kept.to(self.bias.device))
        self.mean.copy_(mean[kept])
        self.scale.copy_(1 / spread[kept])
        self.fitted = True
        return self

    def forward(self, counts: Any) -> Tensor:
        """Return a vector of length `dim` for every node of a tensor, `Data` or `Batch`."""
        if not isinstance(counts, Tensor):
            counts = self._attribute(counts)
        self._check(counts)
        hidden = self._dense(counts) if counts.layout == torch.strided else self._bags(counts)
        return hidden if self.last is None else self.last(functional.relu(hidden))

    def extra_repr(self) -> str:
        state = f"{len(self.kept)} of {len(self.columns)} columns" if self.fitted else "not fitted"
        return f"{state}, dim={self.dim}, mlp={self.mlp}, min_nodes={self.min_nodes}, log={self.log}"

    def get_extra_state(self) -> Tensor:
        """Return the names of all columns as bytes, a tensor so that every way of saving works."""
        text = json.dumps({"columns": self.columns, "log": self.log, "fitted": self.fitted})
        return torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8)

    def set_extra_state(self, state: Tensor) -> None:
        """Check that the columns are those of this module."""
        saved = json.loads(bytes(state.cpu().tolist()))
        self._check_columns(saved["columns"])
        if saved["log"] != self.log:
            raise InputError(f"the state was trained with log={saved['log']}, got log={self.log}.")
        self.fitted = saved["fitted"]

    def _check_columns(self, given: Sequence[str], what: str = "state") -> None:
        """Raise an error if a state or an encoding has other columns."""
        if list(given) == self.columns:
            return
        differ = [pair for pair in zip(given, self.columns, strict=False) if pair[0] != pair[1]]
        where = f"first {differ[0][0]!r} instead of {differ[0][1]!r}" if differ else "one has more"
        raise InputError(
            f"the {what} has {len(given):,} columns and this module {len(self.columns):,}, {where}. "
            "Make the module with the vocabulary of the training data."
        )

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Resize the module to the state before values are copied, so that an unfitted module can be loaded."""
        extra = state.get(f"{prefix}_extra_state")
        if extra is not None:
            self._check_columns(json.loads(bytes(extra.cpu().tolist()))["columns"])
        kept = state.get(f"{prefix}kept")
        if kept is not None and len(kept) != len(self.kept):
            with torch.no_grad():
                self._resize(kept.to(self.bias.device))
        super()._load_from_state_dict(state, prefix, *rest)
        self.register_buffer("position", self._positions(), persistent=False)

    def _resize(self, kept: Tensor) -> None:
        """Set the columns in use, and make the first layer for them as `torch.nn.Linear` would."""
        self.register_buffer("kept", kept)
        device, dtype = kept.device, self.bias.dtype
        self.register_buffer("mean", torch.zeros(len(kept), device=device, dtype=dtype))
        self.register_buffer("scale", torch.ones(len(kept), device=device, dtype=dtype))
        self.register_buffer("position", self._positions(), persistent=False)
        bound = 1 / max(len(kept), 1) ** 0.5
        start = torch.empty(len(kept), self.dim, device=device, dtype=dtype).uniform_(-bound, bound)
        self.weight = torch.nn.Parameter(start)
        torch.nn.init.uniform_(self.bias, -bound, bound)

    def _positions(self) -> Tensor:
        """Return for every column its row of `weight`, or -1 if it is dropped."""
        positions = torch.full((len(self.columns),), -1, device=self.kept.device)
        positions[self.kept] = torch.arange(len(self.kept), device=self.kept.device)
        return positions

    def _transformed(self, counts: Tensor) -> Tensor:
        """Return log(1 + count), or the values as they are."""
        return torch.log1p(counts) if self.log else counts

    def _dense(self, counts: Tensor) -> Tensor:
        values = self._transformed(counts[:, self.kept].to(self.mean.dtype))
        return (((values - self.mean) * self.scale) @ self.weight) + self.bias

    def _bags(self, counts: Tensor) -> Tensor:
        """Return the first layer of sparse counts: sums over the entries of a row, plus the constant of the means."""
        starts, columns, values = _bags_of(counts)
        position = self.position[columns]
        row = position.clamp(min=0)
        values = self._transformed(values.to(self.mean.dtype)) * self.scale[row] * (position >= 0)
        weight = self.weight
        sums = functional.embedding_bag(
            row, weight, starts, mode="sum", per_sample_weights=values.to(weight.dtype)
        )
        return sums - (self.mean * self.scale) @ weight + self.bias

    def _check(self, counts: Tensor) -> None:
        """Raise an error for an unfitted module and for another number of columns."""
        if not self.fitted:
            raise InputError("EgoInput has not learned its columns. Call fit with the training data first.")
        if counts.dim() != 2 or counts.shape[1] != len(self.columns):
            raise InputError(
                f"EgoInput needs a row per node and {len(self.columns):,} columns, got shape {tuple(counts.shape)}. "
                "Encode with the vocabulary of the training data."
            )

    def _attribute(self, data: Any) -> Tensor:
        """Return the encoding of a `Data` or `Batch`."""
        counts = getattr(data, self.attr_name, None)
        if not isinstance(counts, Tensor):
            raise InputError(
                f"EgoInput reads the attribute {self.attr_name!r}, which {show(data)} does not have. "
                "Apply AddEgoEncoding first, or set attr_name."
            )
        return counts

    def _tensors(self, train: Any) -> Iterable[Tensor]:
        """Yield the counts of training data, checked."""
        is_one = isinstance(train, Encoding | Tensor) or hasattr(train, self.attr_name)
        for part in [train] if is_one else train:
            if isinstance(part, Encoding):
                self._check_columns(part.feature_names, "encoding")
                counts = part.to_torch(dense=False)
            else:
                counts = part if isinstance(part, Tensor) else self._attribute(part)
            if counts.dim() != 2 or counts.shape[1] != len(self.columns):
                raise InputError(
                    f"fit needs {len(self.columns):,} columns, got shape {tuple(counts.shape)}. "
                    "Encode with the same vocabulary."
                )
            yield counts


def _entries(counts: Tensor) -> tuple[Tensor, Tensor]:
    """Return the column and the value of every entry that is not zero."""
    if counts.layout == torch.strided:
        rows, columns = torch.nonzero(counts, as_tuple=True)
        return columns.cpu(), counts[rows, columns].cpu()
    _, columns, values = _bags_of(counts)
    filled = values != 0
    return columns[filled].cpu(), values[filled].cpu()


def _bags_of(counts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return where each row of a sparse tensor starts, and the column and value of every entry."""
    if counts.layout == torch.sparse_csr:
        return counts.crow_indices()[:-1], counts.col_indices(), counts.values()
    coo = counts.coalesce()
    rows = coo.indices()[0].contiguous()
    starts = torch.searchsorted(rows, torch.arange(counts.shape[0], device=rows.device))
    return starts, coo.indices()[1], coo.values()


def _column_names(columns: Vocabulary | Encoding | Sequence[str]) -> list[str]:
    if isinstance(columns, Encoding | Vocabulary):
        return list(columns.feature_names)
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"columns must be a vocabulary, an encoding or different names, got {show(columns)}. "
            "Use encoding.vocabulary or transform.vocabulary."
        )
    return names


def _at_least(name: str, value: Any, least: int) -> int:
    """Return a whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be a whole number >= {least}, got {value!r}.")
    return value
