"""Files of at most 4 MB that ask for gigabytes or minutes, read by processes with 4 GB and 20 seconds per file."""

import gzip
import io
import json
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

import egonet
from egonet.errors import EgonetError

MEMORY, SECONDS = 4 * 10**9, 20
SIZE = 4_000_000
EDGES = [("a", "b"), ("b", "c")]


def npy(shape: str, kind: str = "<i8", body: bytes = b"") -> bytes:
    """Return an array whose header claims a shape."""
    text = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a compressed zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def changed_header(path: Path, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Return a saved .npz file with another header."""
    with np.load(path) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    header = json.loads(found["header"].tobytes())
    change(header)
    file = io.BytesIO()
    np.savez(file, **(found | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)}))
    return file.getvalue()


def nested(depth: int, brackets: str = "[]") -> bytes:
    """Return nested JSON."""
    first = b'{"a":' if brackets == "{}" else b"["
    return first * depth + b"1" + brackets[1].encode() * depth


def arrow_file(table: pa.Table, *, stream: bool = False, codec: str | None = None) -> bytes:
    """Return a table as Arrow."""
    sink = io.BytesIO()
    make = ipc.new_stream if stream else ipc.new_file
    with make(sink, table.schema, options=ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet_file(table: pa.Table, **options: Any) -> bytes:
    """Return a table as Parquet."""
    sink = io.BytesIO()
    parquet.write_table(table, sink, **options)
    return sink.getvalue()


def graph_files() -> Iterator[tuple[str, bytes]]:
    """Return file names and contents for `read_graph`."""
    zeros = np.zeros(60_000_000, dtype=np.int64)
    repeated = pa.table({"source": zeros, "target": zeros})
    text = pa.table({"source": ["x" * 1000] * 300_000, "target": ["y" * 1000] * 300_000})
    yield "gzip.csv.gz", gzip.compress(b"1,2\n" * 50_000_000, 9)
    yield "twice.csv.gz", gzip.compress(gzip.compress(b"\0" * 10**9, 1), 9)
    yield "members.csv.gz", gzip.compress(b"1,2\n" * 1000) * 40_000
    yield "line.csv.gz", gzip.compress(b"x" * 10**9, 9)
    for shape in (
        f"({2**40},)",
        f"(2, {2**40})",
        f"({2**62}, {2**62})",
        "(" + "1, " * 20_000 + ")",
        "(-1,)",
        "(2, 0)",
    ):
        yield f"edges {shape[:12]}.npz", zipped({"edges.npy": npy(shape, body=b"\0" * 10**6)})
    yield (
        "pointers.npz",
        zipped(
            {
                "format.npy": npy("()", "|S3", b"csr"),
                "shape.npy": npy("(2,)", body=struct.pack("<qq", 2**40, 2**40)),
                "indptr.npy": npy("(2,)", body=struct.pack("<qq", 0, 2**40)),
                "indices.npy": npy("(1,)", body=struct.pack("<q", 0)),
                "data.npy": npy("(1,)", body=struct.pack("<q", 1)),
            }
        ),
    )
    yield (
        "sparse.npz",
        zipped(
            {
                "format.npy": npy("()", "|S3", b"coo"),
                "shape.npy": npy("(2,)", body=struct.pack("<qq", 2**40, 2**40)),
                "row.npy": npy("(1,)", body=struct.pack("<q", 2**39)),
                "col.npy": npy("(1,)", body=struct.pack("<q", 1)),
                "data.npy": npy("(1,)", body=struct.pack("<q", 1)),
            }
        ),
    )
    yield "zeros.npz", zipped({"edges.npy": npy("(250000000, 2)", body=b"\0" * 10**9)})
    yield "wide.npz", zipped({"edges.npy": npy("(2, 2)", "<U200000000")})
    yield "many.npz", zipped({f"a{n}.npy": npy("(1,)", body=b"\0" * 8) for n in range(25_000)})
    yield "repeated.parquet", parquet_file(repeated, row_group_size=60_000_000)
    yield "text.parquet", parquet_file(text)
    yield "zstd.parquet", parquet_file(repeated, compression="zstd", use_dictionary=False)
    yield "text.arrow", arrow_file(text.slice(0, 1000))
    yield "zstd.arrow", arrow_file(repeated, codec="zstd")
    yield "stream.arrow", arrow_file(repeated, stream=True, codec="zstd")
    yield (
        "batches.arrow",
        arrow_file(pa.concat_tables([pa.table({"source": [1], "target": [2]})] * 15_000), stream=True),
    )
    whole = arrow_file(pa.table({"source": [1, 2], "target": [2, 3]}))
    for place in range(0, len(whole) - 8, 8):
        if whole[place : place + 8] == struct.pack("<q", 2):
            yield f"length at {place}.arrow", whole[:place] + struct.pack("<q", 2**40) + whole[place + 8 :]
    for size in (2**36 - 1, 2**30, 10**6):
        groups = [63 + (size >> shift & 63) for shift in range(30, -1, -6)]
        yield f"size {size}.g6", b"~~" + bytes(groups) + b"?" * 1000
    yield "many.g6", b"@\n" * (SIZE // 2)
    yield "colons.g6", b":" * SIZE
    for size in (2**31 - 1, 2**40, 2**63, 10**400):
        head = b"%%MatrixMarket matrix coordinate pattern general\n"
        yield f"size {len(str(size))}.mtx", head + b"%d %d 1\n1 1\n" % (size, size)
        yield f"entries {len(str(size))}.mtx", head + b"5 5 %d\n1 1\n" % size
    yield "array.mtx", b"%%MatrixMarket matrix array integer general\n60000 60000\n1\n"
    yield "nested.gml", b"graph [ " * (SIZE // 8)
    yield "open.gml", b"graph [ node [ id 1 " + b"a [ " * 500_000 + b"] " * 500_000
    yield "id.gml", b"graph [ node [ id " + b"9" * SIZE + b" ] ]"
    yield (
        "nested.graphml",
        b"<graphml>" + b"<graph>" * (SIZE // 16) + b"</graph>" * (SIZE // 16) + b"</graphml>",
    )
    entities = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    yield "laughs.graphml", b'<!DOCTYPE g [<!ENTITY a0 "x">' + entities + b"]><graphml>&a11;</graphml>"
    yield (
        "quadratic.graphml",
        b'<!DOCTYPE g [<!ENTITY a "' + b"x" * 50_000 + b'">]><graphml>' + b"&a;" * 50_000 + b"</graphml>",
    )
    yield "outside.graphml", b'<!DOCTYPE g [<!ENTITY a SYSTEM "file:///dev/zero">]><graphml>&a;</graphml>'
    yield "attributes.graphml", b"<graphml " + b" ".join(b'a%d=""' % n for n in range(300_000)) + b"/>"
    yield "digits.csv", b"source,target\n" + b"9" * SIZE + b",1\n"
    yield "columns.csv", b"," * SIZE + b"\n"
    yield "quotes.csv", b'"' * SIZE
    yield "collisions.csv", b"".join(b"%d,1\n" % (n * (2**61 - 1)) for n in range(1, 150_000))


def other_files(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Return readers, file names and contents of what egonet saves."""
    graph = egonet.as_graph(EDGES)
    egonet.encode(graph, 1).save(folder / "e.npz")
    stream = egonet.Stream(1, window=5)
    stream.add([("a", "b", 1)])
    stream.save(folder / "s.npz")
    egonet.EventEncoder(windows=(5, None)).fit([("a", "b", 1)]).save(folder / "h.npz")
    small = {"training": egonet.Training(epochs=1), "walks": egonet.Walks(length=4), "rng": 0}
    egonet.fit_embeddings(graph, 1, 2, **small).save(folder / "v.npz")
    deep = [nested(depth, brackets) for depth in (900, 100_000, 1_900_000) for brackets in ("[]", "{}")]
    for number, text in enumerate(
        [*deep, b"9" * SIZE, b'{"a":' + b"9" * SIZE + b"}", b'["' + b"\\u0000" * 600_000 + b'"]', b"[" * SIZE]
    ):
        for reader in ("vocabulary", "columns", "ego", "edge", "pair", "molecule"):
            yield reader, f"{number}.json", text
        for reader in ("load", "stream", "events", "embedding"):
            header = npy(f"({len(text)},)", "|u1", text)
            yield reader, f"{number}.npz", zipped({"header.npy": header})
        yield "store", f"{number}", text
        yield "csr", f"{number}", text
    for reader, name in (("load", "e"), ("stream", "s"), ("events", "h"), ("embedding", "v")):
        with np.load(folder / f"{name}.npz") as arrays:
            members = arrays.files
        for member in members:
            for shape in (f"({2**40},)", f"({2**40}, 2)", f"(0, {2**62})", f"({2**33},)"):
                with zipfile.ZipFile(folder / f"{name}.npz") as archive:
                    content = {each: archive.read(each) for each in archive.namelist()}
                content[f"{member}.npy"] = npy(shape)
                yield reader, f"{member} {shape}.npz", zipped(content)
        for field in json.loads(np.load(folder / f"{name}.npz")["header"].tobytes()):
            for value in (2**40, 10**400, 1e300, [0] * 10**6, "x" * 10**6, {"a": 2**40}, None, -1):
                kind = str(value)[:8]
                yield (
                    reader,
                    f"{field} {kind}.npz",
                    changed_header(
                        folder / f"{name}.npz",
                        lambda header, field=field, value=value: header.__setitem__(field, value),
                    ),
                )
    for name, text in (
        ("rings", b"C" + b"1" * (SIZE // 4)),
        ("chain", b"C" * 10**6),
        ("branches", b"C(" * 10**6),
        ("brackets", b"[" * 10**6),
        ("digits", b"[" + b"9" * 10**6 + b"C]"),
        ("percent", b"C%99" * 250_000),
        ("dots", b"C." * 10**6),
        ("parts", b"C(C)" * 250_000),
        ("star", b"C" + b"(C)" * 300_000),
        ("charge", b"[C" + b"+" * 10**6 + b"]"),
    ):
        yield "smiles", f"{name}.smi", text


def read(reader: str, path: Path) -> object:
    """Read a file with the function that a name stands for."""
    from egonet.encoding.saved import read_vocabulary

    if reader == "smiles":
        text = path.read_text()
        return egonet.GraphEncoder(1).fit_transform([text]), egonet.MoleculeEncoder().fit_transform([text])
    if reader in ("store", "csr"):
        folder = path.parent / "folder"
        open_it = egonet.load if reader == "store" else egonet.store.read_csr
        if reader == "store":
            egonet.store.encode(EDGES, folder, 1)
        else:
            egonet.store.write_csr(egonet.as_graph(EDGES), folder)
        found = []
        for part in sorted(folder.rglob("*.json")):
            before = part.read_bytes()
            part.write_bytes(path.read_bytes())
            try:
                found.append(open_it(folder))
            except EgonetError as error:
                found.append(str(error))
            part.write_bytes(before)
        return found
    readers: dict[str, Callable[[Path], Any]] = {
        "graph": egonet.read_graph,
        "graphs": egonet.read_graphs,
        "vocabulary": egonet.Vocabulary.load,
        "columns": read_vocabulary,
        "load": egonet.load,
        "stream": egonet.Stream.open,
        "events": egonet.EventEncoder.open,
        "embedding": egonet.Embedding.load,
        "ego": egonet.AddEgoEncoding.load,
        "edge": egonet.AddEdgeEncoding.load,
        "pair": egonet.AddPairEncoding.load,
        "molecule": egonet.AddMoleculeEncoding.load,
    }
    return readers[reader](path)


def child(reader: str, paths: list[str]) -> None:
    """Read files under limits; print a line per file."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import time
    import warnings

    warnings.simplefilter("ignore")
    for path in paths:
        print(json.dumps(["start", path]), flush=True)
        start = time.process_time()
        try:
            found = read(reader, Path(path))
            outcome = f"accepted {found!r:.80}"
        except EgonetError as error:
            said = str(error)
            is_sentence = said.isprintable() and said.endswith((".", "?")) and len(said) < 3000
            outcome = f"rejected {said:.200}" if is_sentence else f"FAILED, not one sentence: {said[:200]!r}"
        except BaseException as error:  # noqa: BLE001 - any other exception is a finding
            outcome = f"FAILED {type(error).__name__}: {error!s:.200}"
        seconds = time.process_time() - start
        print(json.dumps(["end", path, round(seconds, 2), outcome]), flush=True)


def run(say: Callable[[str], None], only: str = "") -> tuple[int, int]:
    """Return the numbers of files and of failures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs: dict[str, list[str]] = {}
        graphs = (("graphs" if file.endswith(".g6") else "graph", file, data) for file, data in graph_files())
        for number, (reader, file, data) in enumerate(chain(other_files(folder), graphs)):
            if only not in f"{reader} {file}":
                continue
            place = folder / str(number)
            place.mkdir()
            (place / file).write_bytes(data)
            if len(data) > SIZE * 1.2:
                say(f"{file} has {len(data):,} bytes")
            jobs.setdefault(reader, []).append(str(place / file))
        total = failed = 0
        for reader, paths in jobs.items():
            while paths:
                done = subprocess.run(
                    [sys.executable, "-c", f"import sys, fuzz.bombs as b; b.child({reader!r}, sys.argv[1:])", *paths],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                for kind, path, *rest in lines:
                    if kind != "end":
                        continue
                    total += 1
                    paths.remove(path)
                    where = f"{reader} {Path(path).name}"
                    if "FAILED" in rest[1] or rest[0] > SECONDS:
                        failed += 1
                        say(f"{where}: {rest}")
                    elif rest[0] > 5:
                        say(f"slow {where}: {rest}")
                if paths:
                    total, failed = total + 1, failed + 1
                    say(f"{reader} {Path(paths[0]).name}: died with {done.returncode} {done.stderr[-300:]}")
                    paths.pop(0)
        return total, failed
