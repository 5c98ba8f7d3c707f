import pytest
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

from firstlight.observe.inside.relations.beside import EvaluatedBeside
from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.standing import LoadedFrom

ROWS, STREETS, TRAINED = 600, 150, 450
PLACES = BatchPlaces(0, 1)


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def prices(drawn: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows, one of whose columns is the mean answer of a street, and the answers."""
    street = torch.randint(0, STREETS, (ROWS,), generator=drawn)
    price = torch.randn(ROWS, generator=drawn)
    mean = torch.zeros(STREETS).index_add_(0, street, price) / torch.bincount(street, minlength=STREETS)
    return torch.stack([torch.randn(ROWS, generator=drawn), mean[street]], 1), price


def sampled(rows: torch.Tensor, answers: torch.Tensor) -> Sample:
    sample = Sample()
    sample.add([rows], answers[:, None], 0)
    return sample


def test_loaders_that_are_made_anew_are_known_by_their_datasets(prices: tuple[torch.Tensor, torch.Tensor]) -> None:
    rows, answers = prices
    train = TensorDataset(rows[:TRAINED], answers[:TRAINED])
    test = TensorDataset(rows[TRAINED:], answers[TRAINED:])
    beside = EvaluatedBeside()
    for _ in range(6):
        beside.evaluates(rows[TRAINED:], DataLoader(test, 50))

    found = beside.encoded(
        sampled(rows[:TRAINED], answers[:TRAINED]), (LoadedFrom(train, DataLoader(train).collate_fn), PLACES)
    )

    assert (found.column, found.rows, found.evaluated) == (1, ROWS, ROWS - TRAINED)
    assert found.exact > 0.99


def test_an_evaluation_of_the_training_set_tells_nothing(prices: tuple[torch.Tensor, torch.Tensor]) -> None:
    train = TensorDataset(*prices)
    beside = EvaluatedBeside()
    beside.evaluates(prices[0], DataLoader(train, 50))

    assert beside.encoded(sampled(*prices), (LoadedFrom(train, DataLoader(train).collate_fn), PLACES)).column == -1


def test_a_part_that_was_drawn_at_random_is_read_whole(drawn: torch.Generator) -> None:
    series = torch.randn(ROWS, generator=drawn)
    smooth = (series + series.roll(1) + series.roll(2)) / 3
    whole = TensorDataset(torch.stack([torch.randn(ROWS, generator=drawn), smooth], 1), series)
    part = Subset(whole, torch.randperm(ROWS, generator=drawn)[:TRAINED].tolist())
    source = LoadedFrom(part, DataLoader(part).collate_fn)

    assert EvaluatedBeside().spans(sampled(*whole.tensors), (source, PLACES)).column == 1


def test_tables_that_batches_are_cut_out_of_by_hand(prices: tuple[torch.Tensor, torch.Tensor]) -> None:
    trained, trained_answers = (part[:TRAINED].clone() for part in prices)
    later, later_answers = (part[TRAINED:].clone() for part in prices)
    beside = EvaluatedBeside()
    beside.trains(trained[:50])
    beside.evaluates(later, None)

    found = beside.encoded(sampled(trained[:200], trained_answers[:200]), None)

    assert len(later_answers) == found.evaluated
    assert found.exact > 0.99


def test_nothing_is_told_of_rows_that_stand_nowhere(prices: tuple[torch.Tensor, torch.Tensor]) -> None:
    beside = EvaluatedBeside()

    assert beside.spans(sampled(*prices), None).rows == 0
    assert beside.encoded(sampled(*prices), None).column == -1
