"""Names of the compared methods in tables, in the order of `METHODS`, and their kinds."""

NAMES = {
    "gin": "GIN",
    "gin+ego": "GIN + ego encoding",
    "gin+rwse": "GIN + RWSE",
    "gsn-v": "GSN (nodes)",
    "gsn-e": "GSN (edges)",
    "id-gnn-fast": "ID-GNN (fast)",
    "kp-gnn": "KP-GNN",
    "k-hop": "k-hop GNN",
    "ego-gnn": "Ego-GNN",
    "nested": "Nested GNN",
    "id-gnn": "ID-GNN",
    "de-gnn": "DE-GNN",
    "gnn-ak": "GNN-AK",
    "gnn-ak+": "GNN-AK+",
    "ds-ego": "DS (EGO)",
    "ds-ego+": "DS (EGO+)",
    "dss-ego": "DSS (EGO)",
    "dss-ego+": "DSS (EGO+)",
    "ds-nd": "DS (ND)",
    "dss-nd": "DSS (ND)",
    "ds-ed": "DS (ED)",
    "dss-ed": "DSS (ED)",
    "i2-gnn": "I²-GNN",
    "ppgn": "PPGN",
}
#: GIN with prepared columns or types of edges, besides the ego encoding.
COLUMNS = ("gin+rwse", "gsn-v", "gsn-e", "id-gnn-fast")
#: Networks that read distances, subgraphs or pairs of nodes in every step.
NETWORKS = tuple(name for name in NAMES if name not in ("gin", "gin+ego", *COLUMNS))
#: Sets with ten folds.
FOLDS = ("mutag", "ptc", "proteins", "imdb-b", "nci1")
