"""Losses that compare the examples of a batch, right and wrong, and what is seen of them."""

from collections.abc import Callable

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch.nn import functional as F

from firstlight.checks.loss.strangers_pulled import CHECK
from firstlight.observe.inside.relations.matching import MadeAnew, PairsMatched
from firstlight.observe.inside.tape.attraction import embedded, fed, pulled, suits
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.pairs import PairsPulled

Model = Callable[[torch.Tensor], torch.Tensor]
Loss = Callable[[Model], torch.Tensor]
N = 16


def views() -> tuple[torch.Tensor, torch.Tensor]:
    things = torch.randn(N, 12)
    return things + 0.6 * torch.randn(N, 12), things + 0.6 * torch.randn(N, 12)


def contrasted(z: torch.Tensor, partner: torch.Tensor) -> torch.Tensor:
    z = F.normalize(z, dim=1)
    alike = z @ z.t() / 0.2
    alike.fill_diagonal_(float("-inf"))
    return F.cross_entropy(alike, partner)


ACROSS = (torch.arange(2 * N) + N) % (2 * N)
ADJACENT = torch.arange(2 * N) ^ 1


def block_after_block(model: Model) -> torch.Tensor:
    one, other = views()
    return contrasted(torch.cat([model(one), model(other)]), ACROSS)


def neighbours_of_blocks(model: Model) -> torch.Tensor:
    one, other = views()
    return contrasted(torch.cat([model(one), model(other)]), ADJACENT)


def interleaved(model: Model) -> torch.Tensor:
    one, other = views()
    return contrasted(torch.stack([model(one), model(other)], 1).flatten(0, 1), ADJACENT)


def halves_of_neighbours(model: Model) -> torch.Tensor:
    """One call for both, whose results are halved where they should be taken in turn."""
    one, other = model(torch.stack(views(), 1).flatten(0, 1)).chunk(2)
    return -F.cosine_similarity(one, other, dim=1).mean()


def in_turn(model: Model) -> torch.Tensor:
    both = model(torch.stack(views(), 1).flatten(0, 1))
    return -F.cosine_similarity(both[::2], both[1::2], dim=1).mean()


def distances_to_others(model: Model) -> torch.Tensor:
    one, other = views()
    return (model(one) - model(other).flip(0)).square().mean()


def rows_against_columns(model: Model) -> torch.Tensor:
    one, other = views()
    return F.cross_entropy(model(one) @ model(other).t(), torch.arange(N).roll(1))


def triplets(sign: int) -> Loss:
    def loss(model: Model) -> torch.Tensor:
        anchor, positive, negative = (F.normalize(model(one), dim=1) for one in (*views(), torch.randn(N, 12)))
        near, far = (anchor * positive).sum(1), (anchor * negative).sum(1)
        return F.relu(1 + sign * (far - near)).mean()

    return loss


def by_class(model: Model) -> torch.Tensor:
    one, other = views()
    z, classes = F.normalize(torch.cat([model(one), model(other)]), dim=1), torch.randint(0, 4, (2 * N,))
    same = (classes[:, None] == classes[None]) & ~torch.eye(2 * N, dtype=torch.bool)
    return -((z @ z.t() / 0.2).log_softmax(1) * same).sum() / same.sum()


def views_without_likeness(model: Model) -> torch.Tensor:
    return contrasted(torch.cat([model(torch.randn(N, 12)), model(torch.randn(N, 12))]), ACROSS)


def flagged(inverted: bool) -> Loss:
    def loss(model: Model) -> torch.Tensor:
        one, other = views()
        of_one_thing = torch.rand(N) < 0.5
        other = torch.where(of_one_thing[:, None], other, torch.randn(N, 12))
        apart = F.pairwise_distance(model(one), model(other))
        near = of_one_thing.float()
        near = 1 - near if inverted else near
        return (near * apart.square() + (1 - near) * F.relu(3 - apart).square()).mean()

    return loss


def rows_against_rows(sign: int) -> Loss:
    def loss(model: Model) -> torch.Tensor:
        one, other = views()
        return F.cross_entropy(sign * model(one) @ model(other).t(), torch.arange(N))

    return loss


def two_looks_told_apart(model: Model) -> torch.Tensor:
    """A penalty, and nothing is pulled together."""
    one, other = views()
    return F.cosine_similarity(model(one), model(other), dim=1).square().mean()


