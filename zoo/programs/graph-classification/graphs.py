"""Random graphs of four families, and collation into one big disconnected graph."""

from typing import NamedTuple

import numpy as np
import torch

FAMILIES = ["tree", "cycle_rich", "hub", "clusters"]


class Graph(NamedTuple):
    num_nodes: int
    edges: np.ndarray  # (2, E), both directions
    label: int


class GraphBatch(NamedTuple):
    x: torch.Tensor
    edge_index: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor
    num_graphs: int


def _tree(n, rng):
    return {(i, int(rng.integers(0, i))) for i in range(1, n)}


def _cycle_rich(n, rng):
    e = {(i, (i + 1) % n) for i in range(n)}
    return e | {(i, (i + 2) % n) for i in range(n) if rng.random() < 0.25}


def _hub(n, rng):
    hubs = [0, 1]
    e = {(i, int(rng.choice(hubs))) for i in range(2, n)}
    return e | {(int(a), int(b)) for a, b in rng.integers(2, n, size=(n // 3, 2)) if a != b}


def _clusters(n, rng):
    half = n // 2
    e = set(_tree(n, rng))
    for lo, hi in ((0, half), (half, n)):
        for i in range(lo, hi):
            for j in range(i + 1, hi):
                if rng.random() < 0.25:
                    e.add((i, j))
    return e


MAKERS = [_tree, _cycle_rich, _hub, _clusters]


def random_graph(rng) -> Graph:
    label = int(rng.integers(len(FAMILIES)))
    n = int(rng.integers(8, 20))
    e = {(min(a, b), max(a, b)) for a, b in MAKERS[label](n, rng)}
    # rewire a few edges so that the families overlap
    for _ in range(int(rng.integers(1, 5))):
        e.discard(list(sorted(e))[int(rng.integers(len(e)))])
        a, b = rng.choice(n, 2, replace=False)
        e.add((int(min(a, b)), int(max(a, b))))
    arr = np.array(sorted(e)).T
    arr = np.concatenate([arr, arr[::-1]], axis=1)
    perm = rng.permutation(n)
    return Graph(n, perm[arr], label)


def collate(graphs: list[Graph]) -> GraphBatch:
    edges, assign, offset = [], [], 0
    for k, g in enumerate(graphs):
        edges.append(torch.as_tensor(g.edges) + offset)
        assign.append(torch.full((g.num_nodes,), k, dtype=torch.long))
        offset += g.num_nodes
    edge_index = torch.cat(edges, dim=1)
    degree = torch.bincount(edge_index[1], minlength=offset)
    x = torch.nn.functional.one_hot(degree.clamp(max=9), 10).float()
    y = torch.tensor([g.label for g in graphs])
    return GraphBatch(x, edge_index, torch.cat(assign), y, len(graphs))
