"""Arrays of ids in native code: several threads, text in one buffer, values at places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from egonet import _native
from egonet.graph.index import first_appearance, id_array
from egonet.tables.frames import text_array


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).integers(0, 60_000, 300_000),
        np.random.default_rng(1).integers(0, 2**62, 60_000)[
            np.random.default_rng(2).integers(0, 60_000, 150_000)
        ],
        np.arange(200_000)[::-1].copy(),
        np.random.default_rng(3).integers(0, 60_000, 100_000).astype("U6"),
        [f"n{value}" for value in np.random.default_rng(4).integers(0, 60_000, 100_000)],
    ],
    ids=["dense", "sparse", "falling", "fixed-width", "strings"],
)
def test_several_threads_number_ids_as_one_does(values, monkeypatch):
    monkeypatch.setenv("EGONET_THREADS", "1")
    codes, ids = first_appearance(values)
    monkeypatch.setenv("EGONET_THREADS", "7")
    other_codes, other_ids = first_appearance(values)

    assert ids.tolist() == list(dict.fromkeys(list(values)))
    assert np.array_equal(ids[codes], np.asarray(values))
    assert np.array_equal(codes, other_codes)
    assert np.array_equal(ids, other_ids)


def parts(names):
    raw = [name if isinstance(name, bytes) else name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, raw)]).astype(np.int64)
    return offsets, np.frombuffer(b"".join(raw), dtype=np.uint8)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1
    )
)
def test_text_becomes_the_array_of_the_list(names):
    found, expected = text_array(*parts(names)), id_array(names)

    assert found is not None
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "names",
    [
        [b"a", b"\xff"],  # never in UTF-8
        [b"\xc0\xaf"],  # longer than need be
        [b"\xe0\x80\xaf"],
        [b"\xf0\x80\x80\xaf"],
        [b"\xed\xa0\x80"],  # half of a pair of UTF-16
        [b"\xf4\x90\x80\x80"],  # beyond the last code point
        [b"\xe2\x82", b"\xac"],  # cut in two
        [b"\x80"],
        ["a\0"],
        ["a"] * 3_000_000 + ["b" * 1000],  # most of the array would be zeros
        [],
    ],
)
def test_text_that_does_not_suit_an_array_is_left_to_the_list(names):
    assert text_array(*parts(names)) is None


def test_offsets_outside_the_bytes_raise():
    with pytest.raises(ValueError, match="offsets must be non-decreasing and within the bytes"):
        _native.fixed_width(np.array([0, 4]), np.zeros(3, dtype=np.uint8), 1)


@pytest.mark.parametrize("threads", [1, 4])
def test_values_are_put_at_every_second_place(threads):
    out = np.zeros(400_000, dtype=np.int64)
    which = np.random.default_rng(0).integers(0, 7, 200_000).astype(np.int32)
    numbers = np.arange(10, 17, dtype=np.int32)

    _native.put_values(numbers, which, out[1::2], threads)
    assert (out[1::2] == numbers[which]).all()
    assert not out[0::2].any()
    with pytest.raises(ValueError, match="which must be positions of values"):
        _native.put_values(numbers, which + 1, out[1::2], threads)
    with pytest.raises(ValueError, match="out must have a place per value"):
        _native.put_values(numbers, which, out, threads)
