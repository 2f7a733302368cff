"""
From a data frame of edges to a data frame of features
======================================================

Any data frame will do (pandas, polars, pyarrow, duckdb), and the two columns may have any names.
"""

import pandas

import egonet

calls = pandas.DataFrame(
    {
        "caller": ["ann", "bob", "cid", "cid", "dan", "eve"],
        "called": ["bob", "cid", "ann", "dan", "eve", "cid"],
        "minutes": [3, 12, 7, 1, 30, 4],
    }
)
encoding = egonet.encode(calls, radius=1, source="caller", target="called")
features = encoding.to_pandas()
features

# %%
# Nothing is changed silently: the minutes play no part, and the graph says so.

print(encoding.graph)
print(encoding.graph.info)

# %%
# Join the features to what you know about the vertices, and go on as with any table.

people = pandas.DataFrame({"age": [31, 45, 28, 52, 39]}, index=["ann", "bob", "cid", "dan", "eve"])
people.join(features)
