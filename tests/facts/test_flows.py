from msgspec.structs import replace

from firstlight.facts.flows import alike, reaches, silent_terms
from firstlight.facts.sightings import Sightings
from firstlight.records.flows import ReachSeen, TapeRow, TapeSeen, TermSeen
from firstlight.records.places import Site

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
