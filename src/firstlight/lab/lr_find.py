"""`lr-find`: one learning rate to use, its range, and whether a warm-up is needed."""

import math
from collections.abc import Iterator

from firstlight.lab import ramps
from firstlight.lab.copies import Known, LabCopies, Workbench
from firstlight.lab.keeping import LabRun
from firstlight.lab.ladder import Ladder, Rung
from firstlight.lab.rate_search import (
    HIGH,
    LOW,
    RateSearch,
    climb,
    curvature_at_start,
    ladder_of,
    present,
    readings,
    rung_name,
    stable_at_start,
    warm_name,
    warm_ups,
    warms_up,
)
from firstlight.records import events
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabMark, LabPlot, LabReport, LabTable

FACTOR = 3.0
"""A rate that is as far from the suggested one is another rate."""


def lr_find(bench: Workbench, kept: LabRun) -> LabReport:
    copies = bench.asked(RateSearch(bench.steps, bench.settings.budget.seconds))
    _note(kept, copies.known)
    return answer(copies, bench.target.words)


def answer(copies: LabCopies, command: tuple[str, ...]) -> LabReport:
    known = copies.known
    climbed = climb(known)
    suggested = climbed.suggested() if climbed.learns else None
    low, high = (None, None) if suggested is None else as_good(climbed, suggested)
    return LabReport(
        kind="lr-find",
        command=command,
        answer=" ".join(_sentences(known, climbed, suggested)),
        suggested=_rounded(suggested),
        low=_rounded(low),
        high=_rounded(high),
        numbers=_numbers(known, climbed),
        advice=tuple(_advice(known, climbed, suggested)),
        tables=tuple(_tables(known, climbed, suggested)),
        plots=tuple(_plots(known, climbed, suggested)),
        done=len(known.trials),
        left=copies.left,
        limits=tuple(_limits(known)),
    )


def as_good(climbed: Ladder, suggested: float) -> tuple[float, float]:
    """The rates around the suggested one that are as good; it may lie beside all that were tried."""
    low, high = climbed.range() or (suggested, suggested)
    return min(low, suggested), max(high, suggested)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else float(f"{rate:.3g}")


def _sentences(known: Known, climbed: Ladder, suggested: float | None) -> Iterator[str]:
    if suggested is None:
        yield from _without(known)
        return
    low, high = as_good(climbed, suggested)
    between = f" (equally good: {low:.2g} to {high:.2g})" if high > low else ""
    now = present(known)
    if low <= now <= high or max(now, suggested) <= FACTOR * min(now, suggested):
        yield f"The current rate of {now:.3g} is fine{between}; the best is near {suggested:.2g}."
    else:
        end = _ended(climbed, now)
        against = f"; the current rate of {now:.3g} ends at {end}" if end else ""
        yield f"Use a learning rate of about {suggested:.2g}{between}{against}."
    yield warm_up_told(known, climbed)


def _without(known: Known) -> Iterator[str]:
    if not known.program.rates:
        yield "The program steps no torch optimizer, so there is no learning rate to vary."
    elif not known.trials:
        yield f"The program makes only {len(known.program.losses)} steps, too few to try a learning rate on."
    else:
        rates = [rung.rate for rung in climb(known).rungs]
        tried = f" from {min(rates):.1e} to {max(rates):.1e}" if rates else ""
        yield f"No learning rate{tried} makes the loss fall: the rate is not what keeps it from learning."


def _ended(climbed: Ladder, rate: float) -> str:
    rung = min(climbed.rungs, key=lambda one: abs(math.log(one.rate / rate)), default=None)
    best = climbed.best
    if rung is None or best is None or rung is best:
        return ""
    return f"{_loss(rung.end)} instead of {_loss(best.end)}"


