"""On a red flag: everything it takes to do the step again, written beside the log.

Errors are captured whole. A warning gets its batch, random state and last window, and the weights only where they were
copied already, as of a step whose loss or gradients leapt.
"""

import math
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import torch

from firstlight.checks.run import script_crashed
from firstlight.guard.capture import surroundings
from firstlight.guard.capture.choices import Capturing
from firstlight.guard.capture.feeding import Feeding, Meal
from firstlight.guard.capture.ring import Copy, Ring, Slot, state_of
from firstlight.guard.capture.trees import Packer, outgoing
from firstlight.observe.inside.observer import world
from firstlight.records import events, wire
from firstlight.records.artifact import ARTIFACT_SCHEMA, LeftOut, Manifest
from firstlight.records.finding import Severity
from firstlight.records.telemetry import StepRow, Trip
from firstlight.store import artifacts
from firstlight.store.artifacts import Draft
from firstlight.store.run_directory import shown

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard

WINDOW = 64
"""Rows of telemetry in an artifact; the log has the rest."""


@dataclass(frozen=True, slots=True)
class About:
    """Why a step is captured."""

    step: int
    check: str
    """Id and name."""
    summary: str
    before_step: int | None
    """The step whose beginning the weights are of; None where there are none from before."""
    left_out: tuple[LeftOut, ...]


class Capture:
    def __init__(self, chosen: Capturing) -> None:
        self._chosen = chosen
        self._feeding = Feeding()
        self._ring = Ring(chosen.keep, chosen.every)
        self._captured: set[str] = set()
        self._tick = 0

    def listen(self, guard: "Guard") -> None:
        moments = guard.moments
        moments.batch_came.append(self._feeding.batch_came)
        moments.backward_begins.append(self._backward_begins)
        moments.step_begins.append(self._step_begins)
        moments.step_ended.append(self._step_ended)
        moments.leapt.append(self._leapt)
        moments.tripped.append(self._tripped)
        moments.crashed.append(self._crashed)
        moments.closing.append(self._close)
        self._feeding.follow(guard)

    def _backward_begins(self, guard: "Guard", loss: torch.Tensor) -> None:
        """A step with a closure makes its gradients and moves the weights in one go; here they have not moved yet."""
        if loss.device.type == "cpu" and not guard.judge.over and not math.isfinite(loss.item()):
            self._ring.take(self._tick, guard.step, live(guard))

    def _step_begins(self, guard: "Guard", optimizer: torch.optim.Optimizer) -> None:
        watch = next(watch for watch in guard.watches if watch.optimizer is optimizer)
        self._feeding.step_begins(watch.index, watch.step, self._tick)
        self._ring.passes(self._tick, watch.step, live(guard))

    def _leapt(self, guard: "Guard", row: StepRow) -> None:
        """A flag may name this step later: what it was fed is held, and on the host the weights it began with."""
        meal = self._feeding.hold(row.optimizer, row.step)
        if meal is not None and meal.tick == self._tick:
            self._keep(guard, row.step)

    def _keep(self, guard: "Guard", step: int) -> None:
        """The weights as they are now, unless this step's were taken already."""
        if self._ring.newest != self._tick:
            self._ring.take(self._tick, step, live(guard))

    def _step_ended(self, guard: "Guard", _optimizer: torch.optim.Optimizer) -> None:
        self._feeding.step_ended()
        self._tick += 1
        self._feeding.follow(guard)

    def _close(self, _guard: "Guard") -> None:
        self._feeding.close()

    def _tripped(self, guard: "Guard", trip: Trip) -> None:
        name = trip.finding.name
        if name in self._captured or len(self._captured) >= self._chosen.most_artifacts or guard.run is None:
            return
        self._captured.add(name)
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()  # copies to the host may still be under way
        meal = self._feeding.of(trip.optimizer, trip.step)
        severe = trip.finding.severity is Severity.ERROR
        if severe and meal is not None and meal.tick == self._tick:
            self._keep(guard, trip.step)  # judged before its weights move
        slot = self._ring.before(meal.tick if meal is not None else self._tick - 2)
        if not severe and (slot is None or meal is None or slot.tick != meal.tick):
            slot = None
        drafts = [*self._before(meal, slot), *(_now(guard) if severe else ())]
        left_out = (*self._missing_batch(meal), *self._missing_weights(slot, severe))
        about = About(trip.step, f"{trip.finding.id} {name}", trip.finding.saw, slot.step if slot else None, left_out)
        self._write(guard, about, meal, drafts)

    def _crashed(self, guard: "Guard", error: BaseException) -> None:
        """In the middle of a step: its weights have not moved, and are what the step began with."""
        meal = self._feeding.under_way()
        if meal is None or guard.run is None or not guard.models:
            return
        drafts = [*self._before(meal, None), *(draft(name, "before", value) for name, value in live(guard))]
        check = f"{script_crashed.CHECK.id} {script_crashed.CHECK.name}"
        words = f"{type(error).__name__}: {error}"[:500]
        about = About(guard.step, check, words, guard.step, tuple(self._missing_batch(meal)))
        self._write(guard, about, meal, drafts)

    def _write(self, guard: "Guard", about: "About", meal: Meal | None, drafts: list[Draft]) -> None:
        run = guard.run
        if run is None:
            return
        suffix = f"-rank{guard.rank}" if world() > 1 else ""
        place = run.artifacts / f"{about.step}-{about.check.partition(' ')[2]}{suffix}"
        folder = artifacts.write(place, _manifest(guard, about, meal), drafts, self._chosen.most_bytes)
        digest = artifacts.digest_of(folder / artifacts.MANIFEST)
        guard.journal.write(
            events.Artifact, always=True, kind="capture", path=shown(folder), sha256=digest, reason=about.summary
        )
        sys.stderr.write(f"  kept in  {shown(folder)}\n  next     firstlight replay {shown(folder)}\n")

    def _before(self, meal: Meal | None, slot: Slot | None) -> Iterator[Draft]:
        """As the step began, what is needed most first."""
        if meal is not None:
            yield draft("rng", "before", meal.random)
            if self._chosen.batches:
                for name, batch in numbered("batch", self._feeding.batches_of(meal)):
                    yield draft(name, "before", batch)
                for name, (args, kwargs) in numbered("inputs", list(meal.inputs)):
                    yield draft(name, "before", {"args": list(args), "kwargs": kwargs})
        if slot is not None:
            for name, copy in slot.parts.items():
                yield copied(name, copy)

    def _missing_batch(self, meal: Meal | None) -> Iterator[LeftOut]:
        if meal is None:
            yield LeftOut(part="before/batch", reason="the step was judged too late: its batch was gone")
        elif not self._chosen.batches:
            yield LeftOut(part="before/batch", reason="inputs are not written, as was chosen")

    def _missing_weights(self, slot: Slot | None, severe: bool) -> Iterator[LeftOut]:
        if slot is None and not severe:
            yield LeftOut(part="model", reason="weights are kept for errors only, and for steps that leap on the host")
        elif slot is None:
            yield LeftOut(
                part="before/model",
                reason="no copy from before the step: `keep` is off, and here a flag goes up after the update",
            )


