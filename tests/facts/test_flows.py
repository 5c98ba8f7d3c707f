import pytest
from msgspec.structs import replace

from firstlight.facts.flows import (
    alike,
    altered,
    cancellings,
    crossings,
    fadings,
    floors,
    guesses,
    levellings,
    mute_answers,
    narrowings,
    penalties,
    predicted_twice,
    pullings,
    reaches,
    runaways,
    settlings,
    silent_terms,
    swellings,
    two_comparisons,
    volumes,
    wrong_axes,
)
from firstlight.facts.sightings import Sightings
from firstlight.records.learning import CERTIFIED, LearningSign
from firstlight.records.places import Site
from firstlight.records.taped import (
    AlteredSeen,
    AxisSeen,
    CancelSeen,
    ComparisonSeen,
    CrossedSeen,
    FloorSeen,
    GuessSeen,
    LevelledSeen,
    MuteSeen,
    PenaltySeen,
    PullSeen,
    ReachSeen,
    RunawaySeen,
    SettledSeen,
    TapeRow,
    TapeSeen,
    TermSeen,
    TwiceSeen,
    VolumeSeen,
)

SITE = Site(file="train.py", line=9)
GOOD = TapeRow(1, "linear", 0, 3, (8, 4), (), True, True, True, True, 8, 1.0)
BAD = TapeRow(2, "mean", 0, 5, (8, 4), (1,), True, True, True, False, 1, 1.0)
TAPE = TapeSeen(step=1, site=SITE, part=0, batch=8, fed=8, files=("train.py",), predictions=(2,), rows=(GOOD, BAD))
TERM = TermSeen(step=1, operation="mul", site=SITE, added=None, value=0.5, loss=2.0)
REACH = ReachSeen(step=1, operation="relu", site=SITE, meeting=None, into="sub", loss=2.0, free=0.0, bound=1.0)


def test_examples_alike_at_every_look_are_told_with_both_operations() -> None:
    (found,) = alike(Sightings([TAPE, replace(TAPE, step=8), replace(TAPE, step=24)]))
    assert (found.first_bad.operation, found.first_bad.site) == ("mean", Site(file="train.py", line=5))
    assert found.last_good is not None
    assert found.last_good.operation == "linear"
    assert (found.looks, found.step) == (2, 24)


def test_a_layer_that_begins_at_zero_and_moves_is_quiet() -> None:
    moved = replace(TAPE, step=24, rows=(GOOD, replace(BAD, examples=8)))
    assert not list(alike(Sightings([TAPE, replace(TAPE, step=8), moved])))


def test_one_look_is_not_enough() -> None:
    assert not list(alike(Sightings([replace(TAPE, step=8)])))
    assert not list(alike(Sightings([TAPE])))


def test_a_long_tape_is_put_together_from_its_parts() -> None:
    parts = [replace(TAPE, step=step, part=at, rows=(row,)) for step in (1, 8) for at, row in enumerate((GOOD, BAD))]
    (found,) = alike(Sightings(parts))
    assert found.last_good is not None


def test_terms_are_counted_against_the_looks() -> None:
    looks = [replace(TAPE, step=step) for step in (1, 8, 24)]
    (found,) = silent_terms(Sightings([*looks, TERM, replace(TERM, step=8)]))
    assert (found.times, found.looks) == (2, 3)


def test_the_last_search_of_an_activation_counts() -> None:
    (found,) = reaches(Sightings([REACH, replace(REACH, step=8, bound=0.1)]))
    assert (found.looks, found.bound, found.step) == (2, 0.1, 8)


def test_the_look_at_which_a_runaway_lowers_the_loss_least_stands_for_all() -> None:
    far = RunawaySeen(step=1, site=SITE, output=None, way="up", shift=4096.0, loss=1.0, lowest=-90.0)
    (found,) = runaways(Sightings([far, replace(far, step=8, lowest=-20.0)]))
    assert (found.lowest, found.looks, found.optimizers) == (-20.0, 2, 0)


