from firstlight.checks.run.check_crashed import CHECK
from firstlight.records.facts import CheckCrash
from firstlight.records.finding import Severity


def test_names_the_check_and_its_error() -> None:
    crash = CheckCrash(check="loss-broadcast", error="IndexError: tuple index out of range")

    (evidence,) = CHECK.find(crash, CHECK.limits)

    assert "`loss-broadcast`" in evidence.saw
    assert "IndexError: tuple index out of range" in evidence.saw
    assert evidence.wanted == "evidence or nothing"
    assert evidence.where.file is None


def test_says_nothing_about_the_program() -> None:
    """A fault of ours must not stop anybody's run."""
    assert CHECK.severity is Severity.NOTE
    assert CHECK.confidence == 0.0
    assert CHECK.causes == ("unknown",)
