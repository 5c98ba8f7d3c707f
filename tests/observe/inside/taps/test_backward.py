"""What is remembered from one backward to the next."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.backward import Walked, lowered

ONE, OTHER = torch.zeros(4), torch.zeros(4)


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ((ONE,), False),
        ((ONE, ONE), True),
        ((ONE, ONE, None, None), True),
        ((ONE, OTHER), False),
        ((ONE, OTHER, None), False),
        ((ONE, ONE, None, OTHER), False),
        ((None, None), False),
    ],
)
def test_answers_that_stay_where_they_are(answers: tuple[torch.Tensor | None, ...], kept: bool) -> None:
    """On steps at which losses are not looked at (None), what was last seen holds."""
    observer: Any = SimpleNamespace(shielded=lambda _tap, function: function)
    walked = Walked(observer, SimpleNamespace())  # type: ignore[arg-type]
    for answer in answers:
        asked: Any = [] if answer is None else [SimpleNamespace(target=answer)]
        walked.asked = asked
        walked.ended(torch.zeros(()))

    assert walked.answers_kept is kept


@pytest.mark.parametrize("maximizes", [False, True])
def test_what_is_maximized_is_looked_at_as_its_negative(maximizes: bool) -> None:
    told: list[Any] = []
    observer: Any = SimpleNamespace(
        maximizes=lambda: maximizes, quiet=nullcontext, negated=lambda *given: told.append(given)
    )
    weight = torch.tensor([2.0], requires_grad=True)
    objective = (3 * weight).sum()
    seen = lowered(observer, objective)

    assert seen.item() == (-6 if maximizes else 6)
    assert seen.requires_grad
    assert told == ([(objective, seen)] if maximizes else [])
    assert lowered(observer, weight.sum().detach()).item() == 2, "without a gradient there is nothing to go up"
