"""Rows that were left out of the inputs or of the answers of a dataset, and of nothing else."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from firstlight.observe.inside.relations.drifting import drift_of, drifting
from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.records.relations import Drift

ROWS = 1200


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def inputs() -> Tensor:
    return torch.randn(ROWS, 8, generator=drawn())


def classes(inputs: Tensor) -> Tensor:
    noise = 0.3 * torch.randn(ROWS, 4, generator=drawn(1))
    return (inputs @ torch.randn(8, 4, generator=drawn(2)) + noise).argmax(1)


def recordings(length: int = 40) -> tuple[Tensor, Tensor]:
    """Rows that follow one another are of one kind."""
    kind = torch.randint(5, (ROWS // length,), generator=drawn(3)).repeat_interleave(length)
    means = torch.randn(5, 12, generator=drawn(4))
    return means[kind] + torch.randn(ROWS, 12, generator=drawn(5)), kind


def asked(inputs: Tensor, answer: Tensor) -> Drift:
    rows = min(len(inputs), len(answer))
    data = TensorDataset(inputs[:rows], answer[:rows])
    return drifting(DataLoader(data, 32, shuffle=True), BatchPlaces(0, 1))


def all_but(share: float) -> Tensor:
    return torch.rand(ROWS, generator=drawn(6)) > share


def test_rows_that_were_left_out_of_the_inputs(inputs: Tensor) -> None:
    found = asked(inputs[all_but(0.02)], classes(inputs))

    assert found.along > 0.7 > 0.3 > found.fit
    assert found.chance < 0.3
    assert found.offset > found.halfway > 2
    assert found.gaps >= 4


def test_rows_that_were_left_out_of_the_answers(inputs: Tensor) -> None:
    found = asked(inputs, classes(inputs)[all_but(0.02)])

    assert found.along > 0.7 > 0.3 > found.fit
    assert found.offset < found.halfway < -2


def test_answers_that_are_values(inputs: Tensor) -> None:
    found = asked(inputs[all_but(0.02)], inputs.sum(1))

    assert found.along > 0.8 > 0.3 > found.fit


def test_rows_that_were_left_out_of_recordings() -> None:
    given, kind = recordings()
    found = asked(given[all_but(0.08)], kind)

    assert found.along > 0.7 > 0.4 > found.fit
    assert found.along - found.chance > 0.3


def test_answers_in_their_own_rows_do_not_drift(inputs: Tensor) -> None:
    given, kind = recordings()

    assert asked(inputs, classes(inputs)).offset == 0
    assert asked(given, kind).offset == 0


def test_the_same_rows_left_out_of_both_are_no_drift(inputs: Tensor) -> None:
    keep = all_but(0.02)

    assert asked(inputs[keep], classes(inputs)[keep]).offset == 0


def test_answers_of_nothing_fit_nowhere(inputs: Tensor) -> None:
    found = asked(inputs, torch.randint(4, (ROWS,), generator=drawn(7)))

    assert found.along < 0.4


def test_a_series_knows_its_past() -> None:
    series = torch.randn(ROWS + 20, generator=drawn(8))
    found = asked(series.unfold(0, 16, 1)[:ROWS], series[16 : 16 + ROWS])

    assert found.fit > 0.5


def test_a_handful_is_not_asked(inputs: Tensor) -> None:
    assert asked(inputs[:380], classes(inputs)[:380]) == Drift()
    assert drift_of(inputs, torch.rand(ROWS, 300)) == Drift()


class Stream(IterableDataset[tuple[Tensor, Tensor]]):
    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield torch.zeros(3), torch.zeros(1)


def test_a_stream_has_no_rows() -> None:
    assert drifting(DataLoader(Stream(), 2), BatchPlaces(0, 1)) == Drift()
