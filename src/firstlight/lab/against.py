"""`against`: two implementations on the same weights and the same batch, and the first thing in which they differ.

Values are matched, not operations: where one program fuses what the other does in three calls, what is in between has
no counterpart, and what comes out has. The break is the first value without a counterpart from which no later one leads
back to values that both have.
"""

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from firstlight.errors import UsageError
from firstlight.lab.specs import spec_of
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched, watch
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabReport, LabTable
from firstlight.records.steered import CallsSeen, Fingerprint, NamedValues, TapedCall, ValuesSeen, WeightsTaken
from firstlight.records.training import BackwardSeen
from firstlight.store.run_directory import RunDirectory

EXTENSION = "firstlight.experiments.inside.likeness:install_{}"
TOLERANCE = 1e-4
"""Relative: other orders of summation stay below it, other computations do not."""
TINY = 1e-12
ROUNDING = 1e-6
"""Share of the largest gradient below which one is what rounding left of zero."""
MOST_LISTED = 12


@dataclass(frozen=True)
class Side:
    """The first step of one program."""

    calls: tuple[TapedCall, ...]
    values: Mapping[str, Sequence[NamedValues]]
    """By kind: what was fed, gradients, and weights after the step."""
    loss: float | None

    @classmethod
    def of(cls, watched: Watched) -> "Side":
        seen: list[ValuesSeen] = watched.of(ValuesSeen)
        kinds = ("fed", "gradient", "stepped")
        values = {kind: [row for part in seen if part.kind == kind for row in part.rows] for kind in kinds}
        backwards: list[BackwardSeen] = watched.of(BackwardSeen)
        calls = tuple(row for part in watched.of(CallsSeen) for row in part.rows)
        return cls(calls, values, backwards[0].value if backwards else None)


def alike(one: Fingerprint, other: Fingerprint) -> bool:
    """Of values that are not finite, only the number counts."""
    if one.elements != other.elements:
        return False
    room = TOLERANCE * max(one.size, other.size, TINY)
    pairs = ((one.mean, other.mean), (one.size, other.size), (one.reach, other.reach))
    return all(abs(a - b) <= room if math.isfinite(a - b) else math.isnan(a) == math.isnan(b) for a, b in pairs)


def first_break(calls: Sequence[TapedCall], others: Sequence[TapedCall]) -> TapedCall | None:
    """None where every value has a counterpart, or leads back to one that has."""
    by_size: dict[int, list[Fingerprint]] = {}
    for call in others:
        by_size.setdefault(call.values.elements, []).append(call.values)
    common = {
        call.number
        for call in calls
        if any(alike(call.values, other) for other in by_size.get(call.values.elements, ()))
    }
    rejoins = set(common)
    for call in reversed(calls):
        if call.number in rejoins:
            rejoins.update(call.made_from)
    return next((call for call in calls if call.number not in rejoins), None)


def rounded_away(gradients: Sequence[NamedValues]) -> set[str]:
    """Tensors whose gradient is zero but for rounding, as that of a bias before a normalisation; so is their step."""
    largest = max((row.values.size for row in gradients), default=0.0)
    return {row.name for row in gradients if row.values.size <= ROUNDING * largest}


def unlike(mine: Side, reference: Side, kind: str) -> list[tuple[NamedValues, NamedValues]]:
    """Tensors of the same name with other values."""
    there = {row.name: row for row in reference.values[kind]}
    idle = rounded_away(mine.values["gradient"]) & rounded_away(reference.values["gradient"])
    pairs = [(row, there[row.name]) for row in mine.values[kind] if row.name in there and row.name not in idle]
    return [(one, other) for one, other in pairs if not alike(one.values, other.values)]


def against(mine: Target, reference: Target, eyes: Eyes, run: RunDirectory) -> LabReport:
    first = _first_step(mine, eyes, run, "mine", "first")
    second = _first_step(reference, eyes, run, "reference", "second")
    taken = next(iter(second.of(WeightsTaken)), None)
    for folder in ("mine", "reference"):
        shutil.rmtree(run.path / folder, ignore_errors=True)
    return answer(Side.of(first), Side.of(second), taken, (*mine.words, *reference.words))


def _first_step(target: Target, eyes: Eyes, run: RunDirectory, name: str, role: str) -> Watched:
    home = RunDirectory(run.path.absolute() / name)
    home.path.mkdir(parents=True)
    plain = spec_of(run.id, home, eyes.startup_seconds, steps=1)
    spec = structs.replace(plain, extensions=(EXTENSION.format(role),))
    watched = watch(target, spec, replace(eyes, progress=lambda text: eyes.progress(f"{name}: {text}")))
    outcome = watched.outcome()
    if not watched.backwards:
        said = f"crashed: {outcome.message}" if outcome.ended in ("crashed", "killed") else "made no training step"
        raise UsageError(f"`{target.shown}` {said}. Both programs must reach the loss of their first step.")
    return watched


