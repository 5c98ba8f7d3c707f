"""What an evaluation makes of a model's answers, and what it holds them against.

While a model is evaluated every torch call is heard, and tensors are marked: those that rest on a model's answers,
those that name its least likely class, and those whose rows were put in another order. Where an answer meets something
that does not come from the model, the marks of both sides tell whether that is what was meant. Classes that it meets
are also held against those of the loader, and so are the ones that training is given.
"""

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.classes_named import ClassNames, apart, classes_in, nearest, renamed
from firstlight.experiments.inside.copies import is_copy
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.losses import FUNCTIONS
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

ANSWER, LEAST, MOVED = 1, 2, 4
COMPARISONS = ("eq", "__eq__", "ne", "__ne__")
MEETINGS = frozenset({*COMPARISONS, "sub", "__sub__", "rsub", "__rsub__", *FUNCTIONS})
MOVING = frozenset({"roll", "flip", "flipud", "__getitem__", "index_select", "gather", "take_along_dim", "take"})
CLASSES = ("cross_entropy", "nll_loss")
"""Losses that raise what is given for the right class."""
SHAPED = ("_as", "_like")
"""Ends of names whose further tensors lend a shape or a type, and no values."""
MOST_ELEMENTS = 100_000
MOST_LINES = 16
MOST_RENAMED = 8
LEAST_ROWS = 4
"""Of a tensor; fewer come in the same order by chance."""


@dataclass
class _Line:
    model: str
    compares: bool
    """It asks whether both are equal; else how far they are apart."""
    times: int = 0
    answers: int = 0
    least: int = 0
    moved: int = 0
    names: ClassNames = field(default_factory=ClassNames)
    trained: "TrainedClasses | None" = None


@dataclass
class TrainedClasses:
    """What the classes of one model are called in its loss, and the line of it."""

    site: Site | None = None
    names: ClassNames = field(default_factory=ClassNames)


