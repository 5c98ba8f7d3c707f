"""What training tells of the answers of evaluated examples, on made-up data of which the truth is known."""

from collections.abc import Sequence

import pytest
import torch

from firstlight.observe.inside.relations.held_out import HeldPart
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.transferring import transfer
from firstlight.records.held_out import Transfer
from firstlight.records.places import Site

SITE = Site(file="train.py", line=30)
ROWS, WIDTH = 400, 8
Drawn = tuple[torch.Tensor, torch.Tensor]


@pytest.fixture
def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def weights(draw: torch.Generator) -> torch.Tensor:
    return torch.randn(WIDTH, generator=draw)


def straight(weights: torch.Tensor, draw: torch.Generator, shift: float = 0.0, rows: int = ROWS) -> Drawn:
    inputs = torch.randn(rows, WIDTH, generator=draw) + shift
    return inputs, inputs @ weights + weights.norm() * torch.randn(rows, generator=draw)


def classes(draw: torch.Generator) -> Drawn:
    given = torch.randint(0, 4, (ROWS,), generator=draw)
    return 3.0 * torch.nn.functional.one_hot(given, WIDTH) + torch.randn(ROWS, WIDTH, generator=draw), given


def sampled(inputs: Sequence[torch.Tensor], answers: torch.Tensor) -> Sample:
    sample = Sample()
    sample.add(list(inputs), answers, 0)
    return sample


def compared(here: Drawn, *there: Drawn) -> Transfer:
    return transfer(sampled(here[:1], here[1]), [HeldPart(SITE, sampled(one[:1], one[1])) for one in there])


def test_what_holds_on_both_sides_is_found_on_both(weights: torch.Tensor, draw: torch.Generator) -> None:
    found = compared(straight(weights, draw), straight(weights, draw))

    assert min(found.here, found.there, found.across) > 0.6
    assert (found.trained, found.evaluated, found.site) == (ROWS, ROWS, SITE)


def test_a_shift_of_the_inputs_leaves_the_relation(weights: torch.Tensor, draw: torch.Generator) -> None:
    assert compared(straight(weights, draw), straight(weights, draw, shift=2.0)).across > 0.6


def test_columns_in_another_order_lose_it(weights: torch.Tensor, draw: torch.Generator) -> None:
    inputs, answers = straight(weights, draw)

    found = compared(straight(weights, draw), (inputs.roll(3, 1), answers))

    assert min(found.here, found.there) > 0.6
    assert found.across < 0.3
    assert found.apart < 0.2


def test_a_scale_of_its_own_brings_it_back(draw: torch.Generator) -> None:
    weights = torch.ones(WIDTH)
    inputs, answers = straight(weights, draw)
    uneven = torch.tensor([1000.0, *[0.01] * (WIDTH - 1)])

    found = compared(straight(weights, draw), (inputs * uneven, answers))

    assert found.across < 0.5 * found.rescaled
    assert found.rescaled > 0.6


def test_classes_of_other_numbers_are_found(draw: torch.Generator) -> None:
    inputs, given = classes(draw)

    found = compared(classes(draw), (inputs, torch.tensor([2, 0, 3, 1])[given]))

    assert found.across < 0.1
    assert found.relabelled > 0.8