def test_the_look_at_which_answers_matter_most_stands_for_all() -> None:
    first = SettledSeen(
        step=1,
        operation="where",
        site=SITE,
        loss=1.0,
        first=1.0,
        lowest=0.0,
        rise=0.05,
        apart=1.0,
        crossed=0.0,
        classes=True,
    )
    (found,) = settlings(Sightings([first, replace(first, step=8, rise=0.2)]))
    assert (found.rise, found.looks, found.optimizers) == (0.2, 2, 0)


def test_the_look_at_which_a_loss_rises_least_with_a_volume_stands_for_all() -> None:
    first = VolumeSeen(step=1, site=SITE, columns=2, examples=64, likeness=1.0, pull=1.0)
    (found,) = volumes(Sightings([first, replace(first, step=8, pull=-1.0)]))
    assert (found.pull, found.looks) == (-1.0, 2)


def test_penalties_on_weights_and_on_outputs_are_two() -> None:
    heavy = PenaltySeen(step=1, site=SITE, own=9.0, through=1.0)
    found = list(penalties(Sightings([heavy, replace(heavy, on="outputs"), replace(heavy, step=8, own=2.0)])))
    assert [(one.on, one.own, one.looks) for one in found] == [("weights", 2.0, 2), ("outputs", 9.0, 1)]


def test_the_look_at_which_a_loss_went_down_least_counts() -> None:
    low = FloorSeen(step=1, operation="mul", site=SITE, low=-1.0, high=2.0, perfect=0.0, spread=1.0, lowest=-90.0)
    (found,) = floors(Sightings([low, replace(low, step=8, lowest=-20.0), replace(low, step=24)]))
    assert (found.looks, found.lowest, found.step) == (3, -20.0, 8)


def test_the_look_at_which_errors_cancel_least_counts() -> None:
    look = CancelSeen(step=1, operation="mean", site=SITE, axis=0, length=8, loss=1.0, moved=0.0, shifted=2.0)
    (found,) = cancellings(Sightings([look, replace(look, step=8, moved=0.1), replace(look, step=24)]))
    assert (found.looks, found.moved, found.step) == (3, 0.1, 8)


def test_mute_answers_are_counted_against_the_looks() -> None:
    mute = MuteSeen(step=1, operation="mul", site=SITE, value=0.0, elements=9, of=20, others=1.0)
    looks = [replace(TAPE, step=step) for step in (1, 8, 24)]
    (found,) = mute_answers(Sightings([*looks, mute, replace(mute, step=24)]))
    assert (found.times, found.looks, found.value) == (2, 3, 0.0)


def test_looks_that_pull_away_are_counted_beside_those_of_other_places_that_do_not() -> None:
    pull = PullSeen(step=1, kind="values", operation="sub", site=SITE, backward=SITE, right=2.0, contrary=1.0)
    same = replace(pull, step=8, right=1.0)
    other = replace(pull, kind="classes", right=0.5)
    first, second = pullings(Sightings([pull, same, other]))
    assert (first.looks, first.away, first.towards, first.contrary) == (2, 1, 1, 1.0)
    assert (second.looks, second.away, second.towards) == (1, 0, 0)


@pytest.mark.parametrize(("axis", "share"), [(0, None), (1, 1e-7)])
def test_whose_answer_is_whose_is_not_asked_where_errors_cancel_over_the_examples(
    axis: int, share: float | None
) -> None:
    pull = PullSeen(
        step=1, kind="values", operation="sub", site=SITE, backward=SITE, right=2.0, contrary=1.0, share=1e-7
    )
    cancel = CancelSeen(step=1, operation="mean", site=SITE, axis=axis, length=8, loss=1.0, moved=0.0, shifted=2.0)
    (found,) = pullings(Sightings([pull, cancel]))

    assert found.share == share


def test_the_look_at_which_a_penalty_pulls_least_counts() -> None:
    look = PenaltySeen(step=1, site=SITE, own=30.0, through=1.0)
    cut = replace(look, step=24, through=0.0)
    (found,) = penalties(Sightings([look, replace(look, step=8, own=20.0), cut]))
    assert (found.looks, found.step, found.own) == (2, 8, 20.0)


