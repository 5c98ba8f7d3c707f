from firstlight.checks.log.log_torn import CHECK
from firstlight.records.log import LogFault, LogSeen

FAULT = LogFault(kind="torn", line=7, phase="step", field="loss", times=3, saw="this", wanted="that")


def test_tells_the_first_line_and_how_often() -> None:
    (evidence,) = CHECK.find(LogSeen(file="run.ndjson", rules="any", faults=(FAULT,)), CHECK.limits)

    assert (evidence.where.file, evidence.where.line) == ("run.ndjson", 7)
    assert (evidence.saw, evidence.wanted) == ("this, 3 times", "that")
    assert evidence.numbers == {"times": 3, "phase": "step", "field": "loss"}


def test_other_faults_are_left_to_other_checks() -> None:
    other = LogFault(kind="another", line=1, saw="this", wanted="that")

    assert list(CHECK.find(LogSeen(file="run.ndjson", rules="any", faults=(other,)), CHECK.limits)) == []
