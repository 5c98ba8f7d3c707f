"""What other distributions add to firstlight, found by entry point: checks and report formats.

A plug-in that cannot be loaded or breaks the rules is told of and left out. It never ends a command.
"""

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.checks.retired import RETIRED
from firstlight.diagnosis.causes import BY_SLUG
from firstlight.facts.sources import SOURCES
from firstlight.report.formats import RENDERERS, Asked

CHECKS, FORMATS = "firstlight.checks", "firstlight.formats"
OURS = "FL"
IDENTITY = re.compile(r"[A-Z]{2,8}\d{3}")
NAME = re.compile(r"[a-z]+(-[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Addition:
    """One entry point, and what became of it."""

    name: str
    group: str
    distribution: str
    version: str
    checks: tuple[Check, ...] = ()
    renderer: Callable[[Asked], str] | None = None
    problem: str | None = None
    """Why nothing of it is used."""

    @property
    def adds(self) -> str:
        if self.renderer is not None:
            return f"format {self.name}"
        return ", ".join(f"{check.id} {check.name}" for check in self.checks)


@functools.cache
def plugins() -> tuple[Addition, ...]:
    """Loaded once, in the order of their names; of two that clash, the later one is left out."""
    found: list[Addition] = []
    for group in (CHECKS, FORMATS):
        for point in sorted(entry_points(group=group), key=lambda one: (one.name, one.value)):
            found.append(_loaded(point, found))
    return tuple(found)


def all_checks() -> tuple[Check, ...]:
    """Our own, and those of plug-ins after them."""
    return CATALOGUE + tuple(check for plugin in plugins() for check in plugin.checks)


def renderers() -> dict[str, Callable[[Asked], str]]:
    return RENDERERS | {one.name: one.renderer for one in plugins() if one.renderer is not None}


def problems() -> tuple[str, ...]:
    """In words, for the limits of a report."""
    return tuple(
        f"the plug-in `{one.name}` of {one.distribution} is left out: {one.problem}"
        for one in plugins()
        if one.problem is not None
    )


def _loaded(point: EntryPoint, before: Iterable[Addition]) -> Addition:
    dist = point.dist
    plugin = Addition(
        point.name, point.group, dist.name if dist else "an unknown package", dist.version if dist else ""
    )
    try:
        given = point.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else's module; nothing of ours must end by it
        return replace(plugin, problem=f"it cannot be imported: {type(error).__name__}: {error}")
    if point.group == FORMATS:
        problem = _unfit_format(point.name, given, before)
        return replace(plugin, problem=problem) if problem else replace(plugin, renderer=given)
    problem = _unfit_checks(given, before)
    return replace(plugin, problem=problem) if problem else replace(plugin, checks=tuple(given))


def _unfit_format(name: str, given: Any, before: Iterable[Addition]) -> str | None:
    if not callable(given):
        return "it is not a function from what is asked to a text"
    taken = name in RENDERERS or any(one.renderer is not None and one.name == name for one in before)
    return f"the format `{name}` is there already" if taken else None


def _unfit_checks(given: Any, before: Iterable[Addition]) -> str | None:
    if not isinstance(given, tuple) or not all(isinstance(check, Check) for check in given):
        return "it is not a tuple of `firstlight.checks.declare.Check`"
    known = [*CATALOGUE, *(check for one in before for check in one.checks)]
    taken = {word for check in known for word in (check.id, check.name)}
    taken |= {word for one in RETIRED for word in (one.id, one.name)}
    for check in given:
        problem = _unfit(check, taken)
        if problem is not None:
            return f"{check.id} {check.name}: {problem}"
        taken |= {check.id, check.name}
    return None


def _unfit(check: Check, taken: set[str]) -> str | None:
    """The rules that our own checks are held to by tests."""
    if not IDENTITY.fullmatch(check.id) or check.id.startswith(OURS):
        return "its id must be two to eight capital letters, other than FL, and three digits"
    if not NAME.fullmatch(check.name):
        return "its name must be lower-case words joined by hyphens"
    if {check.id, check.name} & taken:
        return "another check has its id or name"
    if check.needs not in SOURCES:
        return f"`{getattr(check.needs, '__name__', check.needs)}` is not a fact that firstlight makes"
    strange = [cause for cause in check.causes if cause not in BY_SLUG]
    if strange or not check.causes:
        return f"`{strange[0] if strange else ''}` is not a cause; `docs/causes.md` has them all"
    return None
