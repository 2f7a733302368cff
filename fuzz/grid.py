"""Random rows of every combination of options against `fuzz.definitions`; invariances where pages have no definition.

Every option of `Settings` that an engine supports is drawn with every other one that it goes with.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np

import egonet
from fuzz.definitions import Ask, Network, Row, build, is_edge, node_row, pair_row, reach
from fuzz.differential import Tally

#: Ids of nodes 0, 1, 2, ...: in order, with gaps, negative, beyond 2^53, text, text of digits, tuples.
IDS: tuple[Callable[[int], Any], ...] = (
    lambda node: node,
    lambda node: 3 * node + 11,
    lambda node: 5 - 2 * node,
    lambda node: 2**60 - node,
    lambda node: "abcdefghijklmnopqrstuvwxyz"[node] * 2,
    lambda node: str(100 - node),
    lambda node: (node % 3, f"t{node}"),
)
WORDS = ("red", "blue", "10", "ünï", "a b")


@dataclass(frozen=True)
class Data:
    """A graph as its lists, and how it is read."""

    nodes: list[Any]
    edges: list[tuple[Any, Any]]
    directed: str | None
    labels: dict[Any, Any] | None
    types: list[Any] | None
    amounts: list[float] | None

    def keywords(self, ask: Ask | None = None) -> dict[str, Any]:
        """Return how the lists are given to an entry point."""
        unread = None if ask is not None and ask.degrees == "in_out" else False
        return {
            "nodes": self.nodes,
            "directed": self.directed or unread,
            "simplify": True,
            **({} if self.labels is None else {"labels": self.labels}),
            **({} if self.types is None else {"edge_labels": self.types}),
            **({} if self.amounts is None else {"weights": self.amounts, "weight_bins": [10, 100]}),
        }

    def names_of_types(self) -> list[Any] | None:
        """Return the type of every edge, of amounts the name of its bin."""
        return self.types if self.amounts is None else [amount_bin(amount) for amount in self.amounts]

    def network(self, is_directed: bool) -> Network:
        """Return the network of the definitions."""
        return build(
            self.nodes,
            self.edges,
            is_directed=is_directed,
            labels=self.labels,
            types=self.names_of_types(),
        )


def amount_bin(amount: float) -> str:
    """Return the bin of an amount with the limits 10 and 100."""
    return "below10" if amount < 10 else "10to100" if amount < 100 else "100plus"


def draw_data(rng: Random, *, most: int = 12, plain: bool = False, directed: bool = True) -> Data:
    """Draw a graph with loops and repeats; `plain` has neither labels nor types."""
    size, name = rng.randint(2, most), rng.choice(IDS)
    nodes = [name(number) for number in range(size)]
    if name is not IDS[0]:
        rng.shuffle(nodes)
    edges = [
        (rng.choice(nodes), rng.choice(nodes))
        for _ in range(rng.choice((1, size // 2 + 1, size, 2 * size, 4 * size)))
    ]
    edges += [tuple(rng.sample(edge, 2)) for edge in rng.choices(edges, k=rng.choice((0, 0, 2)))]
    kind = "plain" if plain else rng.choice(("plain", "plain", "types", "amounts"))
    label = rng.choice((list(WORDS[:3]), [7, 8], [-1, 2**40]))
    return Data(
        nodes,
        edges,
        rng.choice((None, None, "out", "in")) if directed else None,
        None if plain or rng.random() < 0.6 else {node: rng.choice(label) for node in nodes},
        [rng.choice(WORDS[rng.choice((0, 2)) :]) for _ in edges] if kind == "types" else None,
        [rng.choice((-5, 9.75, 10, 99, 100, 1e9)) for _ in edges] if kind == "amounts" else None,
    )


def draw_ask(rng: Random, data: Data, *, frontier: bool = True, in_out: bool = True) -> Ask:
    """Draw what is counted."""
    degrees = rng.choice(("total", "layered", "full", *(("in_out",) if in_out else ())))
    radii = tuple(rng.sample(range(4), rng.choice((1, 1, 2))))
    return Ask(
        radii,
        degrees,
        rng.choice(("any", "out", "in")) if degrees == "in_out" else "any",
        data.directed,
        not frontier or rng.random() < 0.7,
        rng.choice((None, None, 0, 1, 3)),
        rng.choice((None, None, "log")),
    )


def settings_of(ask: Ask, *, frontier: bool = True) -> dict[str, Any]:
    """Return the keywords that say what is counted."""
    return {
        "radius": ask.radii if len(ask.radii) > 1 else ask.radii[0],
        "degrees": ask.degrees,
        "follow": ask.follow,
        "max_degree": ask.max_degree,
        "degree_bins": ask.degree_bins,
        **({"frontier_edges": ask.frontier_edges} if frontier else {}),
    }


def network_of(data: Data, ask: Ask) -> Network:
    """Return the network that a call reads; in- and out-degrees keep every direction."""
    return data.network(data.directed is not None or ask.degrees == "in_out")


def check_grid_nodes(rng: Random, tally: Tally) -> None:
    """Compare rows of nodes for every combination of options, in memory, chosen roots included."""
    data = draw_data(rng)
    ask = draw_ask(rng, data)
    network = network_of(data, ask)
    roots = None if rng.random() < 0.7 else rng.choices(data.nodes, k=3)
    encoding = egonet.encode(
        data.edges, **data.keywords(ask), **settings_of(ask), roots=roots, threads=rng.choice((1, 2, 3))
    )
    for number, node in enumerate(roots or data.nodes):
        tally.compare("grid node", node, encoding[node], node_row(ask, network, node), (data, ask))
        assert encoding.matrix[[number]].sum() == sum(encoding[node].values()), (data, ask, node)


def check_grid_pairs(rng: Random, tally: Tally) -> None:
    """Compare rows of pairs and edges for every combination, unknown nodes and loops included."""
    data = draw_data(rng)
    ask = draw_ask(rng, data, frontier=False)
    network = network_of(data, ask)
    how: dict[str, Any] = {
        "without_edge": rng.random() < 0.6,
        "ordered": rng.random() < 0.5,
        "ends_distance": rng.choice((None, None, 1, 3, 7)),
    }
    if rng.random() < 0.5:
        encoding = egonet.encode_edges(
            data.edges, **data.keywords(ask), **settings_of(ask, frontier=False), **how
        )
        matrix = encoding.matrix.toarray()
        first = {pair: number for number, pair in reversed(list(enumerate(data.edges)))}
        for number, (source, target) in enumerate(data.edges):
            expected = {} if source == target else pair_row(ask, network, source, target, **how)
            row = encoding[(source, target)] if first[source, target] == number else None
            if row is None:
                is_equal = bool((matrix[number] == matrix[first[source, target]]).all())
                tally.add("grid edge", is_equal, (source, target), "a repeated edge", (data, ask, how))
            else:
                tally.compare("grid edge", (source, target), row, expected, (data, ask, how))
        return
    pairs = [tuple(rng.sample(data.nodes, 2)) for _ in range(5)]
    stranger = {int: 10**6, str: "stranger", tuple: ("none", 1)}[type(data.nodes[0])]
    known, strangers = [*pairs], []
    if data.labels is None and rng.random() < 0.4:
        strangers = [(data.nodes[0], stranger), (stranger, data.nodes[-1])]
    network.add(stranger)
    encoding = egonet.encode_pairs(
        data.edges,
        [*known, *strangers, (data.nodes[0], data.nodes[0])],
        **data.keywords(ask),
        **settings_of(ask, frontier=False),
        **how,
        handle_unknown="zero",
        self_pairs="zero",
        threads=rng.choice((1, 2)),
    )
    for pair in known + strangers:
        expected = pair_row(ask, network, *pair, **how)
        tally.compare("grid pair", pair, encoding[pair], expected, (data, ask, how))
    tally.compare("grid pair", "itself", encoding[(data.nodes[0],) * 2], {}, (data, ask, how))


def midrank(values: list[int], value: int) -> float:
    """Return the share of values below one, and half of those equal to it."""
    return (sum(each < value for each in values) + sum(each == value for each in values) / 2) / len(values)


def check_quarters(rng: Random, tally: Tally) -> None:
    """Compare quarters of degrees: a degree's rank in the whole graph, 1 to 4."""
    graphs = [draw_data(rng, plain=True, directed=False) for _ in range(rng.choice((1, 2)))]
    directed = rng.choice((None, "out", "in"))
    graphs = [replace(data, directed=directed) for data in graphs]
    ask = Ask(tuple(rng.sample(range(4), rng.choice((1, 2)))), directed=directed)
    encodings = [
        egonet.encode(each.edges, **each.keywords(), radius=ask.radii, degree_bins="quantile")
        for each in graphs
    ]
    several = egonet.encode(
        [
            egonet.as_graph(each.edges, nodes=each.nodes, directed=directed or False, simplify=True)
            for each in graphs
        ],
        radius=ask.radii,
        degree_bins="quantile",
    )
    first = 0
    for data, encoding in zip(graphs, encodings, strict=True):
        network = network_of(data, ask)
        values = [len(ask.next_nodes(network, node)) for node in data.nodes]
        for number, node in enumerate(data.nodes):
            expected: Counter[tuple[Any, ...]] = Counter()
            for key, count in node_row(ask, network, node).items():
                expected[(*key[:-1], min(4, 1 + int(4 * midrank(values, key[-1]))))] += count
            tally.compare("quarters", node, encoding[node], dict(expected), (data, ask))
            same = int(several.matrix[[first + number]].sum()) == sum(expected.values())
            tally.add("quarters of several graphs", same, node, several.matrix[[first + number]], (data, ask))
        first += len(data.nodes)


