"""Reads healthy programs from their folders, and says which key of which file is wrong."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from zoo.errors import ZooError
from zoo.records import Metric, Program

FOLDER = Path(__file__).parent / "programs"
DESCRIPTION = "program.toml"
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
KEYS = frozenset({"title", "domain", "style", "command", "needs", "seconds", "metric"})
METRIC_KEYS = frozenset({"name", "pattern", "better", "reaches", "chance"})


def load_all(folder: Path = FOLDER) -> tuple[list[Program], list[ZooError]]:
    """The programs below `folder` in the order of their names, and what is wrong with those that cannot be read."""
    programs: list[Program] = []
    problems: list[ZooError] = []
    for description in sorted(folder.glob(f"*/{DESCRIPTION}")):
        try:
            programs.append(load(description.parent))
        except ZooError as problem:
            problems.append(problem)
    return programs, problems


def load(folder: Path) -> Program:
    where = f"{folder.name}/{DESCRIPTION}"
    if not SLUG.fullmatch(folder.name):
        raise ZooError(f"{folder.name}: the name of a program's folder is in kebab-case, as in `digits-cnn`")
    try:
        table = tomllib.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ZooError(f"{where}: {problem}") from problem
    described = _Table(table, where, KEYS)
    program = Program(
        slug=folder.name,
        folder=folder,
        title=described.text("title"),
        domain=described.text("domain"),
        style=described.words("style"),
        command=described.words("command"),
        needs=described.words("needs"),
        seconds=described.number("seconds"),
        metric=_metric(described.table("metric")),
        files=_texts(folder),
    )
    if program.seconds <= 0:
        raise ZooError(f"{where}: `seconds` is {program.seconds:g}; it is the measured time of a run, above 0")
    if not program.command:
        raise ZooError(f'{where}: `command` is empty; it is what follows `python`, as in ["train.py"]')
    script = program.command[0]
    if script.endswith(".py") and script not in program.files:
        raise ZooError(f"{where}: `command` names {script}, which is not in the folder")
    return program


def _metric(described: "_Table") -> Metric:
    pattern, better = described.text("pattern"), described.text("better")
    try:
        groups = re.compile(pattern).groups
    except re.error as problem:
        raise described.wrong("pattern", pattern, f"a regular expression ({problem})") from problem
    if groups != 1:
        raise described.wrong("pattern", pattern, f"a regular expression with one group, not {groups}")
    metric = Metric(
        name=described.text("name"),
        pattern=pattern,
        better=_direction(better, described),
        reaches=described.number("reaches"),
        chance=described.number("chance"),
    )
    if metric.reaches == metric.chance or (metric.reaches > metric.chance) != (metric.better == "higher"):
        raise described.wrong("reaches", metric.reaches, f"{metric.better} than `chance`, which is {metric.chance:g}")
    return metric


def _direction(word: str, described: "_Table") -> Literal["higher", "lower"]:
    if word == "higher":
        return "higher"
    if word == "lower":
        return "lower"
    raise described.wrong("better", word, '"higher" or "lower"')


def _texts(folder: Path) -> dict[str, str]:
    """Every text file of a program; what a run or an editor left behind is no part of it."""
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or path.name == DESCRIPTION or any(_is_left_over(part) for part in inside.parts):
            continue
        try:
            texts[inside.as_posix()] = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
    return texts


def _is_left_over(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


class _Table:
    """A table of a description, whose values are asked for by key and kind."""

    def __init__(self, values: Mapping[str, Any], where: str, keys: frozenset[str]) -> None:
        self._values = values
        self._where = where
        for key in sorted(keys - set(values)):
            raise ZooError(f"{where}: `{key}` is missing")
        for key in sorted(set(values) - keys):
            raise ZooError(f"{where}: `{key}` is unknown; known are {', '.join(sorted(keys))}")

    def wrong(self, key: str, value: object, wanted: str) -> ZooError:
        return ZooError(f"{self._where}: `{key}` is {value!r}; wanted is {wanted}")

    def text(self, key: str) -> str:
        value = self._values[key]
        if not isinstance(value, str) or not value:
            raise self.wrong(key, value, "a text")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        value = self._values[key]
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.wrong(key, value, "a list of texts")
        return tuple(value)

    def number(self, key: str) -> float:
        value = self._values[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(key, value, "a number")
        return float(value)

    def table(self, key: str) -> "_Table":
        value = self._values[key]
        if not isinstance(value, dict):
            raise self.wrong(key, value, "a table")
        return _Table(value, f"{self._where} [{key}]", METRIC_KEYS)
