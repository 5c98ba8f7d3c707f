"""Datasets that change some of their examples as they are read."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.turning import BatchesChanged, classes_turned
from firstlight.records.stored import ClassesTurned

ROWS, LENGTH, SIDE = 300, 40, 16
SOUND, PITCHES = 512, 4
Change = Callable[[Any, int], tuple[Any, int]]


class Changing(Dataset[tuple[Any, int]]):
    def __init__(self, examples: Any, kinds: torch.Tensor, change: Change) -> None:
        self.examples, self.kinds, self.change = examples, kinds.tolist(), change

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, row: int) -> tuple[Any, int]:
        return self.change(self.examples[row], self.kinds[row])


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture
def kinds() -> torch.Tensor:
    return torch.randint(0, 3, (ROWS,))


def ramps(kinds: torch.Tensor) -> torch.Tensor:
    """Rises, falls, and for a third kind hills, each somewhere else."""
    place = torch.linspace(0, 1, LENGTH)
    middle = 0.4 + 0.2 * torch.rand(len(kinds), 1)
    rise, hill = torch.sigmoid((place - middle) * 12), torch.exp(-((place - middle) ** 2) * 40)
    found = torch.where(kinds[:, None] == 0, rise, torch.where(kinds[:, None] == 1, 1 - rise, hill))
    return found + 0.05 * torch.randn(len(kinds), LENGTH)


def sweeps(kinds: torch.Tensor) -> list[torch.Tensor]:
    """Tones that rise, fall or stay, of any phase and under noise."""
    time = torch.linspace(0, 1, SOUND)
    shape = torch.stack([time, 1 - time, torch.full_like(time, 0.5)])[kinds]
    pitch = 0.2 + 0.1 * torch.rand(ROWS, 1) + 0.8 * shape
    return list(torch.sin(pitch.cumsum(1) + 6 * torch.rand(ROWS, 1)) + 0.3 * torch.randn(ROWS, SOUND))


def sometimes(change: Callable[[Any], Any]) -> Change:
    def changing(example: Any, kind: int) -> tuple[Any, int]:
        if torch.rand(()) < 0.5:
            example = change(example)
        return example, kind

    return changing


def asked(examples: Any, kinds: torch.Tensor, change: Change) -> ClassesTurned:
    return classes_turned(DataLoader(Changing(examples, kinds, change), 32, shuffle=True), BatchPlaces(0, 1))


def carries(found: ClassesTurned) -> bool:
    return found.kept > 0.8 and found.taken > 0.6 and found.apart < 1.3 and found.carried < 0.9


def backwards(example: torch.Tensor) -> torch.Tensor:
    return example.flip(-1)


def test_a_rise_becomes_a_fall_by_the_line_that_turns_it_round(kinds: torch.Tensor) -> None:
    found = asked(ramps(kinds).numpy()[:, None], kinds, sometimes(lambda one: one[..., ::-1].copy()))

    assert carries(found)
    assert sorted(found.pair) == [0, 1]
    assert found.share == pytest.approx(0.5, abs=0.1)
    assert found.site is not None


def test_sounds_are_known_by_what_is_heard_of_them(kinds: torch.Tensor) -> None:
    found = asked(sweeps(kinds), kinds, sometimes(backwards))

    assert carries(found)
    assert found.name == "`backwards`"

    assert not carries(asked(sweeps(kinds), kinds, sometimes(lambda one: -one)))


def test_words_in_another_order(kinds: torch.Tensor) -> None:
    kinds = kinds % 2
    words = torch.randint(5, 30, (ROWS, 12))
    words[:, 4:6] = torch.where(kinds[:, None] == 1, torch.tensor([2, 3]), torch.tensor([3, 2]))

    assert carries(asked(words, kinds, sometimes(backwards)))
    assert not carries(asked(words, kinds, sometimes(lambda one: torch.where(torch.rand(12) < 0.1, 1, one))))

    def listed(example: list[int], kind: int) -> tuple[torch.Tensor, int]:
        example, kind = sometimes(lambda row: row[::-1])(example, kind)
        return torch.tensor(example), kind

    assert carries(asked(words.tolist(), kinds, listed))


def test_classes_that_are_the_same_in_a_mirror(kinds: torch.Tensor) -> None:
    hills = ramps(torch.full_like(kinds, 2)) * (1 + 2 * kinds[:, None])

    assert not carries(asked(hills, kinds, sometimes(backwards)))


def test_examples_that_no_fit_knows_are_like_no_class(kinds: torch.Tensor) -> None:
    looks = torch.rand(3, SIDE, SIDE)
    images = looks[kinds] + 0.1 * torch.randn(ROWS, SIDE, SIDE)

    for change in (lambda one: 1 - one, lambda one: one / 255, lambda one: one.roll((5, 3), (0, 1))):
        assert not carries(asked(images, kinds, sometimes(change)))


def test_answers_that_are_changed_with_the_examples(kinds: torch.Tensor) -> None:
    def both(example: torch.Tensor, kind: int) -> tuple[torch.Tensor, int]:
        return (example.flip(-1), [1, 0, 2][kind]) if torch.rand(()) < 0.3 else (example, kind)

    assert asked(ramps(kinds), kinds, both) == ClassesTurned()


def test_what_is_done_to_all_alike_turns_the_world_round(kinds: torch.Tensor) -> None:
    assert asked(ramps(kinds), kinds, lambda one, kind: (one.flip(-1) * 1, kind)).carried > 0.9


def test_nothing_is_asked_where_nothing_is_changed(kinds: torch.Tensor) -> None:
    assert asked(ramps(kinds), kinds, lambda one, kind: (one, kind)) == ClassesTurned()
    plain = TensorDataset(ramps(kinds), kinds)
    assert classes_turned(DataLoader(plain, 32), BatchPlaces(0, 1)) == ClassesTurned()


def in_batches(change: Callable[[torch.Tensor], torch.Tensor], answers_too: bool = False) -> BatchesChanged:
    found = BatchesChanged()
    for _ in range(14):
        kinds = torch.randint(0, 3, (30,))
        batch = [ramps(kinds), kinds]
        changes = bool(torch.rand(()) < 0.5)
        given = change(batch[0]) if changes else batch[0]
        found.add(given, kinds.flip(0) if changes and answers_too else kinds, batch, None)
    return found


def test_whole_batches_that_are_changed_before_the_model_has_them() -> None:
    found = in_batches(backwards)

    assert found.any
    assert carries(found.turned())
    assert not carries(in_batches(lambda one: one * 1.2 + 0.1).turned())


def test_batches_that_are_not_changed_or_with_their_answers() -> None:
    assert not in_batches(lambda one: one).any
    assert not in_batches(backwards, answers_too=True).any
    assert BatchesChanged().turned() == ClassesTurned()
