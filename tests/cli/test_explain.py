"""`firstlight explain`, and the pages it reads out of the checks."""

import dataclasses
import json
import tomllib
import types
from pathlib import Path

import pytest

from firstlight.checks import pages
from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.checks.declare import Check
from firstlight.cli import explain
from firstlight.cli.main import run
from firstlight.diagnosis.causes import CAUSES
from firstlight.lab import interventions
from firstlight.settings import enabled, load

EVERY_CHECK = pytest.mark.parametrize("check", CATALOGUE, ids=lambda check: check.name)


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["explain", *arguments]) == 0
    return capsys.readouterr().out


def check_named(word: str) -> Check:
    check = named(word)
    assert check is not None
    return check


@pytest.mark.parametrize("word", ["FL203", "fl203", "loss-double-activation", "Loss-Double-Activation"])
def test_a_check_by_id_or_name_in_any_case(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, word)
    assert out.startswith("error[FL203] loss-double-activation\n")
    for part in (
        "The prediction given to `cross_entropy`",
        "`log_softmax` before `cross_entropy`",
        "sum-error = 0.001: Largest distance of a row's sum from 1",
        "[tool.firstlight.checks.loss-double-activation]",
        "# firstlight: ignore[loss-double-activation] reason",
        "loss-double-activation: softmax before cross_entropy",
    ):
        assert part in out


def test_a_cause(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, "HP-lr-high")
    assert out.startswith("cause hp-lr-high\n  learning rate too high\n")
    assert "FL501 loss-explodes" in out
    assert "FL601 value-nonfinite" in out
    assert "hp, 0.018 of all bugs" in out


def test_a_cause_no_check_names_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no check yet" in explained(capsys, "rl-stale")


def test_a_name_that_is_both_is_explained_as_both(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, "loss-broadcast")
    assert "error[FL201] loss-broadcast" in out
    assert "\ncause loss-broadcast\n" in out


@pytest.mark.parametrize(
    ("word", "meant"),
    [("loss-broadcst", "`loss-broadcast`"), ("FL2O3", "`FL203`"), ("hp-lr-hihg", "`hp-lr-high`")],
)
def test_a_typo_is_answered_with_at_most_three_names(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", word]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"`{word}` is neither a check nor a cause. Did you mean " in captured.err
    assert meant in captured.err
    assert captured.err.count(" or ") <= 2
    assert "`firstlight checks` lists" in captured.err


def test_a_word_like_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "qqqqqqqq"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(explained(capsys, "FL501", "--format", "json"))
    assert plain["cause"] is None
    assert plain["check"]["id"] == "FL501"
    assert plain["check"]["causes"] == [{"slug": "hp-lr-high", "meaning": "learning rate too high"}]
    assert {"key": "window", "value": 5, "reason": "Number of values at each end whose medians are compared."} in plain[
        "check"
    ]["limits"]
    cause = json.loads(explained(capsys, "hp-lr-high", "--format", "json"))["cause"]
    assert (cause["category"], cause["prior"]) == ("hp", 0.018)
    assert {"id": "FL501", "name": "loss-explodes"} in cause["checks"]


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, "loss-broadcast", "--format", "markdown")
    assert "# FL201 loss-broadcast" in out
    assert "\n# loss-broadcast\n" in out


@EVERY_CHECK
def test_every_check_has_a_whole_page_that_fits_the_terminal(
    check: Check, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = pages.page_of(check)
    assert [field.name for field in dataclasses.fields(page) if getattr(page, field.name) in ("", None)] == []
    assert [row.key for row in page.limits if not row.reason] == []
    lines = explained(capsys, check.id).splitlines()
    assert [line for line in lines if len(line) > 80 and "examples/" not in line] == []


@EVERY_CHECK
def test_the_override_shown_is_one_that_settings_accept(check: Check, tmp_path: Path) -> None:
    page = pages.page_of(check)
    (tmp_path / "pyproject.toml").write_text(pages.override(page), encoding="utf-8")
    assert enabled(load(tmp_path)) == CATALOGUE


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.slug)
def test_every_cause_is_explained(cause: object, capsys: pytest.CaptureFixture[str]) -> None:
    slug = str(cause.slug)  # type: ignore[attr-defined]  # parametrized
    assert f"cause {slug}" in explained(capsys, slug)


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (3, "3"), (1e-3, "0.001"), ("a", '"a"'), (1e-8, "1e-08")])
def test_values_are_written_as_toml(value: bool | int | float | str, text: str) -> None:
    assert pages.written(value) == text
    assert tomllib.loads(f"a = {text}")["a"] == value


def test_a_limit_without_a_reason_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        'class Limits:\n    a: int = 1\n    """Two\n    lines."""\n    b: int = 2\n    c: int = 3\n    """Why."""\n'
    )
    monkeypatch.setattr("inspect.getsource", lambda _module: source)
    limits = types.new_class("Limits")
    limits.__module__ = __name__
    assert pages.reasons_of(limits) == {"a": "Two lines.", "c": "Why."}


def test_without_sources_a_page_still_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_source(_module: object) -> str:
        raise OSError("could not get source code")

    monkeypatch.setattr("inspect.getsource", no_source)
    page = pages.page_of(check_named("FL203"))
    assert page.limits[0].key == "sum-error"
    assert page.limits[0].reason == ""


def test_markdown_holds_the_examples_given() -> None:
    examples = pages.Examples(fails="buggy()", healthy="good()", answer="error[FL201] ```")
    text = pages.markdown(pages.page_of(check_named("FL201")), explain.MEANINGS, examples)
    assert "```python\nbuggy()\n```" in text
    assert "```python\ngood()\n```" in text
    assert "````text\nerror[FL201] ```\n````" in text
    assert "the fact decides by itself" in text


def test_interventions_go_from_fast_to_invasive(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(explained(capsys, "interventions", "--format", "json"))
    stages = list(dict.fromkeys(one["stage"] for one in shown))
    assert stages == [interventions.WATCHED, interventions.COPIES, interventions.COMMANDS]
    for stage in stages:
        costs = [one["cost"] for one in shown if one["stage"] == stage]
        assert costs == sorted(costs)
    assert {"lr-tenth", "lr-find", "against"} <= {one["name"] for one in shown}
    assert "firstlight lr-find: which learning rate?" in explained(capsys, "interventions")
