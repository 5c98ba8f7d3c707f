"""All checks, by id: one for each file in the folders of `lookup.SECTIONS`, and nothing else registers one."""

from firstlight.checks.declare import Check
from firstlight.checks.lookup import card, files
from firstlight.checks.retired import successor

CATALOGUE: tuple[Check, ...] = tuple(sorted(map(card, files()), key=lambda check: int(check.id.removeprefix("FL"))))


def named(word: str, catalogue: tuple[Check, ...] = CATALOGUE) -> Check | None:
    """By id or name, in any case; by that of a retired check, its successor."""
    word = successor(word).lower()
    return next((check for check in catalogue if word in (check.id.lower(), check.name)), None)
