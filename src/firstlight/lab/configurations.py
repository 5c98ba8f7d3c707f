"""Two configurations, how they differ, and what lies between them: files of TOML, YAML or JSON, or arguments."""

import copy
import datetime
import json
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.errors import UsageError
from firstlight.store import plain_files

SUFFIXES = (".toml", ".yaml", ".yml", ".json")
MOST_BYTES = 4 << 20
Tree = dict[str, Any]


class Absent:
    """Stands for a key that one side does not have."""


@dataclass(frozen=True, slots=True)
class Difference:
    path: tuple[str, ...]
    good: Any
    bad: Any

    @property
    def name(self) -> str:
        return ".".join(self.path)

    def told(self) -> str:
        return f"{self.name}: {_shown(self.name, self.good)} → {_shown(self.name, self.bad)}"


def _shown(name: str, value: Any) -> str:
    """Words of a command line as they are typed, and what a file holds as JSON."""
    if value is Absent:
        return "absent"
    if name.startswith(("-", "#")):
        return " ".join(value) or "given"
    return json.dumps(value, default=str, ensure_ascii=False)


def is_configuration(word: str) -> bool:
    return Path(word).suffix in SUFFIXES and Path(word).is_file()


def are_arguments(word: str) -> bool:
    return word.startswith("-") or word == ""


def read(word: str) -> Tree:
    path = Path(word)
    text = plain_files.contents(path, MOST_BYTES, follow=True).decode("utf-8", "replace")
    try:
        if path.suffix == ".toml":
            return tomllib.loads(text)
        found = json.loads(text) if path.suffix == ".json" else _yaml().safe_load(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{word} cannot be read: {' '.join(str(problem).split())}") from None
    except Exception as problem:
        if type(problem).__module__.partition(".")[0] != "yaml":
            raise
        raise UsageError(f"{word} cannot be read: {' '.join(str(problem).split())}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{word} holds no mapping of keys to values.")
    return found


def arguments(text: str) -> Tree:
    """`--lr 0.1 --wd=0 --amp` by option; what belongs to none goes by its place."""
    found: Tree = {}
    option = None
    for word in shlex.split(text):
        if word.startswith("-") and not _is_number(word):
            name, sign, value = word.partition("=")
            found[name] = [value] if sign else []
            option = None if sign else name
        elif option is not None:
            found[option].append(word)
        else:
            found[f"#{len(found)}"] = [word]
    return found


def words_of(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """The arguments again."""
    return tuple(word for name, values in tree.items() for word in ([] if name.startswith("#") else [name]) + values)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def differences(good: Mapping[str, Any], bad: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[Difference]:
    """Tables are compared key by key; everything else as a whole."""
    found = []
    for key in dict.fromkeys((*good, *bad)):
        mine, theirs = good.get(key, Absent), bad.get(key, Absent)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found += differences(mine, theirs, (*path, str(key)))
        elif type(mine) is not type(theirs) or mine != theirs:
            found.append(Difference((*path, str(key)), mine, theirs))
    return found


def with_differences(good: Tree, chosen: Iterable[Difference]) -> Tree:
    """The good configuration with some of the values of the bad one."""
    tree = copy.deepcopy(good)
    for one in chosen:
        table = tree
        for key in one.path[:-1]:
            table = table[key]
        if one.bad is Absent:
            table.pop(one.path[-1], None)
        else:
            table[one.path[-1]] = one.bad
    return tree


def written(tree: Tree, suffix: str) -> str:
    if suffix == ".json":
        return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"
    if suffix == ".toml":
        return "".join(f"{'.'.join(map(_toml_key, path))} = {_toml(value)}\n" for path, value in _leaves(tree))
    return str(_yaml().safe_dump(tree, sort_keys=False, allow_unicode=True))


def _leaves(tree: Tree, path: tuple[str, ...] = ()) -> Iterable[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _toml_key(key: str) -> str:
    return json.dumps(key, ensure_ascii=False)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise UsageError("a YAML file needs PyYAML, which is not installed here: pip install pyyaml") from None
    return yaml
