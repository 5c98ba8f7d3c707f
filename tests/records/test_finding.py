from firstlight.records.finding import Severity


def test_severities_have_an_order() -> None:
    assert Severity.NOTE.weight < Severity.WARNING.weight < Severity.ERROR.weight
