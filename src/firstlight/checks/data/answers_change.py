"""Examples reach the loss with labels that are not their own.

## What it sees
The labels that examples have in the loss are compared with the labels known to be theirs: those of the same rows in the
batch from the loader or, if an example comes again, those it had earlier in training. If nearly all of them are as
unrelated as shuffled labels, they were put out of order on the way to the loss; if only some are, those were replaced.
Classes that are merely renumbered, and labels that are left out of the loss, count as unchanged.

## When it is fine
Labels that are redrawn on purpose, or made by a model that is itself learning, change from one pass to the next. If
nearly all labels differ from those of an earlier pass and the program is still seen to learn, nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import AnswersFollowed, Relations


class Limits(Settable):
    compared: int = 64
    """Fewest examples whose label is known twice; fewer may be an accident."""
    moved: float = 0.25
    """Smallest change of the labels, from 0 (none) to 1 (shuffled); noise added on purpose is far less."""
    all_moved: float = 0.9
    """Change from which on the labels count as those of other examples, instead of partly replaced."""
    all_moved_again: float = 0.97
    """The same, compared with an earlier pass; replacing half of the labels in each pass already gives 0.75."""
    most_moved: float = 1.3
    """Largest change; beyond it the labels are not shuffled but inverted, which is another matter."""
    spread: float = 0.1
    """Smallest share of the changed labels beside the most frequent one; if all become the same, a mask is meant."""


def find(relations: Relations, limits: Limits) -> Found:
    seen = relations.seen
    changed = [one for one in seen.kept if _changed(one, limits)]
    if not changed or seen.acting:
        return
    worst = max(changed, key=lambda one: one.moved)
    again = worst.known == "before"
    everything = worst.moved >= (limits.all_moved_again if again else limits.all_moved)
    if everything and again and relations.learnt:
        return
    known = "had earlier in training" if again else "got from the loader"
    step, row = worst.first
    yield Evidence(
        where=at(seen.meeting or seen.site, step=seen.step, rank=seen.rank),
        saw=f"{worst.others:,} of {worst.compared:,} examples have another label in the loss than they {known}, "
        f"first in row {row} of step {step}; the labels differ {min(1.0, worst.moved):.0%} as much as shuffled ones",
        wanted=f"less than {limits.moved:.0%}",
        cause="data-label-misaligned" if everything else "data-label-noise",
        severity=Severity.WARNING if again else None,
        confidence=AGAIN if again else None,
        numbers={"compared": worst.compared, "others": worst.others, "moved": worst.moved},
    )


def _changed(kept: AnswersFollowed, limits: Limits) -> bool:
    if kept.compared < limits.compared or not kept.spread >= limits.spread:
        return False
    return limits.moved <= kept.moved <= limits.most_moved


AGAIN = 0.8
"""Confidence when labels are compared with an earlier pass: which examples are the same is inferred from inputs
alone."""
CHECK = Check(
    id="FL163",
    summary="examples reach the loss with labels that are not their own",
    causes=("data-label-misaligned", "data-label-noise"),
    likely="the labels are shuffled, shifted or partly replaced between the loader and the loss",
    fix="print the labels of one batch where they are loaded and again where the loss takes them",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
