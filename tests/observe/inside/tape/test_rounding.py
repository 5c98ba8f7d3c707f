"""What the network is fed, beside the same computed in double precision."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import nn

from firstlight.observe.inside.tape.levels import Levelled
from firstlight.observe.inside.tape.rounding import off_by, rounded

GENERATOR = torch.Generator().manual_seed(0)
GAPS = torch.randint(1, 60, (32, 9), generator=GENERATOR)
TIMES = 1_700_000_000 + GAPS.cumsum(1)
METRES = 5_800_000 + 0.1 * torch.randn(32, 9, generator=GENERATOR).double()
PLAIN = torch.randn(32, 9, generator=GENERATOR)
Change = Callable[[torch.Tensor], torch.Tensor]


def seen(data: torch.Tensor, change: Change) -> list[Levelled]:
    given = data.clone()
    with taped() as recorder:
        recorder.whole = True
        made = change(given)
        nn.Linear(made.shape[-1], 2)(made).sum()
    return list(rounded(recorder.entered, recorder))


ILL: dict[str, tuple[torch.Tensor, Change, str]] = {
    "float": (TIMES, lambda t: torch.diff(t.float(), dim=1).clamp(min=0).log1p(), "float"),
    "to": (TIMES, lambda t: t.to(torch.float32)[:, 1:] - t.to(torch.float32)[:, :-1], "to"),
    "half": (2000 + PLAIN, lambda t: t.half().float() - 2000, "half"),
    "of doubles": (METRES, lambda t: t.type(torch.float32) - 5_800_000, "type"),
    "phases": (TIMES, lambda t: torch.sin(t.float() * 0.1), "float"),
    "divided": (TIMES, lambda t: torch.diff(t / 60, dim=1), "div"),
}


@pytest.mark.parametrize("name", ILL)
def test_what_is_lost_in_a_cast_is_seen_where_it_is_cast(name: str) -> None:
    data, change, operation = ILL[name]
    told = seen(data, change)

    assert [(one.of, one.operation) for one in told] == [("rounding", operation)]
    assert told[0].rounded >= 0.3


@pytest.mark.parametrize(
    ("data", "change"),
    [
        (TIMES, lambda t: torch.diff(t, dim=1).float()),
        (TIMES, lambda t: (t - t[:, :1]).float() / 60),
        (TIMES, lambda t: torch.diff(t.double(), dim=1).float().log1p()),
        (METRES, lambda t: (t - 5_800_000).float()),
        (PLAIN, lambda t: t.half().float()),
        (PLAIN, lambda t: (t - t.mean(0)) / t.std(0)),
        (PLAIN, lambda t: (t * 4).long().float()),
        (PLAIN, lambda t: t + torch.randn_like(t)),
        (PLAIN, lambda t: t * torch.distributions.Beta(1.0, 1.0).sample((32, 1))),
        (PLAIN, lambda t: t * torch.rrelu(t, training=True)),
        (torch.full((32, 9), 0.1), lambda t: (t - t.mean(0)) / (t.std(0) + 1e-8)),
    ],
)
def test_nothing_is_lost_where_differences_are_taken_first(data: torch.Tensor, change: Change) -> None:
    assert all(one.rounded < 0.1 for one in seen(data, change))


def test_columns_without_values_of_their_own_are_not_asked() -> None:
    exact = torch.stack([torch.linspace(0, 1, 9), torch.zeros(9)], 1).double()

    assert off_by(exact, exact + torch.tensor([0.0, 1e-3])) == 0.0
    assert off_by(exact, exact[:4]) == 0.0


@pytest.mark.parametrize("apart", [0.0, 1e-9])
def test_values_that_are_all_the_same_have_no_differences_to_lose(apart: float) -> None:
    """0.499 for every place, as a bound in one of torch's distributions is, has in single precision another value."""
    exact = torch.full((65, 1), 0.499, dtype=torch.double) + apart * torch.arange(65)[:, None]

    assert (off_by(exact, exact.float()) > 0) is (apart > 0)


class Turned(nn.Module):
    """What it computes of its inputs is turned by angles that follow from places alone."""

    speeds: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Linear(4, 6)
        self.out = nn.Linear(6, 1)
        self.register_buffer("speeds", torch.arange(1, 7).float() / 7, persistent=False)

    def forward(self, x: torch.Tensor, places: int, product: bool) -> torch.Tensor:
        at = torch.arange(places).float()[:, None]
        angles = at @ self.speeds[None] if product else at * self.speeds[None]
        out: torch.Tensor = self.out(self.look(x).float() * angles.float().cos())
        return out


@pytest.mark.parametrize(
    ("places", "product", "told"),
    [(512, True, True), (512, False, False), (24, True, False)],
    ids=["far places, in half precision", "autocast leaves it alone", "places that half precision holds"],
)
def test_what_the_network_computes_of_constants(places: int, product: bool, told: bool) -> None:
    model = Turned()
    with taped() as recorder:
        recorder.whole = True
        recorder.buffer(model.speeds)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            model(torch.randn(2, places, 4), places, product).sum()

    found = [one for one in rounded(recorder.constants, recorder, "constants") if one.rounded >= 0.3]

    assert [(one.operation, one.of) for one in found] == told * [("matmul", "constants")]


def test_constants_belong_to_one_backward() -> None:
    with taped() as recorder:
        recorder.whole = True
        (nn.Linear(4, 6)(torch.randn(3, 4)) * torch.arange(6).float()).sum()
    assert len(recorder.constants) == 1

    recorder.step_over()

    assert recorder.constants == recorder.entered == []


def test_what_draws_is_not_made_again_and_the_program_draws_on_as_it_would() -> None:
    torch.manual_seed(5)
    with taped() as recorder:
        recorder.whole = True
        made = torch.nn.functional.gumbel_softmax(PLAIN.clone().requires_grad_(False)) * torch.rrelu(
            PLAIN, training=True
        )
        nn.Linear(9, 2)(made).sum()
    state = torch.get_rng_state()

    assert list(rounded(recorder.entered, recorder)) == []
    assert torch.equal(torch.get_rng_state(), state)