def check_paper_layout(rng: Random, tally: Tally) -> None:
    """Compare the columns of the paper: distance * (largest degree + 1) + degree."""
    data = draw_data(rng, plain=True)
    radius = rng.randint(0, 3)
    most = rng.choice((None, 4))
    ask = Ask((radius,), directed=data.directed, max_degree=most)
    network = network_of(data, ask)
    encoding = egonet.encode(data.edges, **data.keywords(), radius=radius, layout="paper", max_degree=most)
    largest = max(len(ask.next_nodes(network, node)) for node in data.nodes) if most is None else most
    matrix = encoding.matrix.toarray()
    for number, node in enumerate(data.nodes):
        expected = np.zeros((radius + 1) * (largest + 1), dtype=int)
        for (distance, degree), count in node_row(ask, network, node).items():
            expected[distance * (largest + 1) + degree] += count
        same = matrix[number].tolist() == expected.tolist()
        tally.add(
            "paper layout", same, node, (matrix[number].tolist(), expected.tolist()), (data, radius, most)
        )


def check_cap(rng: Random, tally: Tally) -> None:
    """Compare a cap with the definition on the capped graph, which has at most as many edges per node."""
    from egonet.graph.cap import cap_edges

    data = draw_data(rng, plain=True)
    cap = rng.randint(1, 4)
    ask = Ask((rng.randint(0, 3),), rng.choice(("total", "full", "layered")), directed=data.directed)
    graph = egonet.as_graph(data.edges, nodes=data.nodes, directed=data.directed or False, simplify=True)
    capped = cap_edges(graph, cap)
    arcs = [(source, target) for source, target in capped.edges().tolist()]
    network = build(data.nodes, arcs, is_directed=data.directed is not None)
    whole = network_of(data, ask)
    encoding = egonet.encode(graph, **settings_of(ask, frontier=False), cap=cap)
    shuffled = [tuple(rng.sample(edge, 2)) if data.directed is None else edge for edge in data.edges]
    rng.shuffle(shuffled)
    again = egonet.encode(
        shuffled, **replace(data, edges=shuffled).keywords(), **settings_of(ask, frontier=False), cap=cap
    )
    for node in data.nodes:
        assert network.after[node] <= whole.after[node], (data, cap)
        assert len(network.after[node]) <= cap, (data, cap)
        assert len(network.before[node]) <= cap, (data, cap)
        expected = node_row(ask, network, node)
        tally.compare("cap", node, encoding[node], expected, (data, ask, cap))
        tally.compare("cap of permuted edges", node, again[node], expected, (data, ask, cap))
        if all(len(way[each]) <= cap for way in (whole.after, whole.before) for each in data.nodes):
            tally.compare(
                "cap that removes nothing", node, encoding[node], node_row(ask, whole, node), (data, ask, cap)
            )


