"""Backwards: from sightings built by hand to the facts that are judged."""

from typing import Any, TypeVar

from msgspec.structs import replace

from firstlight.facts.derive import derive
from firstlight.records import facts
from firstlight.records.nonfinite import NonFinite
from firstlight.records.places import Site
from firstlight.records.program import Ending, LoaderSeen
from firstlight.records.sighting import Sighting, Some
from firstlight.records.training import BackwardSeen, Cut, StepSeen

T = TypeVar("T")
TRAIN = Site(file="train.py", line=20)
OTHER = Site(file="train.py", line=40)
BACKWARD = BackwardSeen(step=0, site=TRAIN, value=1.0, connected=True)
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
ENDING = Ending(unstepped={}, unused={}, step=9, reason="steps", backwards=9, steps=9)


def only(kind: type[T], *records: Sighting) -> T:
    (fact,) = all_of(kind, *records)
    return fact


def all_of(kind: type[T], *records: Sighting) -> list[T]:
    return [fact for fact in derive(records) if isinstance(fact, kind)]


def backward(**changes: Any) -> BackwardSeen:
    return replace(BACKWARD, **changes)


def step(**changes: Any) -> StepSeen:
    return replace(STEP, **changes)


def ending(**changes: Any) -> Ending:
    return replace(ENDING, **changes)


def non_finite(kind: str, at_step: int, **changes: Any) -> NonFinite:
    return replace(NonFinite(kind=kind, step=at_step, site=TRAIN), **changes)


class TestStepping:
    def test_the_last_ending_counts(self) -> None:
        stepping = only(facts.Stepping, backward(), backward(site=OTHER), ending(backwards=3), ending(backwards=9))

        assert (stepping.backwards, stepping.backward_site) == (9, TRAIN)

    def test_a_killed_program_has_no_ending(self) -> None:
        assert all_of(facts.Stepping, backward(), step()) == []

    def test_an_ending_without_a_backward_has_no_line(self) -> None:
        assert only(facts.Stepping, ending(backwards=0)).backward_site is None


class TestLossRoot:
    def test_counts_what_is_behind_the_backwards_of_a_line(self) -> None:
        root = only(
            facts.LossRoot,
            backward(parameters=4),
            backward(step=1, connected=False, leaf=True, parameters=0),
            backward(step=2, connected=False, parameters=0),
            backward(step=3),
        )

        assert (root.backwards, root.cut, root.leaves) == (4, 2, 1)
        assert root.first_step == 1

    def test_the_last_cut_before_it_is_blamed(self) -> None:
        cuts = [
            Cut(step=at, operation=operation, site=Site(file="model.py", line=at), parameters=Some())
            for at, operation in ((0, "detach"), (2, "item"), (5, "numpy"))
        ]

        root = only(facts.LossRoot, *cuts, backward(step=3, connected=False))

        assert (root.cut_by, root.cut_at) == ("item", Site(file="model.py", line=2))

    def test_a_connected_loss_has_nobody_to_blame(self) -> None:
        cut = Cut(step=0, operation="item", site=TRAIN, parameters=Some())

        root = only(facts.LossRoot, cut, backward())

        assert (root.cut, root.cut_by, root.cut_at) == (0, None, None)

    def test_functional_gradients_leave_no_graph_to_judge(self) -> None:
        assert all_of(facts.LossRoot, backward(functional=True)) == []


def test_modes_are_counted_by_line() -> None:
    modes = all_of(
        facts.Mode,
        backward(eval_models=("Net", "Critic")),
        backward(eval_models=("Net",)),
        backward(),
        backward(site=OTHER),
    )

    assert [(mode.site, mode.models, mode.in_eval, mode.backwards) for mode in modes] == [
        (TRAIN, ("Critic", "Net"), 2, 3),
        (OTHER, (), 0, 1),
    ]


class TestLossCurve:
    def test_holds_the_values_in_order_with_the_weights_of_its_own_steps(self) -> None:
        curve = only(
            facts.LossCurve,
            backward(value=3.0),
            step(weight_norm=1.0, lr=0.1),
            backward(value=-2.0),
            step(weight_norm=None, lr=0.05),
            step(weight_norm=7.0, optimizer=1, backward_site=OTHER),
        )

        assert curve.values == (3.0, -2.0)
        assert curve.weight_norms == (1.0,)
        assert (curve.lr, curve.optimizers) == (0.1, 2)

    def test_without_steps_there_is_no_rate(self) -> None:
        curve = only(facts.LossCurve, backward())

        assert (curve.lr, curve.optimizers, curve.weight_norms) == (None, 0, ())


