"""Where losses come to rest over free outputs, and whether answers matter there."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import Tensor, nn
from torch.nn import functional as F

from firstlight.observe.inside.tape.settling import settlings
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.taped import SettledSeen

B = 32
generator = torch.Generator().manual_seed(1)
Y = torch.randn(B, generator=generator)
K = torch.randint(0, 4, (B,), generator=generator)
T = (torch.rand(B, generator=generator) > 0.45).float()
Loss = Callable[[Tensor], Tensor]


def asked(loss: Loss) -> list[SettledSeen]:
    torch.manual_seed(0)
    network, fed = nn.Linear(6, 6), torch.randn(B, 6)
    with taped() as recorder:
        recorder.whole = True
        value = loss(network(fed))
    found = tail_of(recorder, value)
    assert found is not None
    return list(settlings(found, torch.Generator().manual_seed(0)))


def focal(o: Tensor, known: bool) -> Tensor:
    p = o[:, 0].sigmoid()
    right = torch.where(T > 0.5, p, 1 - p)
    return -((right if known else 1 - right) ** 2 * (right + 1e-8).log()).mean()


def paired(o: Tensor) -> Tensor:
    rest = o[:, 0][:, None] - Y
    return torch.einsum("...i,...i->", rest, rest) / rest.numel()


@pytest.mark.parametrize(
    ("loss", "crossed"),
    [
        pytest.param(lambda o: focal(o, known=True), False, id="focal"),
        pytest.param(lambda o: (T * o[:, 0] * (1 - o[:, 0]) + (1 - T) * o[:, 0] * (1 - o[:, 0])).abs().mean(), False),
        pytest.param(paired, True, id="einsum"),
        pytest.param(lambda o: (o[:, :1] - Y).square().mean(), True, id="column"),
        pytest.param(lambda o: torch.logaddexp(o[:, 1:2] - Y, Y - o[:, 1:2]).mean(), True, id="log-cosh"),
    ],
)
def test_answers_do_not_matter_where_it_is_lowest(loss: Loss, crossed: bool) -> None:
    (found,) = asked(loss)
    assert found.rise < 0.05 * (found.first - found.lowest)
    assert (found.crossed > 0.9 and found.apart < 0.1) == crossed
    assert found.classes != crossed


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda o: focal(o, known=False), id="focal"),
        pytest.param(lambda o: F.mse_loss(o[:, 0], Y), id="squares"),
        pytest.param(lambda o: F.cross_entropy(o[:, :4], K), id="classes"),
        pytest.param(lambda o: -(o[:, :4].log_softmax(1)[torch.arange(B), K]).mean(), id="classes-by-hand"),
        pytest.param(lambda o: (0.5 * (Y - o[:, 0]) ** 2 / o[:, 1].exp() + 0.5 * o[:, 1]).mean(), id="likelihood"),
        pytest.param(lambda o: torch.maximum(0.9 * (Y - o[:, 0]), 0.1 * (o[:, 0] - Y)).mean(), id="quantile"),
        pytest.param(lambda o: (o[:, :4].log_softmax(1).exp().mean(1) * T).mean(), id="mask"),
    ],
)
def test_other_losses_rise_with_the_answers_of_others(loss: Loss) -> None:
    assert asked(loss) == []


def test_a_distance_between_clouds_wants_its_outputs_apart() -> None:
    def energy(o: Tensor) -> Tensor:
        own, other = o[:, :1], Y[:, None]
        return 2 * torch.cdist(own, other).mean() - torch.cdist(own, own).mean()

    for found in asked(energy):
        assert found.apart > 0.5
