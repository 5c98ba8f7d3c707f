"""What trained models are fed, in training and between: ranges, columns, and examples that come on both sides."""

import weakref
from collections import defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.echo import Echoes
from firstlight.observe.inside.evaluated import PartsSeen
from firstlight.observe.inside.feed import Feed, named
from firstlight.observe.inside.observer import rank, world
from firstlight.observe.inside.taps import stages
from firstlight.observe.inside.taps.models import Call, Models, Root
from firstlight.records.feed import ExamplesMet, FeedSeen, Overlap
from firstlight.records.places import Site

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.backward import Walked

MOST_MEASURED = 16
"""Calls of each kind whose columns are measured."""
MOST_ELEMENTS = 200_000_000
"""Values looked at in all: after so many, what is there to be seen was seen."""
MOST_MADE = 64
"""Tensors; a state comes back at the next call or the one after it."""
LEAST_STEPS = 3
"""Calls without gradients that come closer than this to the ones before are a part of the training itself."""


class Plate:
    """One model's feed, and when it came."""

    def __init__(self) -> None:
        self.feed = Feed()
        self.parts = PartsSeen()
        self.echoes = Echoes()
        self.given: list[torch.Tensor] = []
        """At the last call in training; let go at the next backward."""
        self.joint = False
        """Several models make one prediction together: what one of them is given is a part of an example."""
        self.tensors = self.elements = self.train_calls = self.eval_calls = self.crowded = 0
        self.last_step = -LEAST_STEPS
        self.eval_site: Site | None = None
        self.widths: defaultdict[str, set[int]] = defaultdict(set)
        """Lengths of rows of ids in training, by the name of the input."""

    def note_widths(self, given: dict[str, torch.Tensor]) -> None:
        for name, tensor in given.items():
            if tensor.ndim == 2 and not tensor.is_floating_point():
                self.widths[name].add(tensor.shape[1])


