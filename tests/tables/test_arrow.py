"""Parquet and Arrow files, valid and damaged, and columns of text."""

import base64
import io
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from egonet import as_graph, read_graph
from egonet.errors import FileError, IgnoredInputWarning
from egonet.tables.arrow import decoded_bytes
from egonet.tables.table import text_columns


def assert_error(path, said, error=FileError, **options):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        read_graph(path, **options)


def raises(path, said, error=FileError):
    with pytest.raises(error, match=f"^{re.escape(said)}") as caught:
        read_graph(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith((".", "?"))


def written(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def stream_bytes(table, *, options=None):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


#: A Parquet file of one column chunk whose histogram has one number too many; asked for it, pyarrow ends the process.
FATAL_FACTS = (
    "UEFSMRUEFRQVFEwVBBUAEgAAAQAAAGEBAAAAYhUAFRIVEiwVBBUQFSYVBhw2ACgBYhgBYRERAAAAAgAAAAQBAQMEFRQVFEwV"
    "BBUAEgAAAQAAAGIBAAAAYxUAFRIVEiwVBBUQFQYVBhw2ACgBYxgBYhERAAAAAgAAAAQBAQMCFQQZPDUAGAZzY2hlbWEVBAAV"
    "DCUiGAF1ABUMJQIYAXYAFgQZHBksJgAcFQwZNQAGEBkYAXUVABYEFnwWfCY4JggcNgAoAWIYAWEREQAZLBUEFQAVAgAVABUQ"
    "FQIAPBYEGQYZJgAEAAAAJgAcFQwZNQAGEBkYAXYVABYEFnwWfCa0ASaEIBw2ACgBYxgBYhERABksFQQVABUCABUAFRAVAgA8"
    "FgQZBhkmAAQAAAAW+AEWBCYIFvgBABkcGAxBUlJPVzpzY2hlbWEY2AEvLy8vLzVnQUFBQVFBQUFBQUFBS0FBd0FCZ0FGQUFn"
    "QUNnQUFBQUFCQkFBTUFBQUFDQUFJQUFBQUJBQUlBQUFBQkFBQUFBSUFBQUE4QUFBQUJBQUFBTnovLy84QUFBRUVFQUFBQUJR"
    "QUFBQUVBQUFBQUFBQUFBRUFBQUIyQUFBQXpQLy8veEFBRkFBSUFBWUFCd0FNQUFBQUVBQVFBQUFBQUFBQkJCQUFBQUFZQUFB"
    "QUJBQUFBQUFBQUFBQkFBQUFkUUFBQUFRQUJBQUVBQUFBQUFBQUFBPT0AGCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2"
    "LjAuMRksHAAAHAAAAM8BAABQQVIx"
)


def test_numbered_strings_are_measured_as_they_are_written(need):
    pa = need("pyarrow")
    names = pa.array(["aa", "b", "aa", None])

    assert decoded_bytes(pa.chunked_array([names.dictionary_encode()] * 2)) == 10
    assert decoded_bytes(pa.chunked_array([names])) == 0
    assert decoded_bytes(pa.chunked_array([pa.array([None], pa.dictionary(pa.int32(), pa.string()))])) == 0


def test_string_ids_come_back_from_tables(tmp_path):
    frame = pd.DataFrame({"src": ["ann", "bob"], "dst": ["bob", "cid"], "weight": [1.5, 2.5]})
    frame.to_parquet(tmp_path / "people.parquet")

    graph = read_graph(str(tmp_path / "people.parquet"), source="src", target="dst")

    assert graph.node_ids.tolist() == ["ann", "bob", "cid"]
    assert graph.info.weights_ignored


def test_a_missing_column_of_a_table_is_reported_with_a_near_match(tmp_path):
    pyarrow.parquet.write_table(pa.table({"source": [0], "target": [1]}), tmp_path / "club.parquet")

    said = (
        "club.parquet: there is no column 'sorce'. Did you mean 'source'? The columns are 'source', 'target'."
    )
    assert_error(tmp_path / "club.parquet", said, source="sorce", target="target")


def test_a_missing_id_of_a_table_is_reported_with_its_row(tmp_path):
    pyarrow.parquet.write_table(pa.table({"u": [1, None], "v": [2, 3]}), tmp_path / "a.parquet")

    said = (
        "a.parquet: an id must be hashable and not missing, a number whole and of 64 bits, got None"
        " in row 1 of column 'u' (counted from 0); 1 of 2 rows have a missing id. Fill it in, or set"
        ' missing="drop" to leave such rows out.'
    )
    assert_error(tmp_path / "a.parquet", said)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (
            {"u": [[1], [2]], "v": [[2], [3]]},
            "an id must be hashable and not missing, a number whole and of 64 bits, got [1]",
        ),
        (
            {"u": [{"a": 1}], "v": [2]},
            "an id must be hashable and not missing, a number whole and of 64 bits, got {'a': 1}",
        ),
        (
            {"u": [[[1]]], "v": [2]},
            "an id must be hashable and not missing, a number whole and of 64 bits, got [[1]]",
        ),
    ],
)
def test_nested_columns_raise(tmp_path, table, kind):
    pa.parquet.write_table(pa.table(table), tmp_path / "a.parquet")
    raises(tmp_path / "a.parquet", f"a.parquet: {kind}")


