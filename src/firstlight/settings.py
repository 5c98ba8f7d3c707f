"""What the user chose: defaults, then the file, then the flags of the command, each over the one before.

The file is the nearest upward that speaks of firstlight: `firstlight.toml`, or `[tool.firstlight]` in `pyproject.toml`.
Nothing in it is passed over: a key, check or limit that does not exist is an error with the nearest one that does.
"""

import dataclasses
import difflib
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from firstlight.checks.catalogue import named
from firstlight.checks.declare import Check
from firstlight.checks.retired import retired
from firstlight.errors import SettingsError, UnreadableError, UsageError
from firstlight.plugins import all_checks
from firstlight.records.finding import Severity
from firstlight.store import plain_files
from firstlight.store.run_directory import shown

Profile = Literal["quick", "standard", "deep"]
EngineName = Literal["auto", "fork", "fresh", "ray"]
Limit = bool | int | float | str
Steps = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=604_800)]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    steps: int
    seconds: float
    """Of training; what comes before the first step has `startup-seconds`."""
    timeline_seconds: float = 8.0
    """Of one experiment on a copy of the program; one that is slower is compared over fewer steps."""
    full_steps: int = 8
    """So many first steps are observed operation by operation."""
    sample_every: int = 25
    """After those, one step in so many is."""
    longer: float = 1.0
    """Times the steps and seconds for a program that shows no sign of learning yet: slow is not ill."""