def answer(mine: Side, reference: Side, taken: WeightsTaken | None, command: tuple[str, ...]) -> LabReport:
    broken, there = first_break(mine.calls, reference.calls), first_break(reference.calls, mine.calls)
    gradients, stepped = unlike(mine, reference, "gradient"), unlike(mine, reference, "stepped")
    same_loss = _same_loss(mine, reference)
    if same_loss:
        broken = there = None
    return LabReport(
        kind="against",
        command=command,
        answer=" ".join(_sentences(mine, reference, (broken, there), (gradients, stepped), taken)),
        numbers={
            "same": same_loss and not gradients and not stepped,
            "loss": mine.loss,
            "reference_loss": reference.loss,
            "differs_at": broken.site if broken is not None else None,
            "reference_differs_at": there.site if there is not None else None,
            "gradients_that_differ": len(gradients),
        },
        tables=tuple(_tables(mine, reference, broken, there, gradients or stepped)),
        limits=tuple(_limits(mine, reference, taken)),
        done=2,
    )


def _same_loss(mine: Side, reference: Side) -> bool:
    if mine.loss is None or reference.loss is None:
        return False
    return math.isclose(mine.loss, reference.loss, rel_tol=TOLERANCE, abs_tol=TINY)


Differing = list[tuple[NamedValues, NamedValues]]


def _sentences(
    mine: Side,
    reference: Side,
    breaks: tuple[TapedCall | None, TapedCall | None],
    later: tuple[Differing, Differing],
    taken: WeightsTaken | None,
) -> Iterator[str]:
    broken, there = breaks
    if taken is None or not taken.by_name + taken.by_shape:
        yield "No weights of one fit the other, so every value differs: compare the models first."
    elif not _same_loss(mine, reference):
        yield f"On the same weights the losses differ: {_told(mine.loss)} against {_told(reference.loss)}."
        if broken is not None:
            yield f"The first difference is {_place(broken)}{f', in the reference {_place(there)}' if there else ''}."
        elif there is not None:
            yield f"The reference computes something that the other does not; the first such call is {_place(there)}."
    elif later[0]:
        closest = later[0][-1][0].name
        yield f"The losses agree, but {len(later[0])} gradients do not; the closest to the loss is `{closest}`."
    elif later[1]:
        first = later[1][0][0].name
        yield f"Losses and gradients agree, but the step differs, first in `{first}`: look at the optimizers."
    else:
        yield f"They agree: the loss ({_told(mine.loss)}), the gradients and the first step are the same."


def _place(call: TapedCall) -> str:
    return f"`{call.operation}` at {call.site or 'a line outside your code'}"


def _told(loss: float | None) -> str:
    return "none" if loss is None else f"{loss:.6g}"


def _tables(
    mine: Side, reference: Side, broken: TapedCall | None, there: TapedCall | None, values: Differing
) -> Iterator[LabTable]:
    found = [("mine", call) for call in _around(mine.calls, broken)]
    found += [("reference", call) for call in _around(reference.calls, there)]
    if found:
        rows = tuple(_row(side, call, (broken, there)) for side, call in found)
        head = ("program", "line", "operation", "shape", "mean", "size", "")
        yield LabTable(title="calls around the first difference", head=head, rows=rows)
    if values:
        named: list[tuple[Scalar, ...]] = [(one.name, one.values.size, two.values.size) for one, two in values]
        yield LabTable(title="tensors that differ", head=("tensor", "size", "in the reference"), rows=tuple(named))


def _around(calls: Sequence[TapedCall], broken: TapedCall | None) -> Sequence[TapedCall]:
    if broken is None:
        return ()
    at = calls.index(broken)
    return calls[max(0, at - MOST_LISTED // 4) : at + MOST_LISTED // 4]


def _row(side: str, call: TapedCall, breaks: tuple[TapedCall | None, ...]) -> tuple[Scalar, ...]:
    shape = " × ".join(map(str, call.shape)) or "scalar"
    mark = "first difference" if any(call is one for one in breaks) else ""
    return side, call.site, call.operation, shape, call.values.mean, call.values.size, mark


def _limits(mine: Side, reference: Side, taken: WeightsTaken | None) -> Iterator[str]:
    if taken is None:
        yield "the reference calls no torch module, so no weights could be copied into it"
        return
    if taken.by_shape:
        yield f"{taken.by_shape} tensors have different names and were matched by shape, in order"
    for what, names in (("reference has no tensor for", taken.missing), ("other has no tensor for", taken.extra)):
        if names:
            yield f"the {what} {', '.join(names)}"
    if not taken.batch:
        yield "the batch could not be shared (no DataLoader, or different shapes): each used its own"
        if unlike(mine, reference, "fed"):
            yield "their inputs differ, so everything after must differ too"