class Scoring:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._marks: ByIdentity[int] = ByIdentity()
        self._model = ""
        self._likelier = False
        """A larger answer of the model that is asked stands for a likelier class."""
        self._inputs: list[torch.Tensor] = []
        self._outputs: list[torch.Tensor] = []
        self._trained: tuple[weakref.ref[torch.nn.Module], list[torch.Tensor]] | None = None
        self._by_class: ByIdentity[bool] = ByIdentity()
        """Models that are trained by a loss which raises the answer for the right class."""
        self._lines: dict[Site, _Line] = {}
        self._batch: list[torch.Tensor] = []
        """Classes that a loader gave last."""
        self._classes: ByIdentity[TrainedClasses] = ByIdentity()
        self._asked: TrainedClasses | None = None
        """Of the model that is asked."""

    def batch_given(self, _loader: object, batch: object) -> None:
        self._batch = classes_in(batch)

    def trained(self, call: "Call") -> None:
        self._trained = weakref.ref(call.module), _floats(call.output)

    def asked(self, call: "Call") -> None:
        """A model was evaluated; what comes of its answers is followed from here on."""
        self._inputs, self._outputs = call.inputs, _floats(call.output)
        self._model, self._likelier = type(call.module).__name__, self._is_by_class(call.module)
        self._asked = self._classes.get(call.module, None)
        moved = self._marked(call.inputs) & MOVED
        for tensor in reading.tensors_in(call.output):  # places too: a model may tell in which order it answers
            self._marks[tensor] = ANSWER | moved

    def _is_by_class(self, module: torch.nn.Module) -> bool:
        """It, or the model that it is a copy of."""
        return module in self._by_class or any(is_copy(module, trained) for trained in self._by_class)

    def rest(self) -> None:
        """Training goes on."""
        self._inputs, self._outputs, self._trained = [], [], None

    def heard(self, name: str, given: tuple[Any, ...], found: Any) -> None:
        tensors = list(reading.tensors_in(given))
        if self._trained is not None and name in CLASSES and len(tensors) > 1:
            self._learn_names(tensors[1])
            self._learn_sense(tensors[0])
        if not self._outputs or not tensors:
            return
        if name in MEETINGS and len(tensors) > 1:
            self._meet(name, *tensors[:2])
        mark = self._marked(tensors[:1] if name.endswith(SHAPED) else tensors)
        for made in reading.tensors_in(found):
            if own := self._after(name, tensors[0], made, mark):
                self._marks[made] = own

    def _marked(self, tensors: list[torch.Tensor]) -> int:
        found = 0
        for tensor in tensors:
            found |= self._marks.get(tensor, 0) or 0
        return found

    def _learn_names(self, classes: torch.Tensor) -> None:
        assert self._trained is not None
        module = self._trained[0]()
        if module is not None:
            known = self._classes.get(module, None) or TrainedClasses(sites.caller())
            known.names.add(classes, self._batch)
            self._classes[module] = known

    def _learn_sense(self, prediction: torch.Tensor) -> None:
        assert self._trained is not None
        module = self._trained[0]()
        if module is not None and prediction.ndim > 1 and reading.readable(prediction):
            wanted = prediction.argmax(1).flatten()
            if any(_equal(wanted, best) for best, _ in _extremes(self._trained[1], wanted.numel())):
                self._by_class[module] = True
                self._trained = None

    def _after(self, name: str, source: torch.Tensor, made: torch.Tensor, mark: int) -> int:
        """The marks of a result: those of what it was made of, and what this operation adds or takes away."""
        if made.numel() > MOST_ELEMENTS or not reading.readable(made):
            return mark
        if mark & ANSWER and made.dtype == torch.int64 and not mark & LEAST and self._is_least(made):
            return mark | LEAST
        if name in MOVING and self._is_moved(source, made):
            return mark ^ MOVED  # twice may be there and back
        return mark

    def _is_least(self, chosen: torch.Tensor) -> bool:
        flat = chosen.flatten()
        if not self._likelier:
            return False
        return any(
            _equal(flat, worst) and not _equal(flat, best) for best, worst in _extremes(self._outputs, flat.numel())
        )

    def _is_moved(self, source: torch.Tensor, made: torch.Tensor) -> bool:
        if made.shape != source.shape or made.ndim < 1 or len(made) < LEAST_ROWS or not reading.readable(source):
            return False
        if any(one is source or _same(one, source) for one in self._inputs):
            return False
        rows, others = _row_sums(source), _row_sums(made)
        return not torch.equal(rows, others) and torch.equal(rows.sort().values, others.sort().values)

    def _meet(self, name: str, one: torch.Tensor, other: torch.Tensor) -> None:
        marks = sorted((self._marked([one]), self._marked([other])), key=lambda mark: mark & ANSWER)
        site = sites.caller()
        if marks[0] & ANSWER or not marks[1] & ANSWER or site is None or one.ndim < 1:
            return
        if site not in self._lines and len(self._lines) >= MOST_LINES:
            return
        line = self._lines.setdefault(site, _Line(self._model, name in COMPARISONS))
        line.times += 1
        line.answers += one.numel()
        line.least += one.numel() if marks[1] & LEAST else 0
        line.moved += one.numel() if marks[0] & MOVED and not marks[1] & MOVED else 0
        line.trained = self._asked
        line.names.add(other if self._marked([one]) & ANSWER else one, self._batch)

    def seen(self) -> Iterator[AnswersScored]:
        plain = {(site, line.compares) for site, line in self._lines.items() if line.moved < line.answers}
        for site, line in self._lines.items():
            training = line.trained.names if line.trained is not None else ClassNames()
            trained, counts = training.known, (training.counts, line.names.counts)
            offset, left = nearest(*counts)
            yield AnswersScored(
                step=self.observer.step,
                rank=rank(),
                site=site,
                model=line.model,
                times=line.times,
                answers=line.answers,
                least=line.least,
                moved=line.moved,
                elsewhere=any(kind == line.compares and other != site for other, kind in plain),
                classes=len(trained.keys() & line.names.known.keys()),
                renamed=tuple(renamed(trained, line.names.known)[:MOST_RENAMED]),
                trained_at=line.trained.site if line.trained is not None else None,
                counted=min(count.total() for count in counts),
                apart=apart(*counts),
                offset=offset,
                offset_apart=left,
            )


def _floats(tree: Any) -> list[torch.Tensor]:
    return [tensor for tensor in reading.tensors_in(tree) if tensor.is_floating_point() and reading.readable(tensor)]


def _extremes(outputs: list[torch.Tensor], count: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The most and the least likely class, by whichever axis gives so many of them."""
    for output in outputs:
        for axis in {1, output.ndim - 1} if output.ndim > 1 and output.numel() <= MOST_ELEMENTS else ():
            if output.shape[axis] > 1 and output.numel() == count * output.shape[axis]:
                yield output.argmax(axis).flatten(), output.argmin(axis).flatten()


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.device == other.device and torch.equal(one, other)


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and _equal(one, other)


def _row_sums(tensor: torch.Tensor) -> torch.Tensor:
    """One number for each row, different for rows that differ but by a rare chance."""
    rows = tensor.reshape(len(tensor), -1).double()
    return rows @ torch.sin(torch.arange(1, rows.shape[1] + 1, dtype=torch.float64, device=rows.device))
