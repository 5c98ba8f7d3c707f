"""`firstlight docs`: the pages of this repository that are generated from its code."""

from pathlib import Path
from typing import Literal, get_args, get_origin

import click
import msgspec

from firstlight.checks import pages
from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.checks.lookup import SECTIONS, section_of
from firstlight.cli.explain import MEANINGS, cause_markdown
from firstlight.cli.say import say
from firstlight.cli.schema import schema_text
from firstlight.diagnosis.causes import CAUSES
from firstlight.errors import UsageError
from firstlight.settings import PROFILES, Settings

GENERATED = "<!-- Written by `firstlight docs`; edit the code it is read from instead. -->\n\n"


@click.command("docs")
@click.option("--check", "only_compare", is_flag=True, help="Write nothing; exit with 1 if a page is stale.")
@click.pass_context
def command(ctx: click.Context, only_compare: bool) -> None:
    """Write the generated pages under docs/, in a checkout of firstlight."""
    root = _checkout(Path.cwd())
    wanted = generated(root)
    stale = [path for path, text in wanted.items() if _text(root / path) != text]
    left_over = [path for path in _present(root) if path not in wanted]
    if only_compare:
        for path in stale:
            say(f"{path}: stale")
        for path in left_over:
            say(f"{path}: belongs to no check")
        if stale or left_over:
            say("Run `firstlight docs` to write them again.")
            ctx.exit(1)
        return
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    for path in left_over:
        (root / path).unlink()
    say(f"{len(wanted)} pages: {len(stale)} written, {len(left_over)} removed, the rest were up to date.")


def generated(root: Path) -> dict[str, str]:
    """Every generated file, by its path below `root`."""
    return {
        **{f"docs/checks/{check.name}.md": _check_page(root, check) for check in CATALOGUE},
        "docs/checks/index.md": _index(),
        "docs/causes.md": _causes(),
        "docs/configuration.md": _configuration(),
        "docs/schema/report.json": schema_text("report"),
        "docs/schema/event.json": schema_text("event"),
        "docs/schema/lab.json": schema_text("lab"),
    }


def _checkout(folder: Path) -> Path:
    import tomllib

    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        project = {}
    if project.get("name") != "firstlight" or not (folder / "src" / "firstlight").is_dir():
        raise UsageError(
            f"{folder} is not a checkout of firstlight. `firstlight docs` writes firstlight's own pages; "
            "run it from the root of its repository. `firstlight explain NAME` shows a page anywhere."
        )
    return folder


def _present(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / "docs" / "checks").glob("*.md"))


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _check_page(root: Path, check: Check) -> str:
    folder = root / "examples" / check.name
    examples = pages.Examples(
        fails=_text(folder / "fails.py") or "",
        healthy=_text(folder / "healthy.py") or "",
        answer=_text(folder / "fails.txt") or "",
    )
    return GENERATED + pages.markdown(pages.page_of(check), MEANINGS, examples)


def _index() -> str:
    parts = [f"{GENERATED}# Checks\n\n`firstlight explain NAME` shows each of these pages in the terminal.\n"]
    for section in SECTIONS.values():
        rows = [
            f"| [{check.id}]({check.name}.md) | [{check.name}]({check.name}.md) | {check.severity} "
            f"| {', '.join(f'[{slug}](../causes.md#{slug})' for slug in check.causes)} | {check.summary} |"
            for check in CATALOGUE
            if section_of(check) == section
        ]
        table = "\n".join(["| id | name | severity | causes | summary |", "|---|---|---|---|---|", *rows])
        parts.append(f"## {section}\n\n{table}\n")
    return "\n".join(parts)


def _causes() -> str:
    head = (
        f"{GENERATED}# Causes\n\nThe vocabulary of every finding and diagnosis. Causes may be added, but none is "
        "renamed. A prior says how likely a cause is before anything was seen.\n"
    )
    return "\n".join([head, *(cause_markdown(cause, "##", "checks") for cause in CAUSES)])


def _configuration() -> str:
    reasons = pages.reasons_of(Settings)
    rows = [
        f"| `{field.encode_name}` | {_kind(field.encode_name, field.type)} | {_default(field.default)} "
        f"| {reasons[field.name].replace('|', '&#124;')} |"
        for field in msgspec.structs.fields(Settings)
    ]
    budgets = [
        f"| `{name}` | {budget.steps} | {budget.seconds:g} | {budget.full_steps} | {budget.sample_every} "
        f"| {budget.longer:g} |"
        for name, budget in PROFILES.items()
    ]
    return CONFIGURATION.format(generated=GENERATED, settings="\n".join(rows), profiles="\n".join(budgets))


def _kind(key: str, kind: object) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{name}`" for name in get_args(kind))
    match key:
        case "select" | "ignore":
            return "list of checks"
        case "severity" | "checks":
            return "table"
    bare = next((each for each in get_args(kind) if each is not type(None)), kind)
    bare = next(iter(get_args(bare)), bare)
    return {int: "whole number", float: "number", bool: "true or false"}[bare]  # type: ignore[index]  # a type, by now


def _default(value: object) -> str:
    if value is None or value is msgspec.NODEFAULT or value == ():
        return ""
    return pages.written(value) if isinstance(value, bool | int | float | str) else ""


CONFIGURATION = """{generated}# Configuration

Put settings in `[tool.firstlight]` of `pyproject.toml`, or at the top level of `firstlight.toml`. The nearest such file
is read, from the working directory upward; in the same directory `firstlight.toml` wins. A command-line flag overrides
the file. A key, check or limit that does not exist is an error.

```toml
[tool.firstlight]
profile = "quick"
ignore = ["graph-grows"]

[tool.firstlight.severity]
metric-broadcast = "error"

[tool.firstlight.checks.loss-explodes]
growth = 50.0
```

| key | takes | default | meaning |
|---|---|---|---|
{settings}

## Profiles

| profile | steps | seconds | steps observed in full | then one in | times longer, while there is no sign of learning |
|---|---|---|---|---|---|
{profiles}

## On one line

A comment on the line of a finding allows it there; give a reason for the next reader:

```python
loss = criterion(model(x), y)  # firstlight: ignore[loss-broadcast] pairwise on purpose
```
"""
