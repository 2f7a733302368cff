"""The peers' networks as plain loops over nodes, which the fast ones must equal."""

import math

import numpy as np
import torch

from research.nets.peers.bags import distances


class Plain:
    """One replica on one graph: dense matrices and loops over subgraphs."""

    def __init__(self, net, weights, replica, graphs, number):
        self.net, self.replica = net, replica
        self.values = {name: value[replica] for name, value in weights.values.items()}
        start = int(graphs.sizes[:number].sum())
        self.size = int(graphs.sizes[number])
        self.inputs = torch.from_numpy(graphs.inputs[start : start + self.size]).double()
        own = slice(graphs.arc_ptr[number], graphs.arc_ptr[number + 1])
        self.arcs, self.types = graphs.arcs[own], graphs.types[own]
        self.near = torch.zeros(self.size, self.size, dtype=torch.float64)
        self.near[self.arcs[:, 1], self.arcs[:, 0]] = 1
        self.kind = torch.zeros(self.size, self.size, dtype=torch.long)
        self.kind[self.arcs[:, 1], self.arcs[:, 0]] = torch.from_numpy(self.types)
        self.far = distances(self.size, self.arcs, self.size)
        if graphs.hops is not None:
            self.peripheral = torch.from_numpy(graphs.hops.peripheral[start : start + self.size]).double()

    def linear(self, name, x, bias=True):
        out = x @ self.values[f"{name}.w"]
        return out + self.values[f"{name}.b"] if bias else out

    def mlp(self, name, x):
        x = self.linear(f"{name}.1", x)
        if self.net.norm:
            x = x / math.sqrt(1 + 1e-5) * self.values[f"{name}.n.scale"] + self.values[f"{name}.n.shift"]
        return torch.relu(self.linear(f"{name}.2", torch.relu(x)))

    def messages(self, name, x, near):
        if self.net.num_types == 1:
            return near @ x
        table = self.values[f"{name}.types.t"]
        sent = torch.relu(x.unsqueeze(0) + table[self.kind[: len(near), : len(near)]])
        return (near.unsqueeze(2) * sent).sum(1)

    def gin(self, name, x, near):
        return self.mlp(name, (1 + self.values[f"{name}.eps"]) * x + self.messages(name, x, near))

    def pool(self, x, mean=None):
        return x.mean(0) if (self.net.mean if mean is None else mean) else x.sum(0)

    def subgraphs(self, policy):
        """Yield (nodes, adjacency on all nodes, root, marks) of every subgraph."""
        edges = [tuple(arc) for arc in self.arcs.tolist() if arc[0] < arc[1]]
        if policy.kind in ("ego", "pair"):
            for root in range(self.size):
                inside = torch.from_numpy(self.far[root] <= policy.radius).double()
                near = self.near * inside.unsqueeze(0) * inside.unsqueeze(1)
                nodes = torch.nonzero(inside).flatten()
                marks = torch.from_numpy(self.far[root].astype(np.int64))
                if policy.kind == "ego":
                    yield nodes, near, root, marks
                    continue
                for other in torch.nonzero(self.near[root]).flatten().tolist():
                    pair = torch.zeros(self.size, dtype=torch.long)
                    pair[root], pair[other] = 1, 2
                    yield nodes, near, root, pair
            return
        every, none = torch.arange(self.size), torch.zeros(self.size, dtype=torch.long)
        if policy.kind == "node":
            for gone in range(self.size):
                near = self.near.clone()
                near[gone], near[:, gone] = 0, 0
                yield every, near, gone, none
        else:
            for a, b in edges:
                near = self.near.clone()
                near[a, b] = near[b, a] = 0
                yield every, near, 0, none
            if not edges:
                yield every, self.near, 0, none

    def marked(self, x, marks):
        if not self.net.marks:
            return x
        hot = torch.nn.functional.one_hot(marks.clamp(max=self.net.marks - 1), self.net.marks)
        return torch.cat([x, hot.double()], dim=1)

    def run(self, method, policy):
        net = self.net
        found = getattr(self, net.kind)(policy)
        return self.linear("out", torch.relu(self.linear("head", found)))[0]

    def plain(self, policy):
        x = self.inputs
        for layer in range(self.net.layers):
            x = self.gin(f"{layer}", x, self.near)
        return self.pool(x)

    def hops(self, policy):
        x = self.inputs
        for layer in range(self.net.layers):
            total = 0
            for hop in range(3):
                name = f"{layer}.{hop}"
                at = torch.from_numpy(self.far == hop + 1).double()
                near = self.messages(name, x, self.near) if hop == 0 else at @ x
                between = self.linear(f"{name}.between", self.peripheral, bias=False)
                total = total + self.mlp(name, (1 + self.values[f"{name}.eps"]) * x + near + between)
            x = total
        return self.pool(x)

    def rings(self, policy):
        x = self.inputs
        for layer in range(self.net.layers):
            roots = []
            for _, near, root, marks in self.subgraphs(policy):
                y = self.linear(f"{layer}.in", x)
                for ring in range(policy.radius, -1, -1):
                    for step, outer in (("across", ring + 1), ("within", ring)):
                        if outer > policy.radius or (step == "within" and ring == 0):
                            continue
                        here, there = (marks == ring).double(), (marks == outer).double()
                        chosen = near * here.unsqueeze(1) * there.unsqueeze(0)
                        new = self.mlp(
                            f"{layer}.{step}{ring}", y + self.messages(f"{layer}.{step}{ring}", y, chosen)
                        )
                        y = torch.where((marks == ring).unsqueeze(1), new, y)
                roots.append(y[root])
            x = torch.stack(roots)
        return self.pool(x)

    def inner_gin(self, x, near):
        for layer in range(self.net.layers):
            x = self.gin(f"{layer}", x, near)
        return x

    def nested(self, policy):
        by_root = {node: [] for node in range(self.size)}
        for nodes, near, root, marks in self.subgraphs(policy):
            x = self.inner_gin(self.marked(self.inputs, marks), near)[nodes]
            by_root[root].append(torch.relu(self.linear("inner", self.pool(x)))[0])
        width = self.net.width
        rows = [
            self.pool(torch.stack(found)) if found else torch.zeros(width, dtype=torch.float64)
            for found in by_root.values()
        ]
        return self.pool(torch.stack(rows))

    def identity(self, policy):
        roots = []
        for _, near, root, _ in self.subgraphs(policy):
            x = self.inputs
            for layer in range(self.net.layers):
                sent = x.clone()
                sent[root] = sent[root] + self.linear(f"{layer}.root", x)[root]
                got = self.messages(f"{layer}", sent, near)
                x = self.mlp(f"{layer}", (1 + self.values[f"{layer}.eps"]) * x + got)
            roots.append(x[root])
        return self.pool(torch.stack(roots))

    def distance(self, policy):
        return self.pool(
            torch.stack(
                [
                    self.inner_gin(self.marked(self.inputs, marks), near)[root]
                    for _, near, root, marks in self.subgraphs(policy)
                ]
            )
        )

    def kernel(self, policy):
        x = self.inputs
        for layer in range(self.net.layers):
            roots, sums, context = [], [], [[] for _ in range(self.size)]
            for nodes, near, root, marks in self.subgraphs(policy):
                marks = marks.clamp(max=self.net.marks - 1)
                y = x
                if self.net.context:
                    y = torch.cat([y, self.values[f"{layer}.far.t"][marks]], dim=1)
                y = self.gin(f"{layer}.0", y, near)
                roots.append(y[root])
                if self.net.context:
                    y = y * torch.sigmoid(self.values[f"{layer}.gate.t"])[marks]
                sums.append(self.pool(y[nodes]))
                for node in nodes.tolist():
                    context[node].append(y[node])
            parts = [torch.stack(roots), torch.stack(sums)]
            if self.net.context:
                parts.append(torch.stack([self.pool(torch.stack(found)) for found in context]))
            x = self.linear(f"{layer}.join", torch.cat(parts, dim=1))
            if self.net.norm:
                scale, shift = (self.values[f"{layer}.joined.{part}"] for part in ("scale", "shift"))
                x = x / math.sqrt(1 + 1e-5) * scale + shift
            x = torch.relu(x)
        return self.pool(x)

    def bag(self, policy):
        bag = list(self.subgraphs(policy))
        rows = [self.marked(self.inputs, marks) for _, _, _, marks in bag]
        for layer in range(self.net.layers):
            new = [self.gin(f"{layer}", x, near) for x, (_, near, _, _) in zip(rows, bag, strict=True)]
            if self.net.context:
                shared = torch.stack(
                    [
                        torch.stack(
                            [x[node] for x, sub in zip(rows, bag, strict=True) if node in sub[0]]
                        ).mean(0)
                        for node in range(self.size)
                    ]
                )
                shared = self.gin(f"{layer}.shared", shared, self.near)
                new = [x + shared for x in new]
            rows = new
        inner = [self.pool(x[sub[0]]) for x, sub in zip(rows, bag, strict=True)]
        return torch.relu(self.linear("inner", torch.stack(inner))).mean(0)

    def ego(self, policy):
        x = self.inputs
        for layer in range(self.net.layers):
            seen = [[] for _ in range(self.size)]
            for nodes, near, _, _ in self.subgraphs(policy):
                root = 1 / torch.sqrt(1 + near.sum(1))
                inner = (
                    torch.diag(root) @ (near + torch.eye(self.size, dtype=torch.float64)) @ torch.diag(root)
                )
                for node in nodes.tolist():
                    seen[node].append((inner @ x)[node])
            mean = torch.stack([torch.stack(found).mean(0) for found in seen])
            near = (1 + self.values[f"{layer}.eps"]) * x + self.messages(f"{layer}", x, self.near)
            x = self.mlp(f"{layer}", torch.cat([near, mean], dim=1))
        return self.pool(x)

    def pairs(self, policy):
        types = self.net.num_types
        y = torch.zeros(self.size, self.size, types + self.inputs.shape[1], dtype=torch.float64)
        y[..., :types] = torch.nn.functional.one_hot(self.kind, types) * self.near.unsqueeze(2)
        for node in range(self.size):
            y[node, node, types:] = self.inputs[node]
        for layer in range(self.net.layers):
            left, right = (self.mlp(f"{layer}.{part}", y) for part in ("left", "right"))
            product = torch.einsum("ijc,jkc->ikc", left, right)
            if self.net.norm:
                product = product / self.size
            y = self.linear(f"{layer}.join", torch.cat([y, product], dim=2))
        diagonal = torch.stack([y[node, node] for node in range(self.size)]).sum(0)
        total = y.sum((0, 1))
        if self.net.mean:
            diagonal, total = diagonal / self.size, total / self.size**2
        return torch.cat([diagonal, total])
