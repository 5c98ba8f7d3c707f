"""What can be tried, from what is fast and changes nothing to what costs runs, read off the tables that do it."""

from dataclasses import dataclass

from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.experiments.plan import BY_NAME


@dataclass(frozen=True, slots=True)
class Verb:
    """A command by which something is tried, and what it costs, in runs of the program."""

    name: str
    question: str
    cost: float


@dataclass(frozen=True, slots=True)
class InterventionRow:
    stage: str
    name: str
    does: str
    cost: float
    """In times of the program as it was watched."""
    cause: str | None = None
    """What it takes away, when it helps."""


VERBS = (
    Verb("lint", "what does the source show, without running it?", 0.0),
    Verb("check", "is the run worth starting?", 1.0),
    Verb("rehearse", "does the whole script reach its end?", 1.0),
    Verb("diagnose", "why does it train badly?", 10.0),
    Verb("against", "where does it differ from a reference?", 0.1),
    Verb("surface", "what does the loss look like around the weights?", 4.0),
    Verb("ceiling", "how low can the loss get, and what stops it?", 7.0),
    Verb("curve", "would more data or more steps help?", 9.0),
    Verb("lr-find", "which learning rate?", 14.0),
    Verb("seeds", "how much of the result is luck?", 8.0),
    Verb("compare", "is one better than the other, or just lucky?", 16.0),
    Verb("ablate", "which parts matter, which do nothing, which hurt?", 20.0),
    Verb("bisect", "which difference makes the bad one bad?", 10.0),
    Verb("mutate", "what is a clean verdict worth?", 30.0),
)
"""The commands that try something; `explain` shows those that this version has."""
WATCHED = "watched during one run"
COPIES = "tried on copies, one change each"
COMMANDS = "answered by a command"


def plan() -> list[InterventionRow]:
    """In the order in which to try them: by stage, and within it by cost."""
    known = [
        InterventionRow(COPIES if one.slug in BY_NAME else WATCHED, one.slug, one.does, one.cost, one.repairs)
        for one in KNOWLEDGE.experiments
        if one.slug in BY_NAME or one.slug.startswith("watch")
    ]
    commands = [InterventionRow(COMMANDS, verb.name, verb.question, verb.cost) for verb in VERBS]
    stages = (WATCHED, COPIES, COMMANDS)
    return sorted([*known, *commands], key=lambda one: (stages.index(one.stage), one.cost))