# ----- marked nodes


def refine(network: Network, colors: dict[Any, Any], rounds: int, names: dict[Any, int]) -> dict[Any, int]:
    """Return colors after some rounds, numbered alike everywhere by what they stand for."""
    current = {node: names.setdefault(("start", color), len(names)) for node, color in colors.items()}
    for _ in range(rounds):
        stands = {
            node: (
                "round",
                current[node],
                tuple(sorted(current[other] for other in network.after[node] if other in current)),
            )
            for node in current
        }
        current = {node: names.setdefault(each, len(names)) for node, each in stands.items()}
    return current


def search_class(
    network: Network,
    colors: dict[Any, int],
    marks: int,
    rounds: int,
    names: dict[Any, int],
    ties: list[bool],
    cell: str,
) -> int:
    """Return the number of what a search with some more marks finds from a stable coloring."""
    cells = defaultdict(list)
    for node, color in colors.items():
        cells[color].append(node)
    outcome = tuple(sorted((color, len(nodes)) for color, nodes in cells.items()))
    children: tuple[int, ...] = ()
    targets = [nodes for nodes in cells.values() if len(nodes) > 1]
    if marks and targets:
        if cell == "largest":
            largest = max(map(len, targets))
            targets = [nodes for nodes in targets if len(nodes) == largest]
            ties.append(len(targets) > 1)
            targets = targets[:1]
        children = tuple(
            sorted(
                search_class(
                    network,
                    refine(
                        network,
                        {each: (color, each == node) for each, color in colors.items()},
                        rounds,
                        names,
                    ),
                    marks - 1,
                    rounds,
                    names,
                    ties,
                    cell,
                )
                for nodes in targets
                for node in nodes
            )
        )
    return names.setdefault(("class", outcome, children), len(names))