def test_the_median_change_of_a_gradient_counts() -> None:
    look = AlteredSeen(
        step=1, by="a hook", name="a tensor", site=SITE, flipped=0.5, turned=0.5, cosine=0.1, lost=0.0, uneven=0.3
    )
    (found,) = altered(Sightings([look, replace(look, step=2, flipped=0.4), replace(look, step=3, flipped=0.0)]))
    assert (found.times, found.flipped, found.step) == (3, 0.4, 3)


@pytest.mark.parametrize(("kept", "varies"), [((0.01, 0.01), 1.0), ((0.01, 0.02), 2.0), ((0.0, 0.02), 0.0)])
def test_a_limit_leaves_another_part_each_time(kept: tuple[float, float], varies: float) -> None:
    look = AlteredSeen(
        step=1, by="a hook", name="a tensor", site=SITE, flipped=0.0, turned=0.0, cosine=1.0, lost=0.0, uneven=0.0
    )
    (found,) = altered(Sightings([replace(look, kept=part) for part in kept]))
    assert (found.varies, found.kept) == (varies, sum(kept) / 2)


def test_examples_that_fade_at_one_look_only_are_told_by_the_other() -> None:
    last = TapeRow(3, "linear", 0, 6, (8, 4), (2,), True, True, True, True, 8, 1.0, 1.0)
    rows = (replace(GOOD, spread=0.9), replace(BAD, spread=1e-6), last)
    tape = replace(TAPE, predictions=(3,), rows=rows)
    moved = replace(tape, step=24, rows=(rows[0], replace(rows[1], spread=0.2), last))
    (faint,) = fadings(Sightings([tape, replace(tape, step=8), replace(tape, step=24)]))
    assert (faint.spread, faint.lost.operation, faint.looks, faint.learnt) == (1e-6, "mean", 2, False)
    sign = LearningSign(step=40, status=CERTIFIED, reason="", site=SITE, steps=40, fresh=40)
    assert [one.learnt for one in fadings(Sightings([tape, replace(tape, step=8), sign]))] == [True]
    guess = GuessSeen(step=96, rank=tape.rank, site=tape.site, loss=2.0, guess=1.9, tenth=2.0)
    behind = fadings(Sightings([tape, replace(tape, step=8), sign, guess]))
    assert [one.learnt for one in behind] == [False]
    (strong,) = fadings(Sightings([tape, replace(tape, step=8), moved]))
    assert strong.spread == 0.2


def test_the_look_at_which_values_are_smallest_counts() -> None:
    last = TapeRow(3, "linear", 0, 6, (8, 4), (2,), True, True, True, True, 8, 1.0, 1.0)
    tape = replace(TAPE, predictions=(3,), rows=(GOOD, replace(BAD, operation="mul", size=5e3), last))
    small = replace(tape, step=24, rows=(GOOD, replace(BAD, operation="mul", size=2.0), last))
    (found,) = swellings(Sightings([replace(tape, step=8), small]))
    assert (found.size, found.step, found.grown.operation) == (2.0, 24, "mul")


def test_where_fewer_numbers_stand_for_an_example_than_its_prediction_has() -> None:
    wide = TapeRow(1, "linear", 0, 4, (8, 16), (), True, True, True, True, 8, 1.0, 1.0)
    thin = TapeRow(2, "linear", 0, 5, (8, 1), (1,), True, True, True, True, 8, 1.0, 1.0)
    last = TapeRow(3, "linear", 0, 6, (8, 4), (2,), True, True, True, True, 8, 1.0, 1.0)
    tape = replace(TAPE, step=8, predictions=(3,), rows=(wide, thin, last))

    found = list(narrowings(Sightings([tape, replace(tape, rank=1)])))

    assert [(one.rank, one.numbers, one.outputs, one.at.operation) for one in found] == [
        (0, 1, 4, "linear"),
        (1, 1, 4, "linear"),
    ]