def test_nested_columns_other_than_the_ends_do_not_matter(tmp_path):
    table = pa.table({"u": [1, 2], "v": [2, 3], "x": [[1], []], "s": [{"a": 1}, {"a": 2}]})
    pa.parquet.write_table(table, tmp_path / "a.parquet")

    graph = read_graph(tmp_path / "a.parquet", source="u", target="v")

    assert (graph.num_edges, graph.info.weights_ignored) == (2, True)


def test_times_beyond_the_calendar_raise(tmp_path):
    days = pa.array([2**30, 5], pa.int32()).cast(pa.date32())
    pa.parquet.write_table(pa.table({"u": days, "v": days}), tmp_path / "a.parquet")
    raises(tmp_path / "a.parquet", "a.parquet: column 'u' cannot be read: ")


def test_arrow_that_points_outside_its_own_memory_raises(tmp_path):
    table = pa.table({"u": ["ann", "bob"], "v": ["bob", "cid"]})
    offsets = np.array([0, 3, 6], dtype=np.int32).tobytes()
    whole = stream_bytes(table)
    assert whole.count(offsets) == 2

    damaged = whole.replace(offsets, np.array([0, 3, 10**6], dtype=np.int32).tobytes())

    raises(written(tmp_path, "a.arrow", damaged), "a.arrow is not an Arrow file that can be read: ")


def test_arrow_text_that_is_not_utf8_raises(tmp_path):
    whole = stream_bytes(pa.table({"u": ["ann"], "v": ["bob"]}))

    raises(
        written(tmp_path, "a.arrow", whole.replace(b"ann", b"a\xffn")),
        "a.arrow is not an Arrow file that can be read: ",
    )


def test_columns_with_one_name_raise_in_a_table(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2])], names=["u", "u"])
    raises(
        written(tmp_path, "a.arrow", stream_bytes(table)),
        "a.arrow: 2 columns are named 'u'. Rename all but one.",
    )


def test_a_number_and_its_text_in_one_file_raise(tmp_path):
    table = pa.table({"source": [1, 2], "target": ["2", "x"]})
    pa.parquet.write_table(table, tmp_path / "a.parquet")

    raises(
        tmp_path / "a.parquet", "a.parquet: the table has 2 as a number and '2' as text, which would be two"
    )


def test_a_parquet_file_with_damaged_metadata_of_a_column_raises(tmp_path):
    (tmp_path / "a.parquet").write_bytes(base64.b64decode(FATAL_FACTS))

    code = "import egonet, sys; egonet.read_graph(sys.argv[1])"
    ended = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.parquet"], capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert "FileError: a.parquet is not a Parquet file that can be read: " in ended.stderr


@pytest.mark.parametrize("threads", ["1", "4"])
@pytest.mark.parametrize("as_text", [False, True])
def test_row_groups_are_read_in_their_order(tmp_path, monkeypatch, threads, as_text):
    monkeypatch.setenv("EGONET_THREADS", threads)
    ends = np.random.default_rng(0).integers(0, 5000, (2, 20_000))
    columns = [[f"é{end}" for end in side] for side in ends.tolist()] if as_text else ends
    table = pa.table({"source": columns[0], "target": columns[1]})
    pa.parquet.write_table(table, tmp_path / "edges.parquet", row_group_size=3000)

    found = read_graph(tmp_path / "edges.parquet")
    expected = as_graph(list(zip(*(list(side) for side in columns), strict=True)))
    assert found.nodes.tolist() == expected.nodes.tolist()
    assert found.indptr.tobytes() == expected.indptr.tobytes()
    assert found.indices.tobytes() == expected.indices.tobytes()


