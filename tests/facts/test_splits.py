from typing import Any

from msgspec.structs import replace
from tests.checks.data.feeding import COLUMNS, FEED

from firstlight.facts.splits import common_of, with_rehearsed, with_unread
from firstlight.records.feed import ExamplesMet, Fed, Overlap

TRAINED = ExamplesMet(step=600, model=0, trained=100, smallest=tuple(range(100)), whole=True, room=200.0)
OWN = replace(FEED, rank=0, eval_site=None, inputs=(Fed(train=COLUMNS),))


def evaluated(*batches: range) -> ExamplesMet:
    told = tuple(tuple(batch) for batch in batches)
    return replace(TRAINED, trained=10, smallest=(), evaluated=told, sizes=tuple(map(len, told)))


def overlap_of(trained: ExamplesMet, evaluated: ExamplesMet) -> Overlap:
    common = common_of(trained, evaluated)
    return Overlap() if common is None else common.overlap()


def test_examples_of_another_run_are_known_again() -> None:
    found = overlap_of(TRAINED, evaluated(range(80, 120), range(120, 160)))

    assert (found.shared, found.judged, found.covered, found.sampled) == (20, 80, 20, False)


def test_a_batch_of_the_training_set_is_looked_at_on_purpose() -> None:
    found = overlap_of(TRAINED, evaluated(range(50), range(200, 240)))

    assert (found.shared, found.judged, found.pure, found.covered) == (0, 40, 1, 50)


def test_examples_that_were_not_trained_on_are_counted() -> None:
    assert overlap_of(TRAINED, evaluated(range(200, 240), range(240, 280))).evaluated == 80
    assert overlap_of(TRAINED, evaluated(range(80, 120))).evaluated == 0


def test_only_keys_that_are_known_on_both_sides_are_compared() -> None:
    many = replace(TRAINED, trained=1000, smallest=tuple(range(0, 200, 2)))
    found = overlap_of(many, evaluated(range(180, 260)))
    cut = overlap_of(TRAINED, replace(evaluated(range(90, 140)), sizes=(500,)))

    assert (found.judged, found.shared, found.sampled) == (19, 10, True)
    assert cut.sampled


def test_nothing_is_said_before_all_was_trained_on() -> None:
    assert overlap_of(replace(TRAINED, whole=False), evaluated(range(80, 120))).judged == 0


def test_a_record_that_does_not_add_up_says_nothing() -> None:
    torn = replace(evaluated(range(0), range(3)), sizes=(7,))

    assert overlap_of(replace(TRAINED, smallest=()), evaluated(range(80, 120))).judged == 0
    assert overlap_of(TRAINED, torn).judged == 0


def rehearsed(**changes: Any) -> list[Any]:
    there = replace(
        FEED, rank=0, inputs=(Fed(train=COLUMNS, evaluated=replace(COLUMNS, std=40.0), apart=2.0, wider=40.0),)
    )
    return with_rehearsed(
        [replace(OWN, **changes), "another fact"],
        [TRAINED],
        [there, evaluated(range(80, 120), range(120, 160))],
        ended=True,
    )


def test_a_feed_that_was_never_evaluated_is_completed() -> None:
    found, other = rehearsed()

    assert other == "another fact"
    assert found.eval_site == FEED.eval_site
    assert (found.overlap.shared, found.overlap.ended) == (20, True)
    assert (found.inputs[0].wider, found.inputs[0].apart) == (40.0, 2.0)


def test_what_the_program_itself_evaluated_counts() -> None:
    found, _ = rehearsed(eval_site=FEED.site)

    assert found.overlap.shared == 0


def test_loaders_that_a_copy_has_read_complete_what_nobody_evaluated() -> None:
    there = replace(FEED, rank=0, overlap=overlap_of(TRAINED, evaluated(range(80, 120), range(120, 160))))

    (alone,) = with_unread([OWN], [there])
    (seen,) = with_unread([replace(OWN, eval_site=FEED.site)], [there])

    assert alone.overlap.shared == 20
    assert seen.overlap.shared == 0


def test_each_evaluation_of_a_rehearsal_is_compared_by_itself() -> None:
    told = replace(evaluated(range(80, 120), range(50), range(60)), parts=(0, 1, 2), names=("", "", "x_test"))
    common = common_of(TRAINED, told)
    assert common is not None
    mixed, pure, named = common.parts()

    assert (mixed.judged, mixed.shared, mixed.covered) == (40, 20, 20)
    assert (pure.judged, pure.shared, pure.covered) == (0, 0, 50)
    assert (named.judged, named.shared, named.covered, named.name) == (60, 60, 60, "x_test")


def test_batches_of_no_known_evaluation_are_compared_all_together_alone() -> None:
    common = common_of(TRAINED, evaluated(range(80, 120)))

    assert common is not None
    assert common.parts() == ()
