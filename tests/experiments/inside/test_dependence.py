"""What an output depends on, asked of real models."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy
import pytest
import torch
from torch import nn

from firstlight.experiments.inside.asking import Asked, first_place, taken
from firstlight.experiments.inside.axes import examples
from firstlight.experiments.inside.behaviour import behaviour
from firstlight.experiments.inside.dependence import dependences
from firstlight.observe.inside.taps.models import Call
from firstlight.records.timelines import Dependence


def asked(module: nn.Module, *inputs: torch.Tensor, target: torch.Tensor | None = None, rows: int = 0) -> Asked:
    return Asked(Call(module, inputs, {}, list(inputs), None, True), None, target, rows)


def found(question: Asked) -> dict[str, Dependence]:
    return {dependence.kind: dependence for dependence in dependences(question, examples(question))}


class Mixing(nn.Module):
    """Takes the mean of the batch away from every example."""

    def __init__(self, detached: bool = False) -> None:
        super().__init__()
        self.net, self.detached = nn.Linear(4, 2), detached

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(0)
        answer: torch.Tensor = self.net(x - (mean.detach() if self.detached else mean))
        return answer


class Drawn(nn.Module):
    """Goes through a layer as often as is drawn in each call."""

    def __init__(self, module: Any, most: int = 3, width: int = 4) -> None:
        super().__init__()
        self.net, self.module, self.most = nn.Linear(width, width), module, most

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(int(self.module.uniform(0, self.most))):
            x = self.net(x)
        return x


class Translator(nn.Module):
    """Reads a source as a whole, and what it has said so far, with a causal mask or without."""

    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.source, self.said = nn.Embedding(12, 16), nn.Embedding(12, 16)
        self.body = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
        self.out, self.masked = nn.Linear(16, 12), masked

    def forward(self, source: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(said.shape[1]) if self.masked else None
        hidden: torch.Tensor = self.out(self.body(self.source(source), self.said(said), tgt_mask=mask))
        return hidden.flatten(0, 1)


class Reader(nn.Module):
    def __init__(self, at: str) -> None:
        super().__init__()
        self.embed, self.recur = nn.Embedding(20, 8, padding_idx=0), nn.GRU(8, 8, batch_first=True)
        self.out, self.at = nn.Linear(8, 3), at

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        states, _ = self.recur(self.embed(words))
        last = (words != 0).sum(1) - 1 if self.at == "length" else torch.full((len(words),), words.shape[1] - 1)
        answer: torch.Tensor = self.out(states[torch.arange(len(words)), last])
        return answer


class TestExamples:
    def test_a_plain_model_keeps_examples_apart(self) -> None:
        examples = found(asked(nn.Linear(4, 2), torch.randn(6, 4), rows=6))["examples"]

        assert (examples.own, examples.others, examples.of) == (True, 0, 5)

    def test_a_mean_over_the_batch_mixes_them(self) -> None:
        assert found(asked(Mixing(), torch.randn(6, 4), rows=6))["examples"].others == 5

    @pytest.mark.parametrize("module", [random, numpy.random])
    def test_depths_that_are_drawn_anew_in_each_call_are_no_other_examples(self, module: Any) -> None:
        torch.manual_seed(0)
        told: list[Dependence] = []
        for seed in range(40):
            module.seed(seed)
            told += found(asked(Drawn(module), torch.randn(6, 4), rows=6)).values()

        assert told
        assert all(one.others == 0 for one in told)

    def test_a_mean_over_the_batch_is_seen_in_a_model_that_draws(self) -> None:
        random.seed(0)

        assert found(asked(nn.Sequential(Mixing(), Drawn(random, 1, 2)), torch.randn(6, 4), rows=6))["examples"].others

    @pytest.mark.parametrize(
        ("mix", "others"),
        [
            (lambda x: x * x.mean(1, keepdim=True).softmax(0), 5),
            (lambda x: x + 1e-3 * x.mean(0), 5),
            (lambda x: x + 1e-8 * x.mean(0), 0),
            (lambda x: x * x.mean(1, keepdim=True).softmax(1), 0),
            (lambda x: x.round(), 0),
            (lambda x: x.clamp(min=0).sqrt(), 0),
        ],
    )
    def test_what_hides_beside_a_large_bias_is_seen_by_its_gradient(
        self, mix: Callable[[torch.Tensor], torch.Tensor], others: int
    ) -> None:
        torch.manual_seed(0)

        class Faint(nn.Linear):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return super().forward(1e-4 * mix(x)) + 100.0

        seen = found(asked(Faint(4, 2), torch.randn(6, 4), rows=6))["examples"]

        assert (seen.others, seen.of) == (others, 5)

    @pytest.mark.parametrize(
        ("mix", "operation", "normalises"),
        [
            (lambda x: nn.functional.normalize(x, dim=0), "normalize", True),
            (lambda x: (x - x.mean(0)) / x.std(0), "sub", True),
            (lambda x: x / x.norm(dim=0), "div", True),
            (lambda x: x.transpose(0, 1).reshape(x.shape), "reshape", False),
            (lambda x: x.softmax(0), "softmax", False),
            (lambda x: (x @ x.T).softmax(1) @ x, "matmul", False),
        ],
    )
    def test_where_they_begin_to_mix_and_whether_that_is_a_normalisation(
        self, mix: Callable[[torch.Tensor], torch.Tensor], operation: str, normalises: bool
    ) -> None:
        torch.manual_seed(0)

        class Between(nn.Sequential):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self[1](mix(self[0](x)).relu())  # type: ignore[no-any-return]

        seen = found(asked(Between(nn.Linear(4, 8), nn.Linear(8, 2)), torch.randn(6, 4), rows=6))["examples"]

        assert operation in seen.operation
        assert seen.normalises is normalises
        assert seen.site is not None
        assert seen.site.line == mix.__code__.co_firstlineno

    @pytest.mark.parametrize(
        ("end", "shares", "last"),
        [
            (lambda x: x.log_softmax(0), True, True),
            (lambda x: x - x.logsumexp(0), True, True),
            (lambda x: x.softmax(0).squeeze(-1), True, True),
            (lambda x: nn.functional.normalize(x, dim=0), False, True),
            (lambda x: x.softmax(0) * x, True, False),
        ],
    )
    def test_whether_what_mixes_them_is_the_output_and_shares_one_among_them(
        self, end: Callable[[torch.Tensor], torch.Tensor], shares: bool, last: bool
    ) -> None:
        torch.manual_seed(0)

        class Ended(nn.Linear):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return end(super().forward(x))

        seen = found(asked(Ended(4, 3), torch.randn(6, 4), rows=6))["examples"]

        assert (seen.others, seen.shares, seen.last) == (5, shares, last)

    @pytest.mark.parametrize(
        ("end", "others"),
        [
            (lambda z: nn.functional.normalize(z, dim=0), 5),
            (lambda z: z.softmax(0), 5),
            (lambda z: z.transpose(0, 1).reshape(z.shape), 3),
            (lambda z: nn.functional.normalize(z, dim=-1), 0),
            (lambda z: z @ z.T, 0),
            (lambda z: z.mean(0), 0),
            (lambda z: z + z[torch.randperm(len(z))], 0),
        ],
    )
    @pytest.mark.parametrize("named", [False, True])
    def test_every_output_that_the_loss_takes_is_asked(
        self, end: Callable[[torch.Tensor], torch.Tensor], others: int, named: bool
    ) -> None:
        torch.manual_seed(0)

        class Projected(nn.Sequential):
            def forward(self, x: torch.Tensor) -> Any:
                features = self[0](x)
                projected = end(self[1](features))
                return {"features": features, "projected": projected} if named else (features, projected)

        module, x = Projected(nn.Linear(4, 8), nn.Linear(8, 4)), torch.randn(6, 4)
        made = module(x)
        question = replace(asked(module, x), taken=taken(made, list(made.values() if named else made)[-1].sum()))

        assert question.taken == (1,)
        assert found(question)["examples"].others == others

    def test_outputs_on_the_way_to_others_and_those_the_loss_leaves_out_are_not_asked(self) -> None:
        x = torch.randn(6, 4, requires_grad=True)
        weights = (2 * x).softmax(0)
        pooled, other = weights * x, x.exp()

        assert taken((x * 1, weights, pooled, other), pooled.sum()) == (2,)
        assert taken((pooled, weights), pooled.sum()) == ()

    @pytest.mark.parametrize(
        ("places", "operation"),
        [
            (lambda ids: ((ids != 0).long().cumsum(0) - 1).clamp(min=0), "cumsum"),
            (lambda ids: ids.argsort(0), "argsort"),
            (lambda ids: ((ids != 0).long().cumsum(1) - 1).clamp(min=0), None),
        ],
    )
    @pytest.mark.parametrize("table", [False, True])
    def test_places_that_are_counted_over_the_batch_are_told_by_their_values(
        self, places: Callable[[torch.Tensor], torch.Tensor], operation: str | None, table: bool
    ) -> None:
        torch.manual_seed(0)

        class Tagger(nn.Module):
            waves: torch.Tensor

            def __init__(self) -> None:
                super().__init__()
                self.words, self.places, self.out = nn.Embedding(9, 8), nn.Embedding(16, 8), nn.Linear(8, 3)
                self.register_buffer("waves", torch.randn(16, 8))

            def forward(self, ids: torch.Tensor) -> torch.Tensor:
                known = self.words(ids) + (self.waves[places(ids)] if table else self.places(places(ids)))
                answer: torch.Tensor = self.out(known)
                return answer

        seen = found(asked(Tagger(), torch.randint(0, 9, (6, 8)), rows=6))["examples"]

        assert (seen.others > 0, seen.operation) == (operation is not None, operation or "")
        assert seen.indexes is (operation is not None)

    def test_what_mixes_without_a_gradient_is_placed_too(self) -> None:
        seen = found(asked(Mixing(detached=True), torch.randn(6, 4), rows=6))["examples"]

        assert (seen.others, seen.operation, seen.indexes) == (5, "sub", False)

    @pytest.mark.parametrize("mixes", [False, True])
    @pytest.mark.parametrize("first", [False, True])
    def test_rows_of_ids_are_told_from_places(self, first: bool, mixes: bool) -> None:
        """Examples along the second axis are not asked as if they lay along the first, which then is that of time."""
        torch.manual_seed(0)

        class Speaker(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.words, self.recur, self.out = nn.Embedding(9, 8), nn.GRU(8, 8, batch_first=first), nn.Linear(8, 9)

            def forward(self, ids: torch.Tensor) -> torch.Tensor:
                known = self.words(ids)
                known = nn.functional.normalize(known, dim=1 - first) if mixes else known
                answer: torch.Tensor = self.out(self.recur(known)[0])
                return answer

        ids = torch.randint(0, 9, (6, 8) if first else (8, 6))

        assert (found(asked(Speaker(), ids))["examples"].others > 0) is mixes

    def test_the_rows_of_the_batch_must_be_known(self) -> None:
        assert found(asked(Mixing(), torch.randn(6, 4))) == {}


class TestFuture:
    def ask(self, masked: bool) -> Dependence:
        torch.manual_seed(0)
        source, text = torch.randint(1, 12, (3, 9)), torch.randint(1, 12, (3, 10))
        question = asked(Translator(masked), source, text[:, :-1], target=text[:, 1:].flatten())
        return found(question)["future"]

    def test_without_a_mask_the_answer_is_read(self) -> None:
        future = self.ask(masked=False)

        assert (future.others, future.of) == (8, 8)

    def test_a_source_of_the_same_length_may_be_seen_as_a_whole(self) -> None:
        future = self.ask(masked=True)

        assert (future.own, future.others) == (True, 0)


class Completing(nn.Module):
    """Goes on from a prompt of so many tokens, which it may read as a whole; with a causal mask or without."""

    def __init__(self, prompt: int, masked: bool) -> None:
        super().__init__()
        self.words, self.out = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.body = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.prompt, self.masked = prompt, masked

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        mask[: self.prompt, : self.prompt] = 0.0
        answer: torch.Tensor = self.out(self.body(self.words(ids), src_mask=mask if self.masked else None))
        return answer


class TestPrompts:
    def ask(self, target: str, prompt: int = 0, masked: bool = True) -> dict[str, Dependence]:
        torch.manual_seed(0)
        text = torch.randint(1, 12, (4, 13))
        ids, following = text[:, :-1], text[:, 1:].clone()
        if target == "sliced":
            wanted = following[:, 7:]
        elif target == "within":
            ids, wanted = text, text[:, 8:]
        else:
            following[:, :7] = -100
            following[0, 7] = -100  # a longer prompt
            wanted = following
        return found(asked(Completing(prompt, masked), ids, target=wanted.flatten()))

    @pytest.mark.parametrize("target", ["sliced", "within", "ignored"])
    def test_the_answer_after_a_prompt_is_the_next_place_too(self, target: str) -> None:
        seen, blind = self.ask(target), self.ask(target, masked=False)

        assert seen["future"].others == 0
        assert blind["future"].others > 0

    @pytest.mark.parametrize("target", ["sliced", "within", "ignored"])
    def test_a_prompt_may_be_read_as_a_whole(self, target: str) -> None:
        assert self.ask(target, prompt=7)["future"].others == 0

    def test_other_labels_of_some_places_are_no_future(self) -> None:
        question = asked(Completing(0, masked=False), torch.randint(1, 12, (4, 12)), target=torch.randint(1, 12, (20,)))

        assert "future" not in found(question)


class TestPadding:
    def ask(self, at: str) -> Dependence:
        torch.manual_seed(0)
        words = torch.randint(1, 20, (8, 24)) * (torch.arange(24) < 10)
        return found(asked(Reader(at), words))["padding"]

    def test_reading_the_last_position_rests_on_padding(self) -> None:
        padding = self.ask("end")

        assert (padding.others, padding.of) == (8, 8)

    def test_reading_at_the_length_does_not(self) -> None:
        assert self.ask("length").others == 0


class Pooled(nn.Module):
    """The mean of what tokens are, over all places of the batch or over those of each row."""

    def __init__(self, over: str) -> None:
        super().__init__()
        self.embed, self.out, self.over = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 3), over

    def forward(self, words: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        total = (self.embed(words) * keep[..., None]).sum(1)
        answer: torch.Tensor = self.out(total / (words.shape[1] if self.over == "all" else keep.sum(1, keepdim=True)))
        return answer


class TestWidth:
    def ask(self, over: str, lengths: torch.Tensor) -> dict[str, Dependence]:
        torch.manual_seed(0)
        keep = torch.arange(24) < lengths[:, None]
        return found(asked(Pooled(over), torch.randint(1, 20, (len(lengths), 24)) * keep, keep))

    def test_a_sum_divided_by_the_width_of_the_batch_moves_with_it(self) -> None:
        width = self.ask("all", torch.arange(3, 25, 3))["width"]

        assert (width.others, width.of) == (7, 7)  # the longest is not padded

    def test_one_divided_by_the_number_of_tokens_does_not(self) -> None:
        assert self.ask("own", torch.arange(3, 25, 3))["width"].others == 0

    def test_rows_that_are_not_padded_are_not_asked(self) -> None:
        assert "width" not in self.ask("all", torch.full((8,), 24))

    def test_a_model_that_takes_no_other_width_is_not_asked(self) -> None:
        words = torch.randint(1, 20, (8, 24)) * (torch.arange(24) < torch.arange(3, 25, 3)[:8, None])
        model = nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(8 * 24, 3))

        assert "width" not in found(asked(model, words))


class TestBehaviour:
    def behave(self, module: nn.Module, *inputs: torch.Tensor, **more: Any) -> Any:
        torch.manual_seed(0)
        question = asked(module, *inputs, **more)
        return behaviour(question, examples(question))

    def test_a_plain_model_repeats_itself(self) -> None:
        seen = self.behave(nn.Linear(4, 2), torch.randn(6, 4), rows=6)

        assert (seen.again, seen.train, seen.poisoned) == (0.0, 0.0, 0)

    def test_dropout_differs_between_the_modes_alone(self) -> None:
        seen = self.behave(nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 2)), torch.randn(6, 4))

        assert seen.again == 0.0
        assert seen.train > 0.05

    def test_functional_dropout_that_is_always_on_differs_between_two_calls(self) -> None:
        class Noisy(nn.Linear):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return nn.functional.dropout(super().forward(x), 0.5)

        assert self.behave(Noisy(4, 32), torch.randn(6, 4)).again > 0.05

    def test_a_nan_shows_what_no_gradient_does(self) -> None:
        question = asked(Mixing(detached=True), torch.randn(6, 4), rows=6)
        seen = behaviour(question, examples(question))

        assert seen is not None
        assert seen.poisoned == 5

    def test_a_model_without_numbers_for_an_output_is_not_asked(self) -> None:
        class Chooser(nn.Linear):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return super().forward(x).argmax(1)

        assert self.behave(Chooser(4, 3), torch.randn(6, 4)) is None


class TestMaps:
    def test_a_mean_over_the_batch_fills_the_map(self) -> None:
        seen = found(asked(Mixing(), torch.randn(6, 4), rows=6))["examples"].map

        assert seen is not None
        assert seen.places == (0, 1, 2, 3, 4, 5)
        assert all(value > 0.01 for row in seen.moved for value in row)

    def test_an_example_of_its_own_moves_the_diagonal_alone(self) -> None:
        seen = found(asked(nn.Linear(4, 2), torch.randn(6, 4), rows=6))["examples"].map

        assert seen is not None
        assert all((value > 0) is (row == column) for row, r in enumerate(seen.moved) for column, value in enumerate(r))

    def test_a_causal_model_fills_the_lower_triangle(self) -> None:
        seen = TestFuture().ask(masked=True).map

        assert seen is not None
        assert all((value > 0) is (column <= row) for row, r in enumerate(seen.moved) for column, value in enumerate(r))

    def test_many_places_are_thinned_to_the_first_the_last_and_some_between(self) -> None:
        seen = found(asked(nn.Linear(4, 2), torch.randn(200, 4), rows=200))["examples"].map

        assert seen is not None
        assert (seen.places[0], seen.places[-1], len(seen.places)) == (0, 199, 16)


class Losing(nn.Module):
    """A model of the next word that gives its loss alone."""

    def __init__(self, masked: bool, chosen: bool) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(12, 8), nn.Linear(8, 12)
        self.body = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.masked, self.chosen = masked, chosen

    def forward(self, words: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1]) if self.masked else None
        scores = self.out(self.body(self.embed(words), src_mask=mask)).flatten(0, 1)
        if self.chosen:
            likely: torch.Tensor = scores.log_softmax(-1).gather(1, following.reshape(-1, 1))
            return -likely.mean()
        return nn.functional.cross_entropy(scores, following.flatten())


@pytest.mark.parametrize("chosen", [False, True], ids=["a loss of torch", "written by hand"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_model_that_gives_its_loss_alone_is_asked_what_the_loss_was_given(masked: bool, chosen: bool) -> None:
    torch.manual_seed(0)
    words = torch.randint(0, 12, (6, 9))
    given, following = words[:, :-1].contiguous(), words[:, 1:].contiguous()

    seen = found(asked(Losing(masked, chosen), given, following, target=following.flatten()))

    assert (seen["future"].others == 0) is masked
    assert seen["future"].own
    assert seen["examples"].others == 0


OUTPUT = torch.randn(4, 9, 5, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("predicted", "place"),
    [
        (OUTPUT[:, 1:].reshape(-1, 5), 1),
        (OUTPUT[:, :-1].reshape(-1, 5), 0),
        (OUTPUT[:, 2:].transpose(1, 2), 2),
        (OUTPUT.flatten(0, 1), 0),
        (OUTPUT[:, 1:].reshape(-1, 5) + 1, None),
        (OUTPUT[:3].flatten(0, 1), None),
        (OUTPUT[:, 0, 0], None),
        (None, None),
    ],
    ids=["without the first", "without the last", "classes first", "all", "others", "fewer rows", "numbers", "none"],
)
def test_from_which_place_on_the_loss_takes_the_outputs(predicted: torch.Tensor | None, place: int | None) -> None:
    assert first_place((None, OUTPUT), predicted) == place
