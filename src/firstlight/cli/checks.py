"""`firstlight checks`: the catalogue as a table."""

import difflib
import json
import textwrap
from collections.abc import Iterator

import click

from firstlight.checks.declare import Check
from firstlight.checks.lookup import section_of
from firstlight.diagnosis.causes import BY_SLUG, category_of
from firstlight.errors import UsageError
from firstlight.plugins import OURS, all_checks
from firstlight.records.finding import Severity
from firstlight.report.screen import screen_width

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}
CATEGORIES = sorted({cause.category for cause in BY_SLUG.values()})


@click.command("checks")
@click.argument("pattern", default="")
@click.option("--cause", metavar="SLUG", help="Only checks that may name this cause.")
@click.option("--category", type=click.Choice(CATEGORIES), help="Only checks with a cause of this category.")
@click.option("--severity", type=click.Choice([each.value for each in Severity]), help="Only checks of this severity.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal")
def command(pattern: str, cause: str | None, category: str | None, severity: str | None, form: str) -> None:
    """List all checks, or those with PATTERN in their id, name, summary, causes or fact."""
    if cause is not None and cause not in BY_SLUG:
        raise UsageError(_no_such_cause(cause))
    found = [
        check
        for check in all_checks()
        if (cause is None or cause in check.causes)
        and (category is None or category in map(category_of, check.causes))
        and (severity is None or severity == check.severity)
        and pattern.lower() in _searched(check)
    ]
    if form == "json":
        click.echo(json.dumps([_plain(check) for check in found], indent=2))
        return
    click.echo("\n".join(_table(found)))


def _no_such_cause(slug: str) -> str:
    near = difflib.get_close_matches(slug.lower(), BY_SLUG, n=1, cutoff=0.5)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    return f"`--cause`: `{slug}` is not a cause.{meant} `firstlight checks` shows the causes of every check."


def _searched(check: Check) -> str:
    return " ".join((check.id, check.name, check.summary, *check.causes, check.needs.__name__)).lower()


def _plain(check: Check) -> dict[str, object]:
    return {
        "id": check.id,
        "name": check.name,
        "severity": check.severity.value,
        "causes": list(check.causes),
        "categories": sorted({category_of(slug) for slug in check.causes}),
        "summary": check.summary,
        "needs": check.needs.__name__,
        "symptom": check.symptom,
        "since": check.since,
    }


def _table(checks: list[Check]) -> Iterator[str]:
    """Two lines a check, so that names, causes and summaries all fit 80 columns uncut."""
    width = screen_width()
    name_width = max((len(check.name) for check in checks), default=0)
    section = ""
    for check in checks:
        folder = section_of(check) if check.id.startswith(OURS) else "from plug-ins"
        if folder != section:
            section = folder
            yield click.style(section, bold=True)
        severity = click.style(f"{check.severity:<7}", fg=COLOURS[check.severity])
        causes = ", ".join(check.causes)
        if len(f"  {check.id}  {'':<{name_width}}  {check.severity:<7}  {causes}") > width:
            causes = f"{check.causes[0]} +{len(check.causes) - 1}"
        yield f"  {check.id}  {check.name:<{name_width}}  {severity}  {causes}"
        yield textwrap.fill(
            f"{check.summary} [{check.needs.__name__}]", width, initial_indent=" " * 9, subsequent_indent=" " * 9
        )
    more = "  `firstlight explain NAME` says more." if checks else ""
    yield f"{len(checks)} of {len(all_checks())} checks.{more}"
