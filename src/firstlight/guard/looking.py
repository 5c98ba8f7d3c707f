"""What is looked at now and then: activations, predictions, invariants and the other ranks, and memory more often."""

from pathlib import Path
from typing import TYPE_CHECKING

from firstlight.errors import UsageError
from firstlight.facts.live.looks import Output, PredictionWindow
from firstlight.guard.activations import Activations
from firstlight.guard.adam import AdamMemory
from firstlight.guard.health import Health, room
from firstlight.guard.histograms import EDGES, Histograms
from firstlight.guard.invariants import Invariants
from firstlight.guard.predictions import Predictions
from firstlight.guard.ranks import Ranks
from firstlight.guard.statistics.rows import Frame
from firstlight.guard.watch import Watch
from firstlight.records import events
from firstlight.records.live import RoomTrack
from firstlight.records.telemetry import Trip

if TYPE_CHECKING:
    import torch

    from firstlight.guard.attach import Guard

FIRST_LOOK = 10
"""Step of the first look: whatever is compiled is compiled by then."""
EARLY = (0, 10, 20)
"""Steps at which ranks are compared besides: they begin alike, and two more looks tell whether they stay so."""
MEMORY_EVERY = 50
DEVICE_EVERY = 200
MOST_MODULES_A_LINE = 200


