import pytest
import torch

from firstlight.observe.inside.relations.grouping import Asked, compared, grouped, tree, two_kinds
from firstlight.observe.inside.relations.neighbours import distances
from firstlight.observe.inside.relations.sample import AnswerMet, Sample
from firstlight.records.held_out import Groups

GROUPS, EACH, WIDTH = 40, 8, 12


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def usual(drawn: torch.Generator) -> torch.Tensor:
    return torch.randn(GROUPS, WIDTH, generator=drawn)


@pytest.fixture
def answers(drawn: torch.Generator) -> torch.Tensor:
    return torch.randint(0, 2, (GROUPS,), generator=drawn).repeat_interleave(EACH)


def measured(usual: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    return usual.repeat_interleave(EACH, 0) + 0.2 * torch.randn(len(usual) * EACH, WIDTH, generator=drawn)


def test_groups_on_both_sides(usual: torch.Tensor, answers: torch.Tensor, drawn: torch.Generator) -> None:
    found = compared(measured(usual, drawn), AnswerMet(answers, 2), [measured(usual, drawn)])

    assert found.groups == GROUPS
    assert found.shared == found.known == 1.0
    assert found.agree == pytest.approx(1.0)
    assert found.by_rows > 0.9
    assert found.by_groups < 0.3


def test_groups_on_one_side_alone(usual: torch.Tensor, answers: torch.Tensor, drawn: torch.Generator) -> None:
    others = torch.randn(GROUPS, WIDTH, generator=drawn)
    found = compared(measured(usual, drawn), AnswerMet(answers, 2), [measured(others, drawn)])

    assert found.groups == GROUPS
    assert found.known == 0.0


def test_the_call_on_other_groups_counts(usual: torch.Tensor, answers: torch.Tensor, drawn: torch.Generator) -> None:
    others = torch.randn(GROUPS, WIDTH, generator=drawn)
    calls = [measured(usual, drawn), measured(others, drawn)]

    assert compared(measured(usual, drawn), AnswerMet(answers, 2), calls).known == 0.0


def test_answers_that_the_inputs_tell_are_told_of_whole_groups_too(usual: torch.Tensor, drawn: torch.Generator) -> None:
    clear = (usual[:, 0] > 0).long().repeat_interleave(EACH)
    found = compared(measured(usual, drawn), AnswerMet(clear, 2), [measured(usual, drawn)])

    assert found.by_groups > 0.5


def test_examples_that_come_in_no_groups(drawn: torch.Generator) -> None:
    table, other = torch.randn(2, 320, WIDTH, generator=drawn)
    found = compared(table, AnswerMet((table[:, 0] > 0).long(), 2), [other])

    assert found.shared < 0.8


def test_values_within_groups(usual: torch.Tensor, drawn: torch.Generator) -> None:
    level = torch.randn(GROUPS, generator=drawn).repeat_interleave(EACH)
    noise = torch.randn(GROUPS * EACH, generator=drawn)

    assert compared(measured(usual, drawn), AnswerMet(level, 0), [measured(usual, drawn)]).agree > 0.99
    assert abs(compared(measured(usual, drawn), AnswerMet(noise, 0), [measured(usual, drawn)]).agree) < 0.3


def test_an_example_that_comes_again_is_no_group(usual: torch.Tensor, drawn: torch.Generator) -> None:
    sample, asked = Sample(), Asked()
    for step in range(8):
        given = usual + 0.2 * torch.randn(GROUPS, WIDTH, generator=drawn)
        sample.add([given], torch.arange(GROUPS) % 2, step, range(GROUPS))
    asked.add(usual + 0.2 * torch.randn(GROUPS, WIDTH, generator=drawn))

    assert grouped(sample, asked) == Groups()


def test_calls_on_what_was_trained_on_are_left_out(usual: torch.Tensor) -> None:
    asked = Asked()
    asked.add(usual)
    asked.add(usual + 1)
    asked.add(usual[:4] + 2)

    assert [float(call[0, 0]) for call in asked.new(usual)] == [float(usual[0, 0] + 1)]


def test_the_tree_is_as_short_as_can_be(drawn: torch.Generator) -> None:
    line = torch.randperm(50, generator=drawn).float()[:, None]

    assert [length for length, _, _ in tree(distances(line).clamp_min(0).sqrt())] == pytest.approx([1.0] * 49)


def test_two_kinds_of_ways() -> None:
    border, parted = two_kinds(torch.tensor([1.0, 1.1, 0.9, 1.0, 5.0, 5.5]))

    assert 1.1 < border < 5.0
    assert parted > 0.98
    assert two_kinds(torch.ones(5)) == (1.0, 0.0)


def test_groups_of_signals_are_told_without_their_noise(drawn: torch.Generator) -> None:
    """Eight of 80 directions are whose signal it is."""
    shape = torch.linalg.qr(torch.randn(80, 8, generator=drawn))[0].t()
    people = 3 * torch.randn(GROUPS, 8, generator=drawn)
    ill = torch.randint(0, 2, (GROUPS,), generator=drawn).repeat_interleave(EACH)

    def signals() -> torch.Tensor:
        own = people + 0.2 * torch.randn(EACH, GROUPS, 8, generator=drawn)
        clean: torch.Tensor = own.transpose(0, 1).flatten(0, 1) @ shape
        return clean + 0.5 * torch.randn(GROUPS * EACH, 80, generator=drawn)

    here, there = signals(), signals()
    plain, turned = (compared(here, AnswerMet(ill, 2), [there], one_unit=unit) for unit in (False, True))

    assert plain.parted < turned.parted
    assert turned.between > 2 * turned.within
    assert abs(turned.groups - GROUPS) <= 2
    assert turned.shared == 1.0
    assert turned.known > 0.95
    assert turned.lost > 3


def test_signals_that_come_in_no_groups(drawn: torch.Generator) -> None:
    shape = torch.randn(8, 80, generator=drawn)
    here, there = (torch.randn(320, 8, generator=drawn) @ shape + torch.randn(320, 80, generator=drawn) for _ in "ab")
    found = compared(here, AnswerMet((here[:, 0] > 0).long(), 2), [there], one_unit=True)

    assert found.parted < 0.68
    assert found.shared < 0.8
