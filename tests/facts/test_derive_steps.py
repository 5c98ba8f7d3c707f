"""Optimizer steps: from sightings built by hand to the facts that are judged."""

from typing import Any, TypeVar

from msgspec.structs import replace

from firstlight.facts.derive import derive
from firstlight.records import facts
from firstlight.records.given_up import GivenUp
from firstlight.records.places import Site
from firstlight.records.program import LoaderSeen
from firstlight.records.sighting import Sighting, TensorCard
from firstlight.records.training import ClipSeen, LossCall, StepSeen

T = TypeVar("T")
TRAIN = Site(file="train.py", line=20)
OTHER = Site(file="train.py", line=40)
STEP = StepSeen(
    step=0,
    optimizer=0,
    name="SGD",
    site=OTHER,
    backward_site=TRAIN,
    loss=1.0,
    seconds=0.1,
    backwards=1,
    closure=False,
    held=4,
    fresh=4,
    stale=0,
    empty=False,
)
CLIP = ClipSeen(step=0, site=TRAIN, max_norm=1.0, norm=2.0, fresh=True, scaled=False)


def only(kind: type[T], *records: Sighting) -> T:
    (fact,) = all_of(kind, *records)
    return fact


def all_of(kind: type[T], *records: Sighting) -> list[T]:
    return [fact for fact in derive(records) if isinstance(fact, kind)]


def step(**changes: Any) -> StepSeen:
    return replace(STEP, **changes)


def epoch(at_step: int, loader: int = 0, batches: int | None = 5, rank: int = 0) -> LoaderSeen:
    return LoaderSeen(
        step=at_step,
        rank=rank,
        loader=loader,
        epoch=0,
        batches=batches,
        batch_size=8,
        examples=40,
        sampler="RandomSampler",
        site=TRAIN,
    )


def clip(**changes: Any) -> ClipSeen:
    return replace(CLIP, **changes)


class TestStepOrder:
    def test_piles_and_gaps_are_counted_in_all_and_in_a_row(self) -> None:
        stale = [0, 4, 4, 0, 2, 2, 2, 0]
        empty = [True, False, True, True, False, False, False, False]

        order = only(
            facts.StepOrder,
            *[step(step=i, stale=s, empty=e) for i, (s, e) in enumerate(zip(stale, empty, strict=True))],
        )

        assert (order.steps, order.piled_up, order.longest_pile) == (8, 5, 3)
        assert (order.gone, order.longest_gone) == (3, 2)

    def test_each_optimizer_has_its_own_order(self) -> None:
        orders = all_of(
            facts.StepOrder,
            *[step(step=i, optimizer=i % 2, name=("Adam", "SGD")[i % 2], stale=4 * (i % 2)) for i in range(6)],
        )

        assert [(order.optimizer, order.longest_pile) for order in orders] == [("Adam", 0), ("SGD", 3)]

    def test_norms_are_the_first_and_last_known(self) -> None:
        order = only(facts.StepOrder, step(), step(grad_norm=1.0), step(grad_norm=9.0), step())

        assert (order.first_grad_norm, order.last_grad_norm) == (1.0, 9.0)
        assert only(facts.StepOrder, step()).first_grad_norm is None


def test_clips_are_counted_by_line() -> None:
    clips = all_of(
        facts.ClipOrder,
        clip(step=3, norm=1.0),
        clip(step=4, norm=5.0, fresh=False),
        clip(step=5, norm=2.0, scaled=True),
        clip(site=OTHER, max_norm=9.0),
    )

    first, second = clips
    assert (first.times, first.first_step, first.late, first.scaled) == (3, 3, 1, 1)
    assert (first.max_norm, first.median_norm) == (1.0, 2.0)
    assert (second.site, second.max_norm, second.times) == (OTHER, 9.0, 1)


class TestRate:
    def test_holds_the_rates_in_order(self) -> None:
        rate = only(facts.Rate, step(lr=0.1, first_lr=0.2), step(lr=None), step(lr=0.05))

        assert (rate.first_lr, rate.lrs, rate.epoch_steps) == (0.2, (0.1, 0.05), None)

    def test_an_optimizer_without_a_rate_has_no_fact(self) -> None:
        assert all_of(facts.Rate, step(lr=None)) == []

    def test_an_epoch_is_as_long_as_the_loader_that_is_read_while_steps_go_on(self) -> None:
        validation = [epoch(0, loader=0), epoch(0, loader=0)]

        rate = only(facts.Rate, step(lr=0.1), *validation, epoch(0, loader=1), epoch(30, loader=1), epoch(61, loader=1))

        assert rate.epoch_steps == 30

    def test_one_beginning_does_not_make_an_epoch(self) -> None:
        assert only(facts.Rate, step(lr=0.1), epoch(0)).epoch_steps is None

    def test_loaders_of_other_ranks_do_not_count(self) -> None:
        assert only(facts.Rate, step(lr=0.1), epoch(0, rank=1), epoch(30, rank=1)).epoch_steps is None