def coded(usual: torch.Tensor, draw: torch.Generator, names: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
    codes = torch.randint(0, len(usual), (ROWS,), generator=draw)
    other = torch.randn(ROWS, 2, generator=draw)
    flags = (usual[codes] + torch.randn(ROWS, generator=draw) > 0).float()
    return (codes if names is None else names[codes]), other, flags


@pytest.mark.parametrize(("other", "columns"), [(False, ()), (True, ((0, 0),))])
def test_codes_that_were_given_out_anew_are_named(
    other: bool, columns: tuple[tuple[int, int], ...], draw: torch.Generator
) -> None:
    usual = torch.tensor([-3.0, 3.0, -2.0, 2.0, -2.5, 2.5, -3.5, 3.5])
    names = torch.tensor([1, 0, 3, 2, 5, 4, 6, 7]) if other else None
    *here, answers = coded(usual, draw)
    *there, scored = coded(usual, draw, names)

    found = transfer(sampled(here, answers), [HeldPart(SITE, sampled(there, scored))])

    assert min(found.here, found.there) > 0.6
    assert (found.across > 0.6) is not other
    assert found.columns == columns


def test_what_is_of_one_stretch_alone_is_not_told_there(weights: torch.Tensor, draw: torch.Generator) -> None:
    """A recording by itself: neighbours know each other, and nothing else."""
    places = 10.0 * torch.randn(8, WIDTH, generator=draw)
    inputs = places.repeat_interleave(50, 0) + torch.randn(400, WIDTH, generator=draw)
    answers = torch.randn(8, generator=draw).repeat_interleave(50)

    assert compared(straight(weights, draw), (inputs, answers)).there < 0.5


def test_the_evaluation_for_which_training_tells_most_is_told(weights: torch.Tensor, draw: torch.Generator) -> None:
    inputs, answers = straight(weights, draw)

    found = compared(straight(weights, draw), (inputs.roll(3, 1), answers), straight(weights, draw, rows=200))

    assert (found.evaluated, found.across > 0.6) == (200, True)


def test_what_cannot_be_compared_is_not(weights: torch.Tensor, draw: torch.Generator) -> None:
    here, there = straight(weights, draw), straight(weights, draw)

    assert compared(here, here) == Transfer()  # the training set again
    assert compared(here, (there[0][:, :5], there[1])) == Transfer()
    assert compared(here, (there[0][:95], there[1][:95])) == Transfer()
    assert compared((here[0][:255], here[1][:255]), there) == Transfer()
    assert compared(here, (there[0], torch.stack([there[1], there[1]], 1))) == Transfer()
    assert compared(here) == Transfer()


def own_scale(drawn: Drawn) -> Drawn:
    inputs, answers = drawn
    return (inputs - inputs.mean(0)) / inputs.std(0), answers


def seasons(draw: torch.Generator, coldest: float, units: float = 1.0) -> Drawn:
    """Air and hour of the day, and what a house needs."""
    air, hour = torch.randn(ROWS, generator=draw) * 6 + coldest, torch.rand(ROWS, generator=draw) * 24
    return torch.stack([air, hour], 1), units * (20 - air + torch.randn(ROWS, generator=draw))


@pytest.mark.parametrize("units", [1.0, 40.0])
def test_two_draws_of_the_same_are_not_parted_in_any_units(draw: torch.Generator, units: float) -> None:
    assert compared(own_scale(seasons(draw, 10)), own_scale(seasons(draw, 10, units))).parted < 5


def test_a_season_scaled_by_itself_is_parted_by_its_answers(draw: torch.Generator) -> None:
    assert compared(own_scale(seasons(draw, 10)), own_scale(seasons(draw, -2))).parted > 15


def test_in_other_units_it_is_parted_by_a_fit_that_does_worse(draw: torch.Generator) -> None:
    def bent(drawn: Drawn) -> Drawn:
        return drawn[0], drawn[1] + 2 * (drawn[0][:, 0] - 4).square() / 6

    here, there = seasons(draw, 10), seasons(draw, -2)
    bent_here, (inputs, answers) = bent(here), bent(there)

    assert compared(own_scale(bent_here), own_scale((inputs, 40 * answers))).parted > 6


def test_classes_that_are_more_frequent_on_one_side_part_it(draw: torch.Generator) -> None:
    inputs, given = classes(draw)
    others, asked = classes(draw)
    rare = (asked != 3) | (torch.rand(ROWS, generator=draw) < 0.1)

    assert compared((inputs, given), (others, asked)).parted < 5
    assert compared((inputs, given), (others[rare], asked[rare])).parted > 6