def test_the_first_and_the_last_guess_count_with_the_call_in_which_values_grow() -> None:
    last = TapeRow(3, "linear", 0, 6, (8, 4), (2,), True, True, True, True, 8, 400.0, 1.0)
    tape = replace(TAPE, step=8, predictions=(3,), rows=(GOOD, replace(BAD, operation="mul", size=5e2), last))
    guess = GuessSeen(step=1, rank=tape.rank, site=tape.site, loss=40.0, guess=2.0, tenth=4.0)
    (found,) = guesses(Sightings([tape, guess, replace(guess, step=24, loss=6.0), replace(guess, step=96, loss=3.0)]))
    assert (found.first, found.first_guess, found.tenth, found.step, found.loss) == (40.0, 2.0, 4.0, 96, 3.0)
    assert (found.grown.operation, found.before, found.size, found.last) == ("mul", 1.0, 5e2, False)
    assert not list(guesses(Sightings([guess])))
    assert [one.rank for one in guesses(Sightings([tape, guess, replace(tape, rank=1), replace(guess, rank=1)]))] == [
        0,
        1,
    ]


def test_what_only_training_does_is_told_for_the_same_layer() -> None:
    way = ComparisonSeen(step=1, training=True, layer=7, operations=("mul", "tanh"), into="mse_loss", site=SITE)
    other = replace(way, step=20, training=False, operations=("add", "mul"), into="sub")
    (found,) = two_comparisons(Sightings([way, replace(way, step=8), other]))
    assert (found.trained, found.evaluated, found.looks) == (("tanh",), ("add",), 2)
    assert not list(two_comparisons(Sightings([way, replace(other, layer=8)])))


def test_what_training_does_at_times_is_not_told() -> None:
    way = ComparisonSeen(step=1, training=True, layer=7, operations=("tanh",), into="mse_loss", site=SITE)
    other = replace(way, step=20, training=False, operations=(), into="sub")
    (found,) = two_comparisons(Sightings([way, replace(way, step=8, operations=()), other]))
    assert found.trained == ()


def test_levelled_inputs_stand_beside_whether_the_program_learns() -> None:
    look = LevelledSeen(step=1, operation="clamp", site=SITE, before=0.1, after=0.95)
    sign = LearningSign(step=60, status="no-sign", reason="", site=None, steps=60, fresh=60)

    def unlearnt(*signs: LearningSign) -> bool:
        (found,) = levellings(Sightings([look, replace(look, step=8), *signs]))
        return found.unlearnt

    assert unlearnt(sign)
    assert not unlearnt()
    assert not unlearnt(replace(sign, status="not-certified"))
    assert not unlearnt(sign, replace(sign, status="certified"))
    assert not unlearnt(sign, replace(sign, status="certified", meeting=SITE))


def test_the_last_look_at_a_wrong_axis_counts() -> None:
    axis = AxisSeen(
        step=1, operation="softmax", site=SITE, met_by="gather", shape=(8, 5, 4), axis=1, chosen=2, error=0.7
    )
    (found,) = wrong_axes(Sightings([axis, replace(axis, step=8, error=0.9)]))
    assert (found.looks, found.error) == (2, 0.9)


def test_the_last_look_at_crossed_examples_counts() -> None:
    crossed = CrossedSeen(step=1, operation="mul", site=SITE, left=(8, 1), right=(8,), result=(8, 8), others=0.9)
    (found,) = crossings(Sightings([crossed, replace(crossed, step=8, others=0.8)]))
    assert (found.looks, found.others) == (2, 0.8)


def test_predictions_made_twice_are_counted_by_the_steps_at_which_they_were() -> None:
    twice = TwiceSeen(
        step=1, operation="linear", site=SITE, met=SITE, met_again=SITE, times=3, examples=32, likeness=0.4
    )
    (found,) = predicted_twice(Sightings([twice, replace(twice, step=8, likeness=0.1)]))
    assert (found.looks, found.step, found.likeness) == (2, 8, 0.4)
