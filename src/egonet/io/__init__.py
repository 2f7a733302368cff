"""Files: reading graphs in every format, and writing without ever leaving half a file."""
