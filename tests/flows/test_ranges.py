"""Where the examples fade and where values swell, on small tapes written by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.flows.ranges import largest, narrowest, squashed, steepest, waist
from firstlight.records.taped import TapeRow

ROW = TapeRow(0, "linear", 0, 1, (8, 4), (), True, True, True, False, 8, 1.0, 0.5)


def tape(*rows: dict[str, Any]) -> dict[int, TapeRow]:
    return {at: replace(ROW, number=at, **changes) for at, changes in enumerate(rows)}


FADES = (
    {"operation": "linear", "entry": True},
    {"operation": "sigmoid", "made_from": (0,), "spread": 0.2},
    {"operation": "sigmoid", "made_from": (1,), "spread": 1e-5},
    {"operation": "dropout", "made_from": (2,), "entry": True, "spread": 0.6},
    {"operation": "linear", "made_from": (3,), "entry": True, "spread": 0.9},
)


def test_the_call_in_which_most_is_lost_is_named() -> None:
    found = narrowest(tape(*FADES), (4,))
    assert found is not None
    assert (found.spread, found.row.number, found.before, found.entry) == (1e-5, 2, 0.2, False)


def test_inputs_that_hardly_differ_beside_the_bias_are_lost_as_they_enter() -> None:
    rows = (
        {"entry": True, "spread": 1e-6},
        {"operation": "relu", "made_from": (0,)},
        {"made_from": (1,), "entry": True},
    )
    found = narrowest(tape(*rows), (2,))
    assert found is not None
    assert (found.spread, found.row.number, found.entry) == (1e-6, 0, True)


def test_a_loss_over_many_calls_is_not_put_down_to_where_the_data_enter() -> None:
    rows = (
        {"entry": True, "spread": 0.04},
        {"operation": "tanh", "made_from": (0,), "spread": 2e-3},
        {"operation": "tanh", "made_from": (1,), "spread": 4e-4},
        {"made_from": (2,), "entry": True},
    )
    found = narrowest(tape(*rows), (3,))
    assert found is not None
    assert (found.spread, found.row.number, found.entry) == (4e-4, 1, False)


def test_a_batch_norm_brings_the_difference_back() -> None:
    rows = (
        *FADES[:3],
        {"operation": "batch_norm", "made_from": (2,), "entry": True},
        {"made_from": (3,), "entry": True},
    )
    found = narrowest(tape(*rows), (4,))
    assert found is not None
    assert found.spread == 0.5


def test_a_way_around_is_enough() -> None:
    rows = (*FADES[:3], {"operation": "add", "made_from": (0, 2)}, {"made_from": (3,), "entry": True})
    found = narrowest(tape(*rows), (4,))
    assert found is not None
    assert found.spread == 0.5


def test_a_network_of_one_layer_and_unknown_axes_tell_nothing() -> None:
    assert narrowest(tape({"entry": True, "spread": 1e-9}), (0,)) is None
    assert narrowest(tape({"entry": True, "spread": None}, {"made_from": (0,), "entry": True}), (1,)) is None
    assert largest(tape({"entry": True, "size": 1e9}), (0,)) is None


SWELLS = (
    {"entry": True, "size": 1.0},
    {"operation": "mul", "made_from": (0,), "size": 4000.0},
    {"operation": "silu", "made_from": (1,), "size": 5000.0},
    {"made_from": (2,), "entry": True, "size": 9e6},
)


def test_the_call_in_which_values_grow_most_is_named_and_the_last_layer_is_not_judged() -> None:
    found = largest(tape(*SWELLS), (3,))
    assert found is not None
    assert (found.size, found.row.operation, found.before, found.entry) == (5000.0, "mul", 1.0, False)


def test_data_that_enter_large_are_told_as_such() -> None:
    found = largest(tape({"entry": True, "size": 3000.0}, {"made_from": (0,), "entry": True}), (1,))
    assert found is not None
    assert (found.size, found.entry) == (3000.0, True)


def test_what_is_normalised_soon_after_may_be_large() -> None:
    rows = (
        *SWELLS[:3],
        {"operation": "layer_norm", "made_from": (2,), "entry": True},
        {"made_from": (3,), "entry": True},
    )
    found = largest(tape(*rows), (4,))
    assert found is not None
    assert found.size == 1.0


@given(st.permutations(range(len(FADES))))
def test_the_order_in_which_rows_are_told_changes_nothing(order: list[int]) -> None:
    rows = tape(*FADES)
    shuffled = {at: rows[at] for at in order}
    assert narrowest(shuffled, (4,)) == narrowest(rows, (4,))
    assert largest(shuffled, (4,)) == largest(rows, (4,))


def test_the_marks_of_a_mask_are_neither_large_values_nor_a_loss() -> None:
    rows = (
        {"entry": True},
        {"operation": "masked_fill", "made_from": (0,), "size": 1e9},
        {"operation": "softmax", "made_from": (1,)},
        {"made_from": (2,), "entry": True},
    )
    large, narrow = largest(tape(*rows), (3,)), narrowest(tape(*rows), (3,))
    assert large is not None
    assert narrow is not None
    assert (large.size, narrow.spread) == (1.0, 0.5)


GROWS = (
    {"operation": "linear", "entry": True, "size": 0.5},
    {"operation": "mul", "made_from": (0,), "size": 50.0},
    {"operation": "linear", "made_from": (1,), "entry": True, "size": 40.0},
)


def test_the_call_in_which_values_grow_most_is_named() -> None:
    found = steepest(tape(*GROWS), (2,))
    assert found is not None
    assert (found.row.number, found.before, found.entry, found.last) == (1, 0.5, False, False)


def test_a_factor_on_the_predictions_themselves_comes_last() -> None:
    rows = ({"entry": True}, {"operation": "mul", "made_from": (0,), "size": 90.0})
    found = steepest(tape(*rows), (1,))
    assert found is not None
    assert (found.row.number, found.last) == (1, True)


def test_data_that_enter_large_grow_nowhere() -> None:
    found = steepest(tape({"entry": True, "size": 300.0}, {"made_from": (0,), "entry": True, "size": 200.0}), (1,))
    assert found is not None
    assert (found.row.number, found.entry, found.before) == (0, True, 1.0)


def test_predictions_that_are_not_finite_say_nothing() -> None:
    assert steepest(tape({"entry": True, "size": float("nan")}), (0,)) is None


WIDE = {"operation": "linear", "entry": True, "shape": (8, 64)}
ONE = {"operation": "linear", "entry": True, "shape": (8, 1)}
TEN = {"operation": "linear", "entry": True, "shape": (8, 10)}


@pytest.mark.parametrize(
    ("rows", "numbers", "at"),
    [
        ((WIDE, ONE | {"made_from": (0,)}, TEN | {"made_from": (1,)}), 1, 1),
        ((WIDE, WIDE | {"made_from": (0,)}, TEN | {"made_from": (1,)}), 10, 2),
        ((ONE, ONE, {"operation": "add", "made_from": (0, 1), "shape": (8, 1)}, TEN | {"made_from": (2,)}), 1, 2),
        ((WIDE, ONE | {"made_from": (0,)}, TEN | {"made_from": (0, 1)}), 10, 2),
        ((ONE, {"operation": "cat", "made_from": (0,), "shape": (8, 9)}, TEN | {"made_from": (1,)}), 9, 1),
        ((ONE | {"trained": False}, TEN | {"made_from": (0,)}), 10, 1),
    ],
)
def test_the_fewest_numbers_for_an_example(rows: tuple[dict[str, Any], ...], numbers: int, at: int) -> None:
    found = waist(tape(*rows), (len(rows) - 1,))
    assert found is not None
    assert (found.numbers, found.row.number, found.outputs) == (numbers, at, 10)


def test_where_no_axis_is_that_of_the_examples_nothing_is_counted() -> None:
    assert waist(tape(WIDE, TEN | {"made_from": (0,), "examples": None}), (1,)) is None


GATES = (
    {"operation": "embedding", "entry": True, "size": 0.8},
    {"operation": "mul", "made_from": (0,), "size": 80.0},
    {"operation": "_pack_padded_sequence", "made_from": (1,), "size": 110.0},
    {"operation": "lstm", "made_from": (2,), "entry": True, "size": 0.4},
    {"operation": "linear", "made_from": (3,), "entry": True, "size": 2.0},
)


@pytest.mark.parametrize("operation", ["lstm", "gru", "rnn_tanh", "tanh", "sigmoid"])
def test_what_is_given_to_a_call_that_squashes_is_measured(operation: str) -> None:
    found = squashed(tape(*GATES[:3], GATES[3] | {"operation": operation}, GATES[4]))
    assert found is not None
    told, into = found
    assert (told.size, told.row.number, told.before, told.entry, into) == (110.0, 1, 0.8, False, operation)


@pytest.mark.parametrize("operation", ["tanh", "sigmoid", "relu"])
def test_gates_that_are_multiplied_and_calls_without_ends_are_not(operation: str) -> None:
    last = {"operation": "mul", "made_from": (3, 2), "entry": False}
    assert squashed(tape(*GATES[:3], GATES[3] | {"operation": operation}, last)) is None
