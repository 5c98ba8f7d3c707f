"""The one table of formats: every command that judges offers all of them, and they say the same."""

from collections.abc import Callable
from dataclasses import dataclass

from firstlight.records.chronicle import Chronicle
from firstlight.records.printable import inert, printable
from firstlight.records.report import Report

LISTED = ("sources", "event-log", "tables")
"""Subjects whose findings are told line by line, as a compiler does."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A report, and how it is wanted."""

    report: Report
    chronicle: Callable[[], Chronicle] = Chronicle
    """What the run measured; only a page needs it, and then it is read."""
    colour: bool = False
    strict: bool = False
    """Warnings count as failures."""
    statistics: bool = False
    """Of a report on sources: counts in place of the findings."""
    trail: bool = False
    """Of a diagnosis: every step of the reasoning."""


def _terminal(asked: Asked) -> str:
    from firstlight.report import listing, mutants, terminal

    if asked.report.mutants:
        return inert(mutants.render(asked.report, asked.colour))
    if asked.report.subject.kind in LISTED:
        return inert(listing.render(asked.report, asked.colour, asked.statistics))
    text = terminal.render(asked.report, asked.colour)
    trail = printable("\n".join(asked.report.trail)) + "\n" if asked.trail else ""
    return inert(f"{text}\n{trail}" if trail else text)


def _brief(asked: Asked) -> str:
    from firstlight.report import listing

    return inert(listing.render(asked.report, asked.colour, asked.statistics, brief=True))


def _json(asked: Asked) -> str:
    from firstlight.report import json

    return json.render(asked.report)


def _markdown(asked: Asked) -> str:
    from firstlight.report import markdown

    return inert(markdown.render(asked.report))


def _html(asked: Asked) -> str:
    from firstlight.report import html

    return html.render(asked.report, asked.chronicle())


def _junit(asked: Asked) -> str:
    from firstlight.report import junit

    return inert(junit.render(asked.report, asked.strict))


def _sarif(asked: Asked) -> str:
    from firstlight.report import sarif

    return sarif.render(asked.report)


def _github(asked: Asked) -> str:
    from firstlight.report import github

    return github.render(asked.report)


RENDERERS: dict[str, Callable[[Asked], str]] = {
    "terminal": _terminal,
    "brief": _brief,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
    "junit": _junit,
    "sarif": _sarif,
    "github": _github,
}
"""Each imports its own: `firstlight --help` pays for none of them."""
