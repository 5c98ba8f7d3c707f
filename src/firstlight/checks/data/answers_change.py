"""Examples meet other answers in the loss than those they have.

## What it sees
The answers that examples meet in the loss, beside the answers they are known to have: those of the same rows of the
batch as the loader gave it, or, where an example comes again, those it had the time before. If most have nothing to do
with each other, the answers were put out of order on their way to the loss; if a part has, a part was replaced.
Classes that are only numbered anew, and answers that are left out of the loss, are the same answers.

## When it is fine
Answers that are drawn anew on purpose, or made by a model that learns, change from one pass to the next. Where a
program is seen to learn although all answers seem to be others than the time before, nothing is said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import AnswersFollowed, Relations


class Limits(Settable):
    compared: int = 64
    """Examples whose answer is known twice; fewer may be an accident."""
    moved: float = 0.25
    """Share of the answers' differences that is dealt anew; noise added on purpose is far less."""
    all_moved: float = 0.9
    """From here on the answers are those of other examples."""
    all_moved_again: float = 0.97
    """The same between two times in training: half of the answers replaced at each time makes three quarters."""
    most_moved: float = 1.3
    """Beyond it the answers are not dealt but turned round: another matter."""
    spread: float = 0.1
    """Share of the changed answers beside the most frequent: where all become the same, a mask is meant."""


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
    known = "had the time before" if again else "came with from their loader"
    step, row = worst.first
    yield Evidence(
        where=at(seen.meeting or seen.site, step=seen.step, rank=seen.rank),
        saw=f"{worst.others:,} of {worst.compared:,} examples meet another answer in the loss than they {known}, "
        f"first row {row} of step {step}; {min(1.0, worst.moved):.0%} of what answers can differ by is dealt anew",
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
"""That it is the same example is then inferred from its inputs alone."""
CHECK = Check(
    id="FL163",
    summary="examples meet other answers in the loss than those they have",
    causes=("data-label-misaligned", "data-label-noise"),
    likely="the answers are shuffled, shifted or partly replaced between where they are loaded and the loss",
    fix="print the answers of one batch where they are loaded and again where the loss takes them",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
