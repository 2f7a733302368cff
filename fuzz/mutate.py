"""Damaged bytes: small changes to sound files, by bits, chunks, lines, numbers and the words of a format."""

import re
from collections.abc import Callable, Sequence
from random import Random

#: Numbers at the borders of what integers, nodes and fields can hold, and things that are no numbers.
NUMBERS = (
    *(b"0 1 -1 2 7 007 +3 1e9 1e309 -0 nan NaN inf 0x10 1_000 1.5 . - ~").split(),
    *(
        str(sign * 2**power + step).encode()
        for power in (31, 32, 63, 64)
        for step in (-1, 0)
        for sign in (1, -1)
    ),
    b"1000000000",
    b"9" * 30,
    "٣".encode(),
)
#: Words that trouble text readers whatever the format.
WORDS = (
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b",",
        b";",
        b'"',
        b'""',
        b"'",
        b"#",
        b"%",
        b"//",
        b"\\",
        b"\x1a",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xc3",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\x0b",
        b"\x0c",
        b"\x1c",
    ),
    *(b"source,target\n", b"src\tdst\n", b"u v\n", b"None", b"null", b"NA", b"\x1b[31m", b"a", b"0"),
)
MOST_BYTES = 1 << 16

Mutator = Callable[[Random, bytearray, Sequence[bytes]], None]


def flip(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Flip one bit."""
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def put(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Set one byte."""
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 10, 32, 48, 57, 127, 128, 255, rng.randrange(256)))


def cut(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Cut a piece out, or the end off."""
    begin = rng.randrange(len(data) + 1)
    del data[begin : begin + rng.choice((1, 2, 4, 8, 64, len(data)))]


def copy(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Put a piece in a second time, somewhere, seldom very often."""
    begin = rng.randrange(len(data) + 1)
    piece = data[begin : begin + rng.choice((1, 2, 4, 16, 64))]
    place, times = rng.randrange(len(data) + 1), rng.choice((1, 1, 1, 2, 9, 1000))
    data[place:place] = piece * times


def word(rng: Random, data: bytearray, words: Sequence[bytes]) -> None:
    """Put a word in, or over what is there."""
    place, piece = rng.randrange(len(data) + 1), rng.choice(words or WORDS)
    data[place : place + rng.choice((0, 0, len(piece)))] = piece


def number(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Replace one run of digits by a number at some border."""
    found = list(re.finditer(rb"\d+", bytes(data)))
    if found:
        match = rng.choice(found)
        data[match.start() : match.end()] = rng.choice(NUMBERS)


def line(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Drop, repeat, swap or join lines, or end them otherwise."""
    lines = bytes(data).split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    ending = rng.choice((b"\r\n", b"\r", b"")) if kind == 3 else b"\n"
    data[:] = ending.join(lines)


def recode(rng: Random, data: bytearray, _words: Sequence[bytes]) -> None:
    """Write the text in another encoding."""
    text = bytes(data).decode("latin-1")
    data[:] = text.encode(rng.choice(("utf-16", "utf-16-be", "utf-8-sig", "utf-32", "cp037")), "replace")


MUTATORS: tuple[Mutator, ...] = (flip, put, cut, copy, word, word, number, number, line, line)


def mutate(rng: Random, data: bytes, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Return the bytes after one to eight changes, seldom spliced with another file."""
    damaged = bytearray(data)
    if others and rng.random() < 0.05:
        other = rng.choice(others)
        damaged[rng.randrange(len(damaged) + 1) :] = other[rng.randrange(len(other) + 1) :]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 8))):
        rng.choice(MUTATORS)(rng, damaged, words)
    if rng.random() < 0.01:
        recode(rng, damaged, words)
    return bytes(damaged[:MOST_BYTES])
