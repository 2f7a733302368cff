"""Types of the compiled core; the modules that call it have the contracts."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from egonet.typing import Floats, Int32s, Int64s

def encode(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    degrees: str,
    frontier_edges: bool,
    max_degree: int,
    labels: Int32s | None,
    symmetric: bool,
    threads: int,
    algorithm: str,
    simd: str,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def encode_pairs(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radii: list[int],
    degrees: str,
    follow: str,
    without_edge: bool,
    ordered: bool,
    max_degree: int,
    log_bins: bool,
    direction: str,
    labels: Int32s | None,
    divided: bool,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def sum_links(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    radius: int,
    without_edge: bool,
    walks: bool,
    weights: Int64s,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Floats]: ...
def replay_pairs(
    sources: Int32s,
    targets: Int32s,
    num_nodes: int,
    largest_degree: int,
    pairs: Int64s,
    first: Int64s,
    last: Int64s,
    order: Int64s,
    radii: list[int],
    degrees: str,
    follow: str,
    without_edge: bool,
    ordered: bool,
    max_degree: int,
    log_bins: bool,
    direction: str,
    labels: Int32s | None,
    divided: bool,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def end_distances(
    indptr: Int64s,
    indices: Int32s,
    pairs: Int64s,
    longest: int,
    direction: str,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> Int32s: ...
def replay_windows(
    sources: Int32s,
    targets: Int32s,
    num_nodes: int,
    largest_degree: int,
    nodes: Int32s,
    first: Int64s,
    last: Int64s,
    order: Int64s,
    radius: int,
    degrees: str,
    follow: str,
    frontier_edges: bool,
    max_degree: int,
    symmetric: bool,
    labels: Int32s | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...

class WindowGraph:
    def __init__(self, num_nodes: int, symmetric: bool, both: bool) -> None: ...
    def reserve(self, num_nodes: int) -> None: ...
    def add(self, sources: Int32s, targets: Int32s) -> None: ...
    def remove(self, sources: Int32s, targets: Int32s) -> None: ...
    def add_one(self, source: int, target: int) -> None: ...
    def rows(
        self,
        roots: Int64s,
        labels: Int32s | None,
        largest_label: int,
        radius: int,
        degrees: str,
        follow: str,
        frontier_edges: bool,
        max_degree: int,
        symmetric: bool,
        threads: int,
    ) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_arcs(self) -> int: ...
    @property
    def pool_size(self) -> int: ...

class RowReader:
    def __init__(
        self,
        graph: WindowGraph,
        radius: int,
        degrees: str,
        follow: str,
        frontier_edges: bool,
        max_degree: int,
        symmetric: bool,
    ) -> None: ...
    def rows(
        self, roots: list[int], labels: Int32s | None, largest_label: int
    ) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...

def encode_in_out(
    indptr: Int64s,
    indices: Int32s,
    by_target: bool,
    roots: Int64s | None,
    radius: int,
    follow: str,
    frontier_edges: bool,
    max_degree: int,
    labels: Int32s | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def count_ego_edges(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    degrees: str,
    frontier_edges: bool,
    max_degree: int,
    log_bins: bool,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s]: ...
def list_ego_networks(indptr: Int64s, indices: Int32s, radius: int) -> tuple[Int64s, Int64s]: ...
def subdivide(
    first: Int32s, second: Int32s, types: Int32s, num_nodes: int, both_ways: bool
) -> tuple[Int64s, Int32s, Int32s]: ...
def ring_statistics(
    indptr: Int64s,
    indices: Int32s,
    values: Floats,
    first_node: int,
    first: int,
    step: int,
    sums: Floats,
    lows: Floats,
    highs: Floats,
    counts: Int64s,
    threads: int,
) -> None: ...
def predict(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    degrees: str,
    frontier_edges: bool,
    symmetric: bool,
) -> tuple[str, float, float, float, float, float, float, float]: ...
def row_classes(indptr: Int64s, columns: Int32s, values: Int32s) -> Int64s: ...
def row_distances(indptr: Int64s, columns: Int32s, values: Int32s, query: Int64s, total: int) -> Int64s: ...
def simd_level() -> str: ...
def common_neighbors(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    labels: Int32s | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s, Int32s, Int32s, Int64s]: ...
def pair_rooted(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    edges_only: bool,
    labels: Int32s | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s, Int32s, Int32s, Int64s]: ...
def refined(
    indptr: Int64s,
    indices: Int32s,
    roots: Int64s | None,
    radius: int,
    depth: int,
    labels: Int32s | None,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Int64s, Int32s, Int32s, Int64s, Int32s, Int32s, Int64s]: ...
def individualize(
    indptr: Int64s,
    indices: Int32s,
    depth: int,
    radius: int,
    all_cells: bool,
    labels: Int32s | None,
    arc_labels: Int32s | None,
    num_kinds: int,
    threads: int,
) -> tuple[Int64s, NDArray[np.bool_]]: ...
def refine(
    indptr: Int64s,
    indices: Int32s,
    reverse_ptr: Int64s,
    reverse_indices: Int32s,
    start: Int64s,
    threads: int,
) -> Int64s: ...
def refine_pairs(indptr: Int64s, indices: Int32s, graph_ptr: Int64s, start: Int64s) -> Int64s: ...
def join_rows(graphs: list[Any], has_values: bool) -> tuple[Int64s, Int32s, Int64s, bool] | None: ...
def join_arcs(index: Int64s, sizes: Int64s, counts: Int64s) -> tuple[Int64s, Int32s] | None: ...
def gather_arcs(sources: Int64s, targets: Int64s, counts: Int64s) -> Int64s: ...
def are_pointers(indptr: Int64s, num_arcs: int) -> bool: ...
def are_rows(
    indptr: Int64s, first: int, last: int, indices: Int32s, salt: int, threads: int
) -> int | None: ...
def file_checksum(descriptor: int, portable: bool = False) -> str: ...
def is_undirected(indptr: Int64s, indices: Int32s) -> bool: ...

class KnownColumns:
    both_ways: bool
    def __init__(
        self,
        keys: Int64s,
        radii: list[int],
        degrees: str,
        frontier_edges: bool,
        max_degree: int,
        binned: bool,
    ) -> None: ...
    def count_at(self, sources: int, targets: int, num_arcs: int, num_nodes: int, table: int) -> bool: ...
    def count_many(
        self, index: Int64s, graph_ptr: Int64s, arc_ptr: Int64s, local: bool, table: NDArray[np.float32]
    ) -> bool: ...
    def count_rows(self, indptr: Int64s, indices: Int32s, table: NDArray[np.float32]) -> bool: ...

def multiply_sparse(
    indptr: Int64s,
    indices: Int32s,
    values: NDArray[np.float32],
    table: NDArray[np.float32],
    threads: int,
    level: int = 2,
) -> NDArray[np.float32]: ...
def add_pairs(
    sources: NDArray[np.float32],
    contexts: NDArray[np.float32],
    row_of: Int64s,
    segments: Int64s,
    others: Int64s,
    window: int,
    scale: float,
    shift: float,
    threads: int,
    level: int = 2,
) -> tuple[float, float, float, float, NDArray[np.float32], NDArray[np.float32]]: ...
def add_separate(
    sources: NDArray[np.float32],
    contexts: NDArray[np.float32],
    ours: Int64s,
    theirs: Int64s,
    scale: float,
    shift: float,
    threads: int,
    level: int = 2,
) -> tuple[float, float, float, float, NDArray[np.float32], NDArray[np.float32]]: ...

class Version:
    def change_plain(
        self, added: Iterable[Sequence[Hashable]], removed: Iterable[Sequence[Hashable]], threads: int
    ) -> Version | None: ...
    def change(
        self, added: Int32s, removed: Int32s, num_nodes: int, labels: Int32s | None, threads: int
    ) -> Version | None: ...
    def row(self, row: int) -> list[tuple[int, int]] | None: ...
    def is_heavy(self) -> bool: ...
    def num_nodes(self) -> int: ...
    def lists(self) -> tuple[Int32s, Int64s, Int32s]: ...
    def whole_rows(self) -> tuple[Int64s, Int64s, Int32s, Int32s]: ...
    def extra_keys(self) -> Int64s: ...

def first_version(
    indptr: Int64s,
    indices: Int32s,
    row_indptr: Any,
    columns: Any,
    counts: Int32s,
    keys: Int64s,
    radii: Int64s,
    degrees: str,
    frontier_edges: bool,
    max_degree: int,
    log_bins: bool,
    labels: Int32s | None,
    roots: Int64s | None,
    numbers: dict[Hashable, int] | None,
    limit: int,
    max_patch: int,
    is_plain: bool,
) -> Version: ...
def __getattr__(name: str) -> Any: ...
