"""Where examples become alike, on small tapes written by hand."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.flows.values import examples_lost
from firstlight.records.taped import TapeRow

ROW = TapeRow(0, "linear", 0, 1, (8, 4), (), True, True, True, False, 8, 1.0)


def tape(*rows: dict[str, Any]) -> dict[int, TapeRow]:
    return {at: replace(ROW, number=at, **changes) for at, changes in enumerate(rows)}


BROKEN = (
    {"operation": "linear", "entry": True},
    {"operation": "relu", "made_from": (0,)},
    {"operation": "mean", "made_from": (1,), "examples": 1},
    {"operation": "linear", "made_from": (2,), "examples": 1, "entry": True},
)


def test_the_first_bad_and_the_last_good_operation_are_named() -> None:
    lost = examples_lost(tape(*BROKEN), (3,), fed=8)
    assert lost is not None
    assert lost.first_bad.operation == "mean"
    assert lost.last_good is not None
    assert lost.last_good.operation == "relu"


def test_what_is_lost_as_the_data_enters_has_no_last_good_one() -> None:
    lost = examples_lost(tape({"entry": True, "examples": 1}, {"made_from": (0,), "examples": 1}), (1,), fed=8)
    assert lost is not None
    assert lost.first_bad.number == 0
    assert lost.last_good is None


def test_predictions_that_differ_are_quiet_whatever_one_branch_forgets() -> None:
    rows = (*BROKEN[:3], {"operation": "add", "made_from": (1, 2)})
    assert examples_lost(tape(*rows), (3,), fed=8) is None


def test_one_prediction_of_several_that_differs_is_enough() -> None:
    rows = (*BROKEN, {"operation": "linear", "made_from": (1,)})
    assert examples_lost(tape(*rows), (3, 4), fed=8) is None


def test_equal_examples_are_not_the_networks_fault() -> None:
    assert examples_lost(tape(*BROKEN), (3,), fed=1) is None


def test_a_prediction_that_rests_on_no_data_is_nobodys_loss() -> None:
    assert examples_lost(tape({"examples": 1, "data": False}), (0,), fed=8) is None


def test_rows_whose_examples_lie_elsewhere_are_looked_through() -> None:
    rows = ({"entry": True}, {"made_from": (0,), "examples": None}, {"made_from": (1,), "examples": 1})
    lost = examples_lost(tape(*rows), (2,), fed=8)
    assert lost is not None
    assert lost.last_good is not None
    assert (lost.last_good.number, lost.first_bad.number) == (0, 2), "known good, known bad, and nothing between"


@given(st.permutations(range(4)), st.integers(0, 3))
def test_renaming_rows_and_splitting_one_in_two_change_nothing(names: list[int], split: int) -> None:
    """Numbers are given in the order of calls, so they are stretched, not shuffled; the dictionary's order is free."""
    rows = tape(*BROKEN)
    stretched = {
        7 * at: replace(rows[at], number=7 * at, made_from=tuple(7 * n for n in rows[at].made_from)) for at in names
    }
    middle = replace(stretched[7 * split], number=7 * split + 1, made_from=(7 * split,), operation="view", entry=False)
    stretched[7 * split + 1] = middle
    for at, row in list(stretched.items()):
        if at > 7 * split + 1:
            made = tuple(n + (n == 7 * split) for n in row.made_from)
            stretched[at] = replace(row, made_from=made)
    last = 22 if split == 3 else 21
    lost = examples_lost(stretched, (last,), fed=8)
    assert lost is not None
    assert lost.first_bad.operation == "mean"