def series_in_order(model: Model) -> torch.Tensor:
    steps = torch.randn(2 * N, 12).cumsum(0)
    return contrasted(torch.cat([model(steps[:N]), model(steps[N:])]), ACROSS)


def seen(loss: Loss) -> PairsPulled | None:
    torch.manual_seed(0)
    layers, found = torch.nn.Linear(12, 8), PairsMatched()
    for _ in range(6):
        with taped() as recorder:
            tail = tail_of(recorder, loss(layers))
            assert tail is not None
            outputs = embedded(tail)
            inputs = fed(recorder, outputs) if suits(outputs) else None
            assert inputs is not None
            look = pulled(tail, outputs)
            if look is not None:
                found.add(look, inputs, len(outputs))
    assert all(parameter.grad is None for parameter in layers.parameters())
    return found.record(step=6, site=None) if found.looks else None


def told(loss: Loss) -> list[str | None]:
    what = seen(loss)
    return [] if what is None else [one.cause for one in CHECK.find(what, CHECK.limits)]


@pytest.mark.parametrize(
    "loss", [neighbours_of_blocks, halves_of_neighbours, distances_to_others, rows_against_columns]
)
def test_strangers_that_are_pulled_together_are_seen(loss: Loss) -> None:
    assert told(loss) == ["data-label-misaligned"]


@pytest.mark.parametrize("loss", [triplets(-1), flagged(inverted=True), rows_against_rows(-1)])
def test_a_loss_that_is_turned_round_pushes_apart_what_is_alike(loss: Loss) -> None:
    assert told(loss) == ["loss-sign"]


@pytest.mark.parametrize(
    "loss",
    [
        block_after_block,
        interleaved,
        in_turn,
        triplets(1),
        by_class,
        views_without_likeness,
        series_in_order,
        flagged(inverted=False),
        rows_against_rows(1),
        two_looks_told_apart,
    ],
)
def test_what_looks_alike_is_left_alone(loss: Loss) -> None:
    assert told(loss) == []


def test_a_loss_of_each_example_by_itself_says_nothing_of_two() -> None:
    assert seen(lambda model: F.cross_entropy(model(torch.randn(2 * N, 12)), torch.randint(0, 8, (2 * N,)))) is None


def drawn_once(model: Model) -> torch.Tensor:
    one, _ = views()
    return contrasted(torch.cat([model(one), model(one.clone())]), ACROSS)


def drawn_once_in_turn(model: Model) -> torch.Tensor:
    one, _ = views()
    return contrasted(model(torch.stack([one, one], 1).flatten(0, 1)), ADJACENT)


def drawn_once_and_dropped_twice(model: Model) -> torch.Tensor:
    one, _ = views()
    return contrasted(torch.cat([F.dropout(model(one), 0.1), F.dropout(model(one), 0.1)]), ACROSS)


@pytest.mark.parametrize("loss", [drawn_once, drawn_once_in_turn])
def test_a_view_that_is_drawn_once_for_both(loss: Loss) -> None:
    found = seen(loss)

    assert found is not None
    assert (found.copies, found.same) == (1.0, 1.0)
    assert found.shared > 0.5


def test_dropout_makes_two_embeddings_of_one_view() -> None:
    found = seen(drawn_once_and_dropped_twice)

    assert found is not None
    assert found.copies == 1.0
    assert found.same < 0.5


def test_views_that_are_drawn_one_by_one_are_no_copies() -> None:
    found = seen(block_after_block)

    assert found is not None
    assert (found.copies, found.same) == (0.0, 0.0)


def test_twins_of_a_loader_that_are_made_anew_in_each_epoch() -> None:
    first, second = torch.randn(6, 9), torch.randn(6, 9)

    def after(*batches: list[torch.Tensor]) -> bool:
        anew = MadeAnew()
        for batch in batches:
            anew.given(batch, [4, 8, 1, 5, 2, 0])
        return anew.seen

    assert after([first, first.clone()], [second, second.clone()])
    assert not after([first, first.clone()], [first.clone(), first.clone()])
    assert not after([first, second], [second, first])
    assert not after([first, first.clone()], [first, second])
    assert not after([first, first], [second, second])
