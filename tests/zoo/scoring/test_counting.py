"""What claims were worth when a program was looked at for the first time."""

import json
from pathlib import Path

from zoo.scoring.counting import count, load, save


def test_claims_are_counted_by_kind_and_by_check() -> None:
    looks = (
        ("error", "FL201", True),
        ("error", "FL201", False),
        ("error", "FL305", True),
        ("proven", "FL201", True),
        None,
    )
    assert count({"sign": looks, "11-churn/fixed.py": [("warning", "FL161", False)]}) == {
        "alarm": {"claims": 5, "right": 4, "checks": {}},
        "error": {"claims": 3, "right": 2, "checks": {"FL201": (2, 1), "FL305": (1, 1)}},
        "proven": {"claims": 1, "right": 1, "checks": {"FL201": (1, 1)}},
        "warning": {"claims": 1, "right": 0, "checks": {"FL161": (1, 0)}},
    }


def test_a_cause_that_was_inferred_counts_and_belongs_to_no_check() -> None:
    assert count({"sign": [("inferred", "", False)]})["inferred"] == {"claims": 1, "right": 0, "checks": {}}


def test_nothing_looked_at_counts_nothing() -> None:
    assert count({}) == {}


def test_a_form_counts_with_what_was_said_of_it_first(tmp_path: Path) -> None:
    looks, counted = tmp_path / "first_looks.json", tmp_path / "counted.json"
    save({"sign": [("error", "FL201", False), None], "mode": []}, looks, counted)
    save({"sign": [("error", "FL201", True)], "mode": [("error", "FL301", True)]}, looks, counted)
    assert load(looks) == {"sign": [("error", "FL201", False), None], "mode": []}
    assert json.loads(counted.read_text()) == {
        "alarm": {"claims": 1, "right": 1, "checks": {}},
        "error": {"claims": 1, "right": 0, "checks": {"FL201": [1, 0]}},
    }
    save({"rate": [("error", "FL201", True)]}, looks, counted)
    assert json.loads(counted.read_text())["error"]["checks"] == {"FL201": [2, 1]}
