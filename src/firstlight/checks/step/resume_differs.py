"""Started again from its own checkpoint, the program does not go on where it stood.

## What it sees
A rehearsal wrote a checkpoint of its training and went on: what the next step began with is noted. The program is then
started again with the files of that moment in place (with `--resume`, where it has such an option), and loads them. Its
first step begins with other weights, another state of the optimizer, another learning rate or an earlier round than in
the run that went through; or loading them raises. That random numbers begin anew is not told by itself.

## When it is fine
A file without the state of an optimizer may be meant to begin with: then weights and rounds alone are compared.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.resumed import ResumeTried

WORDS = {"weights": "the weights", "optimizer": "the state of the optimizer", "rate": "the learning rate"}


def find(tried: ResumeTried, _limits: NoLimits) -> Found:
    if tried.crash:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"started again from the checkpoint written at {tried.saved}, it raises {tried.crash}",
            wanted="a program that can go on from its own checkpoint",
            likely="what is saved is not what is loaded",
            do="mend the line, and start the program twice",
        )
        return
    lost = [WORDS[name] for name in tried.lost if name in WORDS]
    lost += [f"the round ({tried.now} in place of {tried.was})"] if "round" in tried.lost else []
    if not lost:
        return
    random = " The random state is not restored either." if "random" in tried.lost else ""
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=f"the first step after loading the checkpoint written at {tried.saved} begins with another value than in "
        f"the run that went through: {', '.join(lost)}.{random}",
        wanted="everything as it was when the checkpoint was written",
        numbers={"lost": len(lost)},
    )


CHECK = Check(
    id="FL348",
    summary="started again from its own checkpoint, the program does not go on where it stood",
    causes=("train-checkpoint",),
    likely="a part of the training is not saved, or not loaded again",
    fix="save and load model, optimizer, schedule and the round, and begin the loop after the round that was saved",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
