"""The shape of a network and its supports as frozen records; needs no torch."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from egonet.errors import InputError
from research.nets.neighbor_tables import Propagation

Kind: TypeAlias = Literal["linear", "mlp", "gcn", "gat", "gin", "chebnet", "gnnml1", "gnnml3"]

#: What each kind of network sums over neighbors with.
PROPAGATION: dict[str, Propagation] = {
    "gcn": "gcn",
    "gin": "sum",
    "chebnet": "chebyshev",
    "gnnml1": "adjacency",
}


@dataclass(frozen=True)
class Network:
    """The shape of a network: layers over nodes, pooling, and a head over graphs.

    Attributes
    ----------
    kind
        Which layers.
    widths
        Channels of each layer (per head, for "gat"; of the convolution, for "gnnml1" and "gnnml3").
    pool
        What is concatenated per graph: "sum", "mean", "max".
    head
        Widths of the hidden layers after pooling.
    outputs
        Numbers per graph.
    activation
        After each layer: "relu", "elu" or "tanh"; the head's is "relu" unless that is "tanh".
    dropout
        Share of entries dropped before each layer, in training.
    norm
        Batch norm after "all" activations, only the "first", on the "pooled" vector, or "none".
    heads
        Attention heads of "gat".
    hops
        Terms of the Chebyshev expansion of "chebnet".
    depth
        Linear maps inside each layer of "gin".
    share_last
        The last "gin" layer uses the maps of the one before.
    epsilon
        "gin": where its ε starts, "zero" or "uniform" in [0, 1).
    parts
        "gnnml1": channels of the linear and of the product part; "gnnml3": of the product part alone.
    gate
        "gnnml1": activation inside the product, "relu" or "tanh".
    learned
        "gnnml3": supports pass through a learned map before they are used.
    final
        After the last map: "none" or "tanh".
    """

    kind: Kind
    widths: tuple[int, ...] = ()
    pool: tuple[str, ...] = ("mean",)
    head: tuple[int, ...] = ()
    outputs: int = 1
    activation: str = "relu"
    dropout: float = 0.0
    norm: str = "none"
    heads: int = 8
    hops: int = 3
    depth: int = 2
    share_last: bool = False
    epsilon: str = "zero"
    parts: tuple[int, ...] = ()
    gate: str = "relu"
    learned: bool = False
    final: str = "none"

    def __post_init__(self) -> None:
        """Validate the names."""
        if self.kind not in get_args(Kind):
            raise InputError(f"kind must be one of {', '.join(get_args(Kind))}, got {self.kind!r}.")
        if self.activation not in ("relu", "elu", "tanh") or self.norm not in (
            "none",
            "all",
            "first",
            "pooled",
        ):
            raise InputError(f"unknown activation {self.activation!r} or norm {self.norm!r}.")
        if not set(self.pool) <= {"sum", "mean", "max"} or not self.pool:
            raise InputError(f"pool must name sum, mean or max, got {self.pool!r}.")

    @property
    def propagation(self) -> Propagation:
        """Return which weights its sums over neighbors need."""
        return PROPAGATION.get(self.kind, "none")

    @property
    def channels(self) -> tuple[int, ...]:
        """Return the number of channels after each layer."""
        if self.kind == "gat":
            return tuple(self.heads * width for width in self.widths)
        return tuple(width + sum(self.parts) for width in self.widths)

    def has_norm(self, layer: int) -> bool:
        """Return whether batch norm follows a layer."""
        return self.norm == "all" or (self.norm == "first" and layer == 0)


@dataclass(frozen=True)
class Spectral:
    """How GNNML3's supports and ChebNet's scaling are made.

    Attributes
    ----------
    bandwidth, num_frequencies, spectrum
        As in `spectral_supports`.
    own_largest
        ChebNet scales by the largest eigenvalue of each graph; by 2 if False.
    """

    bandwidth: float = 1.0
    num_frequencies: int = 3
    spectrum: str = "laplacian"
    own_largest: bool = False

    @property
    def num_supports(self) -> int:
        """Return how many supports there are."""
        return self.num_frequencies + (2 if self.spectrum == "adjacency" else 1)
