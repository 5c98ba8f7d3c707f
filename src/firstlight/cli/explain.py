"""`firstlight explain`: everything known about one check or one cause, without running anything."""

import dataclasses
import difflib
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import firstlight
from firstlight.checks import pages
from firstlight.checks.declare import Check
from firstlight.checks.lookup import own
from firstlight.checks.retired import retired
from firstlight.diagnosis.causes import BY_SLUG, Cause
from firstlight.errors import UsageError
from firstlight.report.screen import screen_width
from firstlight.store.run_directory import shown

MEANINGS = {cause.slug: cause.meaning for cause in BY_SLUG.values()}


@click.command("explain")
@click.argument("word", metavar="CHECK|CAUSE|symptoms|triage|habits|interventions")
@click.option("--format", "form", type=click.Choice(["terminal", "markdown", "json"]), default="terminal")
def command(word: str, form: str) -> None:
    """Explain a check (by id or name), a cause (by its slug), or what to do: symptoms, triage, habits, interventions.

    For a check: what it sees, when it is fine, its limits and the reasons for them, how to change or suppress it. For a
    cause: what it means and which checks name it. If a check and a cause share a name, both are explained.
    """
    if word.lower() in GUIDES:
        click.echo(_guide(word.lower(), form))
        return
    check, cause = own(word), BY_SLUG.get(word.lower())
    if check is None and cause is None:
        check = _added(word)
    if check is None and cause is None:
        raise UsageError(_unknown(word))
    match form:
        case "json":
            text = json.dumps(_plain(check, cause), indent=2)
        case "markdown":
            text = "\n".join((*_redirected(word, check), *_markdown(check, cause)))
        case _:
            text = "\n".join((*_redirected(word, check), *_terminal(check, cause)))
    click.echo(text.rstrip("\n"))


def _redirected(word: str, check: Check | None) -> Iterator[str]:
    old = retired(word)
    if old is not None and check is not None:
        yield f"{old.id} {old.name} was merged into {check.id} {check.name} in {old.since}."
        yield ""


def _all() -> tuple[Check, ...]:
    """Loaded only where one of our own by its name is not enough: two hundred files."""
    from firstlight.plugins import all_checks

    return all_checks()


def _added(word: str) -> Check | None:
    return next((check for check in _all() if word.lower() in (check.id.lower(), check.name)), None)


def _unknown(word: str) -> str:
    known = {name.lower(): name for check in _all() for name in (check.id, check.name)}
    known |= {slug: slug for slug in BY_SLUG}
    typed = word.lower()
    if typed.startswith("fl"):
        typed = typed[:2] + typed[2:].translate(DIGITS)
    near = [f"`{known[name]}`" for name in difflib.get_close_matches(typed, known, n=3, cutoff=0.5)]
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"`{word}` is neither a check nor a cause.{meant} `firstlight checks` lists the checks and their causes."


DIGITS = str.maketrans("oil", "011")
"""Letters typed for the digits they look like."""
GUIDES = ("symptoms", "triage", "habits", "interventions")


def _guide(word: str, form: str) -> str:
    """Loaded only when asked for: the tables of what can be tried take longer to read than one check."""
    from firstlight.cli import guides

    return json.dumps(guides.plain(word), indent=2) if form == "json" else guides.written(word)


def checks_naming(slug: str) -> tuple[Check, ...]:
    return tuple(check for check in _all() if slug in check.causes)


def _plain(check: Check | None, cause: Cause | None) -> dict[str, Any]:
    plain: dict[str, Any] = {"check": None, "cause": None}
    if check is not None:
        page = pages.page_of(check)
        plain["check"] = {
            **dataclasses.asdict(page),
            "causes": [{"slug": slug, "meaning": MEANINGS[slug]} for slug in page.causes],
            "override": pages.override(page) if page.limits else None,
            "suppress": pages.suppression(page),
            "examples": [shown(path) for path in _examples(page.name)],
        }
    if cause is not None:
        plain["cause"] = {
            **dataclasses.asdict(cause),
            "checks": [{"id": each.id, "name": each.name} for each in checks_naming(cause.slug)],
        }
    return plain