class Looks:
    def __init__(self, guard: "Guard") -> None:
        self._guard = guard
        self._activations = Activations(guard.models)
        self._invariants = Invariants(guard.options.invariants)
        self._ranks = Ranks()
        self._hold = guard.shield("invariants", self._judge_invariants)
        self._memories: dict[int, AdamMemory] = {}
        self._histograms = Histograms()
        self._count = guard.shield("histograms", self._histogram)
        self._follow = guard.shield("fixed_batch", self._look_at_predictions)
        self._remember = guard.shield("optimizer state", self._read_memory)
        self._measure_room = guard.shield("the disk", self._room)
        self._compare = guard.shield("comparing ranks", self._compared)
        self._predictions: Predictions | None = None
        self._health: Health | None = None
        self._step = self._counted = 0
        self._fresh: list[Trip] = []

    def memory(self, step: int) -> float | None:
        """In bytes, every fifty steps."""
        if step % MEMORY_EVERY or not self._guard.watches:
            return None
        self._health = self._health or Health(self._guard.watches[0].subjects.device)
        if step % DEVICE_EVERY == 0 and self._guard.journal.wants_device(step):
            self._guard.journal.write(events.Device, **self._health.fields())
        if step % DEVICE_EVERY == 0:
            self._measure_room(step)
        return self._health.memory()

    def _room(self, step: int) -> None:
        guard = self._guard
        folder = guard.run.path if guard.run is not None else Path.cwd()
        free, checkpoint = room(guard.models.values(), guard.optimizers, folder)
        fact = RoomTrack(rank=guard.rank, step=step, free=free, checkpoint=checkpoint, path=str(folder))
        self._fresh += guard.judge.judge([fact])

    @property
    def armed(self) -> bool:
        """The next forward pass is looked at."""
        return self._activations.armed

    def backward_begins(self, loss: "torch.Tensor") -> None:
        if self._activations.armed:
            self._activations.flush()
            self._invariants.hears(loss)

    def step_begins(self, watch: Watch) -> None:
        if self._activations.armed:
            self._activations.disarm()
            self._hold()
            self._count(watch)
        self._remember(watch)

    def _histogram(self, watch: Watch) -> None:
        if self._guard.journal.wants_histograms(self._counted):
            self._histograms.step_begins(watch)
        self._counted += 1

    def _read_memory(self, watch: Watch) -> None:
        if watch.index not in self._memories:
            self._memories[watch.index] = AdamMemory(watch)
        memory = self._memories[watch.index]
        for look in memory.arrived():
            self._guard.judge.windows.remembers(watch.index, look)
        memory.step_begins()

    def _judge_invariants(self) -> None:
        models = list(self._guard.models.values())
        for tried in self._invariants.judge(models[0], self._step) if models else ():
            self._guard.journal.write(
                events.Invariant, name=tried.name, ok=not (tried.broken or tried.missing), stats={"told": tried.first}
            )
            self._fresh += self._guard.judge.judge([tried])

    def measured(self, watch: Watch, frame: Frame) -> None:
        """A look at all tensors has come in."""
        self._compare(watch, frame)

    def _compared(self, watch: Watch, frame: Frame) -> None:
        if frame.step in EARLY or self.is_due(frame.step):
            self._ranks.tells(watch, frame)
        if self._guard.judge.is_due(frame.step):
            self._fresh += self._guard.judge.judge(list(self._ranks.arrived(list(self._guard.models.values()))))

    def is_due(self, step: int) -> bool:
        every = self._guard.options.every
        return every > 0 and (step in (1, min(FIRST_LOOK, every)) or step % every == 0)

    def step_ended(self, step: int) -> None:
        if not self.is_due(step) or step == self._step:
            return
        self._step = step
        if step == 1:
            self._watch_predictions()
        if step > 1:
            self._activations.arm()
            self._invariants.arm(next(iter(self._guard.models.values()), None))
            self._follow(step)

    def _watch_predictions(self) -> None:
        """Late, so that `first` is the first batch of training and a model may still be moved to its device."""
        given, models = self._guard.options.fixed_batch, list(self._guard.models.values())
        if given is not None and models:
            self._predictions = Predictions(models[0], given, lambda: self._guard.batches.last)
            self._guard.judge.windows.predictions = PredictionWindow(self._predictions.truths)

    def _look_at_predictions(self, step: int) -> None:
        if self._predictions is None:
            return
        try:
            found = self._predictions.look()
        except Exception as error:  # noqa: BLE001  # whatever the model makes of it
            told = f"the model cannot be called with fixed_batch, whose predictions are not followed ({error})."
            raise UsageError(
                f"{told} Give its inputs as the model takes them, or a pair of inputs and targets."
            ) from None
        if found is None:
            return
        prediction, rows = found
        sure = [row[3] for row in rows if isinstance(row[3], float)]
        self._guard.journal.write(
            events.PredictionTable,
            step=step,
            rows=rows,
            confidence_mean=prediction.confidence,
            confidence_min=min(sure, default=None),
            confidence_max=max(sure, default=None),
        )
        self._guard.judge.windows.predictions.add(prediction)
        self._fresh += self._guard.judge.looked(step)

    def arrived(self) -> list[Trip]:
        """Red flags of what has come in since the last step."""
        outputs = self._activations.arrived()
        if outputs:
            self._write(outputs)
            self._guard.judge.windows.activations.add(outputs)
            self._fresh += self._guard.judge.looked(self._step)
        for counted in self._histograms.arrived():
            self._guard.journal.write(
                events.Histogram,
                step=counted.step,
                name=counted.name,
                kind=counted.kind,
                bins=EDGES,
                counts=counted.counts,
            )
        fresh, self._fresh = self._fresh, []
        return fresh

    def _write(self, outputs: list[Output]) -> None:
        for start in range(0, len(outputs), MOST_MODULES_A_LINE):
            modules = [
                {
                    "name": output.name,
                    "kind": output.kind,
                    "mean": float(f"{output.mean:.5g}"),
                    "std": float(f"{output.std:.5g}"),
                    "rms": float(f"{output.rms:.5g}"),
                    "absmax": float(f"{output.absmax:.5g}"),
                    "dead": round(output.dead, 4),
                    "saturated": round(output.saturated, 4),
                }
                for output in outputs[start : start + MOST_MODULES_A_LINE]
            ]
            self._guard.journal.write(events.ActivationStats, step=self._step, modules=modules)

    def close(self) -> None:
        self._activations.disarm()
        if self._predictions is not None:
            self._predictions.close()
