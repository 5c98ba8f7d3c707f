"""Stored examples are known again from where they are taken to where they are fed, whatever is done to them between."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, TensorDataset

from firstlight.observe.inside.tape.examples import Examples
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.taps.stored import StoredRows

STORE = torch.arange(60.0).reshape(20, 3)
SERIES = torch.arange(40.0)


def rows(make: Callable[[], torch.Tensor]) -> Any:
    """Of what is made while training runs."""
    with taped() as recorder:
        recorder.follows_examples = True
        made = make()
    return recorder.rows_of(made)


def masked() -> torch.Tensor:
    batch = STORE[4:8].clone()
    batch[:, 1:2] = torch.rand(())
    return batch + torch.randn(4, 3)


ORDER = torch.tensor([7, 4, 6, 5])
SAME_EXAMPLES: dict[str, Callable[[], torch.Tensor]] = {
    "slice": lambda: STORE[4:8],
    "places": lambda: STORE[torch.arange(4, 8)],
    "list": lambda: STORE[[4, 5, 6, 7]],
    "mask": lambda: STORE[torch.isin(torch.arange(20), torch.arange(4, 8))],
    "selected": lambda: STORE.index_select(0, torch.arange(4, 8)),
    "one by one": lambda: torch.cat([STORE[i : i + 1] for i in range(4, 8)]),
    "masked and noisy": masked,
    "part of a batch": lambda: STORE[2:10][2:6],
    "columns of it": lambda: STORE[4:8, 1:],
    "cropped and turned": lambda: STORE[4:8][:, :2].flip(1),
    "negative places": lambda: STORE[-16:-12],
}


@pytest.mark.parametrize("make", SAME_EXAMPLES.values(), ids=SAME_EXAMPLES)
def test_the_same_examples_have_the_same_names_however_they_are_taken(make: Callable[[], torch.Tensor]) -> None:
    assert rows(make) == rows(lambda: STORE[4:8])


def test_names_follow_the_order_of_the_batch() -> None:
    four, mixed = rows(lambda: STORE[4:8]), rows(lambda: STORE[ORDER])
    assert mixed == tuple(four[place - 4] for place in ORDER.tolist())


def test_examples_of_a_part_that_was_put_aside_before_are_told_apart() -> None:
    part = STORE[ORDER]
    assert len(set(rows(lambda: part[:3]))) == 3
    assert rows(lambda: part[torch.tensor([0, 1])]) == rows(lambda: part[:2])


@pytest.mark.parametrize("join", [torch.stack, lambda parts: pad_sequence(parts, batch_first=True)])
def test_windows_of_a_series_are_an_example_each(join: Callable[[list[torch.Tensor]], torch.Tensor]) -> None:
    def windows(starts: list[int]) -> Any:
        return rows(lambda: join([SERIES[start : start + 5] for start in starts]))

    first, second = windows([3, 9, 4]), windows([4, 3, 8])
    assert (first[0], first[2]) == (second[1], second[0])
    assert first[1] not in second


UNKNOWN: dict[str, Callable[[], torch.Tensor]] = {
    "drawn": lambda: torch.randn(4, 3),
    "patterns, again and again": lambda: STORE[torch.tensor([0, 1, 0, 1, 1, 0])] + torch.randn(6, 3),
    "looked up by position": lambda: STORE[torch.zeros(4, 2, dtype=torch.long)],
    "along another axis": lambda: STORE.index_select(1, torch.tensor([0, 2])),
    "partly drawn": lambda: torch.cat([STORE[:2], torch.randn(2, 3)]),
    "summed up": lambda: STORE[4:8].sum(0),
    "one number": lambda: STORE[4, 0] * 2,
    "never taken": lambda: STORE * 2,
}


@pytest.mark.parametrize("make", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_no_stored_example_has_no_name(make: Callable[[], torch.Tensor]) -> None:
    assert not rows(make)


def test_what_is_stored_anew_is_other_examples() -> None:
    store = torch.arange(60.0).reshape(20, 3)
    before = rows(lambda: store[4:8])
    store.copy_(torch.randn(20, 3))
    assert set(before).isdisjoint(rows(lambda: store[4:8]))


def test_a_table_asked_about_stored_examples_gives_those_examples() -> None:
    classes = torch.tensor([0, 1, 0, 1, 2, 2])
    assert rows(lambda: STORE[classes[:4]]) == rows(lambda: classes[:4])


def test_nothing_is_followed_before_training() -> None:
    with taped() as recorder:
        part = STORE[4:8]
    assert recorder.rows_of(part) is None


def test_examples_changed_in_each_pass_are_no_new_ones_and_others_are() -> None:
    known = Examples()
    assert known.mostly_new([torch.randn(4, 3)], rows=[1, 2, 3, 4])
    assert not known.mostly_new([torch.randn(4, 3)], rows=[4, 3, 2, 1])
    assert not known.mostly_new([torch.randn(4, 3)], rows=[3, 4, 5, 6]), "half of them"
    assert known.mostly_new([torch.randn(4, 3)], rows=[4, 7, 8, 9])
    assert known.count == 9


def test_a_stored_example_of_which_something_else_is_asked_is_a_new_one() -> None:
    known, rows_ = Examples(), [1, 2, 3, 4]
    assert known.mostly_new([torch.randn(4, 3)], rows_, [torch.randn(8, 3)])
    assert known.mostly_new([torch.randn(4, 3)], rows_, [torch.randn(8, 3)])
    assert known.mostly_new([torch.randn(4, 3)], rows_, [torch.arange(4)])
    assert not known.mostly_new([torch.randn(4, 3)], rows_, [torch.arange(4)])


def test_equal_values_are_the_same_example_wherever_they_are_stored() -> None:
    known, batch = Examples(), torch.randn(4, 3)
    assert known.mostly_new([batch], rows=[1, 2, 3, 4])
    assert not known.mostly_new([batch], rows=[5, 6, 7, 8])
    assert not known.mostly_new([batch], rows=[1, 2]), "names that are not one for each example count for nothing"


def test_rows_that_a_loader_asked_for_are_known_where_values_came_by_another_way() -> None:
    loader = DataLoader(TensorDataset(STORE), batch_size=4)
    observer: Any = SimpleNamespace(batch_rows=(4, 5, 6, 7))
    with taped() as recorder:
        stored, noise = StoredRows(observer, recorder), torch.randn(4, 3)
    stored.batch_given(loader, None)
    fed = torch.from_numpy(STORE[4:8].numpy() + 1)

    first = stored.rows([fed])
    assert first is not None
    assert len(set(first)) == 4
    assert stored.rows([fed[:3]]) is None
    assert stored.rows([noise]) is None
    assert stored.rows([]) is None
    observer.batch_rows = (7, 8, 9, 10)
    stored.batch_given(loader, None)
    assert stored.rows([fed])[0] == first[3]  # type: ignore[index]


def test_a_recorder_that_never_saw_a_tensor_says_nothing() -> None:
    assert Recorder().rows_of(STORE) is None
    assert Recorder().rows_of(torch.tensor(1.0)) is None