def _markdown(check: Check | None, cause: Cause | None) -> Iterator[str]:
    if check is not None:
        yield pages.markdown(pages.page_of(check), MEANINGS)
    if cause is not None:
        yield cause_markdown(cause)


def cause_markdown(cause: Cause, level: str = "#", link: str = "") -> str:
    """`link` is the folder of the checks' pages, where the text stands beside it."""
    names = ", ".join(
        f"[{check.id} {check.name}]({link}/{check.name}.md)" if link else f"{check.id} {check.name}"
        for check in checks_naming(cause.slug)
    )
    prior = f" · prior {cause.prior:g}" if cause.prior else ""
    return (
        f"{level} {cause.slug}\n\n{cause.meaning}\n\n"
        f"category {cause.category}{prior} · named by {names or 'no check yet'}\n"
    )


def _terminal(check: Check | None, cause: Cause | None) -> Iterator[str]:
    if check is not None:
        yield from _check_lines(pages.page_of(check))
    if check is not None and cause is not None:
        yield ""
    if cause is not None:
        yield from _cause_lines(cause)


def _check_lines(page: pages.Page) -> Iterator[str]:
    colour = {"error": "red", "warning": "yellow"}.get(page.severity)
    yield f"{click.style(page.severity, fg=colour, bold=True)}[{page.id}] {click.style(page.name, bold=True)}"
    yield from wrapped(page.intro, "  ")
    yield from _part("what it sees", page.sees)
    yield from _part("when it is fine", page.fine)
    yield from _part("likely", page.likely)
    yield from _part("do", page.fix)
    yield from _part("causes", *(f"{slug}: {MEANINGS[slug]}" for slug in page.causes))
    yield from _limit_lines(page)
    if page.retired:
        yield from _part("it also goes by", *(one.told for one in page.retired))
    yield from _title("to allow it on one line of your code")
    yield f"  {pages.suppression(page)}"
    examples = _examples(page.name)
    if examples:
        yield from _title("examples")
        yield from (f"  {shown(path)}" for path in examples)


def _limit_lines(page: pages.Page) -> Iterator[str]:
    if not page.limits:
        return
    yield from _part("limits", *(f"{row.key} = {pages.written(row.value)}: {row.reason}" for row in page.limits))
    yield from _title("to change them, in pyproject.toml")
    yield textwrap.indent(pages.override(page), "  ")


def _cause_lines(cause: Cause) -> Iterator[str]:
    yield f"cause {click.style(cause.slug, bold=True)}"
    yield from wrapped(cause.meaning, "  ")
    prior = f", {cause.prior:g} of all bugs before anything was seen" if cause.prior else ""
    named_by = [f"{check.id} {check.name}: {check.summary}" for check in checks_naming(cause.slug)]
    yield from _part("category", f"{cause.category}{prior}")
    yield from _part("named by", *(named_by or ["no check yet"]))


def _part(title: str, *items: str) -> Iterator[str]:
    yield from _title(title)
    for item in items:
        for paragraph in item.split("\n\n"):
            yield from wrapped(paragraph, "    " if len(items) > 1 else "  ")


def _title(text: str) -> Iterator[str]:
    yield ""
    yield click.style(text, bold=True)


def wrapped(paragraph: str, further_indent: str) -> list[str]:
    return textwrap.wrap(
        " ".join(paragraph.split()),
        screen_width(),
        initial_indent="  ",
        subsequent_indent=further_indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _examples(name: str) -> list[Path]:
    """Present in a checkout, absent from an installed package."""
    folder = Path(firstlight.__file__).resolve().parents[2] / "examples" / name
    return [path for path in (folder / "fails.py", folder / "healthy.py") if path.is_file()]