class TestRebuilding:
    def test_counts_the_steps_of_each_optimizer_of_a_line(self) -> None:
        lives = [step(optimizer=i, rebuilt=i, built=TRAIN) for i, steps in enumerate((3, 2, 1)) for _ in range(steps)]

        built = only(facts.Rebuilding, *lives)

        assert (built.optimizer, built.site, built.times, built.lives) == ("SGD", TRAIN, 2, (3, 2, 1))
        assert (built.stateful, built.closure) == (False, False)

    def test_lines_and_kinds_are_kept_apart(self) -> None:
        built = all_of(facts.Rebuilding, step(built=TRAIN), step(built=OTHER), step(built=OTHER, name="Adam"))

        assert [(one.site, one.optimizer) for one in built] == [(TRAIN, "SGD"), (OTHER, "SGD"), (OTHER, "Adam")]

    def test_one_step_with_a_state_or_a_closure_is_enough(self) -> None:
        built = only(facts.Rebuilding, step(), step(stateful=True, closure=True))

        assert (built.stateful, built.closure) == (True, True)

    def test_models_that_were_given_up_are_rebuilt_too(self) -> None:
        gone = GivenUp(step=90, model="Net", site=OTHER, optimizer="Adam", lives=(24, 24), used=1)
        (plain, built) = all_of(facts.Rebuilding, step(built=TRAIN), gone)

        assert (plain.given_up, plain.model) == ((), "")
        assert (built.site, built.model, built.given_up, built.used) == (OTHER, "Net", (24, 24), 1)


class TestFeeding:
    def test_counts_equal_values_in_new_tensors(self) -> None:
        batches = ["a", "a", "a", "b", "b"]

        feeding = only(facts.Feeding, *[step(batch=batch, batch_rebuilt=True) for batch in batches])

        assert (feeding.steps, feeding.compared, feeding.longest_repeat) == (5, 4, 2)

    def test_the_same_tensor_again_is_full_batch_training(self) -> None:
        assert only(facts.Feeding, step(batch="a"), step(batch="a"), step(batch="a")).longest_repeat == 0

    def test_so_is_what_is_computed_anew_beside_answers_that_stay(self) -> None:
        steps = [step(batch="a", batch_rebuilt=True, answers_kept=at > 0) for at in range(5)]

        assert only(facts.Feeding, *steps).longest_repeat == 0

    def test_inputs_that_are_all_alike_are_no_repeated_batch_while_their_answers_change(self) -> None:
        steps = [step(step=at, batch="zeros", batch_rebuilt=True) for at in range(9)]
        card = TensorCard(shape=(4,), dtype="int64", low=0, high=9, mean=4.0, std=1.0)
        calls = [
            LossCall(
                step=at,
                function="cross_entropy",
                site=TRAIN,
                training=True,
                prediction=card,
                target=replace(card, mean=4.0 + at),
                value=2.3,
                made_by=None,
            )
            for at in (0, 5)
        ]

        assert only(facts.Feeding, *steps, *calls).longest_repeat == 0
        assert only(facts.Feeding, *steps, calls[0]).longest_repeat == 8

    def test_steps_without_a_fingerprint_are_not_compared(self) -> None:
        feeding = only(facts.Feeding, step(), step(batch="a", batch_rebuilt=True), step())

        assert (feeding.steps, feeding.compared) == (3, 0)

    def test_a_loader_with_one_batch_is_noted(self) -> None:
        once, again = epoch(0, batches=1), epoch(1, batches=1)
        assert only(facts.Feeding, step(), once, again).one_batch_epochs
        assert not only(facts.Feeding, step(), epoch(0, batches=2), epoch(1, batches=2)).one_batch_epochs

    def test_a_validation_loader_with_one_batch_does_not_count(self) -> None:
        assert not only(facts.Feeding, step(), epoch(3, batches=1), epoch(3, batches=1)).one_batch_epochs


class TestPasses:
    def test_a_pass_is_held_against_the_one_before_on_each_rank(self) -> None:
        fed = {0: "abcabc", 1: "abcdec"}
        steps = [step(step=i, rank=rank, batch=batch) for rank in fed for i, batch in enumerate(fed[rank])]
        epochs = [epoch(at_step, batches=3, rank=rank) for rank in fed for at_step in (0, 3)]

        told = [(one.rank, one.compared, one.equal) for one in all_of(facts.Passes, *steps, *epochs)]
        assert told == [(0, 3, 3), (1, 3, 1)]

    def test_nothing_is_said_before_the_second_pass_nor_of_steps_that_were_not_read(self) -> None:
        assert all_of(facts.Passes, epoch(0), *[step(step=i, batch="ab"[i]) for i in range(2)]) == []
        assert all_of(facts.Passes, epoch(0), epoch(2), *[step(step=i) for i in range(4)]) == []
