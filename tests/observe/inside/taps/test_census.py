from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from torch import nn

from firstlight.observe.inside import reading
from firstlight.observe.inside.drawn import DrawnMemory
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.taps.census import Asked, Counting, Tally, _built, _repeated
from firstlight.records.places import Site


class Net(nn.Module):
    def __init__(self, blocks: Any) -> None:
        super().__init__()
        self.blocks = blocks


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 10, bias=False)
        self.head.weight = self.embedding.weight
        layer = nn.Linear(4, 4)
        self.encoder, self.decoder = nn.ModuleList([layer]), nn.ModuleList([layer])


def block() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU())


@pytest.mark.parametrize("container", [nn.ModuleList([block()] * 3), nn.Sequential(*[block()] * 3)])
def test_one_module_in_several_places_is_counted(container: nn.Module) -> None:
    (found,) = _repeated(Net(container))

    assert (found.container, found.kind, found.module) == ("blocks", type(container).__name__, "Sequential")
    assert (found.times, found.parameters.tensors, found.parameters.elements) == (3, 2, 20)
    assert found.parameters.names == ("0.0.weight", "0.0.bias")
    assert found.site is not None
    assert found.site.file.endswith("test_census.py")


def test_optimizers_that_step_are_made_on_one_line_or_on_none() -> None:
    here, there = Site(file="train.py", line=3), Site(file="train.py", line=9)

    assert _built([(here, 5), (here, 4), (there, 0)]) == here
    assert _built([(here, 5), (there, 1)]) is None
    assert _built([]) is None


def test_the_model_may_be_the_container() -> None:
    (found,) = _repeated(nn.Sequential(*[nn.Linear(4, 4)] * 2))

    assert (found.container, found.times, found.site) == ("Sequential", 2, None)


@pytest.mark.parametrize(
    "container",
    [
        nn.ModuleList(block() for _ in range(3)),
        nn.ModuleList([nn.ReLU()] * 3),
        nn.ModuleList([nn.Linear(4, 4).requires_grad_(requires_grad=False)] * 3),
        nn.ModuleList(),
    ],
    ids=["anew", "without parameters", "frozen", "empty"],
)
def test_what_is_no_repetition(container: nn.Module) -> None:
    assert list(_repeated(Net(container))) == []


def test_sharing_across_containers_is_meant() -> None:
    assert list(_repeated(Tied())) == []


def test_a_librarys_own_sharing_is_meant() -> None:
    library = type("Shared", (Net,), {"__module__": "elsewhere.models"})

    assert list(_repeated(library(nn.ModuleList([block()] * 2)))) == []


def test_parts_that_ran_only_without_gradients_are_told_apart_from_those_that_never_ran() -> None:
    body, head, spare = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
    models = SimpleNamespace(called_with_grad=ByIdentity[bool](), called_without_grad=ByIdentity[bool]())
    models.called_without_grad[body] = models.called_without_grad[head] = models.called_with_grad[head] = True
    nothing = cast("Any", None)
    census = Counting(nothing, cast("Any", models), nothing, nothing)
    strangers: list[tuple[str, torch.Tensor]] = [("body", body.weight), ("head", head.weight), ("spare", spare.weight)]

    assert [name for name, _ in census._that_ran_blind(strangers)] == ["body"]


class Judged(nn.Module):
    """Written here, so that what it holds is the program's own."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.body, self.head = nn.Embedding(9, 4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.requires_grad_(requires_grad=False)


def test_what_is_left_as_it_was_drawn_is_told_from_what_was_loaded_or_trained() -> None:
    model = Judged()
    nothing = cast("Any", None)
    walked = SimpleNamespace(copied_to=set(), drawn=DrawnMemory())
    census = Counting(nothing, nothing, nothing, cast("Any", walked))

    def left() -> list[str]:
        return [name for name, _ in census._left_random(model, Tally())]

    assert left() == ["body.weight", "head.weight"]
    census.state_loaded(model.body)
    assert left() == ["head.weight"]
    walked.copied_to.add(reading.place(model.head.weight.data))
    assert left() == []
    walked.copied_to.clear()
    model.head.requires_grad_(requires_grad=True)
    assert left() == []


def test_of_a_librarys_weights_those_are_as_drawn_that_were_seen_to_be() -> None:
    model = type("Pretrained", (Judged,), {"__module__": "elsewhere.models"})()
    nothing = cast("Any", None)
    walked = SimpleNamespace(copied_to=set(), drawn=DrawnMemory())
    census = Counting(nothing, nothing, nothing, cast("Any", walked))
    walked.drawn.add(model.head.weight)

    assert [name for name, _ in census._left_random(model, Tally())] == ["head.weight"]
    census.state_loaded(model)
    assert list(census._left_random(model, Tally())) == []


class Tables(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.counted, self.kinds = nn.Embedding(9, 4), nn.Embedding(6, 4), nn.Embedding(6, 4)
        self.pos, self.position_bias, self.spare = (
            nn.Embedding(6, 4),
            nn.Parameter(torch.zeros(1, 5, 4)),
            nn.Embedding(6, 4),
        )
        self.pos_short, self.pos_wide = nn.Parameter(torch.zeros(3, 4)), nn.Parameter(torch.zeros(6, 5))


def test_tables_of_positions_are_those_that_are_counted_up_or_called_so_and_fit_the_tokens() -> None:
    model = Tables()
    census = Counting(*cast("Any", [None] * 4))
    asked = {
        model.tokens: torch.tensor([[3, 1, 4, 1, 5]]),
        model.counted: torch.arange(5),
        model.kinds: torch.zeros(1, 5).long(),
    }
    for table, ids in asked.items():
        census.module_returned(table, [ids], None)
    tokens = [(model.tokens, Asked(5, None, counts=False))]
    found = [name for name, p in model.named_parameters() if census._is_of(model, name, p, tokens)]

    assert found == ["position_bias", "counted.weight", "pos.weight"]


def test_what_an_earlier_stage_left_in_grad_is_no_gradient_of_this_one() -> None:
    """The first optimizer held both and is gone; the second holds one of them, and the other takes no part any more."""
    body, spare = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
    named = [("body", cast("nn.Parameter", body.weight)), ("spare", cast("nn.Parameter", spare.weight))]
    tally = Tally()

    spare(body(torch.rand(3, 4))).sum().backward()
    tally.look(named, {id(body.weight), id(spare.weight)})
    spare(body(torch.rand(3, 4))).sum().backward()  # the last one of its stage, at which nobody looked
    for _ in range(3):
        body.weight.grad = None
        body(torch.rand(3, 4)).sum().backward()
        tally.look(named, {id(body.weight)})

    assert [tally.of(name).idle for name, _ in named] == [0, 0]

    spare(body(torch.rand(3, 4))).sum().backward()
    tally.look(named, {id(body.weight)})

    assert [tally.of(name).idle for name, _ in named] == [0, 1]


def test_nor_where_the_model_is_first_met_in_this_stage() -> None:
    """Its parts were trained before, each called by itself."""
    spare = nn.Linear(4, 4, bias=False)
    named = [("spare", cast("nn.Parameter", spare.weight))]
    spare(torch.rand(3, 4)).sum().backward()
    trained, fresh = Tally(), Tally()
    trained.look(named, ever={id(spare.weight)})
    fresh.look(named)

    assert (trained.of("spare").idle, fresh.of("spare").idle) == (0, 1)
