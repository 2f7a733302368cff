"""Beyond memory and beyond one machine: graphs and encodings on disk, resumed, updated, and computed by Spark."""
