"""Files: readers of graphs in every format, and atomic writes."""
