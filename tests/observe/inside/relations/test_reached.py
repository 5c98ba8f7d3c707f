import pytest
import torch
from torch import nn

from firstlight.observe.inside.relations.reached import LastCall, behind, last_call, reached
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.tape.recorder import Mark, Row
from firstlight.observe.inside.tape.tail import Meeting
from firstlight.observe.inside.taps.models import Call
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Skills

ROWS = 400


class Slice(nn.Module):
    """Sees the columns of a table from one on."""

    def __init__(self, first: int, out: int = 1) -> None:
        super().__init__()
        self.first, self.head = first, nn.Linear(8 - first, out)

    def forward(self, table: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.head(table[:, self.first :])
        return made


class Decays(nn.Module):
    """A state over ids or numbers of which a part is kept at each step."""

    def __init__(self, kept: float, ids: bool) -> None:
        super().__init__()
        self.kept, self.embed = kept, nn.Embedding(20, 12) if ids else nn.Linear(1, 12)
        self.ids, self.head = ids, nn.Linear(12, 4)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(len(given), 12)
        for step in self.embed(given if self.ids else given[..., None]).unbind(1):
            state = self.kept * state + step
        made: torch.Tensor = self.head(state)
        return made


@pytest.fixture(autouse=True)
def drawn() -> None:
    torch.manual_seed(0)


def asked(model: nn.Module, given: torch.Tensor, answer: torch.Tensor, kind: str) -> InputsReached:
    sample = Sample()
    sample.add([given], answer, step=0)
    batch = given[:16]
    output = model(batch).detach()
    return reached(LastCall(model, (batch,), {}, (batch,), output, output), sample, kind)


def test_a_slice_that_leaves_out_what_tells() -> None:
    table = torch.randn(ROWS, 8)

    found = asked(Slice(3), table, 2 * table[:, 1:2] + 0.1 * table[:, 5:6], "values")

    assert (found.inputs, found.reached, found.output) == (8, 5, ())
    assert (found.first, found.last, found.telling) == ((3,), (7,), (1,))
    assert found.plain > 0.9
    assert max(found.within, found.faintly) < 0.1
    assert found.by_none == found.moved == 0


def test_a_slice_that_holds_what_tells() -> None:
    table = torch.randn(ROWS, 8)

    found = asked(Slice(3), table, table[:, 4:5], "values")

    assert min(found.within, found.faintly) > 0.9


def test_what_sees_all_is_told_as_that() -> None:
    table = torch.randn(ROWS, 8)

    assert asked(Slice(0), table, table[:, 4:5], "values") == InputsReached(inputs=8, reached=8)


def test_a_feature_is_as_strong_as_its_range() -> None:
    """A small weight for large numbers is no faint influence."""
    table, model = torch.randn(ROWS, 8), Slice(0)
    table[:, 2] *= 1e5
    with torch.no_grad():
        model.head.weight[:, 2] /= 1e5

    assert asked(model, table, table[:, 2:3] / 1e5, "values").reached == 8


@pytest.mark.parametrize("ids", [True, False])
def test_a_state_that_decays(ids: bool) -> None:
    classes = torch.randint(0, 4, (ROWS,))
    given = torch.randint(4, 20, (ROWS, 40)) if ids else torch.randn(ROWS, 40)
    given[:, :3] = (classes[:, None] - (0.0 if ids else 1.5)).to(given.dtype)

    found = asked(Decays(0.5, ids), given, classes, "classes")
    kept = asked(Decays(0.99, ids), given, classes, "classes")

    assert found.first > (20,)
    assert found.last == (39,)
    assert found.telling in ((0,), (1,), (2,))
    assert found.plain == found.faintly > 0.6
    assert found.within < 0.2
    assert 1e-15 < found.faintest < 1e-10
    assert 0 < found.moved < 0.01
    assert kept == InputsReached(inputs=40, reached=40)


def test_each_place_has_an_output_of_its_own() -> None:
    given = torch.randn(ROWS, 1, 24)
    answer = given.roll(9, dims=2)[..., 10:]
    model = nn.Conv1d(1, 1, 3, padding="same")
    sample, batch = Sample(), given[:16]
    sample.add([given], answer, step=0)
    output = model(batch).detach()

    found = reached(LastCall(model, (batch,), {}, (batch,), output, output[..., 10:]), sample, "values")

    place = found.output[1]
    assert place in (17, 23)
    assert found.telling == (0, place - 9)
    assert found.first == (0, place - 1)
    assert found.within < 0.1 < 0.9 < found.plain


def test_predictions_that_cannot_be_found_in_the_output() -> None:
    given = torch.randn(ROWS, 8)
    model, sample, batch = Slice(3, out=4), Sample(), given[:16]
    sample.add([given], given[:, :4], step=0)
    output = model(batch).detach()

    assert reached(LastCall(model, (batch,), {}, (batch,), output, output + 1), sample, "values") == InputsReached()


def test_a_model_that_is_blind() -> None:
    table, model = torch.randn(ROWS, 8), Slice(3)
    nn.init.zeros_(model.head.weight)

    assert asked(model, table, table[:, :1], "values") == InputsReached()


def test_inputs_of_which_only_some_were_kept() -> None:
    wide = torch.randn(ROWS, 1500)

    assert asked(nn.Linear(1500, 1), wide, wide[:, :1], "values") == InputsReached()


def call(given: torch.Tensor, model: nn.Module) -> tuple[Call, Meeting]:
    output = model(given)
    row = Row(0, "mse_loss", Mark.TRAINED)
    row.inputs = [(output, Mark.TRAINED | Mark.DATA, None), (given[:, :1], Mark.DATA, None)]
    return Call(model, (given,), {}, [given], output, training=True), Meeting(row, given[:, :1], Mark.DATA)


def test_a_call_is_held_without_its_graph() -> None:
    given = torch.randn(16, 8)
    found = last_call(call(given, Slice(3))[0], [given], call(given, Slice(3))[1])

    assert found is not None
    assert not found.output.requires_grad
    assert not found.met.requires_grad
    assert found.given == (given,)


def test_what_is_large_or_was_given_otherwise_is_not_held() -> None:
    given, large = torch.randn(16, 8), torch.randn(1 << 17, 8)

    assert last_call(call(large, Slice(3))[0], [large], call(large, Slice(3))[1]) is None
    assert last_call(call(given, Slice(3))[0], [given.clone()], call(given, Slice(3))[1]) is None
    assert last_call(call(given[:1], Slice(3))[0], [given[:1]], call(given[:1], Slice(3))[1]) is None


@pytest.mark.parametrize(
    ("plain", "own", "is_behind"),
    [(0.5, 0.24, True), (0.49, 0.0, False), (0.8, 0.41, False), (0.8, 0.39, True), (float("nan"), 0.0, False)],
)
def test_asked_only_where_the_program_is_behind(plain: float, own: float, is_behind: bool) -> None:
    assert behind(Skills(plain=plain, own=own)) is is_behind
