"""Tables of edges, pairs, events and values: names, positions, headers, missing cells, numbers, times and ids."""