class TestFirstBad:
    def test_the_earliest_step_comes_first(self) -> None:
        bad = only(facts.FirstBad, non_finite("input", 9), non_finite("gradient", 4), step(lr=0.3))

        assert (bad.kind, bad.step, bad.lr) == ("gradient", 4, 0.3)

    def test_at_the_same_step_the_one_nearest_to_the_data_comes_first(self) -> None:
        kinds = ["parameter", "gradient", "loss", "activation", "target", "input"]

        bad = only(facts.FirstBad, *[non_finite(kind, 2) for kind in kinds])

        assert bad.kind == "input"

    def test_a_scaled_gradient_is_how_a_scaler_finds_its_scale(self) -> None:
        scaled = non_finite("gradient", 0, scaled=True)

        assert all_of(facts.FirstBad, scaled) == []
        assert only(facts.FirstBad, scaled, non_finite("loss", 3, scaled=True)).step == 3

    def test_the_operation_behind_the_loss_explains_the_activation(self) -> None:
        activation = non_finite("activation", 2, module="head", detail="its inputs and weights are finite")
        loss = non_finite("loss", 2, site=OTHER, operation="log", detail="`log` of 4 value(s)")

        bad = only(facts.FirstBad, loss, activation)

        assert (bad.kind, bad.module) == ("activation", "head")
        assert (bad.operation, bad.detail, bad.site) == ("log", "`log` of 4 value(s)", OTHER)

    def test_the_operation_of_a_later_step_explains_nothing(self) -> None:
        later = non_finite("loss", 3, site=OTHER, operation="log", detail="`log` of 4 value(s)")

        bad = only(facts.FirstBad, non_finite("activation", 2, module="head"), later)

        assert (bad.operation, bad.site) == (None, TRAIN)


def test_graph_sizes_are_those_that_were_walked() -> None:
    graph = only(facts.GraphSize, backward(nodes=7, retained=True), backward(retained=True), backward(nodes=9))

    assert (graph.nodes, graph.retained) == ((7, 9), False)


class TestAccumulation:
    @staticmethod
    def backward(at: int, **changes: Any) -> BackwardSeen:
        return replace(BACKWARD, **{"step": at, "calls": 1, "averages": 1.0, **changes})

    def test_backwards_are_counted_for_each_step(self) -> None:
        steps = [replace(STEP, reworked=reworked) for reworked in (False, False, True, None)]
        backs = [self.backward(at) for at in (0, 0, 1, 1, 1)]

        seen = only(facts.Accumulation, *backs, *steps)

        assert (seen.site, seen.optimizer, seen.backwards) == (TRAIN, "SGD", (2, 3))
        assert (seen.averages, seen.separate, seen.closure) == (1.0, True, False)
        assert (seen.untouched, seen.reworked, seen.loaders) == (2, 1, 0)

    def test_one_divided_loss_is_enough(self) -> None:
        assert only(facts.Accumulation, self.backward(0), self.backward(0, averages=None)).averages is None
        assert only(facts.Accumulation, self.backward(0), self.backward(0, averages=0.25)).averages is None

    def test_what_scales_for_low_precision_does_not_count(self) -> None:
        assert only(facts.Accumulation, self.backward(0, averages=256.0, scale=1024.0)).averages == 0.25

    def test_losses_of_one_forward_are_not_separate(self) -> None:
        assert not only(facts.Accumulation, self.backward(0), self.backward(0, calls=0)).separate
        assert not only(facts.Accumulation, self.backward(0, retained=True)).separate

    def test_losses_of_two_lines_are_not_separate(self) -> None:
        found = all_of(facts.Accumulation, self.backward(0), self.backward(0, site=OTHER))

        assert [one.separate for one in found] == [False, False]

    def test_two_optimizers_are_none(self) -> None:
        back = self.backward(0)

        assert only(facts.Accumulation, back, STEP, replace(STEP, optimizer=1)).optimizer is None
        assert only(facts.Accumulation, back).optimizer is None

    def test_loaders_count_that_were_begun_before_the_first_step(self) -> None:
        epochs = [
            LoaderSeen(step=at, loader=loader, epoch=0, batches=5, batch_size=8, examples=40, sampler="", site=None)
            for loader, at in ((0, 0), (1, 0), (2, 9))
        ]

        assert only(facts.Accumulation, self.backward(0), *epochs).loaders == 2
