"""Torch modules that take encodings as input: counts in, vectors of a network's width out."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from egonet.checks import as_flag, as_whole, is_iterable
from egonet.encoding.encoding import Encoding
from egonet.encoding.vocabulary import Vocabulary
from egonet.errors import InputError, MissingExtraError, show_value
from egonet.graph.arcs import as_edge_index
from egonet.graph.graph import Graph
from egonet.kernel.native import list_ego_networks

try:
    import torch
    from torch import Tensor
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError('egonet.nn needs an extra package: pip install "egonet[torch]".') from error

#: The most numbers in a vector.
MAX_DIM = 1_000_000


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

    #: How messages name a row and the option for rare columns, and where rows come from.
    _row, _least, _transform = "node", "min_nodes", "AddEgoEncoding"
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
        self.dim = as_whole("dim", dim, 1, MAX_DIM)
        self.mlp = as_flag("mlp", mlp)
        self.min_nodes = as_whole("min_nodes", min_nodes, 0)
        self.log = as_flag("log", log)
        if not isinstance(attr_name, str):
            raise InputError(f"attr_name must be the name of an attribute, got {show_value(attr_name)}.")
        self.attr_name = attr_name
        self.fitted = False
        self.last = torch.nn.Linear(dim, dim) if self.mlp else None
        self.bias = torch.nn.Parameter(torch.zeros(dim))
        self._resize(torch.arange(len(self.columns)))

    @property
    def kept_columns(self) -> list[str]:
        """Return the names of the columns that are used.

        Examples
        --------
        >>> module = EgoInput(["r1_d0_deg1", "r1_d1_deg1"], dim=4, min_nodes=1)
        >>> counts = torch.tensor([[1.0, 1.0], [0.0, 2.0]])
        >>> module.fit(counts).kept_columns
        ['r1_d0_deg1', 'r1_d1_deg1']
        """
        return [self.columns[index] for index in self.kept.tolist()]

    @torch.no_grad()
    def fit(self, train: Any) -> Self:
        """Learn from training data which columns are used and how they are standardized.

        Parameters
        ----------
        train
            An `Encoding`, a tensor of counts, a `Data` or `Batch`, or a data set or list of these.

        Examples
        --------
        >>> module = EgoInput(["r1_d0_deg1", "r1_d1_deg1"], dim=4, min_nodes=1)
        >>> counts = torch.tensor([[1.0, 1.0], [0.0, 2.0]])
        >>> module.fit(counts) is module
        True
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
            raise InputError(f"fit needs at least one training {self._row}, got none.")
        mean = sums[0] / nodes
        spread = (sums[1] / nodes - mean**2).clamp(min=0).sqrt()
        columns = torch.nonzero((sums[2] >= max(self.min_nodes, 1)) & (spread > 1e-6)).flatten()
        if not len(columns):
            raise InputError(
                f"no column is used by {self.min_nodes:,} of the {nodes:,} training {self._row}s and differs between "
                f"them. Lower {self._least}, or use a larger radius."
            )
        self._resize(columns.to(self.bias.device))
        self.mean.copy_(mean[columns])
        self.scale.copy_(1 / spread[columns])
        self.fitted = True
        return self

    def forward(self, counts: Any) -> Tensor:
        """Return a vector of length `dim` for every node of a tensor, `Data` or `Batch`.

        Examples
        --------
        >>> module = EgoInput(["r1_d0_deg1", "r1_d1_deg1"], dim=4, min_nodes=1)
        >>> counts = torch.tensor([[1.0, 1.0], [0.0, 2.0]])
        >>> module.fit(counts)(counts).shape
        torch.Size([2, 4])
        """
        if not isinstance(counts, Tensor):
            counts = self._attribute(counts)
        self._check(counts)
        hidden = self._dense(counts) if counts.layout == torch.strided else self._bags(counts)
        return hidden if self.last is None else self.last(functional.relu(hidden))

    def extra_repr(self) -> str:
        state = f"{len(self.kept)} of {len(self.columns)} columns" if self.fitted else "not fitted"
        return f"{state}, dim={self.dim}, mlp={self.mlp}, {self._least}={self.min_nodes}, log={self.log}"

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

    def _check_columns(self, names: Sequence[str], what: str = "state") -> None:
        """Raise an error if a state or an encoding has other columns."""
        if list(names) == self.columns:
            return
        differ = [pair for pair in zip(names, self.columns, strict=False) if pair[0] != pair[1]]
        where = f"first {differ[0][0]!r} instead of {differ[0][1]!r}" if differ else "one has more"
        raise InputError(
            f"the {what} has {len(names):,} columns and this module {len(self.columns):,}, {where}. "
            "Make the module with the vocabulary of the training data."
        )

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Resize the module to the state before values are copied, so that an unfitted module can be loaded."""
        extra = state.get(f"{prefix}_extra_state")
        if extra is not None:
            self._check_columns(json.loads(bytes(extra.cpu().tolist()))["columns"])
        columns = state.get(f"{prefix}kept")
        if columns is not None and len(columns) != len(self.kept):
            with torch.no_grad():
                self._resize(columns.to(self.bias.device))
        super()._load_from_state_dict(state, prefix, *rest)
        self.register_buffer("position", self._positions(), persistent=False)

    def _resize(self, columns: Tensor) -> None:
        """Set the columns in use, and make the first layer for them as `torch.nn.Linear` would."""
        self.register_buffer("kept", columns)
        device, dtype = columns.device, self.bias.dtype
        self.register_buffer("mean", torch.zeros(len(columns), device=device, dtype=dtype))
        self.register_buffer("scale", torch.ones(len(columns), device=device, dtype=dtype))
        self.register_buffer("position", self._positions(), persistent=False)
        bound = 1 / max(len(columns), 1) ** 0.5
        start = torch.empty(len(columns), self.dim, device=device, dtype=dtype).uniform_(-bound, bound)
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
            raise InputError(
                f"{type(self).__name__} has not learned its columns. Call fit with the training data first."
            )
        if counts.dim() != 2 or counts.shape[1] != len(self.columns):
            raise InputError(
                f"{type(self).__name__} needs a row per {self._row} and {len(self.columns):,} columns, "
                f"got shape {tuple(counts.shape)}. "
                "Encode with the vocabulary of the training data."
            )

    def _attribute(self, data: Any) -> Tensor:
        """Return the encoding of a `Data` or `Batch`."""
        counts = getattr(data, self.attr_name, None)
        if not isinstance(counts, Tensor):
            raise InputError(
                f"{type(self).__name__} reads the attribute {self.attr_name!r}, which {show_value(data)} does not "
                f"have. Apply {self._transform} first, or set attr_name."
            )
        return counts

    def _tensors(self, train: Any) -> Iterable[Tensor]:
        """Yield the counts of training data, checked."""
        is_one = isinstance(train, Encoding | Tensor) or hasattr(train, self.attr_name)
        if not is_one and not is_iterable(train):
            raise InputError(
                f"fit takes an encoding, a tensor or graphs with {self.attr_name!r}, got {show_value(train)}."
            )
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


class EdgeInput(EgoInput):
    """Turn the counts of edges into vectors that a network adds or appends to its edge features.

    `EgoInput` for the rows of `encode_edges` and `AddEdgeEncoding`: a vector per column of `edge_index`. Vectors as
    wide as the number of heads are a bias of attention; the page "For PyTorch Geometric" shows how.

    Parameters
    ----------
    columns, dim, mlp, log
        As for `EgoInput`.
    min_edges
        `fit` drops columns that are not zero in fewer training edges than this.
    attr_name
        Where a `Data` or a `Batch` has its encoding of edges.

    Examples
    --------
    >>> import egonet
    >>> train = egonet.encode_edges(egonet.named.karate_club(), radius=1)
    >>> module = EdgeInput(train, dim=8, min_edges=10).fit(train)
    >>> len(train.vocabulary), len(module.kept_columns), module(train.to_torch()).shape
    (33, 22, torch.Size([78, 8]))
    """

    _row, _least, _transform = "edge", "min_edges", "AddEdgeEncoding"

    def __init__(
        self,
        columns: Vocabulary | Encoding | Sequence[str],
        dim: int,
        *,
        mlp: bool = True,
        min_edges: int = 20,
        log: bool = True,
        attr_name: str = "edge_encoding",
    ) -> None:
        least = as_whole("min_edges", min_edges, 0)
        super().__init__(columns, dim, mlp=mlp, min_nodes=least, log=log, attr_name=attr_name)


@dataclass(frozen=True, eq=False)
class EgoNetworks:
    """The ego-networks of all nodes of a graph or a batch, one after another, as tensors.

    There is an entry per node and per edge of every ego-network, and nothing for nodes outside: memory grows with the
    sum of the sizes of the ego-networks, not with the square of the number of nodes. A `Batch` is a disjoint union, so
    that its ego-networks are those of its graphs.

    Attributes
    ----------
    root, node
        int64 (num_entries,): the root, and the node of its ego-network.
    distance
        int64 (num_entries,): the distance of the node from the root.
    degrees
        int64 (num_entries, 3): its neighbors inside the ego-network that are closer to the root, as far, and farther.
    ends
        int64 (2, num_ego_edges): the entries of both ends of every edge of every ego-network, each edge once.
    num_nodes
        The number of nodes of the graph.
    radius
        The radius of the ego-networks.

    Examples
    --------
    >>> networks = EgoNetworks.from_edge_index(torch.tensor([[0, 1], [1, 0]]), num_nodes=2, radius=1)
    >>> networks.root.tolist(), networks.node.tolist(), networks.ends.tolist()
    ([0, 0, 1, 1], [0, 1, 1, 0], [[0, 2], [1, 3]])
    """

    root: Tensor
    node: Tensor
    distance: Tensor
    degrees: Tensor
    ends: Tensor
    num_nodes: int
    radius: int

    @classmethod
    def from_edge_index(cls, edge_index: Any, num_nodes: int, radius: int) -> Self:
        """Return the ego-networks of a graph whose arcs are read as undirected edges, on the device of `edge_index`.

        Examples
        --------
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> type(EgoNetworks.from_edge_index(path, num_nodes=3, radius=1)).__name__
        'EgoNetworks'
        """
        hops, size = as_whole("radius", radius, 1), as_whole("num_nodes", num_nodes, 0)
        source, target = as_edge_index(edge_index, size)
        graph = Graph.from_edges(np.stack([source, target], axis=1), num_nodes=size)
        nodes, ends = list_ego_networks(graph.indptr, graph.indices, hops)
        device = getattr(edge_index, "device", torch.device("cpu"))
        entries, edges = torch.from_numpy(nodes).to(device), torch.from_numpy(ends).to(device)
        columns = (entries[:, 0], entries[:, 1], entries[:, 2], entries[:, 3:])
        return cls(*columns, edges.T.contiguous(), size, hops)


class EleneConv(torch.nn.Module):
    """The learned form of ELENE: messages from the nodes and the edges of the ego-network to its root.

    A node of the ego-network sends MLP(root, node, vectors of its distance and its three degrees). An edge sends
    MLP(root, product of both ends, edge features, sum of the vectors of both ends), where the vector of an end
    depends on its distance, on the step to the other end, and on its degrees. Both kinds of messages are averaged at
    the root and added to it after a linear layer. The sums over both ends do not depend on their order, and no number
    depends on the names of nodes.

    Parameters
    ----------
    dim
        The width of node features, in and out.
    radius
        The radius of the ego-networks.
    max_degree
        Higher degrees have the vector of this one.
    edge_dim
        The width of edge features, or None.
    edges
        False leaves the messages of edges out: the node-centric form.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> index, x = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(3, 8)
    >>> layer = EleneConv(8, radius=1)
    >>> layer(x, EgoNetworks.from_edge_index(index, 3, radius=1)).shape
    torch.Size([3, 8])
    """

    def __init__(
        self,
        dim: int,
        radius: int,
        *,
        max_degree: int = 16,
        edge_dim: int | None = None,
        edges: bool = True,
    ) -> None:
        super().__init__()
        self.dim, self.radius = as_whole("dim", dim, 1, MAX_DIM), as_whole("radius", radius, 1, MAX_DIM)
        self.max_degree, self.edges = as_whole("max_degree", max_degree, 0, MAX_DIM), as_flag("edges", edges)
        self.edge_dim = None if edge_dim is None else as_whole("edge_dim", edge_dim, 1, MAX_DIM)
        if self.edge_dim is not None and not self.edges:
            raise InputError("edge features need messages of edges, got edges=False. Leave edge_dim out.")
        self.distance = torch.nn.Embedding(self.radius + 1, dim)
        self.degree = torch.nn.ModuleList(torch.nn.Embedding(max_degree + 1, dim) for _ in range(3))
        self.node_message = _perceptron(3 * dim, dim)
        if self.edges:
            self.step = torch.nn.Embedding(3 * (self.radius + 1), dim)
            self.end_degree = torch.nn.ModuleList(torch.nn.Embedding(max_degree + 1, dim) for _ in range(3))
            self.edge_message = _perceptron(3 * dim + (self.edge_dim or 0), dim)
        self.last = torch.nn.Linear((1 + self.edges) * dim, dim)

    def forward(
        self,
        x: Tensor,
        networks: EgoNetworks,
        edge_index: Tensor | None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """Return new node features; `edge_index` and `edge_attr` are needed if there are edge features.

        An edge of an ego-network has the features of all its arcs, added: of both directions, and of repeated edges.

        Examples
        --------
        >>> index, x = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(3, 8)
        >>> EleneConv(8, radius=1).forward(x, EgoNetworks.from_edge_index(index, 3, radius=1)).shape
        torch.Size([3, 8])
        """
        self._check(x, networks, edge_attr)
        degrees = networks.degrees.clamp(max=self.max_degree)
        vectors = self.distance(networks.distance) + _embed(self.degree, degrees)
        messages = self.node_message(torch.cat([x[networks.root], x[networks.node], vectors], dim=1))
        parts = [_mean(messages, networks.root, networks.num_nodes)]
        if self.edges:
            first, second = networks.ends
            roots = networks.root[first]
            step = networks.distance[second] - networks.distance[first]
            ends = self._end(networks, degrees, first, step) + self._end(networks, degrees, second, -step)
            between = x[networks.node[first]] * x[networks.node[second]]
            inputs = [x[roots], between, ends]
            if self.edge_dim is not None:
                inputs.append(_edge_features(networks, edge_index, edge_attr, self.edge_dim))
            parts.append(_mean(self.edge_message(torch.cat(inputs, dim=1)), roots, networks.num_nodes))
        result: Tensor = x + self.last(torch.cat(parts, dim=1))
        return result

    def _end(self, networks: EgoNetworks, degrees: Tensor, entry: Tensor, step: Tensor) -> Tensor:
        """Return the vector of one end of every edge."""
        vectors: Tensor = self.step(3 * networks.distance[entry] + step + 1) + _embed(
            self.end_degree, degrees[entry]
        )
        return vectors

    def _check(self, x: Tensor, networks: EgoNetworks, edge_attr: Tensor | None) -> None:
        if not isinstance(networks, EgoNetworks):
            raise InputError(
                f"EleneConv needs the ego-networks of the graph, got {show_value(networks)}. "
                "Use EgoNetworks.from_edge_index."
            )
        if not isinstance(x, Tensor) or x.shape != (networks.num_nodes, self.dim):
            got = tuple(x.shape) if isinstance(x, Tensor) else show_value(x)
            raise InputError(
                f"EleneConv needs node features of shape ({networks.num_nodes}, {self.dim}), got {got}. "
                "Encode them with a linear layer of this width, and list the ego-networks of the same batch."
            )
        if networks.radius != self.radius:
            raise InputError(
                f"the ego-networks must have the radius of the layer, {self.radius}, got {networks.radius}. "
                "Make both with the same radius."
            )
        if (edge_attr is None) != (self.edge_dim is None):
            raise InputError(
                f"edge_attr is needed if and only if edge_dim is given, got edge_dim={show_value(self.edge_dim)}. "
                "Give both or none."
            )


def _perceptron(width: int, dim: int) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(width, dim), torch.nn.ReLU(), torch.nn.Linear(dim, dim))


def _embed(tables: Iterable[Any], numbers: Tensor) -> Tensor:
    """Return the sum of a vector per column of whole numbers."""
    vectors = [table(numbers[:, column]) for column, table in enumerate(tables)]
    return torch.stack(vectors).sum(dim=0)


def _mean(messages: Tensor, roots: Tensor, num_nodes: int) -> Tensor:
    """Return the mean of the messages to every root; zero for roots without messages."""
    sums = messages.new_zeros(num_nodes, messages.shape[1]).index_add_(0, roots, messages)
    counts = torch.bincount(roots, minlength=num_nodes).clamp(min=1)
    return sums / counts.unsqueeze(1).to(sums.dtype)


def _edge_features(
    networks: EgoNetworks, edge_index: Tensor | None, edge_attr: Tensor | None, width: int
) -> Tensor:
    """Return the features of the edges of ego-networks, which are those of all arcs of an edge, added."""
    if not isinstance(edge_index, Tensor) or not isinstance(edge_attr, Tensor):
        raise InputError(
            f"EleneConv needs edge_index to look up edge_attr, got {show_value(edge_index)} and "
            f"{show_value(edge_attr)}. Give both as tensors."
        )
    if edge_attr.shape != (edge_index.shape[-1], width):
        raise InputError(
            f"edge_attr must have a row per column of edge_index and the width edge_dim, "
            f"{(edge_index.shape[-1], width)}, got {tuple(edge_attr.shape)}. Use edge_attr.view(-1, 1) for one number."
        )
    size = networks.num_nodes
    lower, upper = edge_index.amin(dim=0), edge_index.amax(dim=0)
    codes, place = torch.unique(lower * size + upper, return_inverse=True)
    sums = edge_attr.new_zeros(len(codes), width).index_add_(0, place, edge_attr)
    first, second = networks.node[networks.ends[0]], networks.node[networks.ends[1]]
    wanted = torch.minimum(first, second) * size + torch.maximum(first, second)
    place = torch.searchsorted(codes, wanted).clamp(max=max(len(codes) - 1, 0))
    if len(wanted) and (not len(codes) or bool((codes[place] != wanted).any())):
        raise InputError(
            "the ego-networks have edges that edge_index does not have. List them from the same edge_index."
        )
    return sums[place]


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
    names = [columns] if isinstance(columns, str) else list(columns) if is_iterable(columns) else []
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"columns must be a vocabulary, an encoding or different names, got {show_value(columns)}. "
            "Use encoding.vocabulary or transform.vocabulary."
        )
    return names
