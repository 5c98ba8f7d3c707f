"""The same inputs, moved: what real models make of them."""

import random
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.asking import Asked
from firstlight.experiments.inside.axes import examples
from firstlight.experiments.inside.symmetry import symmetry
from firstlight.observe.inside.taps.models import Call
from firstlight.records.symmetry import Symmetry


def asked(model: nn.Module, *given: torch.Tensor) -> Symmetry:
    call = Call(model, given, {}, list(given), model(*given), training=True)
    question = Asked(call, None, None, len(given[0]))
    found = symmetry(question, examples(question))
    assert found is not None
    return found


class Heads(nn.Module):
    """Two layers side by side: neither works on what the other made."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = self.one(x) + self.other(x)
        return total


class Reader(nn.Module):
    def __init__(self, *places: int, pooled: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed = nn.Embedding(9, 16)
        self.place = nn.Parameter(torch.randn(*places, 16)) if places else None
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.pooled = pooled

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        made: torch.Tensor = self.layer(x if self.place is None else x + self.place)
        return made.mean(1) if self.pooled else made


class Gated(nn.Module):
    """Begins as the identity: what bends has a weight of zero at first."""

    def __init__(self, layer: nn.Module, bends: bool = True) -> None:
        super().__init__()
        self.layer, self.gate, self.bends = layer, nn.Parameter(torch.zeros(())), bends

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = self.layer(x)
        total: torch.Tensor = x + self.gate * (made.relu() if self.bends else made)
        return total


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(3, 4, batch_first=True)


class Stateful(Recurrent):
    def forward(self, x: torch.Tensor, h: torch.Tensor) -> Any:
        return self.rnn(x, h)[0]


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x * scale


class Sorted(Recurrent):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Any:
        return self.rnn(nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True))[1][0]


@pytest.mark.parametrize(
    ("block", "straight"), [(Gated(nn.Linear(8, 8)), False), (Gated(nn.Linear(8, 8), bends=False), True)]
)
def test_a_block_that_begins_as_the_identity_is_asked_with_other_weights(block: nn.Module, straight: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), block, nn.Linear(8, 2))
    before = [one.detach().clone() for one in model.parameters()]

    found = asked(model, torch.randn(8, 3)).straight

    assert found is not None
    assert (found.bend < 1e-5) is straight
    assert all(torch.equal(one, was) for one, was in zip(model.parameters(), before, strict=True))


@pytest.mark.parametrize(
    "layers",
    [
        [nn.Linear(3, 8), nn.Linear(8, 2)],
        [nn.Linear(3, 8, bias=False), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 2)],
    ],
)
def test_a_chain_of_linear_layers_is_straight(layers: list[nn.Module]) -> None:
    straight = asked(nn.Sequential(*layers), torch.randn(8, 3)).straight

    assert straight is not None
    assert straight.bend < 1e-5


@pytest.mark.parametrize("bends", [nn.ReLU(), nn.Tanh(), nn.GELU(), nn.LeakyReLU(0.3), nn.LayerNorm(8)])
@pytest.mark.parametrize("bias", [True, False])
def test_an_activation_bends(bends: nn.Module, bias: bool) -> None:
    """Also where it is odd, or homogeneous and without bias, so that one of the two questions alone would be fooled."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8, bias=bias), bends, nn.Linear(8, 2, bias=bias))
    straight = asked(model, torch.randn(8, 3)).straight

    assert straight is not None
    assert straight.bend > 1e-3


@pytest.mark.parametrize("model", [nn.Linear(3, 2), Heads()], ids=["one", "side by side"])
def test_without_a_chain_nothing_is_asked(model: nn.Module) -> None:
    assert asked(model, torch.randn(8, 3)).straight is None


