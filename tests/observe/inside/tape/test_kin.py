import pytest
import torch
from tests.observe.inside.tape.tapes import taped

from firstlight.observe.inside.tape import kin
from firstlight.observe.inside.tape.kin import LEAST_LABELS, MOST_KIN, Kin, same


def behind(recorder: object, tensor: torch.Tensor) -> tuple[Kin, ...]:
    made = recorder.made(tensor)  # type: ignore[attr-defined]
    return made[0].kin if made is not None else ()


def test_a_comparison_of_labels_travels_with_what_is_made_of_it() -> None:
    with taped() as recorder:
        labels = torch.arange(8) % 3
        mask = labels[:, None] == labels[None, :]
        mask.fill_diagonal_(False)
        ((column, row),) = behind(recorder, (~mask).float().repeat(2, 2))

    assert torch.equal(column.flatten(), labels)
    assert torch.equal(row.flatten(), labels)


def test_no_more_comparisons_are_kept_than_a_few() -> None:
    with taped() as recorder:
        every = torch.ones(8, 8, dtype=torch.bool)
        for each in range(MOST_KIN + 2):
            labels = torch.arange(8) % (each + 2)
            every = every & (labels[:, None] == labels[None, :])
        assert len(behind(recorder, every)) == MOST_KIN


@pytest.mark.parametrize(("labels", "found"), [(LEAST_LABELS - 1, 0), (LEAST_LABELS, 1)])
def test_each_side_of_least_labels(labels: int, found: int) -> None:
    with taped() as recorder:
        each = torch.arange(labels) % 2
        assert len(behind(recorder, each[:, None] == each[None, :])) == found


@pytest.mark.parametrize("more", [0, 1])
def test_each_side_of_most_labels(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kin, "MOST_LABELS", 8)
    with taped() as recorder:
        each = torch.arange(8 + more) % 2
        assert len(behind(recorder, each[:, None] == each[None, :])) == 1 - more


def test_a_comparison_with_a_number_is_none_of_labels() -> None:
    with taped() as recorder:
        assert behind(recorder, torch.zeros(8, 8) == 0) == ()


LABELS = torch.arange(8) % 3


@pytest.mark.parametrize(
    "other", [LABELS.flip(0), torch.zeros(8, dtype=torch.long)], ids=["of another list", "that all have"]
)
def test_labels_that_are_no_kinds_of_examples(other: torch.Tensor) -> None:
    assert same((other[:, None], LABELS[None] if bool(other.any()) else other[None])) is None


def test_labels_that_are_kinds() -> None:
    equal = same((LABELS[:, None], LABELS[None]))
    assert equal is not None
    assert int(equal.sum()) == 9 + 9 + 4


def test_values_held_against_each_are_known_too() -> None:
    with taped() as recorder:
        values = torch.arange(8.0)
        assert behind(recorder, (values[:, None] > values[None, :]).float())
        assert behind(recorder, (values[:, None] - values).sign())


def test_two_tables_are_not_held_each_against_each() -> None:
    with taped() as recorder:
        one, other = torch.rand(8, 8), torch.rand(8, 8)
        assert behind(recorder, (one > other).float()) == ()
        assert behind(recorder, one - other) == ()
