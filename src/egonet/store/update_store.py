"""A store after its graph changed: blocks with touched roots are written anew, and one manifest makes it so."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.graph_changes import Changes, read_changes
from egonet.encoding.settings import Settings
from egonet.errors import FileError, InputError
from egonet.graph.graph import GraphInfo
from egonet.kernel.incremental import NO_LISTS, ListPatch
from egonet.store.array_folder import discard_scratch, is_sound, temporary_folder, write_pieces
from egonet.store.block_files import facts_of, is_sound_block, write_block
from egonet.store.blocks import Block, count_block, replace_rows
from egonet.store.encode_store import finish, remove_leftovers
from egonet.store.lock import claim, locked, names_in
from egonet.store.manifest import read_manifest
from egonet.store.neighborhoods import ball
from egonet.store.stored_encoding import StoredEncoding, open_store
from egonet.store.stored_graph import GraphStore, open_graph, seal_graph, write_ids
from egonet.store.verify import damaged_files
from egonet.typing import Int32s, Int64s


def update_store(
    folder: str | Path,
    added: Iterable[Sequence[Hashable]] = (),
    removed: Iterable[Sequence[Hashable]] = (),
    *,
    threads: int = 0,
    verify: bool = True,
) -> StoredEncoding:
    """Return the encoding in a folder after some edges were removed and others added, as `Encoding.update` does.

    Only roots within the radius of a changed edge are counted, and only their blocks and the graph's arrays are
    written. Until the last step the folder holds the old encoding; killed at any moment, the same call ends with
    the same bytes, and one that was finished already changes nothing. A store with a damaged file is left as it is:
    all of it is compared with its checksums first, unless `verify=False`.

    Raises
    ------
    FileError
        If a file of the store is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from egonet import Graph
    >>> from egonet.store.encode_store import encode_to_store
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> _ = encode_to_store(Graph.from_edges([("a", "b"), ("b", "c")]), folder, 1)
    >>> update_store(folder, added=[("c", "a")])["a"]
    {(0, 2): 1, (1, 2): 2}
    """
    path, pairs = Path(folder), ([tuple(pair) for pair in added], [tuple(pair) for pair in removed])
    open_store(path)
    with locked(path):
        discard_scratch(path)
        stored = open_store(path, verify=verify)
        change = blake2b(repr(pairs).encode(), digest_size=16).hexdigest()
        if stored.manifest["change"] == change:
            remove_leftovers(path, stored.manifest)  # of a run killed after its last step but one
            return stored
        _refuse(stored)
        damaged = damaged_files(path, stored.manifest) if verify else []
        if damaged:
            raise FileError(
                f"{path} cannot be updated: {len(damaged):,} of its files are damaged, first {damaged[0]}. "
                "Run `egonet verify` to mend them."
            )
        generation = stored.manifest["generation"] + 1
        changes = read_changes(stored.graph, NO_LISTS, (), *pairs)
        changed = _write_graph(stored.store, changes, path / f"graph-{generation:04d}", change)
        touched = _touched(stored.store, changed, changes, max(stored.vocabulary.settings.radius))
        blocks = _write_blocks(stored, changed, touched, (generation, change), threads)
        manifest = stored.manifest | {
            "generation": generation,
            "graph": changed.folder.name,
            "graph_digest": changed.digest,
            "reading": None,
            "blocks": blocks,
            "num_rows": changed.num_nodes,
            "change": change,
        }
        remove_leftovers(path, finish(path, manifest))
    return open_store(path)


def _refuse(stored: StoredEncoding) -> None:
    """Refuse stores that must be encoded again when their graph changes."""
    again = "Encode the changed graph to another folder."
    if stored.vocabulary.settings.cap is not None:
        raise InputError(f"with cap a new edge may drive out others. {again}")
    if stored.store.directed is not None:
        raise InputError(f"a store of a directed graph cannot be updated. {again}")
    if stored.manifest.get("choices") is not None:
        raise InputError(f"a store with labels or chosen roots cannot be updated. {again}")


def _write_graph(held: GraphStore, changes: Changes, final: Path, change: str) -> GraphStore:
    """Write the changed graph, unless a killed run of the same change did: unchanged rows are copied as they are."""
    if is_sound(final) and read_manifest(final, "a graph").get("change") == change:
        return open_graph(final)
    num_nodes = held.num_nodes + len(changes.new_nodes)
    lists = _changed_lists(held, changes)
    with temporary_folder(final) as temporary:
        degrees = np.zeros(num_nodes, dtype=np.int64)
        np.subtract(held.indptr[1:], held.indptr[:-1], out=degrees[: held.num_nodes])
        degrees[lists.owners] = np.diff(lists.indptr)
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        np.save(temporary / "indptr.npy", indptr)
        write_pieces(temporary / "indices.npy", _pieces(held, lists))
        facts = held.manifest | {"num_nodes": num_nodes, "num_arcs": int(indptr[-1])}
        facts |= {"source": None, "reading": None, "change": change}
        info = GraphInfo(**held.manifest["info"])
        facts["info"] = vars(info) | {
            "loops_dropped": info.loops_dropped + changes.loops_dropped,
            "duplicates_merged": info.duplicates_merged + changes.duplicates_merged,
        }
        facts["ids"] = write_ids(temporary, _ids(held, changes))
        return seal_graph(temporary, final, facts)


def _ids(held: GraphStore, changes: Changes) -> Any:
    """Return the ids of the changed graph in the form a store keeps them."""
    fresh, nodes = list(changes.new_nodes), held.nodes
    if nodes is None and fresh == list(range(held.num_nodes, held.num_nodes + len(fresh))):
        return None
    ids = held.graph.node_ids
    if np.issubdtype(ids.dtype, np.integer) and all(isinstance(node, int) for node in fresh):
        return np.concatenate([ids, np.array(fresh, dtype=np.int64)])
    joined = np.empty(len(ids) + len(fresh), dtype=object)
    joined[:] = [*ids.tolist(), *fresh]
    return joined


def _changed_lists(held: GraphStore, changes: Changes) -> ListPatch:
    """Return the neighbor lists that differ."""
    lists: dict[int, set[int]] = {}
    for pairs, come in ((changes.removed, False), (changes.added, True)):
        for a, b in pairs.tolist():
            for owner, other in ((a, b), (b, a)):
                if owner not in lists:
                    old = owner < held.num_nodes
                    part = (
                        held.indices[held.indptr[owner] : held.indptr[owner + 1]]
                        if old
                        else np.empty(0, np.int32)
                    )
                    lists[owner] = set(part.tolist())
                (lists[owner].add if come else lists[owner].discard)(other)
    owners = sorted(lists)
    indptr = np.cumsum([0, *(len(lists[owner]) for owner in owners)], dtype=np.int64)
    indices = [other for owner in owners for other in sorted(lists[owner])]
    return ListPatch(np.array(owners, dtype=np.int32), indptr, np.array(indices, dtype=np.int32))


def _pieces(held: GraphStore, lists: ListPatch) -> Iterator[Int32s]:
    """Yield the neighbors of the changed graph: unchanged stretches, and the lists that differ."""
    kept = 0
    for place, owner in enumerate(lists.owners.tolist()):
        begin = min(owner, held.num_nodes)
        yield held.indices[held.indptr[kept] : held.indptr[begin]]
        yield lists.indices[lists.indptr[place] : lists.indptr[place + 1]]
        kept = min(owner + 1, held.num_nodes)
    yield held.indices[held.indptr[kept] :]


def _touched(old: GraphStore, new: GraphStore, changes: Changes, radius: int) -> Int64s:
    """Return the roots within `radius` of a changed edge in either graph, and all new nodes; rising."""
    ends = np.unique(np.concatenate([changes.removed, changes.added]))
    near_old = ball(old.indptr, old.indices, ends[ends < old.num_nodes], radius)
    near_new = ball(new.indptr, new.indices, ends, radius)
    return np.unique(np.concatenate([near_old, near_new, np.arange(old.num_nodes, new.num_nodes)]))


def _write_blocks(
    stored: StoredEncoding, graph: GraphStore, touched: Int64s, step: tuple[int, str], threads: int
) -> list[str]:
    """Write the blocks with touched roots anew, unless a killed run of the same step did; return the names of all."""
    generation, change = step
    size, settings = stored.manifest["block_rows"], stored.vocabulary.settings
    names = list(stored.manifest["blocks"])
    names += [""] * (-(-graph.num_nodes // size) - len(names))
    for index in np.unique(touched // size).tolist():
        name = f"block-{index:06d}-{generation:04d}{Path(stored.manifest['blocks'][0]).suffix}"
        if facts_of(stored.folder / name).get("change") == change and is_sound_block(stored.folder / name):
            names[index] = name
            continue
        roots = touched[(touched >= index * size) & (touched < (index + 1) * size)]
        fresh = count_block(graph.indptr, graph.indices, roots, settings, symmetric=True, threads=threads)
        old = stored.block(index) if names[index] else _empty_block(settings)
        block = replace_rows(old, roots - index * size, fresh, settings)
        names[index] = name
        claim(*(stored.folder / part for part in sorted(names_in({"blocks": [name]}))))
        span = {"first": index * size, "last": index * size + len(block)}
        write_block(stored.folder / name, block, span | {"change": change})
    return names


def _empty_block(settings: Settings) -> Block:
    none = np.empty(0, dtype=np.int32)
    return Block(np.zeros(1, np.int64), none, none, np.empty((0, 1 + len(settings.field_names)), np.int64))
