"""Reports about files, in every format, to the screen or to a file."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from firstlight.checks.declare import Check
from firstlight.errors import UsageError
from firstlight.records.report import Report
from firstlight.report import github, junit, listing, sarif
from firstlight.report import json as json_report

FORMATS = ["terminal", "brief", "json", "sarif", "github", "junit"]


@dataclass(frozen=True, slots=True)
class Shown:
    form: str
    to_screen: bool
    strict: bool = False
    statistics: bool = False


def rendered(report: Report, checks: Sequence[Check], shown: Shown) -> str:
    match shown.form:
        case "json":
            return json_report.render(report) + "\n"
        case "sarif":
            return sarif.render(report, checks) + "\n"
        case "github":
            return github.render(report)
        case "junit":
            return junit.render(report, shown.strict) + "\n"
    return listing.render(report, shown.to_screen and _wants_colour(), shown.statistics, brief=shown.form == "brief")


def _wants_colour() -> bool:
    return not os.environ.get("NO_COLOR") and (bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty())


def deliver(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}.") from None


def listed(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())