class Feeding:
    def __init__(
        self, observer: "Observer", models: Models, walked: "Walked", stages: "stages.StagesTap | None" = None
    ) -> None:
        self.observer, self.models, self.walked, self.stages = observer, models, walked, stages
        self.plates: dict[int, Plate] = {}
        self._made: deque[StorageWeakRef] = deque(maxlen=MOST_MADE)
        """Memory of what models gave lately, also once it is detached."""
        self.batch: list[torch.Tensor] = []
        """What a loader gave last, and which one."""
        self._loader: Callable[[], object | None] = _nothing

    def batch_given(self, loader: object, batch: object) -> None:
        self._loader = weakref.ref(loader) if loader is not None else _nothing
        whole = [tensor for tensor in reading.tensors_in(batch) if reading.readable(tensor) and not tensor.is_sparse]
        self.batch = [tensor for tensor in whole if not tensor.is_complex()]

    def returned(self, call: Call) -> None:
        root = self.models.roots.get(id(call.module))
        if root is None or root.ref() is not call.module or reading.transformed():
            return
        plate = self.plates.setdefault(root.index, Plate())
        given = named(call.arguments, call.keywords)
        plate.elements += sum(tensor.numel() for tensor in given.values())
        plate.tensors = max(plate.tensors, len(given))
        plate.feed.made |= self._made_by_models(given, call.output)
        if plate.elements > MOST_ELEMENTS or not given or self.observer.light:
            return
        if call.training:
            plate.train_calls += 1
            plate.given = list(given.values())
            plate.parts.training_goes_on()
            plate.note_widths(given)
            keys = plate.feed.train(given, measure=plate.train_calls <= MOST_MEASURED)
            if self.stages is not None and not plate.joint:
                self.stages.trains(root, given, keys, self._loader_of(given) is not None)
            if plate.train_calls <= MOST_MEASURED:
                plate.feed.carried(True, given, self.batch)
        elif root.backwards:
            self._without_gradients(root, plate, given)

    def _made_by_models(self, given: dict[str, torch.Tensor], output: object) -> set[str]:
        """Which of the inputs a model gave, now or at one of the last calls. What it hands through it has not made."""
        known, memory = {ref.cdata for ref in self._made}, {name: _memory(tensor) for name, tensor in given.items()}
        for tensor in reading.tensors_in(output):
            if _memory(tensor) not in (0, *memory.values()):
                self._made.append(StorageWeakRef(tensor.untyped_storage()))
        return {name for name, tensor in given.items() if tensor.grad_fn is not None or memory[name] in known}

    def _without_gradients(self, root: Root, plate: Plate, given: dict[str, torch.Tensor]) -> None:
        gap = self.observer.step - plate.last_step
        plate.last_step = self.observer.step
        plate.crowded += 0 < gap < LEAST_STEPS
        plate.eval_calls += 1
        plate.eval_site = plate.eval_site or sites.caller()
        loader = self._loader_of(given)
        part = plate.parts.at(list(given.values()), loader)
        keys = plate.feed.evaluate(given, measure=plate.eval_calls <= MOST_MEASURED, part=part)
        if self.stages is not None and not plate.joint:
            self.stages.evaluates(root, given, keys, loader is not None, part)
        if plate.eval_calls <= MOST_MEASURED:
            plate.feed.carried(False, given, self.batch)

    def _loader_of(self, given: dict[str, torch.Tensor]) -> object | None:
        """The loader that gave the last batch, where this has as many examples."""
        lengths = {len(tensor) for tensor in self.batch if tensor.ndim}
        return self._loader() if any(tensor.ndim and len(tensor) in lengths for tensor in given.values()) else None

    def backward_begins(self, *_: object) -> None:
        """On steps observed in full, where the targets are known too. One call of one model: more are no plain task."""
        called = self.models.since_backward
        if len({root.index for root in called}) > 1:
            for root in called:
                self.plates.setdefault(root.index, Plate()).joint = True
        plate = self.plates.get(called[0].index) if len(called) == 1 else None
        if plate is not None and self.walked.asked:
            plate.echoes.step(plate.given, self.walked.asked)
        for plate in self.plates.values():
            plate.given = []

    def tell(self) -> None:
        for root in self.models.roots.values():
            plate = self.plates.get(root.index)
            if plate is not None and root.backwards:
                self.observer.emit(self._record(root, plate))

    def tell_met(self) -> None:
        for root in self.models.roots.values():
            plate = self.plates.get(root.index)
            if plate is not None and root.backwards and not plate.joint:
                self.observer.emit(
                    ExamplesMet(
                        step=self.observer.step,
                        rank=rank(),
                        model=root.index,
                        trained=len(plate.feed.trained),
                        smallest=plate.feed.smallest(),
                        whole=plate.feed.met.whole,
                        room=plate.feed.room,
                        doubled=plate.feed.doubled,
                        evaluated=plate.feed.met.smallest(),
                        sizes=tuple(plate.feed.met.sizes),
                        parts=tuple(plate.feed.met.parts),
                        names=plate.parts.names(),
                    )
                )

    def tell_unread(self, root: Root, plate: Plate, whole: bool) -> None:
        """What loaders that nobody evaluated on would give. Before all was trained on, nothing is said of overlap."""
        seen = self._record(root, plate)
        self.observer.emit(seen if whole else msgspec.structs.replace(seen, overlap=Overlap()))

    def _record(self, root: Root, plate: Plate) -> FeedSeen:
        return FeedSeen(
            step=self.observer.step,
            rank=rank(),
            model=root.index,
            name=root.name,
            site=root.site,
            eval_site=plate.eval_site,
            crowded=plate.crowded,
            inputs=plate.feed.inputs(),
            ids=plate.feed.ids(),
            tensors=plate.tensors,
            widths=max(map(len, plate.widths.values()), default=0),
            overlap=Overlap() if plate.joint else plate.feed.overlap,
            parts=() if plate.joint else plate.parts.records(plate.feed.probes),
            echo=plate.echoes.seen(),
            first_pass=plate.feed.first_pass.record() if world() > 1 else None,
        )


def _nothing() -> None:
    """In place of a loader that is not known."""


def _memory(tensor: torch.Tensor) -> int:
    """0 where it has none of its own."""
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided
    return int(tensor.untyped_storage()._cdata) if plain and reading.readable(tensor) else 0


def install(observer: "Observer", models: Models, walked: "Walked") -> "Feeding":
    feeding = Feeding(observer, models, walked, stages.install(observer))
    observer.moments.backward_begins.insert(0, observer.shielded("feeding", feeding.backward_begins))
    observer.moments.model_returned.append(observer.shielded("feeding", feeding.returned))
    for moment in (observer.moments.batch_given, observer.moments.batch_asked):
        moment.append(observer.shielded("feeding", feeding.batch_given))
    observer.moments.milestone.append(observer.shielded("feeding", feeding.tell))
    observer.moments.ending.append(observer.shielded("feeding", feeding.tell_met))
    return feeding