PROFILES: dict[str, Budget] = {
    "quick": Budget(steps=60, seconds=8.0),
    "standard": Budget(steps=600, seconds=20.0, longer=4.0),
    "deep": Budget(steps=5000, seconds=300.0),
}


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    profile: Profile = "standard"
    """How long to watch: the budgets of steps and seconds together."""
    steps: Steps | None = None
    """Training steps to watch, in place of the profile's."""
    seconds: Seconds | None = None
    """Seconds of training to watch, in place of the profile's."""
    startup_seconds: Seconds = 120.0
    """Seconds the script has to reach its first training step."""
    select: tuple[str, ...] | None = None
    """Checks to run, by id or name; all when left out. The checks of the run itself (FL0xx) always run."""
    ignore: tuple[str, ...] = ()
    """Checks to leave out, by id or name."""
    severity: dict[str, Severity] = {}
    """Another severity for a check, by id or name: `error`, `warning` or `note`."""
    checks: dict[str, dict[str, Limit]] = {}
    """A table for each check, by id or name, with the limits to change; `firstlight explain NAME` lists them."""
    strict: bool = False
    """A warning makes the verdict ill."""
    engine: EngineName = "auto"
    """How experiments are made: `fork` copies the script at its first batch, `fresh` runs it anew, `ray` does so as Ray
    tasks; `auto` forks where that works, else runs it anew."""
    contain: bool = True
    """Keep what the script writes out of your directories and trackers."""

    @property
    def budget(self) -> Budget:
        """Who gives the program more seconds than the profile does gives its copies as much more."""
        chosen = PROFILES[self.profile]
        seconds = chosen.seconds if self.seconds is None else self.seconds
        return dataclasses.replace(
            chosen,
            steps=chosen.steps if self.steps is None else self.steps,
            seconds=seconds,
            timeline_seconds=chosen.timeline_seconds * seconds / chosen.seconds,
            longer=chosen.longer if self.steps is None and self.seconds is None else 1.0,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _Origin:
    """Where values were written, so that messages can say so."""

    file: str
    prefix: tuple[str, ...] = ()

    mark: str = "--"
    """Before the name of what is in no file: a flag, or nothing for an argument in Python."""

    def at(self, *keys: str) -> str:
        if not self.file:
            return f"`{self.mark}{keys[0]}`"
        return f"{self.file}: `{'.'.join((*self.prefix, *keys))}`"

    def error(self, message: str) -> UsageError:
        return SettingsError(message) if self.file else UsageError(message)


_FLAGS, _ARGUMENTS = _Origin(""), _Origin("", mark="")


def _several(names: Sequence[str] | None) -> list[str] | None:
    """One name by itself is a list of one; several may stand in one text, as on the command line."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    return None if names is None else list(names)


def load(  # noqa: PLR0913 (one parameter per flag)
    cwd: Path,
    *,
    profile: str | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    startup_seconds: float | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    strict: bool | None = None,
    engine: str | None = None,
    contain: bool | None = None,
    in_python: bool = False,
) -> Settings:
    """The settings for a command started in `cwd`; a flag that is None was not given. `in_python` it was an argument.

    A `profile` flag sets aside the file's steps and seconds; a `select` flag, the file's `ignore` of the same checks.
    """
    origin, table = _find(cwd)
    catalogue = all_checks()
    values = _values(origin, table, catalogue)
    given = {
        "profile": profile,
        "steps": steps,
        "seconds": seconds,
        "startup-seconds": startup_seconds,
        "select": _several(select),
        "ignore": _several(ignore),
        "strict": strict,
        "engine": engine,
        "contain": contain,
    }
    origin = _ARGUMENTS if in_python else _FLAGS
    flags = _values(origin, {key: value for key, value in given.items() if value is not None}, catalogue)
    if "profile" in flags:
        values = {key: value for key, value in values.items() if key not in ("steps", "seconds")}
    if "select" in flags:
        values["ignore"] = tuple(name for name in values.get("ignore", ()) if name not in flags["select"])
    return Settings(**values | flags)


def enabled(settings: Settings) -> tuple[Check, ...]:
    """The checks to run, in the catalogue's order, with the user's severities and limits in place."""
    catalogue = all_checks()
    origin = _Origin("settings")
    selected = None if settings.select is None else _names(origin, "select", settings.select, catalogue)
    ignored = _names(origin, "ignore", settings.ignore, catalogue)
    severities = _severities(origin, settings.severity, catalogue)
    limits = _all_limits(origin, settings.checks, catalogue)
    return tuple(
        dataclasses.replace(
            check,
            severity=severities.get(check.name, check.severity),
            imposed=severities.get(check.name),
            limits=dataclasses.replace(check.limits, **limits.get(check.name, {})),
        )
        for check in catalogue
        if check.name not in ignored and (selected is None or check.name in selected or is_about_the_run(check))
    )


def _find(cwd: Path) -> tuple[_Origin, dict[str, Any]]:
    """The nearest table of settings and where it stands; an empty one where there is none."""
    for folder in (cwd.resolve(), *cwd.resolve().parents):
        own, project = folder / "firstlight.toml", folder / "pyproject.toml"
        if os.path.lexists(own):
            return _Origin(shown(own)), _parsed(own)
        if os.path.lexists(project):
            tool = _parsed(project).get("tool", {})
            if isinstance(tool, dict) and "firstlight" in tool:
                origin = _Origin(shown(project), ("tool", "firstlight"))
                return origin, _table(origin, (), tool["firstlight"])
    return _Origin("firstlight.toml"), {}


MOST_BYTES = 4 << 20


def is_about_the_run(check: Check) -> bool:
    return check.id.startswith("FL0")


def _parsed(path: Path) -> dict[str, Any]:
    name = shown(path)
    try:
        text = plain_files.contents(path, MOST_BYTES, follow=True).decode("utf-8")
        return tomllib.loads(text)
    except UnreadableError as problem:
        raise SettingsError(f"{problem}. Settings are read from there.") from None
    except UnicodeDecodeError as problem:
        raise SettingsError(f"{name}: not valid TOML: byte {problem.start} is not UTF-8") from None
    except tomllib.TOMLDecodeError as problem:
        place = re.search(r"at line (\d+)", str(problem))
        line = place.group(1) if place else text.rstrip("\n").count("\n") + 1
        raise SettingsError(f"{name}:{line}: not valid TOML: {problem}") from None
    except (RecursionError, ValueError) as problem:
        raise SettingsError(f"{name}: cannot be read as settings: {problem}") from None


def _values(origin: _Origin, table: dict[str, Any], catalogue: tuple[Check, ...]) -> dict[str, Any]:
    """Checked and typed, by field; checks go by their names from here on."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(Settings)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in fields:
            keys = ", ".join(fields)
            raise origin.error(f"{origin.at(key)} is no setting{nearest(key, fields)} The settings are {keys}.")
        match key:
            case "profile" | "engine":
                typed: Any = _choice(origin, (key,), value, get_args(fields[key].type))
            case "severity":
                typed = _severities(origin, _table(origin, (key,), value), catalogue)
            case "checks":
                typed = _all_limits(origin, _table(origin, (key,), value), catalogue)
            case "select" | "ignore":
                typed = _names(origin, key, _converted(origin, key, value, tuple[str, ...]), catalogue)
            case _:
                typed = _converted(origin, key, value, fields[key].type)
        values[fields[key].name] = typed
    return values


def _converted(origin: _Origin, key: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as problem:
        wanted, _, place = str(problem).partition(" - at `$")
        raise origin.error(f"{origin.at(key)}{place.rstrip('`')} is {value!r}: {wanted}.") from None


def _choice(origin: _Origin, keys: tuple[str, ...], value: Any, names: Iterable[str]) -> str:
    if value in (names := tuple(names)):
        return str(value)
    raise origin.error(f"{origin.at(*keys)} is {value!r}; it takes {', '.join(names)}{nearest(value, names)}")


def _table(origin: _Origin, keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise origin.error(f"{origin.at(*keys)} is {value!r}; it takes a table.")


def _names(origin: _Origin, key: str, words: Iterable[str], catalogue: tuple[Check, ...]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(_check(origin, (key,), word, catalogue).name for word in words))
    if key == "select" and not names:
        raise origin.error(f"{origin.at(key)} is empty, so nothing would be judged. Leave it out to run every check.")
    return names


def _check(origin: _Origin, keys: tuple[str, ...], word: str, catalogue: tuple[Check, ...]) -> Check:
    check = named(word, catalogue)
    if check is None:
        known = [name for each in catalogue for name in (each.id, each.name)]
        raise origin.error(
            f"{origin.at(*keys)}: `{word}` is no check{nearest(word, known)} `firstlight checks` lists them all."
        )
    return check


def _severities(origin: _Origin, table: dict[str, Any], catalogue: tuple[Check, ...]) -> dict[str, Severity]:
    severities: dict[str, Severity] = {}
    for word, value in table.items():
        check = _check(origin, ("severity", word), word, catalogue)
        _once(origin, "severity", check.name, severities)
        severities[check.name] = Severity(_choice(origin, ("severity", word), value, Severity))
    return severities


def _all_limits(origin: _Origin, table: dict[str, Any], catalogue: tuple[Check, ...]) -> dict[str, dict[str, Limit]]:
    limits: dict[str, dict[str, Limit]] = {}
    for word, value in table.items():
        check = _check(origin, ("checks", word), word, catalogue)
        _once(origin, "checks", check.name, limits)
        limits[check.name] = _limits(origin, word, check, _table(origin, ("checks", word), value))
    return limits


def _once(origin: _Origin, key: str, name: str, seen: dict[str, Any]) -> None:
    if name in seen:
        raise origin.error(
            f"{origin.at(key)} names {name} twice: by id, name, or a check that was merged into it. Keep one of them."
        )


def _limits(origin: _Origin, word: str, check: Check, table: dict[str, Any]) -> dict[str, Limit]:
    limits: dict[str, Limit] = {}
    known = {field.name.replace("_", "-"): field.name for field in dataclasses.fields(check.limits)}
    for key, value in table.items():
        place, name = origin.at("checks", word, key), known.get(key.replace("_", "-"))
        if name is None:
            rest = f"{nearest(key, known)} `firstlight explain {check.name}` lists them." if known else "; it has none."
            gone = f", into which {word} was merged" if retired(word) else ""
            raise origin.error(f"{place} is no limit of {check.name}{gone}{rest}")
        if name in limits:
            raise origin.error(f"{place} is given twice, with `-` and with `_`. Keep one of them.")
        default = getattr(check.limits, name)
        if not _fits(value, default):
            kind = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}[type(default)]
            raise origin.error(f"{place} is {value!r}; it takes {kind}, such as {default!r}.")
        limits[name] = float(value) if isinstance(default, float) else value
    return limits


def _fits(value: Any, default: Limit) -> bool:
    if isinstance(default, float):
        return type(value) in (int, float) and abs(value) <= sys.float_info.max
    return type(value) is type(default)


def nearest(word: Any, names: Iterable[str]) -> str:
    """The end of the sentence, with the nearest valid name where there is one."""
    by_lower = {name.lower(): name for name in names}
    found = difflib.get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.5)
    return f"; the nearest is `{by_lower[found[0]]}`." if found else "."
