"""Where examples and positions lie, asked of models with every layout."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from firstlight.experiments.inside.asking import Asked, output
from firstlight.experiments.inside.axes import Laid, examples, positions
from firstlight.experiments.inside.dependence import dependences
from firstlight.observe.inside.taps.models import Call


class Causal(nn.Module):
    """Predicts the next id from all before it, with its examples first or second, its outputs merged or not."""

    def __init__(self, batch_first: bool, merged: bool = False, leaking: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.out = nn.Embedding(11, 8), nn.Linear(8, 11)
        self.batch_first, self.merged, self.leaking = batch_first, merged, leaking

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        time = 1 if self.batch_first else 0
        h = self.embed(ids)
        h = h.cumsum(time) + (h.mean(time, keepdim=True) if self.leaking else 0.0)
        made: torch.Tensor = self.out(torch.tanh(h))
        return made.flatten(0, 1) if self.merged else made


def asked(module: nn.Module, ids: torch.Tensor, rows: int, collated: tuple[torch.Tensor, ...] = ()) -> Asked:
    return Asked(Call(module, (ids,), {}, [ids], None, True), None, None, rows, collated)


def text(rows: int, length: int) -> torch.Tensor:
    return torch.randint(0, 11, (rows, length + 1), generator=torch.Generator().manual_seed(1))


@settings(max_examples=25, deadline=None)
@given(
    rows=st.integers(3, 7),
    length=st.integers(4, 8),
    batch_first=st.booleans(),
    merged=st.booleans(),
    leaking=st.booleans(),
    known=st.booleans(),
)
def test_the_future_is_told_in_every_layout(
    rows: int, length: int, batch_first: bool, merged: bool, leaking: bool, known: bool
) -> None:
    whole = text(rows, length)
    ids, target = (whole[:, :-1], whole[:, 1:]) if batch_first else (whole[:, :-1].T, whole[:, 1:].T)
    module = Causal(batch_first, merged, leaking)
    call = Call(module, (ids,), {}, [ids], None, True)
    question = Asked(call, None, target.flatten() if merged else target, rows if known else 0)
    found = {one.kind: one for one in dependences(question, examples(question))}

    assert (found["future"].others > 0) is leaking
    if known:
        assert found["examples"].others == 0


@pytest.mark.parametrize("batch_first", [True, False])
def test_a_sequence_as_long_as_the_batch_is_told_from_it(batch_first: bool) -> None:
    ids = text(6, 5)
    question = asked(Causal(batch_first), ids, rows=6)
    along = examples(question)

    assert along is not None
    assert along.given[id(ids)] == (0 if batch_first else 1)
    assert along.apart


def test_what_was_collated_has_its_examples_first_even_where_the_model_takes_them_for_time() -> None:
    ids = text(6, 5)
    question = asked(Causal(batch_first=False), ids, rows=6, collated=(ids.clone(),))
    along = examples(question)

    assert along is not None
    assert along.given[id(ids)] == 0
    assert not along.apart


@pytest.mark.parametrize("merged", [True, False])
def test_positions_come_out_where_the_model_puts_them(merged: bool) -> None:
    ids = text(3, 5)
    question = asked(Causal(batch_first=True, merged=merged), ids, rows=3)
    made, rows = output(question), examples(question)
    assert made is not None
    along = positions(question, made, ids, rows)

    assert along is not None
    assert along.laid == (Laid(0, 6, 3, outer=False) if merged else Laid(1, 6))


class Pooled(Causal):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return super().forward(ids).mean(1)


def test_one_answer_to_a_sequence_has_no_positions() -> None:
    ids = text(3, 5)
    question = asked(Pooled(batch_first=True), ids, rows=3)
    made, rows = output(question), examples(question)
    assert made is not None
    along = positions(question, made, ids, rows)

    assert along is None or along.laid is None


class Placed(nn.Module):
    """What it adds for its places has as many columns as the batch has rows."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.places, self.out = nn.Embedding(11, 6), nn.Embedding(5, 6), nn.Linear(6, 11)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.out(torch.tanh(self.tokens(ids) + self.places(torch.arange(5))))
        return made


def test_what_is_added_for_places_has_no_examples_along_its_width() -> None:
    ids = text(6, 4)
    question = Asked(Call(Placed(), (ids,), {}, [ids], None, True), None, None, 6)
    found = {one.kind: one for one in dependences(question, examples(question))}

    assert found["examples"].others == 0