def _loss(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "no finite loss"


def best_warm_up(known: Known, best: Rung) -> tuple[float, int] | None:
    """The shortest warm-up that is clearly better than none, and the rate it was tried with."""
    tried = {
        (rate, steps): known.trials[name]
        for rate, steps in warm_ups(known, best)
        if (name := warm_name(rate, steps)) in known.trials
    }
    for (rate, steps), warmed in sorted(tried.items(), key=lambda item: item[0][1]):
        pair = ladder_of({best.rate: known.trials[rung_name(best.rate)], best.rate * 2: warmed})
        if pair.best is not None and pair.best.rate != best.rate and not pair.as_good(pair.rungs[0]):
            return rate, steps
    return None


def warm_up_told(known: Known, climbed: Ladder) -> str:
    best = climbed.best
    if best is None:
        return ""
    if warms_up(known.program):
        return "The program already has a warm-up, and so had the copies."
    helped, stable = best_warm_up(known, best), stable_at_start(known)
    if helped is not None:
        why = (
            f": at the start the curvature allows only {stable:.2g}"
            if stable is not None and stable < helped[0]
            else ""
        )
        return f"A warm-up of about {helped[1]} steps helps, up to a rate of {helped[0]:.2g}{why}."
    if stable is None:
        return "A warm-up is not needed."
    if stable < best.rate:
        return f"At the start the curvature allows no more than {stable:.2g}, but a warm-up brought no gain."
    return f"A warm-up is not needed: at the start the curvature allows rates up to {stable:.2g}."


def _advice(known: Known, climbed: Ladder, suggested: float | None) -> Iterator[str]:
    if suggested is None:
        if known.trials:
            yield "`firstlight diagnose` finds what is"
        return
    groups = next((seen.groups for trial in known.trials.values() for seen in trial.optimizers), ())
    first = next((group.rate for group in groups if group.rate), None)
    if len(groups) > 1 and first:
        told = ", ".join(f"{suggested * group.rate / first:.2g}" for group in groups)
        yield f"by parameter group, with their ratios kept: {told}"


def _numbers(known: Known, climbed: Ladder) -> dict[str, Scalar]:
    told = readings(known)
    best = climbed.best
    helped = best_warm_up(known, best) if best is not None else None
    curvature = curvature_at_start(known)
    return {
        "present": _rounded(present(known)) if known.program.rates else None,
        "steepest": _rounded(ramps.middle([one.steepest for one in told])),
        "valley": _rounded(ramps.middle([one.valley for one in told])),
        "diverged_at": _rounded(ramps.middle([one.diverged_at for one in told])),
        "curvature_at_start": _rounded(curvature.top) if curvature is not None else None,
        "stable_at_start": _rounded(stable_at_start(known)),
        "steps": len(known.program.losses),
        "warm_up_steps": helped[1] if helped else 0,
        "warm_up_rate": _rounded(helped[0]) if helped else None,
    }


def _tables(known: Known, climbed: Ladder, suggested: float | None) -> Iterator[LabTable]:
    now = present(known) if known.program.rates else None
    rows: list[tuple[Scalar, ...]] = [
        (float(f"{rung.rate:.3g}"), _loss(rung.end), _remark(rung, climbed, now)) for rung in climbed.rungs
    ]
    if rows:
        yield LabTable(title="short trainings", head=("rate", "loss at the end", ""), rows=tuple(rows))
    told = [
        ("from other batches" if place else "from the first batch", one.steepest, one.valley, one.diverged_at)
        for place, one in enumerate(readings(known))
    ]
    if told:
        yield LabTable(title="ramps", head=("ramp", "steepest", "valley", "diverges at"), rows=tuple(told))


def _remark(rung: Rung, climbed: Ladder, now: float | None) -> str:
    said = ["present"] if now is not None and math.isclose(rung.rate, now, rel_tol=0.01) else []
    if rung is climbed.best:
        said.append("best")
    elif climbed.as_good(rung):
        said.append("equally good")
    return ", ".join(said)


def _plots(known: Known, climbed: Ladder, suggested: float | None) -> Iterator[LabPlot]:
    made = [known.trials[name] for name in sorted(known.trials) if name.startswith("ramp-")]
    marks = [LabMark(x=present(known), text="present")] if known.program.rates and present(known) > 0 else []
    marks += [LabMark(x=suggested, text="suggested")] if suggested is not None else []
    stable = stable_at_start(known)
    marks += [LabMark(x=stable, text="stable at the start")] if stable is not None and LOW < stable < HIGH else []
    if made:
        curves = tuple(
            LabCurve(name=trial.name, x=trial.rates, y=tuple(ramps.smoothed(trial.losses)))
            for trial in made
            if len(trial.rates) == len(trial.losses) > 1
        )
        yield LabPlot(
            title="Loss while the rate grows",
            x="learning rate",
            y="loss, smoothed",
            curves=curves,
            marks=tuple(marks),
            log_x=True,
            note="one ramp per starting batch",
        )
    alive = [rung for rung in climbed.rungs if math.isfinite(rung.end)]
    if len(alive) > 1:
        curve = LabCurve(name="loss", x=tuple(rung.rate for rung in alive), y=tuple(rung.end for rung in alive))
        yield LabPlot(
            title="Loss at the end of short trainings",
            x="learning rate",
            y="loss",
            curves=(curve,),
            marks=tuple(marks),
            log_x=True,
        )


def _limits(known: Known) -> Iterator[str]:
    best = climb(known).best
    if best is not None and any(trial.out_of_time for trial in known.trials.values()):
        yield f"trainings ran out of time and were compared over {len(best.losses)} steps (`--seconds`)"
    elif best is not None and not known.finished:
        short = f"trainings of {len(best.losses)} steps at a constant rate"
        yield f"{short}; over a whole run a lower rate may catch up (`--steps`)"
    curvature = curvature_at_start(known)
    if curvature is not None and curvature.reason:
        yield f"the curvature at the start was not measured: {curvature.reason}"
    if any(len(trial.optimizers) > 1 for trial in known.trials.values()):
        yield "several optimizers: their rates were changed together, and the loss compared is that of the first"


def _note(kept: LabRun, known: Known) -> None:
    """The ramps as events: what other tools read."""
    told = readings(known)
    for trial in (known.trials[name] for name in sorted(known.trials) if name.startswith("ramp-")):
        kept.log.timeline = trial.name
        for step, (rate, loss) in enumerate(zip(trial.rates, trial.losses, strict=False)):
            kept.log.append(events.LrFinder, lr=rate, loss=loss, step=step)
    kept.log.timeline = None
    suggestions = {
        "steepest": ramps.middle([one.steepest for one in told]),
        "valley": ramps.middle([one.valley for one in told]),
        "suggested": climb(known).suggested(),
    }
    diverged = ramps.middle([one.diverged_at for one in told])
    kept.log.append(events.LrFinderComplete, suggestions=suggestions, diverged_at=diverged)
