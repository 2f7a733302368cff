"""Exact update of a store after its graph changed: only the graph and the affected blocks are written."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from egonet.checks import as_threads
from egonet.encoding.encoding import Encoding
from egonet.encoding.schema import Schema
from egonet.errors import FileError, InputError
from egonet.graph.changes import Changes, as_pairs, read_changes
from egonet.graph.graph import GraphInfo
from egonet.graph.index import as_pair, id_array
from egonet.io.paths import as_path
from egonet.kernel.incremental import NO_LISTS, ListPatch
from egonet.store.blocks import Block, count_block, facts_of, is_intact_block, replace_rows, write_block
from egonet.store.encode import finish, remove_leftovers
from egonet.store.encoding import StoredRows, open_rows, open_store
from egonet.store.folder import discard_scratch, is_intact, temporary_folder, write_chunks
from egonet.store.graph import GraphStore, ball, open_graph, seal_graph, write_ids
from egonet.store.manifest import claim, lock_folder, names_in, read_manifest
from egonet.store.verify import damaged_files
from egonet.typing import Int32s, Int64s


def update(
    folder: str | PathLike[str],
    added: Iterable[Sequence[Hashable]] = (),
    removed: Iterable[Sequence[Hashable]] = (),
    *,
    threads: int | None = None,
    verify: bool = True,
) -> Encoding:
    """Return the encoding in a folder after edges were removed and added, as `Encoding.update` does.

    Only roots within the radius of a changed edge are counted, and only their blocks and the arrays of the graph are
    written. The folder has the old encoding until the last step. Repeat an interrupted call to resume it; repeating a
    complete call changes nothing, and so do no edges at all.

    Parameters
    ----------
    folder
        A store of an undirected graph, without labels, edge types, chosen roots and cap.
    added, removed
        Edges as pairs of node ids; new ids become new nodes.
    threads
        The number of threads; one per core if not given.
    verify
        False skips the comparison of all files with their checksums.

    Raises
    ------
    FileError
        If a file of the store is damaged. The store is not changed then.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = tempfile.mkdtemp() + "/out"
    >>> _ = egonet.store.encode([("a", "b"), ("b", "c")], folder, radius=1)
    >>> egonet.store.update(folder, added=[("c", "a")])["a"]
    {(0, 2): 1, (1, 2): 2}
    """
    path, parts = as_path("folder", folder), {"added": added, "removed": removed}
    pairs = tuple(
        [tuple(as_pair(pair, position)) for position, pair in enumerate(as_pairs(part, name))]
        for name, part in parts.items()
    )
    open_rows(path, verify=verify)
    with lock_folder(path):
        discard_scratch(path)
        stored = open_rows(path, verify=verify)
        change = blake2b(repr(pairs).encode(), digest_size=16).hexdigest()
        if stored.manifest["change"] == change:
            remove_leftovers(path, stored.manifest)  # of a run that was killed before its cleanup
            return Encoding(stored)
        _check_updatable(stored)
        damaged = damaged_files(path, stored.manifest) if verify else []
        if damaged:
            raise FileError(
                f"{path} cannot be updated: {len(damaged):,} of its files are damaged, first {damaged[0]}. "
                "Repair them with `egonet verify`."
            )
        if not any(pairs):
            return Encoding(stored)
        generation = stored.manifest["generation"] + 1
        changes = read_changes(stored.graph, NO_LISTS, (), *pairs)
        changed = _write_graph(stored.store, changes, path / f"graph-{generation:04d}", change)
        affected = _find_affected(stored.store, changed, changes, max(stored.vocabulary.settings.radius))
        blocks = _write_blocks(stored, changed, affected, (generation, change), as_threads(threads))
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


def _check_updatable(stored: StoredRows) -> None:
    """Raise for stores that must be encoded again when their graph changes."""
    again = "Encode the changed graph to another folder."
    if stored.vocabulary.settings.cap is not None:
        raise InputError(f"with cap a new edge may replace others. {again}")
    if stored.store.directed is not None:
        raise InputError(f"a store of a directed graph cannot be updated. {again}")
    if stored.manifest.get("choices") is not None:
        raise InputError(f"a store with labels, edge types or chosen roots cannot be updated. {again}")


def _write_graph(old: GraphStore, changes: Changes, final: Path, change: str) -> GraphStore:
    """Write the changed graph, unless an interrupted run of the same change did; unchanged rows are copied."""
    if is_intact(final) and read_manifest(final, "a graph").get("change") == change:
        return open_graph(final)
    num_nodes = old.num_nodes + len(changes.new_nodes)
    lists = _changed_lists(old, changes)
    with temporary_folder(final) as temporary:
        degrees = np.zeros(num_nodes, dtype=np.int64)
        np.subtract(old.indptr[1:], old.indptr[:-1], out=degrees[: old.num_nodes])
        degrees[lists.owners] = np.diff(lists.indptr)
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        np.save(temporary / "indptr.npy", indptr)
        write_chunks(temporary / "indices.npy", _chunks(old, lists))
        facts = old.manifest | {"num_nodes": num_nodes, "num_arcs": int(indptr[-1])}
        facts |= {"source": None, "reading": None, "change": change}
        info = GraphInfo(**old.manifest["info"])
        facts["info"] = vars(info) | {
            "loops_dropped": info.loops_dropped + changes.loops_dropped,
            "duplicates_merged": info.duplicates_merged + changes.duplicates_merged,
        }
        facts["ids"] = write_ids(temporary, _ids(old, changes))
        return seal_graph(temporary, final, facts)


def _ids(old: GraphStore, changes: Changes) -> Any:
    """Return the ids of the changed graph as `write_ids` takes them."""
    fresh, nodes = list(changes.new_nodes), old.nodes
    if nodes is None and fresh == list(range(old.num_nodes, old.num_nodes + len(fresh))):
        return None
    ids = old.graph.node_ids
    if np.issubdtype(ids.dtype, np.integer) and all(isinstance(node, int) for node in fresh):
        added = id_array(fresh)
        is_same = added.dtype == ids.dtype or not fresh
        return (
            np.concatenate([ids, added.astype(ids.dtype)]) if is_same else id_array([*ids.tolist(), *fresh])
        )
    joined = np.empty(len(ids) + len(fresh), dtype=object)
    joined[:] = [*ids.tolist(), *fresh]
    return joined


def _changed_lists(old: GraphStore, changes: Changes) -> ListPatch:
    lists: dict[int, set[int]] = {}
    for pairs, is_added in ((changes.removed, False), (changes.added, True)):
        for a, b in pairs.tolist():
            for owner, other in ((a, b), (b, a)):
                if owner not in lists:
                    is_old = owner < old.num_nodes
                    part = old.indices[old.indptr[owner] : old.indptr[owner + 1]].tolist() if is_old else []
                    lists[owner] = set(part)
                (lists[owner].add if is_added else lists[owner].discard)(other)
    owners = sorted(lists)
    indptr = np.cumsum([0, *(len(lists[owner]) for owner in owners)], dtype=np.int64)
    indices = [other for owner in owners for other in sorted(lists[owner])]
    return ListPatch(np.array(owners, dtype=np.int32), indptr, np.array(indices, dtype=np.int32))


def _chunks(old: GraphStore, lists: ListPatch) -> Iterator[Int32s]:
    """Yield the neighbors of the changed graph: unchanged row ranges, and the changed lists."""
    end = 0
    for i, owner in enumerate(lists.owners.tolist()):
        begin = min(owner, old.num_nodes)
        yield old.indices[old.indptr[end] : old.indptr[begin]]
        yield lists.indices[lists.indptr[i] : lists.indptr[i + 1]]
        end = min(owner + 1, old.num_nodes)
    yield old.indices[old.indptr[end] :]


def _find_affected(old: GraphStore, new: GraphStore, changes: Changes, radius: int) -> Int64s:
    """Return the roots within `radius` of a changed edge in either graph, and all new nodes; sorted."""
    ends = np.unique(np.concatenate([changes.removed, changes.added]))
    near_old = ball(old.indptr, old.indices, ends[ends < old.num_nodes], radius)
    near_new = ball(new.indptr, new.indices, ends, radius)
    return np.unique(np.concatenate([near_old, near_new, np.arange(old.num_nodes, new.num_nodes)]))


def _write_blocks(
    stored: StoredRows, graph: GraphStore, affected: Int64s, step: tuple[int, str], threads: int
) -> list[str]:
    """Write the blocks with affected roots, unless an interrupted run of the same step did; return all names."""
    generation, change = step
    size, settings = stored.manifest["block_rows"], stored.vocabulary.settings
    names = list(stored.manifest["blocks"])
    suffix = Path(names[0]).suffix if names else ""  # the store of an empty graph has no blocks
    names += [""] * (-(-graph.num_nodes // size) - len(names))
    for index in np.unique(affected // size).tolist():
        name = f"block-{index:06d}-{generation:04d}{suffix}"
        if facts_of(stored.folder / name).get("change") == change and is_intact_block(stored.folder / name):
            names[index] = name
            continue
        roots = affected[(affected >= index * size) & (affected < (index + 1) * size)]
        fresh = count_block(graph.indptr, graph.indices, roots, settings, symmetric=True, threads=threads)
        before = stored.block(index) if names[index] else _empty_block(stored.schema)
        block = replace_rows(before, roots - index * size, fresh, settings)
        names[index] = name
        claim(*(stored.folder / part for part in sorted(names_in({"blocks": [name]}))))
        span = {"first": index * size, "last": index * size + len(block)}
        write_block(stored.folder / name, block, span | {"change": change})
    return names


def _empty_block(schema: Schema) -> Block:
    none = np.empty(0, dtype=np.int32)
    return Block(np.zeros(1, np.int64), none, none, np.empty((0, 1 + len(schema.field_names)), np.int64))
