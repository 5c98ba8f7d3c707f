"""Restarted from its own checkpoint, the program does not continue where it left off.

## What it sees
A rehearsal writes a checkpoint and goes on; what its next step started from is recorded. The program is then started
again with the files as they were at that moment (with `--resume`, if it has such an option), and loads them. Its first
step starts from other weights, another optimizer state, another learning rate or an earlier round than in the
uninterrupted run; or loading raises an exception. A difference in the random state alone is not reported.

## When it is fine
A file without an optimizer state may be meant as a starting point; then only the weights and the round are compared.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.resumed import ResumeTried

WORDS = {"weights": "the weights", "optimizer": "the optimizer state", "rate": "the learning rate"}


def find(tried: ResumeTried, _limits: NoLimits) -> Found:
    if tried.crash:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"started again from the checkpoint written at {tried.saved}, it raises {tried.crash}",
            wanted="a program that can continue from its own checkpoint",
            likely="what is saved is not what is loaded",
            do="fix that line, then run the program twice",
        )
        return
    lost = [WORDS[name] for name in tried.lost if name in WORDS]
    lost += [f"the round ({tried.now} instead of {tried.was})"] if "round" in tried.lost else []
    if not lost:
        return
    random = " The random state is not restored either." if "random" in tried.lost else ""
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=f"the first step after loading the checkpoint written at {tried.saved} starts from other values than in "
        f"the uninterrupted run: {', '.join(lost)}.{random}",
        wanted="everything as it was when the checkpoint was written",
        numbers={"lost": len(lost)},
    )


CHECK = Check(
    id="FL348",
    summary="restarted from its own checkpoint, the program does not continue where it left off",
    causes=("train-checkpoint",),
    likely="part of the training state is not saved, or is not loaded",
    fix="save and load the model, optimizer, schedule and round, and start the loop after the saved round",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
