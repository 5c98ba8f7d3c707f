"""`ceiling`: how low the loss could get, and what keeps it from there.

Three levels are measured below the program's own: of a copy that learns one batch by heart without regularisation, at
several rates (what its parameters can express), of the loss over free predictions (what its last activation lets
through), and of a copy whose inputs do not belong to its targets (what is left without looking).
"""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Workbench
from firstlight.lab.keeping import Kept
from firstlight.records.finding import Scalar
from firstlight.records.flows import ReachSeen
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable

FREE = ("no-dropout", "no-decay", "no-smoothing")
RATES = (1.0, 3.0, 10.0)
TAPS = ("loaders", "operations", "tape")
TAIL = 10
"""One in so many of the last steps is a level."""
LEAST_STEPS = 20
GRACE = 3.0
LEAST_SECONDS = 10.0
NEAR = 0.1
"""Share of the way from the blind level down that counts as nothing."""


def plan(known: Known) -> Sequence[Order]:
    steps = len(known.program.losses)
    if steps < LEAST_STEPS or not known.by_loader:
        return ()
    seconds = max(LEAST_SECONDS, GRACE * known.program.seconds)
    by_heart = [
        Order(
            name=f"by-heart-{rate:g}",
            interventions=("repeat-batch", *FREE, f"lr={rate:g}"),
            steps=steps,
            seconds=seconds,
        )
        for rate in RATES
    ]
    blind = Order(name="blind", interventions=("permute-inputs",), steps=steps, seconds=seconds)
    return [*by_heart, blind]


def ceiling(bench: Workbench, _kept: Kept) -> LabReport:
    copies = bench.asked(plan)
    report = answer(copies.known, copies.watched.of(ReachSeen), copies.left, bench.target.words)
    if not report.left:
        bench.journal.clear()
    return report


def level(losses: Sequence[float]) -> float | None:
    tail = losses[-max(3, len(losses) // TAIL) :]
    return median(tail) if tail and all(map(math.isfinite, tail)) else None


def levels(known: Known, reached: Sequence[ReachSeen]) -> dict[str, float]:
    """By their names, the highest first; those that could not be measured are left out."""
    by_heart = [level(trial.losses) for name, trial in known.trials.items() if name.startswith("by-heart")]
    found: dict[str, float | None] = {
        "at the start": fmean(known.program.losses[:3]),
        "without looking": level(known.trials["blind"].losses) if "blind" in known.trials else None,
        "the program": level(known.program.losses),
        "one batch by heart": min((one for one in by_heart if one is not None), default=None),
        "what the last activation allows": min((seen.bound for seen in reached), default=None),
        "free predictions": min((seen.free for seen in reached), default=None),
    }
    return {name: value for name, value in found.items() if value is not None and math.isfinite(value)}


def answer(known: Known, reached: Sequence[ReachSeen], left: int, command: tuple[str, ...]) -> LabReport:
    found = levels(known, reached)
    rows: list[tuple[Scalar, ...]] = list(found.items())
    numbers: dict[str, Scalar] = {name.replace(" ", "_"): value for name, value in found.items()}
    return LabReport(
        kind="ceiling",
        command=command,
        answer=" ".join(_sentences(found, reached)),
        numbers=numbers,
        tables=(LabTable(title="how low the loss gets", head=("level", "loss"), rows=tuple(rows)),),
        plots=tuple(_plots(known)),
        done=len(known.trials),
        left=left,
        limits=tuple(_limits(known, reached)),
    )


def _sentences(found: dict[str, float], reached: Sequence[ReachSeen]) -> Iterator[str]:
    program, heart = found.get("the program"), found.get("one batch by heart")
    if program is None or heart is None:
        yield "No copy came to a finite loss on one batch, so that there is no ceiling to name."
        return
    top = max(found.get("without looking", found["at the start"]), program)
    scale = NEAR * (top - min(found.values())) or 1e-12
    free, bound = found.get("free predictions"), found.get("what the last activation allows")
    if free is not None and bound is not None and bound - free > scale:
        worst = max(reached, key=lambda seen: seen.bound - seen.free)
        place = f" ({worst.site.file}:{worst.site.line})" if worst.site is not None else ""
        yield f"`{worst.operation}`{place} is the ceiling: with it the loss gets to {bound:.3g}, without to {free:.3g}."
    elif heart > top - scale:
        yield f"The model cannot even learn one batch ({heart:.3g}): its parameters do not reach the answers."
    elif program - heart > scale:
        yield (
            f"The model can express more than it has learnt: one batch by heart ends at {heart:.3g}, the program at "
            f"{program:.3g}. What limits it is the time, the rate, regularisation or the data, not its size."
        )
    else:
        yield f"The program ({program:.3g}) is as low as the model gets on one batch ({heart:.3g}): its size limits it."
    blind = found.get("without looking")
    if blind is not None and blind - program < scale:
        yield f"So far it does no better than without looking at its inputs ({blind:.3g})."


def _plots(known: Known) -> Iterator[LabPlot]:
    trials = [known.program, *known.trials.values()]
    curves = tuple(
        LabCurve(name=trial.name, x=tuple(map(float, range(len(trial.losses)))), y=trial.losses)
        for trial in trials
        if len(trial.losses) > 1
    )
    if curves:
        yield LabPlot(title="Loss of each copy", x="step", y="loss", curves=curves)


def _limits(known: Known, reached: Sequence[ReachSeen]) -> Iterator[str]:
    if not known.by_loader:
        yield "no DataLoader feeds training, so that a copy cannot be given one batch again and again"
    elif not known.trials:
        yield f"the program makes only {len(known.program.losses)} steps: no copy was made"
    if not reached:
        yield "no activation stands before the loss, or none that can be replayed: its floor was not measured"
    if not known.finished:
        yield "the program was seen at its beginning only; its level is that of the steps that were seen (`--steps`)"