def first_appearance(values: list[Any]) -> list[int]:
    """Return equal values as equal numbers, numbered by first appearance."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def check_marked(rng: Random, tally: Tally) -> None:
    """Compare the classes of searches with marked nodes (R4, R5) with a search that numbers colors by what they are."""
    data = draw_data(rng, most=8, directed=False)
    radius = rng.choice((None, 1, 2, 3))
    depth = rng.choice((1, 2, 2, 3))
    cell = rng.choice(("largest", "all"))
    ask = Ask(directed=None)
    network = network_of(data, ask)
    classes = egonet.individualize(data.edges, depth, radius, cell, **data.keywords()).nodes.tolist()
    names: dict[Any, int] = {}
    ties: list[bool] = []
    expected = []
    for root in data.nodes:
        near = reach(ask, network, root, len(network.label) if radius is None else radius * network.steps)
        for node in (
            network.label.keys() - near.keys()
        ):  # all edges inside the ego-network, those of its last ring too
            if is_edge(node) and network.after[node] <= near.keys():
                near[node] = (radius or 0) * network.steps + 1
        inside = Network(steps=network.steps)
        for node in near:
            inside.add(node, network.label[node])
        for node in near:
            for other in network.after[node] & near.keys():
                inside.connect(node, other)
        rounds = 2 * len(network.label) + 2
        start = {node: (far, *map(str, network.label[node])) for node, far in near.items()}
        colors = refine(inside, start, rounds, names)
        expected.append(search_class(inside, colors, depth - 1, rounds, names, ties, cell))
    expected = first_appearance(expected)
    kind = "marked, ties" if any(ties) else "marked"
    if any(
        ties
    ):  # which of several largest cells is first, no page says: classes are finer or equal without marks
        order = list(range(len(data.nodes)))
        rng.shuffle(order)
        nodes = [data.nodes[number] for number in order]
        again = egonet.individualize(
            data.edges, depth, radius, cell, **replace(data, nodes=nodes).keywords()
        ).nodes.tolist()
        expected = first_appearance([again[order.index(number)] for number in range(len(order))])
    for node, ours, theirs in zip(data.nodes, classes, expected, strict=True):
        tally.add(kind, ours == theirs, node, (classes, expected), (data, radius, depth, cell))
    if radius is not None and data.types is None and data.amounts is None:
        encoding = egonet.encode(data.edges, **data.keywords(), radius=radius, rooted="refined", depth=depth)
        same = first_appearance(encoding.classes.tolist()) == classes
        for node in data.nodes if cell == "largest" else ():
            tally.add("refined", same, node, (classes, encoding.classes.tolist()), (data, radius, depth))


# ----- hashes, as the docstrings of row_hashes and subtree_hashes define them

ALL = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """Return m(x)."""
    value = value * GOLDEN & ALL
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 & ALL
    value ^= value >> 27
    value = value * 0x94D049BB133111EB & ALL
    return value ^ value >> 31


def label_hash(label: Any) -> int:
    """Return the hash of a label or type."""
    if isinstance(label, int) and 0 <= label < 2**63:
        return mix(label + 1)
    text = f"s{label}" if isinstance(label, str) else f"int {label}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def row_hash(row: Row, radius: int, num_numbers: int) -> int:
    """Return the hash of a row of one radius, whose keys begin with the distance."""
    total = 0
    for key, count in row.items():
        numbers, label = key[:num_numbers], map(label_hash, key[num_numbers:])
        value = 0
        for number in (radius, *numbers):
            value = mix(value + number + 1 & ALL)
        for each in label:
            value = mix(value + each & ALL)
        total += mix(value + count * GOLDEN & ALL)
    return mix(total & ALL)


def color_hashes(network: Network, rounds: int, label: dict[Any, int] | None) -> list[dict[Any, int]]:
    """Return the colors of nodes after 0, 1, ... rounds."""
    colors = {
        node: mix(label_hash(each[-1]) + 2 & ALL)
        if isinstance(node, tuple) and type(node).__name__ == "EdgeNode"
        else mix(1 if label is None else label[node] + 1 & ALL)
        for node, each in network.label.items()
    }
    results = [dict(colors)]
    for _ in range(rounds):
        for _ in range(network.steps):
            colors = {
                node: mix(
                    GOLDEN * mix(color) + sum(mix(colors[other]) for other in network.after[node]) & ALL
                )
                for node, color in colors.items()
            }
        results.append(dict(colors))
    return results


def check_hashed(rng: Random, tally: Tally) -> None:
    """Compare hashed bags and hashed colors of graphs with the hashes that the docstrings define."""
    num_hashed, rounds = rng.choice((7, 64, 1000)), rng.choice((None, 0, 2))
    first = draw_data(rng, directed=False)
    graphs = [first]
    while len(graphs) < rng.randint(1, 3):
        other = draw_data(rng, directed=False)
        if [each is None for each in (other.labels, other.types, other.amounts)] == [
            each is None for each in (first.labels, first.types, first.amounts)
        ]:
            graphs.append(other)
    if any(
        len({type(value) for each in graphs for value in (column(each) or ())}) > 1
        for column in (lambda each: each.types, lambda each: list((each.labels or {}).values()))
    ):
        return
    ask = replace(draw_ask(rng, first), directed=None)
    if ask.degrees == "in_out":
        ask = replace(ask, degrees="full", follow="any")
    entries: list[Any] = []
    for data in graphs:
        graph = egonet.as_graph(
            data.edges,
            nodes=data.nodes,
            directed=False,
            simplify=True,
            **({} if data.types is None else {"edge_labels": data.types}),
            **({} if data.amounts is None else {"weights": data.amounts}),
        )
        entries.append(graph if data.labels is None else (graph, [data.labels[node] for node in data.nodes]))
    encoder = egonet.GraphEncoder(
        **settings_of(ask),
        aggregate="bag",
        num_hashed=num_hashed,
        wl=rounds,
        labeled=first.labels is not None,
        sparse_output=False,
        **({} if first.amounts is None else {"weight_bins": [10, 100]}),
    )
    found = encoder.fit_transform(entries)
    num_numbers = 1 + {"total": 1, "layered": 2, "full": 3}[ask.degrees]
    for number, data in enumerate(graphs):
        network = network_of(data, ask)
        group, groups = np.zeros(num_hashed), []
        for radius in ask.radii:
            for node in data.nodes:
                row = node_row(replace(ask, radii=(radius,)), network, node)
                group[row_hash(row, radius, num_numbers) % num_hashed] += 1
        groups.append(group)
        if rounds is not None:
            group = np.zeros(num_hashed)
            label = (
                None
                if data.labels is None
                else {node: label_hash(each) for node, each in data.labels.items()}
            )
            for colors in color_hashes(network, rounds, label):
                for node in data.nodes:
                    group[colors[node] % num_hashed] += 1
            groups.append(group)
        expected = np.concatenate(groups)
        same = found[number].tolist() == expected.tolist()
        values = (np.flatnonzero(found[number]), np.flatnonzero(expected))
        tally.add("hashed graph", same, number, values, (data, ask, rounds, num_hashed))


# ----- links


def check_link_columns(rng: Random, tally: Tally) -> None:
    """Compare link columns with pair rows, with the graph without the edge, and with permuted and renamed input."""
    data = draw_data(rng, plain=True, directed=False, most=10)
    if sum(first != second for first, second in data.edges) < 2:
        return
    nodes, radius = data.nodes, rng.choice((1, 2, (1, 2)))
    groups = rng.sample(("pairs", "overlap", "share", "ends", "walks", "latent"), 3)
    pairs = [tuple(rng.sample(nodes, 2)) for _ in range(3)]
    pairs += [edge for edge in data.edges if edge[0] != edge[1]][:2]
    options: dict[str, Any] = {"nodes": nodes, "directed": False, "simplify": True, "radius": radius}

    def columns(edges: Any, pairs: Any, **how: Any) -> dict[Any, dict[str, float]]:
        values, names = egonet.links.link_columns(edges, pairs, groups, **{**options, **how})
        return {
            pair: {name: float(value) for name, value in zip(names, row, strict=True)}
            for pair, row in zip(pairs, values, strict=True)
        }

    def same(first: dict[str, float], second: dict[str, float]) -> bool:
        names = first.keys() | second.keys()
        return all(
            math.isclose(first.get(name, 0.0), second.get(name, 0.0), rel_tol=1e-6, abs_tol=1e-7)
            for name in names
        )

    found = columns(data.edges, pairs)
    shuffled = [tuple(rng.sample(edge, 2)) for edge in rng.sample(data.edges, len(data.edges))]
    again = columns(shuffled, pairs)
    for pair in found:
        tally.add(
            "links, permuted",
            same(found[pair], again[pair]),
            pair,
            (found[pair], again[pair]),
            (data, radius, groups),
        )
    if isinstance(radius, int):
        ask = Ask((radius,), degree_bins="log")
        network = network_of(data, ask)
        if "pairs" in groups:
            encoding = egonet.encode_pairs(
                data.edges,
                pairs,
                radius=radius,
                degree_bins="log",
                nodes=nodes,
                directed=False,
                simplify=True,
            )
            for pair in found:
                names = dict(
                    zip(
                        encoding.feature_names,
                        np.log1p(
                            np.asarray(
                                encoding[[pair]] if False else encoding.matrix[[pairs.index(pair)]].toarray()
                            )[0]
                        ),
                        strict=True,
                    )
                )
                ours = {name: found[pair].get(name, 0.0) for name in names}
                tally.add("links, pairs", same(ours, names), pair, (ours, names), (data, radius))
                expected = sorted(math.log1p(count) for count in pair_row(ask, network, *pair).values())
                present = sorted(value for value in ours.values() if value)
                tally.add(
                    "links, pairs", np.allclose(present, expected), pair, (present, expected), (data, radius)
                )
    if not {"walks", "latent"} & set(groups):
        for pair in list(found)[-2:]:
            rest = [edge for edge in data.edges if set(edge) != set(pair)]
            if not any(first != second for first, second in rest):
                continue
            alone = columns(data.edges, [pair])[pair]
            left_out = columns(rest, [pair], without_edge=False)[pair]
            tally.add(
                "links, edge left out", same(alone, left_out), pair, (alone, left_out), (data, radius, groups)
            )
    swapped = columns(data.edges, [pair[::-1] for pair in pairs])
    for pair in found:
        other = swapped[pair[::-1]]
        tally.add(
            "links, swapped", same(found[pair], other), pair, (found[pair], other), (data, radius, groups)
        )


# ----- molecules

#: Molecules with rings, charges, every type of bond, several parts, and one atom.
SMILES = (
    *("C", "CCO", "c1ccccc1", "CC(=O)Oc1ccccc1C(=O)O", "C#N", "[NH4+].[Cl-]", "O=[N+]([O-])c1ccc(Br)cc1"),
    *("C1CC2CCC1C2", "c1ccc2[nH]ccc2c1", "CN1CCC[C@H]1c1cccnc1", "OC[C@H]1OC(O)[C@H](O)[C@@H](O)[C@@H]1O"),
    *(
        "CS(=O)(=O)N",
        "FC(F)(F)C#CC=C",
        "[13CH4]",
        "C1=CC=CN1",
        "c1ccsc1",
        "CC(C)(C)P(=O)(O)O",
        "[Na+].[O-]C=O",
    ),
)


def check_molecules(rng: Random, tally: Tally) -> None:
    """Compare molecules with the hashes of their neighborhoods and colors, and with Morgan counts of RDKit."""
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    radius, rounds, size = rng.randint(0, 3), rng.choice((None, 0, 1, 2)), rng.choice((64, 2048))
    morgan, bonds = rng.choice((None, 0, 2, 3)), rng.random() < 0.7
    parser = "rdkit" if morgan is not None else rng.choice(("rdkit", "fast"))
    texts = rng.sample(SMILES, 4)
    encoder = egonet.MoleculeEncoder(
        radius, bonds=bonds, num_columns=size, morgan=morgan, wl=rounds, parser=parser
    )
    rows = encoder.transform(texts)
    ask = Ask(())
    for text, row in zip(texts, rows, strict=True):
        molecule = Chem.MolFromSmiles(text)
        nodes = list(range(molecule.GetNumAtoms()))
        elements = {atom.GetIdx(): atom.GetSymbol() for atom in molecule.GetAtoms()}
        ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
        kinds = [str(bond.GetBondType()).lower() for bond in molecule.GetBonds()]
        network = build(nodes, ends, is_directed=False, labels=elements, types=kinds if bonds else None)
        hashed, colors = np.zeros(size), np.zeros(size)
        for each in range(radius + 1):
            for node in nodes:
                near = node_row(replace(ask, radii=(each,)), network, node)
                hashed[row_hash(near, each, 2) % size] += 1
        parts = [hashed]
        if rounds is not None:
            labels = {node: label_hash(element) for node, element in elements.items()}
            for numbers in color_hashes(network, rounds, labels):
                for node in nodes:
                    colors[numbers[node] % size] += 1
            parts.append(colors)
        if morgan is not None:
            generator = rdFingerprintGenerator.GetMorganGenerator(radius=morgan, fpSize=2048)
            parts.append(generator.GetCountFingerprintAsNumPy(molecule))
        expected = np.concatenate(parts)
        places = (
            np.flatnonzero(row != expected)[:9] if len(row) == len(expected) else (len(row), len(expected))
        )
        tally.add("molecule", not len(places), text, places, (radius, rounds, size, morgan, bonds, parser))


GRID: tuple[Callable[[Random, Tally], None], ...] = (
    check_grid_nodes,
    check_grid_pairs,
    check_quarters,
    check_paper_layout,
    check_cap,
    check_marked,
    check_hashed,
    check_link_columns,
    check_molecules,
)
