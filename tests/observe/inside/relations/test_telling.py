from typing import Any

import pytest
import torch

from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.observe.inside.relations.telling import tells


def table(columns: int = 8, rows: int = 400) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(1))


def noise(rows: int = 400) -> torch.Tensor:
    return torch.randn(rows, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def classes() -> torch.Tensor:
    return torch.randint(0, 5, (400,), generator=torch.Generator().manual_seed(3))


def with_column(column: torch.Tensor) -> torch.Tensor:
    return torch.cat([table(), column.float()[:, None]], 1)


def test_a_noisy_copy_of_the_class_is_found(classes: torch.Tensor) -> None:
    found = tells(with_column(3 * classes + 0.1 * noise()), AnswerMet(classes, 5))

    assert (found.columns, found.count, found.of) == ((8,), 1, 9)
    assert found.power > 0.97
    assert found.others < 0.2


def test_one_hot_codes_are_found_together(classes: torch.Tensor) -> None:
    codes = torch.nn.functional.one_hot(classes, 5).float()

    assert tells(torch.cat([table(), codes], 1), AnswerMet(classes, 5)).columns == (8, 9, 10, 11, 12)


def test_a_score_of_which_the_class_is_a_threshold_is_found() -> None:
    score = noise()

    assert tells(with_column(score), AnswerMet((score > 0.3).long(), 2)).columns == (8,)


@pytest.mark.parametrize("function", [torch.exp, lambda y: y**3, lambda y: -5 * y + 0.01])
def test_a_monotone_function_of_a_value_is_found(function: Any) -> None:
    values = noise()

    assert tells(with_column(function(values)), AnswerMet(values, 0)).columns == (8,)


def test_honest_features_tell_a_part() -> None:
    given = table()
    values = given[:, 0] + 0.3 * given[:, 1:].sum(1)

    found = tells(given, AnswerMet(values, 0))

    assert found.columns == ()
    assert 0.1 < found.others < 0.9


def test_the_rest_has_to_do_with_the_answer_or_not() -> None:
    given = table()
    honest = given[:, :4].sum(1)

    leaked = tells(torch.cat([given, honest.exp()[:, None]], 1), AnswerMet(honest, 0))
    rule = tells(given, AnswerMet((given[:, 0] > 0).long(), 2))

    assert leaked.columns == (8,)
    assert leaked.rest > 10
    assert rule.columns == (0,)
    assert rule.rest < 5


def test_where_all_columns_tell_the_answer_the_task_is_easy(classes: torch.Tensor) -> None:
    given = classes[:, None] + 0.01 * table()

    assert tells(given, AnswerMet(classes, 5)).columns == ()


@pytest.mark.parametrize(("rows", "columns", "times"), [(64, 3, 1), (63, 3, 0), (64, 2, 0)])
def test_too_little_says_nothing(rows: int, columns: int, times: int) -> None:
    values = noise(rows)
    given = torch.cat([table(columns - 1, rows), values[:, None]], 1)

    assert tells(given, AnswerMet(values, 0)).count == times


def test_a_number_that_stands_at_several_places_is_a_text_that_repeats_itself() -> None:
    draw = torch.Generator().manual_seed(0)
    table = torch.randint(0, 10, (256, 6), generator=draw).float()
    answer = AnswerMet(table[:, 2].long(), 10)
    assert tells(table, answer).count == 1
    table[:, 4] = table[:, 2]
    assert tells(table, answer).count == 0
