"""Batches and states come back as they were, and an artifact cannot make us import or run anything."""

import dataclasses
import sys
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BatchEncoding

from firstlight.errors import ArtifactError
from firstlight.guard.capture.trees import Fields, Packer, incoming, outgoing, unpack
from firstlight.records.artifact import ObjectNode, OpaqueNode, TensorNode
from firstlight.store.tensors import Stored


class Pair(NamedTuple):
    left: torch.Tensor
    right: int


@dataclasses.dataclass(frozen=True)
class Sample:
    image: torch.Tensor
    label: int

    def __post_init__(self) -> None:
        assert self.label >= 0


def again(value: Any) -> Any:
    packer = Packer()
    tree = packer.pack(value)
    stored = {
        name: Stored(item.dtype, item.shape, memoryview(bytes(item.read())))
        for name, item in outgoing(packer.tensors).items()
    }
    return unpack(tree, incoming(stored))


def same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor):
        return left.dtype == right.dtype and torch.equal(left.nan_to_num(7.0), right.nan_to_num(7.0))
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) or (left != left and right != right)


WORDS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
TENSORS = st.lists(st.floats(width=32), max_size=4).map(torch.tensor) | st.just(torch.tensor(3))
TREES = st.recursive(
    WORDS | TENSORS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers() | st.booleans(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(TREES)
@settings(max_examples=150)
def test_any_tree_comes_back_as_it_was(tree: Any) -> None:
    assert same(again(tree), tree)


def test_objects_of_loaded_classes_come_back_as_such() -> None:
    pair, sample = again([Pair(torch.ones(2), 3), Sample(torch.zeros(1), 4)])
    assert type(pair) is Pair
    assert pair.right == 3
    assert type(sample) is Sample
    assert sample.label == 4


def test_a_batch_encoding_comes_back() -> None:
    found = again(BatchEncoding({"input_ids": torch.arange(4), "attention_mask": torch.ones(4)}))
    assert isinstance(found, BatchEncoding)
    assert found.input_ids.tolist() == [0, 1, 2, 3]


def test_an_array_comes_back_as_an_array() -> None:
    found = again({"x": np.arange(3, dtype=np.float32)})
    assert isinstance(found["x"], np.ndarray)
    assert found["x"].tolist() == [0, 1, 2]


def test_an_ordered_dict_is_a_dict() -> None:
    assert again(OrderedDict(a=1)) == {"a": 1}


def test_what_has_no_values_is_left_out_by_its_type() -> None:
    assert Packer().pack(open) == OpaqueNode(type="builtins:builtin_function_or_method")
    assert isinstance(Packer().pack(torch.empty(2, device="meta")), OpaqueNode)
    assert again([len, 1]) == [None, 1]


def test_a_sparse_tensor_is_kept_by_its_values() -> None:
    assert again(torch.eye(3).to_sparse()).tolist() == torch.eye(3).tolist()


def test_tied_weights_are_kept_once() -> None:
    shared = torch.randn(3)
    packer = Packer()
    packer.pack({"a": shared, "b": shared})
    assert list(packer.tensors) == ["a"]


def test_a_value_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert isinstance(again(loop), list)


def test_an_unknown_class_is_neither_imported_nor_needed() -> None:
    node = ObjectNode(kind="dataclass", type="antigravity:Batch", names=("ids",), items=(TensorNode(key="ids"),))
    found = unpack(node, {"ids": torch.ones(2)})
    assert "antigravity" not in sys.modules
    assert isinstance(found, Fields)
    assert found.ids is found["ids"]


@pytest.mark.parametrize("name", ["os:system", "subprocess:Popen", "builtins:exec"])
def test_a_callable_in_place_of_a_class_is_not_called(name: str) -> None:
    node = ObjectNode(kind="mapping", type=name, names=(), items=())
    assert unpack(node, {}) == Fields()


def test_a_missing_tensor_is_told() -> None:
    with pytest.raises(ArtifactError, match="missing"):
        unpack(TensorNode(key="w"), {})
