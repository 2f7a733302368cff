"""The explorer: one HTML page that draws graphs and computes their encodings in the browser."""
