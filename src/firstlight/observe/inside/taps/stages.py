"""What each stage of a training holds back, and whether the weights live on from one to the next."""

from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from firstlight.observe.inside import sites
from firstlight.observe.inside.begun_anew import WeightsFollowed
from firstlight.observe.inside.evaluated import PartSeen
from firstlight.observe.inside.made import Made, RunningLine, lines
from firstlight.observe.inside.near import table_of
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.origin import Origins
from firstlight.observe.inside.stages import BatchGiven, Compared, Stage, Stages
from firstlight.observe.inside.taps.models import Root
from firstlight.records.lived_on import HeldBack
from firstlight.records.places import Site

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

REHEARSED = "rehearsal"
"""How the names of the timelines begin that run the whole program, shortened."""


class Life:
    """Of one model."""

    def __init__(self, root: Root, module: torch.nn.Module) -> None:
        self.root = root
        self.weights = WeightsFollowed(module)
        self.stages = Stages()
        self.site: Site | None = None
        """Where it was first evaluated, and below, by which lines that was come to."""
        self.running: tuple[RunningLine, ...] = ()
        self.batch = 0
        """The last one of a loader that it was given."""
        self.trained = False
        """Since the last step."""


class StagesTap:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self.lives: dict[int, Life] = {}
        self.made, self.origins = Made(), Origins()
        self._rows: list[int] = []
        self._batches = 0

    def batch_given(self, loader: Any, _batch: object) -> None:
        self._batches += 1
        self.batch_asked(loader, _batch)

    def batch_asked(self, loader: Any, _batch: object) -> None:
        self._rows = self.origins.of(loader, self.observer.batch_rows)

    def trains(self, root: Root, given: dict[str, torch.Tensor], keys: list[int], loaded: bool) -> None:
        life = self._life(root)
        if life is not None:
            life.trained = True
            life.stages.train(self._batch(life, given, keys, loaded))

    def evaluates(
        self, root: Root, given: dict[str, torch.Tensor], keys: list[int], loaded: bool, part: PartSeen | None
    ) -> None:
        life = self._life(root)
        if life is not None and part is not None:
            if life.site is None:
                life.site, life.running = sites.caller(), lines()
            life.stages.evaluate(self._batch(life, given, keys, loaded), part.number, life.weights.moment)

    def _life(self, root: Root) -> Life | None:
        """None where its weights cannot be read."""
        module = root.ref()
        if module is None or not self._is_asked():
            return None
        if root.index not in self.lives:
            self.lives[root.index] = Life(root, module)
        life = self.lives[root.index]
        if not life.weights.known:
            return None
        if life.weights.is_begun_anew(life.stages.moment):
            life.stages.begin_anew()
        return life

    def _is_asked(self) -> bool:
        timeline = self.observer.timeline
        return timeline is None or timeline.startswith(REHEARSED)

    def _batch(self, life: Life, given: dict[str, torch.Tensor], keys: list[int], loaded: bool) -> BatchGiven:
        """What a loader gave counts for the first call that follows."""
        fresh, life.batch = life.batch != self._batches, self._batches
        rows = self._rows if loaded and fresh and len(self._rows) == len(keys) else []
        return BatchGiven(keys, rows, table_of(given), self.observer.step)

    def step_ended(self, *_: object) -> None:
        for life in self.lives.values():
            if life.trained:
                life.trained = False
                life.weights.stepped()

    def tell(self) -> None:
        for life in self.lives.values() if self._is_asked() else ():
            found = life.stages.compared()
            if found is not None:
                self.observer.emit(self._record(life, *found))

    def _record(self, life: Life, seen: Compared, stages: list[Stage]) -> HeldBack:
        module = life.root.ref()
        pair = stages[seen.earlier], stages[seen.later]
        held = tuple(len(stage.held[part].keys) for stage, part in zip(pair, seen.parts, strict=True))
        return HeldBack(
            step=self.observer.step,
            rank=rank(),
            model=life.root.index,
            name=life.root.name,
            site=life.site,
            made=None if module is None else self.made.line_of(module, life.running),
            stages=len(stages),
            earlier=seen.earlier + 1,
            later=seen.later + 1,
            began=pair[0].began + 1,
            ended=pair[0].ended + 1,
            trained=(len(pair[0].trained), len(pair[1].trained)),
            held=(held[0], held[1]),
            before=round(seen.before * held[1]),
            after=round(seen.after * held[0]),
            now=(round(seen.now[0] * held[0]), round(seen.now[1] * held[1])),
            rescaled=seen.rescaled,
            shortened=self.observer.timeline is not None,
        )


def install(observer: "Observer") -> StagesTap:
    stages = StagesTap(observer)
    note = observer.unable_to_raise("feeding", stages.made.note)
    register_module_parameter_registration_hook(note)
    observer.moments.batch_given.append(observer.shielded("feeding", stages.batch_given))
    observer.moments.batch_asked.append(observer.shielded("feeding", stages.batch_asked))
    observer.moments.step_ended.append(observer.shielded("feeding", stages.step_ended))
    observer.moments.ending.append(observer.shielded("feeding", stages.tell))
    return stages
