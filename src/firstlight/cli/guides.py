"""What `firstlight explain` knows beside checks and causes: symptoms, where to look, habits, what can be tried."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import click

from firstlight.cli.explain import wrapped
from firstlight.cli.main import COMMANDS
from firstlight.diagnosis import guide
from firstlight.lab import interventions
from firstlight.lab.interventions import InterventionRow


def plain(word: str) -> Any:
    if word == "symptoms":
        return [dataclasses.asdict(symptom) for symptom in guide.SYMPTOMS]
    if word == "interventions":
        return [dataclasses.asdict(one) for one in _interventions()]
    return list(guide.TRIAGE) if word == "triage" else dict(guide.HABITS)


def written(word: str) -> str:
    """What is seen, what causes it, what tells; in which order to look; what not to do."""
    lines: list[str] = []
    if word == "symptoms":
        for symptom in guide.SYMPTOMS:
            lines += ["", click.style(symptom.seen, bold=True)]
            lines += wrapped(f"causes: {', '.join(symptom.causes)}", "    ")
            lines += wrapped(f"test: {symptom.test}", "    ") + wrapped(f"fix: {symptom.fix}", "    ")
    elif word == "interventions":
        lines += _by_stage()
    elif word == "triage":
        for number, step in enumerate(guide.TRIAGE, 1):
            lines += wrapped(f"{number}. {step}", "     ")
    else:
        for habit, why in guide.HABITS:
            lines += [click.style(habit, bold=True), *wrapped(why, "  ")]
    return "\n".join(lines).strip("\n")


def _interventions() -> list[InterventionRow]:
    """Those of the commands that this version has."""
    return [one for one in interventions.plan() if one.stage != interventions.COMMANDS or one.name in COMMANDS]


def _by_stage() -> Iterator[str]:
    """From fast to invasive; the cost is in times of the program as it was watched."""
    stage = ""
    for one in _interventions():
        if one.stage != stage:
            stage = one.stage
            yield from (
                "",
                click.style(
                    f"{stage} (cost: {'runs' if stage == interventions.COMMANDS else 'fractions of one run'})",
                    bold=True,
                ),
            )
        name = f"firstlight {one.name}" if stage == interventions.COMMANDS else one.name
        tells = f" → {one.cause}" if one.cause else ""
        yield from wrapped(f"{one.cost:<5g} {name}: {one.does}{tells}", "        ")
