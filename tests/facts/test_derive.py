"""From sightings built by hand to the facts that are judged."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import BroadcastableShapes, mutually_broadcastable_shapes

from firstlight.facts.derive import REDUCERS, Reducer, derive
from firstlight.facts.flows import alike, fadings, guesses, narrowings, swellings
from firstlight.facts.learning import passes
from firstlight.facts.losses import broadcast, loss_terms
from firstlight.facts.ranks import distributed_orders, ranks
from firstlight.facts.sightings import Sightings, longest_run
from firstlight.records import feed
from firstlight.records.averages import Averaged
from firstlight.records.carried import ScoreCarried
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.dealings import BootstrapSeen, MeanReturn, ReturnsSeen, WeightsSeen
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.failing import Failing
from firstlight.records.inner import EntropySeen, Erased, Moved, Movement, NormStatistics, Units
from firstlight.records.kept import GraphsKept
from firstlight.records.learning import NO_SIGN, Gone, LearningSign
from firstlight.records.lived_on import HeldBack
from firstlight.records.nonfinite import NonFinite
from firstlight.records.pairs import PairsPulled
from firstlight.records.places import Site
from firstlight.records.program import ColumnsDropped, Ending, FitSeen, ProcessSeen, Unseen, Waiting, Wrapped
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import ScheduleAhead
from firstlight.records.relations import Lag, RelationsSeen
from firstlight.records.restored import Restored, Resumption, Reused
from firstlight.records.rounded import RoundedAway
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.sighting import Sighting, Some, TensorCard
from firstlight.records.standing_by import GroupFrozen
from firstlight.records.stored import ExamplesStored, KeptReread
from firstlight.records.stuck import StuckAtZero
from firstlight.records.symmetry import Symmetry
from firstlight.records.taped import (
    AlteredSeen,
    AxisSeen,
    CancelSeen,
    ComparisonSeen,
    CrossedSeen,
    FloorSeen,
    LevelledSeen,
    MuteSeen,
    PenaltySeen,
    PullSeen,
    ReachSeen,
    RunawaySeen,
    TermSeen,
    TwiceSeen,
)
from firstlight.records.timelines import Behaviour, CustomGradient, Dependence
from firstlight.records.training import (
    Attention,
    BackwardSeen,
    ClipSeen,
    EvaluationSeen,
    KeysMasked,
    LossCall,
    StepSeen,
)

TRAIN = Site(file="train.py", line=20)
OTHER = Site(file="train.py", line=40)


def census(at: int, model: int = 0, rank: int = 0) -> Census:
    kinds = ("trainable", "frozen", "optimized", "unoptimized", "uncalled", "cut_off", "wasted", "zero")
    counts: dict[str, Any] = dict.fromkeys(kinds, Some())
    return Census(step=at, rank=rank, model=model, name="Net", site=TRAIN, steps=at, backwards=at, **counts)


def evaluation(at: int, model: int = 0, rank: int = 0) -> EvaluationSeen:
    counts: dict[str, Any] = {"phases": at, "crowded": 0, "in_eval": False, "alone": True}
    return EvaluationSeen(step=at, rank=rank, model=model, name="Net", site=TRAIN, **counts)


def attention(at: int, site: Site = TRAIN, rank: int = 0) -> Attention:
    shares: dict[str, Any] = {"sees_past": 1.0, "sees_future": 0.0}
    return Attention(step=at, rank=rank, site=site, queries=4, keys=4, **shares)


BOOTSTRAP: dict[str, Any] = {
    "examples": 8,
    "share": 0.9,
    "cut": 1,
    "same": False,
    "carries": False,
    "rewards": 8,
    "negatives": 0,
    "nothing": 0,
    "size": 1.0,
    "given": 1.0,
    "ends": 0.1,
    "episodes": 3,
    "even": False,
}


def program(rank: int) -> list[Sighting]:
    """One sighting of each kind, such that every fact follows from it."""
    column, row = (TensorCard(shape=shape, dtype="float32") for shape in ((8, 1), (8,)))
    place: dict[str, Any] = {"step": 0, "rank": rank, "site": TRAIN}
    return [
        LossCall(**place, function="mse_loss", training=True, prediction=column, target=row, value=1.0, made_by=None),
        BackwardSeen(**place, value=1.0, connected=True),
        ClipSeen(**place, max_norm=1.0, norm=2.0, fresh=True, scaled=False),
        StepSeen(
            **place,
            optimizer=0,
            name="SGD",
            backward_site=TRAIN,
            loss=1.0,
            seconds=0.1,
            backwards=1,
            closure=False,
            held=4,
            fresh=4,
            stale=0,
            empty=False,
            lr=0.1,
        ),
        NonFinite(**place, kind="loss"),
        KeysMasked(**place, examples=8, kept=9, blocked=1),
        Dependence(**place, kind="examples", own=True, others=0, of=7),
        Behaviour(**place, again=0.0, train=0.0, poisoned=0),
        CustomGradient(**place, name="Clip", ratio=2.0),
        ColumnsDropped(**place, model="Net", takes="features", columns=("age",)),
        KeptReread(**place, name="Digits", examples=32),
        FitSeen(**place, number=0, name="SelectKBest", answers=True, fitted=400, inside=100, outside=0),
        Movement(step=2, rank=rank, optimizer=0, name="SGD", built=None, settings={"lr": 0.1}, tensors=(HALF,)),
        Units(
            step=2,
            rank=rank,
            order=0,
            kind="relu",
            site=None,
            module=None,
            units=8,
            dead=0,
            saturated=0.0,
            looks=1,
            examples=4,
        ),
        EntropySeen(step=2, rank=rank, name="Normal", site=None, lowered=1, raised=2, draws=3),
        Erased(step=2, rank=rank, module="norm", kind="LayerNorm", site=None, shape=(4, 1), looks=1),
        NormStatistics(**place, module="norm", batches=80, momentum=0.1, apart=0.2, began=2.0),
        Wrapped(step=2, rank=rank, module="Net", site=None, through=1, beside=0, world=2),
        Failing(**place, module="Net", failed=3, returned=9, error="ValueError"),
        Waiting(**place, dataset="D", workers=0, batches=9, waited=1.0, elapsed=2.0),
        Symmetry(**place, again=0.0),
        Restored(**place, module="Net", held=2, matched=2, unexpected=0),
        Resumption(**place, optimizer="SGD", holds_optimizer=True, model_loaded=True, optimizer_loaded=True, steps=5),
        Reused(**place, module="Net", called=TRAIN, tensors=4, changed=0),
        attention(0, rank=rank),
        census(3, rank=rank),
        evaluation(3, rank=rank),
        feed.FeedSeen(**place, model=0, name="Net", eval_site=None, inputs=()),
        feed.WorkerSeen(
            step=0, rank=rank, loader=1, worker=0, workers=2, seed=5, dataset="Photos", streams={"`random`": "a"}
        ),
        feed.CollateSeen(**place, what="rows", first="part 0", second="part 1", torn=4, items=8),
        LearningSign(
            **place,
            status=NO_SIGN,
            reason="",
            steps=30,
            fresh=30,
            gone=Gone(best_at=1, best=0.5, best_loss=0.2, since=2, gap=0.0, loss=0.7),
        ),
        ReachSeen(**place, operation="relu", meeting=TRAIN, into="mse_loss", loss=1.0, free=0.1, bound=0.9),
        AxisSeen(**place, operation="softmax", met_by="gather", shape=(8, 4), axis=0, chosen=1, error=0.7),
        CrossedSeen(**place, operation="mul", left=(8, 1), right=(8,), result=(8, 8), others=0.9),
        TwiceSeen(**place, operation="linear", met=TRAIN, met_again=TRAIN, times=2, examples=8, likeness=0.0),
        FloorSeen(**place, operation="mul", low=-1, high=2, perfect=0.0, spread=1.0, lowest=-9.0),
        RunawaySeen(**place, output=None, way="up", shift=4096.0, loss=1.0, lowest=-9.0),
        TermSeen(**place, operation="detach", added=TRAIN, value=0.5, loss=1.0),
        AlteredSeen(**place, by="a hook", name="a tensor", flipped=0.5, turned=0.5, cosine=0.1, lost=0.0, uneven=0.0),
        LevelledSeen(**place, operation="clamp", before=0.0, after=1.0),
        BootstrapSeen(**place, **BOOTSTRAP),
        ComparisonSeen(**place, training=True, layer=1, operations=("tanh",), into="mse_loss"),
        ComparisonSeen(**place, training=False, layer=1, operations=(), into="sub"),
        CancelSeen(**place, operation="mean", axis=0, length=8, loss=1.0, moved=0.0, shifted=1.0),
        MuteSeen(**place, operation="mul", value=0.0, elements=9, of=20, others=1.0),
        PenaltySeen(**place, own=3.0, through=1.0),
        PullSeen(**place, kind="values", operation="sub", backward=TRAIN, right=1.0, contrary=2.0),
        RelationsSeen(
            **place,
            meeting=TRAIN,
            examples=100,
            met=100,
            answers="classes",
            classes=3,
            lag=LAG,
            stored=ExamplesStored(name="A"),
        ),
        Selection(**place, kind="kept", metric="loss", best="best", larger=False),
        AnswersScored(**place, model="Net", times=2, answers=9, least=0, moved=0, elsewhere=False),
        CopySeen(
            **place,
            model="Net",
            name="target",
            looks=2,
            steps=9,
            began_equal=True,
            moved=0,
            followed=0,
            touched=0,
            drift=0.5,
            shared=0,
            tensors=4,
        ),
        RandomAgain(**place, model="Net", times=3, first=1, again=2),
        HeldBack(
            **place,
            model=0,
            name="Net",
            made=OTHER,
            stages=2,
            earlier=1,
            later=2,
            began=1,
            ended=9,
            trained=(90, 90),
            held=(30, 30),
            before=30,
            after=30,
            now=(0, 0),
        ),
        EvaluationLeaves(**place, model="Net", evaluations=2, weights=2, statistics=0, between=0, in_eval=True),
        GraphsKept(**place, model="Net", evaluates=True, calls=9, alive=9, whole=9, bytes=100),
        GroupFrozen(**place, optimizer="Adam", built=None, parameters=Some(tensors=2), rate=0.1, steps=9),
        RoundedAway(**place, operation="lerp_", dtype="bfloat16", tensors=2, updates=9, moved=0.1, missed=0.9),
        PairsPulled(**place, looks=6, fixed=1.0),
        StuckAtZero(**place, optimizer="Adam", steps=9, stuck=Some(tensors=2), others=1),
        ScoreCarried(**place, of_examples=False, counted=9.0, own=3.0, evaluations=3, times=2),
        Averaged(
            **place,
            what="losses",
            of_batches=True,
            by=30,
            batches=3,
            examples=30,
            unequal=False,
            value=0.1,
            meant=1.0,
            times=2,
            sure=True,
        ),
        ScheduleAhead(
            step=1,
            rank=rank,
            schedule="OneCycleLR",
            site=OTHER,
            ticks=40,
            steps=400,
            certain=True,
            first=1e-4,
            highest=1e-3,
            last=1e-3,
            peak=1e-2,
            peak_after=120,
            length=400,
            swings=0,
        ),
        WeightsSeen(step=1, rank=rank, site=OTHER, largest=1e-9, returns=(0.0, 1.0)),
        ReturnsSeen(step=1, rank=rank, episodes=10, start=RETURN, end=RETURN),
        Ending(unstepped={}, unused={}, step=1, rank=rank, reason="steps", backwards=1, steps=1),
    ]


LAG = Lag(offset=1, length=9, places=9, whole_numbers=True, aligned=True, feature=0, steps=8, of=8)
RETURN = MeanReturn(episodes=5, mean=1.0, spread=0.5)
HALF = Moved(name="weight", shape=(4, 2), dtype="bfloat16", gradient=0.1, weight=0.2, update=0.0, still=1.0)


def test_nothing_observed_gives_no_facts() -> None:
    assert derive([]) == []


def test_what_no_fact_needs_is_passed_over() -> None:
    seen = ProcessSeen(step=0, python="3.11", torch="2.13", device="cpu", threads=1)

    assert derive([seen, Unseen(step=0, tap="census", reason="KeyError")]) == []


OF_THEIR_OWN = (loss_terms, passes, ranks, distributed_orders, alike, fadings, swellings, guesses, narrowings)
"""What they reduce is not in the program above, or is about all ranks at once: tests of their own."""


@pytest.mark.parametrize("reducer", [r for r in REDUCERS if r not in OF_THEIR_OWN], ids=lambda r: r.__name__)
def test_every_reducer_keeps_ranks_apart(reducer: Reducer) -> None:
    """The same program on two ranks gives each fact twice, once a rank."""
    seen = Sightings(record for rank in (0, 1) for record in program(rank))

    assert [fact.rank for fact in reducer(seen)] == [0, 1]


@given(st.lists(st.booleans()))
def test_longest_run_is_the_longest_stretch(flags: list[bool]) -> None:
    stretches = "".join("x" if flag else " " for flag in flags).split()

    assert longest_run(flags) == max(map(len, stretches), default=0)


@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=5))
def test_broadcast_follows_numpy(shapes: BroadcastableShapes) -> None:
    left, right = shapes.input_shapes

    assert broadcast(left, right) == np.broadcast_shapes(left, right) == shapes.result_shape


def test_the_last_census_of_each_model_counts() -> None:
    early, other, late = census(3), census(3, model=1), census(10)

    assert derive([early, other, late]) == [late, other]


def test_the_last_evaluation_of_each_model_counts() -> None:
    early, other, late = evaluation(3), evaluation(3, model=1), evaluation(10)

    assert derive([early, other, late]) == [late, other]


def test_the_first_mask_of_each_line_counts() -> None:
    first, other, again = attention(0), attention(0, site=OTHER), attention(1)

    assert derive([first, other, again]) == [first, other]


@pytest.mark.parametrize(("widths", "times"), [(1, 0), (2, 1)])
def test_rows_that_are_always_padded_to_one_width_are_never_padded_further(widths: int, times: int) -> None:
    width = Dependence(step=0, kind="width", site=None, own=True, others=8, of=8)
    fed = feed.FeedSeen(step=9, model=0, name="Net", site=None, eval_site=None, inputs=(), widths=widths)

    assert len([fact for fact in derive([width, fed]) if isinstance(fact, Dependence)]) == times
