"""Which loaders are asked what becomes of the examples their datasets keep."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from firstlight.observe.inside import aside
from firstlight.observe.inside.taps import rereading
from firstlight.records.stored import KeptReread


class Blanked(Dataset[Any]):
    def __init__(self) -> None:
        self.rows = torch.randn(40, 16, generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: int) -> Any:
        found = self.rows[row]
        found[int(torch.randint(16, ()))] = 0
        return found


class Streamed(IterableDataset[Any]):
    def __iter__(self) -> Any:
        return iter(torch.randn(40, 16))


@pytest.fixture(autouse=True)
def _asked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy of the process is made in tests."""
    monkeypatch.setattr(aside, "asked", lambda _observer, question: question())


def told_of(loader: Any, timeline: str | None = None) -> list[KeptReread]:
    told: list[KeptReread] = []
    tap = rereading.Rereading(SimpleNamespace(timeline=timeline, emit=told.append))  # type: ignore[arg-type]
    tap.batch_given(loader, None)
    tap.backward_begins()
    tap.tell()
    return told


def test_the_loader_that_is_trained_from_is_asked() -> None:
    loader = DataLoader(Blanked())
    (told,) = told_of(loader)

    assert (told.name, told.readings) == ("Blanked", 8)
    assert told.often > 2 * told.once > 0


@pytest.mark.parametrize(
    "loader",
    [DataLoader(Streamed()), DataLoader(Blanked(), num_workers=1), DataLoader(range(9))],  # type: ignore[arg-type]
)
def test_others_are_not(loader: Any) -> None:
    assert told_of(loader) == []


def test_nor_is_it_asked_in_a_copy_of_the_program() -> None:
    assert told_of(DataLoader(Blanked()), timeline="rate") == []


def test_a_later_loader_is_none_that_is_trained_from() -> None:
    train: Any = DataLoader(Blanked())
    test: Any = DataLoader(range(9))  # type: ignore[arg-type]
    told: list[KeptReread] = []
    tap = rereading.Rereading(SimpleNamespace(timeline=None, emit=told.append))  # type: ignore[arg-type]
    tap.batch_given(train, None)
    tap.backward_begins()
    tap.batch_given(test, None)
    tap.tell()

    assert [one.name for one in told] == ["Blanked"]
