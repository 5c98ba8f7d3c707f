"""Features that are out of the ordinary in one class alone, made from a noisy outcome or among the conditions of it."""

import pytest
import torch

from firstlight.observe.inside.relations.marking import marked
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.relations import Marked

ROWS = 900


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def table(drawn: torch.Generator) -> torch.Tensor:
    return torch.randn(ROWS, 6, generator=drawn)


@pytest.fixture
def chance(drawn: torch.Generator) -> torch.Tensor:
    return torch.rand(ROWS, generator=drawn)


def outcome(table: torch.Tensor, drawn: torch.Generator) -> torch.Tensor:
    return (torch.rand(ROWS, generator=drawn) < torch.sigmoid(2 * table[:, :3].sum(1))).long()


def beside(table: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
    return torch.cat([table, column.float()[:, None]], 1)


def test_what_is_recorded_because_of_the_outcome(
    table: torch.Tensor, chance: torch.Tensor, drawn: torch.Generator
) -> None:
    classes = outcome(table, drawn)
    fee = (chance < 0.8) * classes * (1 + chance)
    found = marked(beside(table, fee), AnswerMet(classes, 2, (3, 7)))

    assert (found.column, found.of, found.count, found.other_classes, found.kind) == (6, 7, 1, 0, 7)
    assert found.exceptions == 0
    assert found.covered == pytest.approx(0.8, abs=0.05)
    assert found.foreseen > 60
    assert found.rest > 6
    assert found.clear_without < found.clear + 0.1


def test_without_the_mark_a_rule_is_clearer(table: torch.Tensor, chance: torch.Tensor) -> None:
    flag = chance < 0.35
    found = marked(beside(table, flag), AnswerMet((flag | (table[:, :3].sum(1) > 1)).long(), 2))

    assert found.column == 6
    assert found.clear_without > found.clear + 0.2


def test_a_strong_sign_with_exceptions(table: torch.Tensor, chance: torch.Tensor) -> None:
    flag, classes = chance < 0.35, (chance < 0.36).long()
    classes[flag.nonzero()[::40]] = 0

    assert marked(beside(table, flag), AnswerMet(classes, 2)).column == -1


def test_words_that_mark_their_topics(chance: torch.Tensor, table: torch.Tensor, drawn: torch.Generator) -> None:
    classes = torch.randint(0, 2, (ROWS,), generator=drawn)
    words = [(classes == kind) & (torch.rand(ROWS, generator=drawn) < 0.7) for kind in (0, 1)]
    found = marked(beside(beside(table, words[0]), words[1]), AnswerMet(classes, 2))

    assert found.other_classes == 1


def test_what_is_not_asked(table: torch.Tensor, drawn: torch.Generator) -> None:
    classes = outcome(table, drawn)

    assert marked(table[:200], AnswerMet(classes[:200], 2)) == Marked()
    assert marked(table[:, :2], AnswerMet(classes, 2)) == Marked()
    assert marked(table, AnswerMet(table[:, 0], 0)) == Marked()
    assert marked(table.repeat(1, 30), AnswerMet(classes, 2)) == Marked()
    assert marked(table, AnswerMet(classes, 2)) == Marked(of=6)
