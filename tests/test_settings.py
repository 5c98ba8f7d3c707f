"""Settings: what is accepted, what overrides what, and that nothing in a file is passed over."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.checks.catalogue import CATALOGUE
from firstlight.errors import SettingsError, UsageError
from firstlight.records.finding import Severity
from firstlight.settings import PROFILES, Settings, enabled, load

NAMES = [check.name for check in CATALOGUE]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "pyproject.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def names(checks: Any) -> list[str]:
    return [check.name for check in checks]


def test_defaults_without_a_file(project: Path) -> None:
    assert load(project) == Settings()
    assert load(project).budget == PROFILES["standard"]


def test_profiles_grow() -> None:
    steps = [PROFILES[name].steps for name in ("quick", "standard", "deep")]
    seconds = [PROFILES[name].seconds for name in ("quick", "standard", "deep")]
    assert steps == sorted(set(steps))
    assert seconds == sorted(set(seconds))


def test_the_file_overrides_the_defaults_and_flags_the_file(project: Path) -> None:
    write(project, '[tool.firstlight]\nprofile = "quick"\nsteps = 7\nstrict = true\nstartup-seconds = 9\n')
    assert load(project).budget.steps == 7
    assert load(project).budget.seconds == PROFILES["quick"].seconds
    assert load(project).startup_seconds == 9.0
    assert load(project, engine="fresh").engine == "fresh"
    overridden = load(project, steps=3, strict=False, contain=False, startup_seconds=1.5)
    assert (overridden.steps, overridden.strict, overridden.contain, overridden.startup_seconds) == (
        3,
        False,
        False,
        1.5,
    )


def test_a_profile_flag_sets_aside_the_files_budget(project: Path) -> None:
    write(project, "[tool.firstlight]\nsteps = 7\nseconds = 1\n")
    assert load(project, profile="deep").budget == PROFILES["deep"]
    assert load(project, profile="deep", steps=5).budget.steps == 5


def test_the_nearest_file_that_speaks_of_firstlight_is_read(project: Path) -> None:
    inner = project / "package" / "deep"
    inner.mkdir(parents=True)
    write(project, "[tool.firstlight]\nsteps = 1\n")
    write(inner.parent, '[project]\nname = "other"\n')
    assert load(inner).steps == 1
    write(inner.parent, "[tool.firstlight]\nsteps = 2\n")
    assert load(inner).steps == 2
    write(inner.parent, "steps = 3\n", "firstlight.toml")
    assert load(inner).steps == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stepz = 3", ["`tool.firstlight.stepz`", "`steps`", "startup-seconds"]),
        ('steps = "many"', ["`tool.firstlight.steps`", "'many'", "Expected `int"]),
        ("steps = 0", ["`tool.firstlight.steps`", ">= 1"]),
        ("steps = true", ["`tool.firstlight.steps`", "bool"]),
        ("seconds = -1", ["`tool.firstlight.seconds`", "> 0"]),
        ("seconds = nan", ["`tool.firstlight.seconds`"]),
        ("seconds = inf", ["`tool.firstlight.seconds`"]),
        ('profile = "quik"', ["`tool.firstlight.profile`", "`quick`", "deep"]),
        ('engine = "forks"', ["`tool.firstlight.engine`", "auto, fork, fresh, ray", "`fork`"]),
        ("profile = 3", ["`tool.firstlight.profile`", "quick, standard, deep"]),
        ('select = "FL203"', ["`tool.firstlight.select`", "array"]),
        ("select = [3]", ["`tool.firstlight.select`[0]", "str"]),
        ("select = []", ["`tool.firstlight.select`", "empty"]),
        ('select = ["FL9011"]', ["`tool.firstlight.select`", "`FL901`", "`firstlight checks`"]),
        ('ignore = ["los-broadcast"]', ["`tool.firstlight.ignore`", "`loss-broadcast`", "`firstlight checks`"]),
        ('severity = "error"', ["`tool.firstlight.severity`", "table"]),
        ('severity.loss-brodcast = "error"', ["`tool.firstlight.severity.loss-brodcast`", "`loss-broadcast`"]),
        ('severity.FL201 = "eror"', ["`tool.firstlight.severity.FL201`", "`error`", "warning"]),
        ("checks.loss-explodes = 3", ["`tool.firstlight.checks.loss-explodes`", "table"]),
        ("checks.loss-explode.growth = 3", ["`tool.firstlight.checks.loss-explode`", "`loss-explodes`"]),
        (
            "checks.loss-explodes.growht = 3",
            ["`tool.firstlight.checks.loss-explodes.growht`", "`growth`", "`firstlight explain loss-explodes`"],
        ),
        ('checks.loss-explodes.growth = "x"', ["`tool.firstlight.checks.loss-explodes.growth`", "a number", "20.0"]),
        ("checks.loss-explodes.growth = nan", ["`tool.firstlight.checks.loss-explodes.growth`"]),
        ("checks.loss-explodes.window = 2.5", ["`tool.firstlight.checks.loss-explodes.window`", "a whole number"]),
        ("checks.loss-explodes.window = true", ["a whole number"]),
        ("checks.loss-broadcast.anything = 1", ["no limit of loss-broadcast", "it has none"]),
        ("checks.loss-explodes.weight-growth = 3\nchecks.loss-explodes.weight_growth = 3", ["twice"]),
        ("checks.FL501.growth = 3\nchecks.loss-explodes.growth = 3", ["twice", "loss-explodes"]),
        ('severity.FL501 = "note"\nseverity.loss-explodes = "note"', ["twice"]),
        ('strict = "yes"', ["`tool.firstlight.strict`", "bool"]),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_nearest_name(project: Path, text: str, said: list[str]) -> None:
    write(project, f"[tool.firstlight]\n{text}\n")
    with pytest.raises(SettingsError) as caught:
        load(project)
    message = str(caught.value)
    assert message.startswith("pyproject.toml: ")
    assert [part for part in said if part not in message] == []


def test_keys_of_the_own_file_have_no_prefix(project: Path) -> None:
    write(project, "stepz = 3\n", "firstlight.toml")
    with pytest.raises(SettingsError, match=r"^firstlight\.toml: `stepz` is no setting; the nearest is `steps`"):
        load(project)


@pytest.mark.parametrize("text", ["[tool]\nfirstlight = 3\n", "tool.firstlight = []\n"])
def test_the_section_is_a_table(project: Path, text: str) -> None:
    write(project, text)
    with pytest.raises(SettingsError, match=r"^pyproject\.toml: `tool\.firstlight` is .* takes a table"):
        load(project)


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = = 2\n", 2), ("a = 1\n\nb = [1,\n", 3), ("a = 1\na = 2", 2)])
def test_broken_toml_is_told_with_its_line(project: Path, text: str, line: int) -> None:
    write(project, text, "firstlight.toml")
    with pytest.raises(SettingsError, match=rf"^firstlight\.toml:{line}: not valid TOML"):
        load(project)


def test_bytes_that_are_no_text(project: Path) -> None:
    (project / "firstlight.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(SettingsError, match="byte 5 is not UTF-8"):
        load(project)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"select": ["los-broadcast"]}, "`--select`: `los-broadcast` is no check; the nearest is `loss-broadcast`"),
        ({"ignore": ["qqq-zzz-xxx"]}, "`--ignore`.*is no check. `firstlight checks`"),
        ({"select": []}, "`--select` is empty"),
        ({"profile": "slow"}, "`--profile` is 'slow'"),
        ({"startup_seconds": 0.0}, "`--startup-seconds` is 0.0"),
    ],
)
def test_a_mistake_in_a_flag_names_the_flag(project: Path, flags: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load(project, **flags)
    assert not isinstance(caught.value, SettingsError)


def test_everything_runs_by_default() -> None:
    assert enabled(Settings()) == CATALOGUE


ABOUT_THE_RUN = [check.name for check in CATALOGUE if check.id.startswith("FL0")]


def test_select_keeps_the_checks_of_the_run(project: Path) -> None:
    chosen = enabled(load(project, select=["fl203", "loss-broadcast"]))
    assert names(chosen) == [*ABOUT_THE_RUN, "loss-broadcast", "loss-double-activation"]


def test_the_checks_of_the_run_go_only_when_ignored(project: Path) -> None:
    left = enabled(load(project, select=["FL203"], ignore=["FL001"]))
    assert names(left) == [*ABOUT_THE_RUN[1:], "loss-double-activation"]


def test_a_select_flag_beats_an_ignore_of_the_file(project: Path) -> None:
    write(project, '[tool.firstlight]\nignore = ["FL203", "FL201"]\n')
    assert "loss-double-activation" not in names(enabled(load(project)))
    flagged = load(project, select=["loss-double-activation"])
    assert "loss-double-activation" in names(enabled(flagged))
    assert flagged.ignore == ("loss-broadcast",)


def test_severity_and_limits_make_new_checks(project: Path) -> None:
    write(
        project,
        '[tool.firstlight.severity]\nFL501 = "note"\n'
        "[tool.firstlight.checks.loss-explodes]\ngrowth = 3\nweight-growth = 1.5\nwindow = 4\n",
    )
    before = {check.name: check for check in CATALOGUE}
    after = {check.name: check for check in enabled(load(project))}
    changed = after["loss-explodes"]
    assert changed.severity is Severity.NOTE
    assert (changed.limits.growth, changed.limits.weight_growth, changed.limits.window) == (3.0, 1.5, 4)
    assert isinstance(changed.limits.growth, float)
    assert changed.limits.values == before["loss-explodes"].limits.values
    assert before["loss-explodes"].severity is Severity.ERROR
    assert {name for name in after if after[name] != before[name]} == {"loss-explodes"}


def test_settings_made_in_code_are_held_to_the_same_rules() -> None:
    with pytest.raises(UsageError, match="`FL999` is no check"):
        enabled(Settings(ignore=("FL999",)))
    with pytest.raises(UsageError, match="a number"):
        enabled(Settings(checks={"loss-explodes": {"growth": "x"}}))


WORDS = st.sampled_from(["steps", "seconds", "select", "ignore", "severity", "checks", "profile", "FL203", *NAMES])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(table=st.dictionaries(WORDS | st.text(), PLAIN, max_size=5))
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_table_is_accepted_or_told(table: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstlight.settings._parsed", lambda _path: table)
    monkeypatch.setattr(Path, "is_file", lambda path: path.name == "firstlight.toml")
    said = "accepted, firstlight.toml"
    try:
        assert set(names(enabled(load(Path())))) <= set(NAMES)
    except SettingsError as problem:
        said = str(problem)
    assert "firstlight.toml" in said


@given(
    steps=st.integers(1, 10**9),
    seconds=st.floats(0.001, 604_800),
    ignore=st.lists(st.sampled_from(NAMES), unique=True),
    severity=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(list(Severity))),
)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_what_is_written_is_what_is_read(
    tmp_path: Path, steps: int, seconds: float, ignore: list[str], severity: dict[str, Severity]
) -> None:
    lines = [f"steps = {steps}", f"seconds = {seconds!r}", f"ignore = {ignore!r}"]
    lines += [f'severity.{name} = "{value}"' for name, value in severity.items()]
    write(tmp_path, "\n".join(lines), "firstlight.toml")
    assert load(tmp_path) == Settings(steps=steps, seconds=seconds, ignore=tuple(ignore), severity=severity)
