"""A check's page, read out of its own module: docstring, identity card, and limits with the reasons below them."""

import ast
import dataclasses
import inspect
import itertools
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.checks.retired import Retired, retired_into

FENCE = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    key: str
    """As it is written in the settings file."""
    value: bool | int | float | str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    id: str
    name: str
    severity: str
    summary: str
    intro: str
    sees: str
    fine: str
    likely: str
    fix: str
    causes: tuple[str, ...]
    confidence: float
    needs: str
    limits: tuple[LimitRow, ...]
    symptom: bool
    since: str
    retired: tuple[Retired, ...]
    """Whose illness it tells of now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Sources of the two example programs, and what the failing one is answered; empty where they are not at hand."""

    fails: str = ""
    healthy: str = ""
    answer: str = ""


def page_of(check: Check) -> Page:
    sections = _sections(sys.modules[check.find.__module__].__doc__ or "")
    reasons = reasons_of(type(check.limits))
    return Page(
        id=check.id,
        name=check.name,
        severity=check.severity.value,
        summary=check.summary,
        intro=sections.get("", check.summary),
        sees=sections.get("What it sees", ""),
        fine=sections.get("When it is fine", ""),
        likely=check.likely,
        fix=check.fix,
        causes=check.causes,
        confidence=check.confidence,
        needs=check.needs.__name__,
        limits=tuple(
            LimitRow(
                key=field.name.replace("_", "-"),
                value=getattr(check.limits, field.name),
                reason=reasons.get(field.name, ""),
            )
            for field in dataclasses.fields(check.limits)
        ),
        symptom=check.symptom,
        since=check.since,
        retired=retired_into(check.id),
    )


def reasons_of(kind: type) -> dict[str, str]:
    """The string below each field of a class, which Python itself throws away; empty where there is no source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    except (OSError, TypeError):
        return {}
    body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__), [])
    reasons: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                reasons[name] = " ".join(text.split())
    return reasons


def override(page: Page) -> str:
    """The lines of pyproject.toml that set every limit to the value it has."""
    lines = [f"[tool.firstlight.checks.{page.name}]"]
    return "\n".join(lines + [f"{row.key} = {written(row.value)}" for row in page.limits])


def written(value: bool | int | float | str) -> str:
    """As TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def suppression(page: Page) -> str:
    return f"# firstlight: ignore[{page.name}] reason"


def markdown(page: Page, meanings: Mapping[str, str], examples: Examples | None = None) -> str:
    causes = "\n".join(f"- `{slug}`: {meanings.get(slug, '')}" for slug in page.causes)
    parts = [
        f"# {page.id} {page.name}",
        page.intro,
        f"**{page.severity}** · needs `{page.needs}` · since {page.since}"
        + (" · a symptom: it yields to a finding that names the cause" if page.symptom else ""),
        f"## What it sees\n\n{page.sees}",
        f"## When it is fine\n\n{page.fine}",
        f"## Likely cause\n\n{_sentence(page.likely)}\n\n{causes}",
        f"## What to do\n\n{_sentence(page.fix)}",
        _limits_section(page),
        _retired_section(page),
        f"## Allow it on one line\n\n{_block('python', f'loss.backward()  {suppression(page)}')}",
        *_example_sections(examples or Examples()),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _retired_section(page: Page) -> str:
    lines = "\n".join(f"- {one.told}" for one in page.retired)
    return f"## It also goes by\n\n{lines}" if lines else ""


def _limits_section(page: Page) -> str:
    if not page.limits:
        return "## Limits\n\nIt has none: the fact decides by itself."
    rows = [f"| `{row.key}` | {written(row.value)} | {row.reason.replace('|', '&#124;')} |" for row in page.limits]
    table = "\n".join(["| limit | value | reason |", "|---|---|---|", *rows])
    return f"## Limits\n\n{table}\n\nChange them in `pyproject.toml`:\n\n{_block('toml', override(page))}"


def _example_sections(examples: Examples) -> list[str]:
    fails = f"## An example that fails\n\n{_block('python', examples.fails)}" if examples.fails else ""
    answer = f"firstlight answers:\n\n{_block('text', examples.answer)}" if examples.answer else ""
    healthy = f"## Its healthy twin\n\n{_block('python', examples.healthy)}" if examples.healthy else ""
    return [fails, answer, healthy]


def _block(language: str, text: str) -> str:
    fence = FENCE
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _sections(docstring: str) -> dict[str, str]:
    """By heading; the text before the first heading has the empty one."""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in inspect.cleandoc(docstring).splitlines():
        if line.startswith("## "):
            current = line.removeprefix("## ").strip()
            sections[current] = []
        else:
            sections[current].append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in sections.items()}