class Coupled(nn.Module):
    """Half of its input is moved by what a network makes of the other half."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.net = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x[:, :2], x[:, 2:] + self.net(x[:, :2])], 1)


@pytest.mark.parametrize("bends", [nn.ReLU(), nn.Identity()])
def test_layers_behind_one_that_begins_at_zero_say_nothing_yet(bends: nn.Module) -> None:
    last = nn.Linear(8, 1)
    nn.init.zeros_(last.weight)

    assert asked(Coupled(nn.Linear(2, 8), bends, nn.Linear(8, 8), bends, last), torch.randn(8, 3)).straight is None


def test_layers_that_add_to_their_input_are_straight_too() -> None:
    straight = asked(Coupled(nn.Linear(2, 8), nn.Linear(8, 1)), torch.randn(8, 3)).straight

    assert straight is not None
    assert straight.bend < 1e-5


def test_examples_may_change_places() -> None:
    placed = asked(nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5)), torch.randn(8, 3)).placed

    assert placed == pytest.approx(0, abs=1e-6)


def test_an_encoding_by_row_is_seen() -> None:
    placed = asked(Reader(8, 1), torch.randint(0, 9, (8, 6))).placed

    assert placed is not None
    assert placed > 0.01


def test_a_state_has_its_examples_elsewhere() -> None:
    placed = asked(Stateful(), torch.randn(8, 5, 3), torch.randn(1, 8, 4)).placed

    assert placed == pytest.approx(0, abs=1e-6)


def test_inputs_without_a_row_for_each_example_are_not_moved() -> None:
    assert asked(Scaled(), torch.randn(8, 3), torch.randn(3)).placed is None


def test_a_model_that_refuses_is_not_asked() -> None:
    assert asked(Sorted(), torch.randn(3, 5, 3), torch.tensor([5, 4, 2])).placed is None


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("places", [(), (6,)])
def test_order_is_known_by_the_encoding_alone(places: tuple[int, ...], pooled: bool) -> None:
    order = asked(Reader(*places, pooled=pooled), torch.arange(48).reshape(8, 6) % 9).order

    assert order is not None
    assert (order.swapped < 1e-5) is (places == ())
    assert order.replaced > 1e-3


class WithLoss(nn.Module):
    """As transformers' models do that are given their answers: the loss comes first, and hardly moves at first."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: torch.Tensor) -> dict[str, torch.Tensor]:
        made = self.reader(ids)
        return {"loss": 1.0 + 1e-4 * made.square().mean(), "logits": made}


@pytest.mark.parametrize("places", [(), (6,)])
def test_predictions_are_asked_and_not_the_loss_that_a_model_gives_before_them(places: tuple[int, ...]) -> None:
    order = asked(WithLoss(Reader(*places)), torch.arange(48).reshape(8, 6) % 9).order

    assert order is not None
    assert (order.swapped < 1e-5) is (places == ())
    assert order.replaced > 1e-3


class ByHand(nn.Module):
    """Attends without a layer of torch's, back alone if asked to; the second input is read through the first."""

    def __init__(self, places: bool, back: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.other = nn.Embedding(9, 8), nn.Embedding(9, 8)
        self.place = nn.Parameter(torch.randn(6, 8)) if places else None
        self.back = back

    def forward(self, ids: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        x = x if self.place is None else x + self.place
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(6, 6).triu(1).bool()
        x = x + (scores.masked_fill(mask, -torch.inf) if self.back else scores).softmax(-1) @ x
        made: torch.Tensor = x + self.other(others).cumsum(1) * torch.arange(1, 7)[:, None]
        return made


@pytest.mark.parametrize("back", [True, False])
@pytest.mark.parametrize("places", [True, False])
def test_attention_by_hand_is_asked_about_each_of_its_inputs(places: bool, back: bool) -> None:
    ids = torch.arange(48).reshape(8, 6) % 9
    order = asked(ByHand(places, back), ids, (ids * 5 + 1) % 9).order

    assert order is not None
    assert (order.swapped < 1e-5) is (not places)
    if not places:
        assert order.layer == "embed"
        assert order.site is None or order.site.file.endswith("test_symmetry.py")


def test_a_bag_of_words_attends_to_nothing() -> None:
    model = nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(24, 2))

    assert asked(model, torch.arange(48).reshape(8, 6) % 9).order is None


@pytest.mark.parametrize(("ends_in_zeros", "told"), [(True, False), (False, True)])
def test_a_branch_that_begins_at_nothing_bends_nothing_yet(ends_in_zeros: bool, told: bool) -> None:
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            last = nn.Linear(8, 3)
            if ends_in_zeros:
                nn.init.zeros_(last.weight)
            self.branch = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 8), last)

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = values + self.branch(values)
            return made

    assert (asked(Residual(), torch.randn(8, 3)).straight is not None) is told


class Tossing(nn.Module):
    """Goes one of two ways, by a coin for the whole batch in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = (self.one if random.random() < 0.7 else self.other)(x)
        return made


def test_what_is_drawn_in_each_call_is_drawn_alike_for_each_question() -> None:
    torch.manual_seed(0)
    model, given = Tossing(), torch.randn(6, 3)
    for seed in range(30):
        random.seed(seed)
        found = asked(model, given)
        assert found.placed is not None
        assert found.placed < 1e-5
