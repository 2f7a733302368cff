"""What the tests of edge lists in text share."""

import io

from egonet.graph.input_options import InputOptions
from egonet.tables.text import TextOptions, read_text


def read(content, delimiter="", **options):
    raw = content.encode() if isinstance(content, str) else content
    text = TextOptions(delimiter, options.pop("header", None), options.pop("comment", None))
    return read_text(io.BytesIO(raw), "edges", InputOptions(**options), text)
