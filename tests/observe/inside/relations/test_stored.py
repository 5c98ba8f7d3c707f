"""Datasets that keep an array of their examples, and give them otherwise."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split

from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.stored import keeps_arrays, stored
from firstlight.records.stored import ExamplesStored

ROWS, SIDE, KINDS = 400, 12, 5
GENERATOR = torch.Generator().manual_seed(0)
Draw = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Keeping(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, images: Any, answers: Tensor, draw: Draw) -> None:
        self.images, self.answers, self.draw = images, answers, draw

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, row: int) -> tuple[Tensor, Tensor]:
        return self.draw(torch.as_tensor(self.images[row]), self.answers[row])


def asked(images: Any, answers: Tensor, draw: Draw) -> ExamplesStored:
    torch.manual_seed(0)
    return stored(DataLoader(Keeping(images, answers, draw), 32, shuffle=True), BatchPlaces(0, 1))


@pytest.fixture
def kinds() -> tuple[Tensor, Tensor]:
    """Images that differ by how dark each place is; anywhere, a few are as bright as can be."""
    answers = torch.randint(0, KINDS, (ROWS,), generator=GENERATOR)
    looks = torch.rand(KINDS, SIDE, SIDE, generator=GENERATOR)
    noise = torch.rand(ROWS, SIDE, SIDE, generator=GENERATOR)
    return torch.where(noise < 0.15, 1.0, 0.8 * looks[answers] + 0.1 * noise), answers


def test_a_cast_to_whole_numbers_loses_what_the_answers_need(kinds: tuple[Tensor, Tensor]) -> None:
    images, answers = kinds
    found = asked(images.numpy(), answers, lambda image, answer: (image.to(torch.uint8).float()[None], answer))

    assert (found.name, found.examples) == ("Keeping", 256)
    assert found.site is not None
    assert found.kept_values > 100 > 3 > found.given_values
    assert found.kept_skill > 0.95 > 0.6 > found.given_skill


def test_what_is_on_or_off_at_the_middle_keeps_it(kinds: tuple[Tensor, Tensor]) -> None:
    found = asked(*kinds, lambda image, answer: ((image > 0.5).float()[None], answer))

    assert found.given_values == 2
    assert found.given_skill > 0.95


def test_a_part_of_a_dataset_is_asked_by_its_own_rows(kinds: tuple[Tensor, Tensor]) -> None:
    whole = Keeping(*kinds, lambda image, answer: (image[None], answer))
    part, _ = random_split(whole, [300, 100], torch.Generator().manual_seed(0))
    found = stored(DataLoader(part, 32), BatchPlaces(0, 1))

    assert found.examples == 256
    assert found.kept_values == found.given_values


def test_an_array_that_is_no_source_of_the_examples_is_left_out(kinds: tuple[Tensor, Tensor]) -> None:
    images, answers = kinds
    others = torch.rand(ROWS, SIDE, SIDE, generator=GENERATOR)
    found = asked(others, answers, lambda image, answer: (images[0][None] + 0 * image, answer))

    assert found == ExamplesStored()


def test_datasets_of_tensors_and_of_few_rows_are_not_asked(kinds: tuple[Tensor, Tensor]) -> None:
    images, answers = kinds

    assert not keeps_arrays(DataLoader(TensorDataset(images, answers)))
    assert asked(images[:200], answers[:200], lambda image, answer: (image[None], answer)) == ExamplesStored()


def test_a_dataset_without_a_length_keeps_nothing(kinds: tuple[Tensor, Tensor]) -> None:
    class Endless(Dataset[Tensor]):
        def __init__(self) -> None:
            self.images = kinds[0]

        def __getitem__(self, row: int) -> Tensor:
            return self.images[row % ROWS]

    assert not keeps_arrays(DataLoader(Endless(), sampler=range(9)))


@pytest.fixture
def spots() -> tuple[Tensor, Tensor]:
    places = torch.rand(ROWS, 2, generator=GENERATOR)
    axis = torch.arange(SIDE) / (SIDE - 1)
    across = (axis[None, None, :] - places[:, 0, None, None]) ** 2
    down = (axis[None, :, None] - places[:, 1, None, None]) ** 2
    return torch.exp(-(across + down) / 0.02), places


def mirrored(image: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
    return (image.flip(-1) if torch.rand(()) < 0.5 else image)[None], place


def mirrored_both(image: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
    if torch.rand(()) < 0.5:
        return image.flip(-1)[None], torch.stack([1 - place[0], place[1]])
    return image[None], place


def test_a_coordinate_that_is_kept_while_its_image_is_mirrored_is_seen(spots: tuple[Tensor, Tensor]) -> None:
    turned = asked(*spots, mirrored).turned

    assert (turned.how, turned.part) == ("mirrored left to right", 0)
    assert 0.4 < turned.share < 0.6
    assert min(turned.kept, turned.mirrored) > 0.7 > 0.2 > turned.given


def test_one_that_is_mirrored_with_it_is_foretold_as_it_is(spots: tuple[Tensor, Tensor]) -> None:
    turned = asked(*spots, mirrored_both).turned

    assert turned.how
    assert turned.given > 0.7


def test_an_answer_that_does_not_turn_is_foretold_as_it_is(spots: tuple[Tensor, Tensor]) -> None:
    images, places = spots
    turned = asked(images, places[:, 1:], mirrored).turned

    assert turned.given > 0.7 > 0.5 * turned.kept


def test_images_that_are_all_mirrored_or_none_are_not_asked(spots: tuple[Tensor, Tensor]) -> None:
    assert not asked(*spots, lambda image, place: (image[None], place)).turned.how
    assert not asked(*spots, lambda image, place: (image.flip(-1)[None], place)).turned.how


@pytest.fixture
def faces() -> tuple[Tensor, Tensor]:
    """Two eyes and a mouth, nearly the same from left to right; the answer is where the eyes are."""
    places = SIDE / 2 + 1.5 * (torch.rand(ROWS, 2, generator=GENERATOR) - 0.5)
    down, across = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    eyes = [(places[:, 0] - 2.5, places[:, 1] - 2), (places[:, 0] + 2.5, places[:, 1] - 2), places.unbind(1)]
    images = [torch.exp(-((across - x[:, None, None]) ** 2 + (down - y[:, None, None]) ** 2) / 2) for x, y in eyes]
    noise = 0.04 * torch.randn(ROWS, SIDE, SIDE, generator=GENERATOR)
    return sum(images) + noise, torch.stack([eyes[0][0], eyes[1][0]], 1)


def mirrored_and_moved(image: Tensor, place: Tensor, exchange: bool) -> tuple[Tensor, Tensor]:
    if torch.rand(()) < 0.5:
        image, place = image.flip(-1), SIDE - 1 - place
        place = place.flip(0) if exchange else place
    by = int(torch.randint(-1, 2, ()))
    return (image.roll(by, -1) * (0.8 + 0.4 * torch.rand(())))[None], place + by


def test_eyes_that_do_not_change_places_in_an_image_that_is_mirrored_and_moved(faces: tuple[Tensor, Tensor]) -> None:
    images, answers = faces
    for kept in (images, list(images), list(images.numpy())):
        found = asked(kept, answers, lambda image, place: mirrored_and_moved(image, place, exchange=False))
        assert found.numbers.pairs == ((0, 1),)
        assert found.numbers.exchanged < 0.5 * found.numbers.as_they_are

        both = asked(kept, answers, lambda image, place: mirrored_and_moved(image, place, exchange=True))
        assert both.turned.how
        assert not both.numbers.pairs


def test_lists_of_images_of_several_sizes_are_left_out(spots: tuple[Tensor, Tensor]) -> None:
    images, places = spots
    uneven = [image[: SIDE - row % 2] for row, image in enumerate(images)]

    assert not keeps_arrays(DataLoader(Keeping(uneven, places, mirrored)))
    assert not keeps_arrays(DataLoader(Keeping([image.tolist() for image in images], places, mirrored)))
