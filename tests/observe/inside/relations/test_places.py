from typing import Any

import pytest
import torch

from firstlight.observe.inside.relations.places import PlaceByPlace
from firstlight.records.relations import Places


def tokens(by: int) -> Places | None:
    """Tags that follow from the token so many places on."""
    drawn = torch.Generator().manual_seed(0)
    found = PlaceByPlace()
    for _ in range(6):
        ids = torch.randint(0, 30, (16, 20), generator=drawn)
        found.step([ids], (ids.roll(-by, 1) % 5).reshape(-1))
    return found.seen()


@pytest.mark.parametrize(("by", "best"), [(0, ""), (1, "1 places later"), (-2, "2 places earlier")])
def test_tags_are_found_at_their_offset(by: int, best: str) -> None:
    found = tokens(by)

    assert found is not None
    assert (found.best, found.steps) == (best, 6)
    assert (found.fit > 0.6) is (by == 0)


def test_the_next_token_of_a_small_alphabet_is_no_tag() -> None:
    found = PlaceByPlace()
    ids = torch.randint(0, 4, (16, 20), generator=torch.Generator().manual_seed(0))
    found.step([ids[:, :-1]], ids[:, 1:])

    assert found.seen() is None


@pytest.mark.parametrize("ignored", [-100, -1, 11])
def test_the_next_token_is_no_tag_either_where_only_the_end_of_a_text_is_asked_for(ignored: int) -> None:
    found = PlaceByPlace()
    ids = torch.randint(0, 10, (16, 20), generator=torch.Generator().manual_seed(0))
    answers = ids[:, 1:].clone()
    answers[:, :12] = ignored
    found.step([ids[:, :-1]], answers)

    assert found.seen() is None


@pytest.mark.parametrize(("covered", "asked"), [(0.9, False), (0.5, True)])
def test_what_is_covered_is_told_by_its_neighbours_alone(covered: float, asked: bool) -> None:
    """Each token follows from the one before."""
    drawn, found = torch.Generator().manual_seed(0), PlaceByPlace()
    ids = (torch.randint(0, 12, (16, 1), generator=drawn) + torch.arange(20)) % 12
    wanted = torch.rand(ids.shape, generator=drawn) < 0.2
    hidden = wanted & (torch.rand(ids.shape, generator=drawn) < covered)
    found.step([ids.masked_fill(hidden, 12)], ids.masked_fill(~wanted, -100))

    assert (found.seen() is not None) is asked


def masks(turn: Any, every: int = 1) -> Places | None:
    drawn = torch.Generator().manual_seed(0)
    found = PlaceByPlace()
    for _ in range(4):
        images = torch.zeros(8, 1, 16, 16)
        for image in images:
            row, column = torch.randint(0, 6, (2,), generator=drawn).tolist()
            image[:, row : row + 4, column + 1 : column + 5] = 1.0
        answers = images[:, 0].clone()
        answers[::every] = turn(answers[::every])
        found.step([images + 0.1 * torch.randn(images.shape, generator=drawn)], answers.long())
    return found.seen()


def test_masks_that_were_mirrored_are_found() -> None:
    mirrored, half = masks(lambda m: m.flip(-1)), masks(lambda m: m.flip(-1), every=2)

    assert mirrored is not None
    assert half is not None
    assert (mirrored.kind, mirrored.best) == ("pixels", "mirrored left to right")
    assert mirrored.share > 0.8
    assert 0.3 < half.share < 0.7


def test_masks_mirrored_in_several_ways_add_up() -> None:
    mixed = masks(lambda m: torch.cat([m[:2], m[2:4].flip(-1), m[4:6].flip(-2), m[6:].flip(-1, -2)]))

    assert mixed is not None
    assert 0.5 < mixed.share < 0.9


def test_masks_in_place_are_fine() -> None:
    found = masks(lambda m: m)

    assert found is not None
    assert (found.best, found.share) == ("", 0.0)
    assert found.fit > 0.8


def test_one_answer_for_a_whole_input_is_not_asked() -> None:
    found = PlaceByPlace()
    found.step([torch.randint(0, 9, (8, 12))], torch.randint(0, 3, (8,)))
    found.step([torch.randn(8, 3, 16, 16)], torch.randint(0, 3, (8,)))

    assert found.seen() is None
