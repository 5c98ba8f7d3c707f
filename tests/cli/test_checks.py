"""`firstlight checks`: the table, its filters, its JSON."""

import json
from typing import Any

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.cli.main import run


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run(["checks", "--format", "json", *arguments]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [check["id"] for check in found]


def test_the_table_shows_every_check_within_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["checks"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    flat = " ".join(out.split())
    for check in CATALOGUE:
        assert f"{check.id} {check.name} {check.severity} {check.causes[0]}" in flat
        assert f"{check.summary} [{check.needs.__name__}]" in flat
    assert f"{len(CATALOGUE)} of {len(CATALOGUE)} checks." in out


def test_json_has_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    found = listed(capsys)
    assert ids(found) == [check.id for check in CATALOGUE]
    assert set(found[0]) >= {"id", "name", "severity", "causes", "summary", "needs"}


def test_filters(capsys: pytest.CaptureFixture[str]) -> None:
    assert ids(listed(capsys, "--cause", "hp-lr-high")) == [
        check.id for check in CATALOGUE if "hp-lr-high" in check.causes
    ]
    notes = listed(capsys, "--severity", "note")
    assert notes
    assert {check["severity"] for check in notes} == {"note"}
    loss = listed(capsys, "--category", "loss")
    assert loss
    assert all("loss" in check["categories"] for check in loss)
    assert "FL201" in ids(listed(capsys, "BROADCAST"))
    assert ids(listed(capsys, "broadcast", "--severity", "error")) == ["FL201", "FL709"]


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["checks", "no such thing"]) == 0
    assert capsys.readouterr().out == f"0 of {len(CATALOGUE)} checks.\n"


def test_an_unknown_cause_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["checks", "--cause", "hp-lr-hihg"]) == 2
    assert "`hp-lr-hihg` is not a cause. Did you mean `hp-lr-high`?" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--severity", "--category"])
def test_an_unknown_value_lists_the_known_ones(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["checks", option, "awful"]) == 2
    assert "awful" in capsys.readouterr().err