def _manifest(guard: "Guard", about: About, meal: Meal | None) -> Manifest:
    return Manifest(
        schema=ARTIFACT_SCHEMA,
        run_id=guard.journal.run.id if guard.journal.run else "",
        step=about.step,
        check=about.check,
        summary=about.summary,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        before_step=about.before_step,
        rank=guard.rank,
        world=world(),
        left_out=about.left_out,
        program=surroundings.program(),
        environment=surroundings.environment(),
        config=_config(guard, meal),
        window=tuple(_window(guard, about.step)),
        stack=tuple(line.rstrip() for line in traceback.format_stack(limit=40)),
    )


def _window(guard: "Guard", step: int) -> list[Any]:
    """The last steps, and before them the one it is about."""
    last = list(guard.window)[-WINDOW:]
    named = [row for row in guard.window if row.step == step and row not in last]
    return [wire.to_plain(row) for row in (*named, *last)]


def live(guard: "Guard") -> "Iterator[tuple[str, Any]]":
    """Everything a step changes."""
    yield from numbered("model", list(guard.models.values()))
    yield from numbered("optimizer", guard.optimizers)


def numbered(name: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    for at, value in enumerate(values):
        yield (name if at == 0 else f"{name}-{at + 1}"), value


def draft(name: str, moment: Literal["before", "trip"], value: Any) -> Draft:
    packer = Packer()
    tree = packer.pack(state_of(value))
    return Draft(name, moment, tree, outgoing(packer.tensors), type(value).__name__)


def copied(name: str, copy: Copy) -> Draft:
    return Draft(name, "before", copy.tree, outgoing(copy.tensors), copy.title)


def _now(guard: "Guard") -> Iterator[Draft]:
    """As things stand when the flag goes up."""
    for name, scheduler in numbered("scheduler", guard.schedulers):
        yield draft(name, "trip", scheduler)
    for name, scaler in numbered("scaler", guard.scalers):
        yield draft(name, "trip", scaler)
    yield draft("rng", "trip", surroundings.every_random())
    for name, value in live(guard):
        yield draft(name, "trip", value)


def _config(guard: "Guard", meal: Meal | None) -> dict[str, Any]:
    return {
        "autocast": meal.autocast if meal is not None else None,
        "models": [type(model).__name__ for model in guard.models.values()],
        "optimizers": [type(optimizer).__name__ for optimizer in guard.optimizers],
        "training": [model.training for model in guard.models.values()],
        "lr": [float(group["lr"]) for optimizer in guard.optimizers for group in optimizer.param_groups],
    }
