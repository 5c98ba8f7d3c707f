from firstlight.facts.derive import derive
from firstlight.facts.sources import ABSENCE_IS_CLEAN, SOURCES
from firstlight.records.facts import ShapeClash
from firstlight.records.training import BackwardSeen


def test_every_absence_is_said_in_words() -> None:
    assert all(source.absent and not source.absent.endswith(".") for source in SOURCES.values())


def test_what_is_clean_by_absence_has_a_source() -> None:
    assert SOURCES.keys() >= ABSENCE_IS_CLEAN


def test_a_fact_that_is_clean_by_absence_needs_an_odd_sighting() -> None:
    """An ordinary backward makes facts, and none of those."""
    made = {type(fact) for fact in derive([BackwardSeen(step=0, site=None, value=1.0, connected=True)])}

    assert made
    assert not made & ABSENCE_IS_CLEAN
    assert ShapeClash in ABSENCE_IS_CLEAN
