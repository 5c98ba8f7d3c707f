"""The line through what was stated and what was right."""

import json
import math
from pathlib import Path

import pytest
from zoo.scoring.counting import as_computed, fit, save


def _worth(stated: float, line: tuple[float, float]) -> float:
    return 1 / (1 + math.exp(-(line[0] * math.log(stated / (1 - stated)) + line[1])))


def test_nothing_counted_changes_nothing() -> None:
    assert fit([]) == (1.0, 0.0)


def test_claims_that_hold_what_they_promise_are_left_as_they_are() -> None:
    line = fit([(0.9, number < 90) for number in range(100)] + [(0.6, number < 60) for number in range(100)])
    assert _worth(0.9, line) == pytest.approx(0.9, abs=0.02)
    assert _worth(0.6, line) == pytest.approx(0.6, abs=0.02)


def test_claims_that_promise_too_much_are_worth_what_they_were() -> None:
    line = fit([(0.95, number < 100) for number in range(200)] + [(0.7, number < 60) for number in range(200)])
    assert _worth(0.95, line) == pytest.approx(0.5, abs=0.03)
    assert _worth(0.7, line) == pytest.approx(0.3, abs=0.03)


def test_few_claims_move_it_a_little() -> None:
    assert 0.6 < _worth(0.95, fit([(0.95, False)])) < 0.95


def test_a_second_count_starts_from_what_was_computed_not_from_what_the_first_made_of_it(tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text('{"claims": 0, "right": 0, "slope": 1.0, "shift": 0.0}')
    computed = [(0.95, number < 50) for number in range(100)]
    save(computed, file)
    first = json.loads(file.read_text())
    stated = [(_worth(0.95, (first["slope"], first["shift"])), right) for _, right in computed]
    assert as_computed(stated, file)[0][0] == pytest.approx(0.95, abs=1e-6)
    save(stated, file)
    second = json.loads(file.read_text())
    assert second == pytest.approx(first, abs=0.002)
    assert (second["claims"], second["right"]) == (100, 50)