def test_a_damaged_row_group_raises(tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_THREADS", "4")
    path = tmp_path / "edges.parquet"
    numbers = np.arange(40_000) * 2654435761 % 2**40
    table = pa.table({"source": numbers, "target": numbers[::-1]})
    pa.parquet.write_table(table, path, row_group_size=10_000, write_page_checksum=True)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)

    raises(path, "edges.parquet is not a Parquet file that can be read:")


def columns(text, ending=".csv"):
    return text_columns(text.encode(), f"table{ending}", ending)


def test_two_columns_of_ids_have_one_type():
    table = columns("u,v\n1,2\n2,x\n")

    assert table.ids("u", "v") == ["1", "2", "2", "x"]
    assert table.ids("u") == [1, 2]


def test_blanks_around_ids_are_removed_with_a_warning():
    table = columns('u,v\na, b\nb ," b"\n')

    with pytest.warns(IgnoredInputWarning, match="blanks around 2 ids are removed, first in line 2"):
        assert table.ids("u", "v") == ["a", "b", "b", " b"]
    with pytest.warns(IgnoredInputWarning, match="blanks around 1 ids are removed, first in line 3"):
        assert table.ids("u") == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('a,"12 inch\nb,ok\nc,"9 inch\n', "table.csv, line 2: text follows a closing quote"),
        ('a,"12 inch\nb,ok\n', "table.csv, line 2: a quote is opened and never closed"),
    ],
)
def test_an_unbalanced_quote_is_an_error(rows, message):
    with pytest.raises(FileError, match=message):
        columns(f"node,note\n{rows}")


def test_whole_numbers_of_any_length_are_exact():
    """Those of 19 digits are equal as floats, and so are those of 20."""
    longs = ["1234567890123456789", "1234567890123456788", "12345678901234567890", "12345678901234567891"]
    table = columns("node,x\n" + "".join(f"{digits},{digits}\n" for digits in longs))

    assert table.ids("node") == table.values("x") == list(map(int, longs))


@pytest.mark.parametrize("ids", [["007", "7"], ["-1", "x"], ["1" * 4301, "x"]])
def test_ids_that_are_not_whole_numbers_stay_text(ids):
    assert columns("node\n" + "\n".join(ids)).ids("node") == ids


def test_ids_have_the_type_of_known_ones():
    numbers, names = columns("node\n7\n"), columns("node\n7\nx\n")

    assert (numbers.known_ids("node", ["7", "a"]), numbers.known_ids("node", [7])) == (["7"], [7])
    assert (names.known_ids("node", [7, 8]), names.known_ids("node", ["7"])) == ([7, "x"], ["7", "x"])
    with pytest.raises(FileError, match="7 may be a number or a string, and there are nodes of both ids"):
        numbers.known_ids("node", [7, "7"])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            ["1", "", "x"],
            "column 'x' must have a finite number in every row, 2 of 3 have none, first '' in row 2",
        ),
        (["1.5", "nan"], "1 of 2 have none, first 'nan' in row 2 below the header"),
        (["1", "02"], "1 of 2 have none, first '02' in row 2"),
        (["0.5", "9" * 400], "1 of 2 have none, first '999"),
    ],
)
def test_fields_that_are_no_numbers_are_counted(fields, message):
    table = columns("node,x\n" + "".join(f"a,{field}\n" for field in fields))

    with pytest.raises(FileError, match=message):
        table.numbers("x")


def test_times_that_are_no_numbers_are_counted_and_missing_ones_can_be_dropped():
    table = columns("node,x\na,1\na,\na,NULL\n")

    with pytest.raises(
        FileError, match=r"a time in every row, 2 of 3 have none, first in row 2 .* missing=\"drop\""
    ):
        table.moments("x")
    with pytest.warns(IgnoredInputWarning, match="2 rows with a missing value are left out"):
        assert table.complete(["node", "x"]).moments("x") == [1]
    with pytest.raises(FileError, match="1 of 2 have none, first '02' in row 2"):
        columns("node,x\na,1\na,02\n").moments("x")


def test_empty_fields_among_dates_are_counted():
    table = columns("node,time\na,2024-01-31\na,\na,2024-02-01\n")

    with pytest.raises(FileError, match="must have a time in every row, 1 of 3 have none, first in row 2"):
        table.moments("time")


def test_a_first_line_with_tabs_and_commas_is_an_error():
    with pytest.raises(FileError, match=r"has both tabs and commas. Save it as .csv or .tsv."):
        columns("node\ta,b\n1\t2\n", ending=".txt")
