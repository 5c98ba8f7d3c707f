"""Which tensors are known to hold examples along their first axis, where no loader says so."""

from types import SimpleNamespace
from typing import Any

import torch

from firstlight.experiments.inside.probes import _cut_by_hand


def call(*inputs: torch.Tensor) -> Any:
    return SimpleNamespace(inputs=list(inputs))


def test_rows_of_a_larger_tensor_are_examples() -> None:
    everything = torch.randn(32, 3)
    part = everything[torch.tensor([4, 1, 30, 7])]
    assert [tensor is part for tensor in _cut_by_hand(call(part))] == [True]


def test_what_is_given_whole_may_be_one_example_of_many_parts() -> None:
    graph = torch.randn(32, 3)
    assert _cut_by_hand(call(graph)) == ()


def test_nodes_with_the_edges_between_them_are_not_apart() -> None:
    features, edges = torch.randn(32, 3), torch.rand(32, 32)
    nodes = torch.tensor([4, 1, 30, 7])
    assert _cut_by_hand(call(features[nodes], edges[nodes][:, nodes])) == ()


def test_a_single_number_beside_them_does_not_matter() -> None:
    everything = torch.randn(32, 3)
    assert _cut_by_hand(call(everything[:8], torch.tensor(0.5)))
