"""What an evaluation makes of a model's answers, and what it holds them against.

While a model is evaluated every torch call is heard, and tensors are marked: those that rest on a model's answers,
those that name its least likely class, and those whose rows were put in another order. Where an answer meets something
that does not come from the model, the marks of both sides tell whether that is what was meant. Where answers leave
torch before they are compared, the class that was chosen of them tells as much. Classes that an answer meets are also
held against those of the loader, and so are the ones that training is given.
"""

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.choices import MOST_ELEMENTS, are_shares, choose_alike, equal, extremes
from firstlight.experiments.inside.classes_named import ClassNames, apart, classes_in, nearest, renamed
from firstlight.experiments.inside.copies import is_copy
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.evaluations import is_noisy
from firstlight.observe.inside.taps.losses import FUNCTIONS
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

ANSWER, LEAST, MOVED, MOST = 1, 2, 4, 8
COMPARISONS = ("eq", "__eq__", "ne", "__ne__")
MEETINGS = frozenset({*COMPARISONS, "sub", "__sub__", "rsub", "__rsub__", *FUNCTIONS})
OVERLAPS = ("mul", "__mul__", "__and__", "logical_and")
MOVING = frozenset({"roll", "flip", "flipud", "__getitem__", "index_select", "gather", "take_along_dim", "take"})
CHOOSING = ("__getitem__", "index_select")
CLASSES = ("cross_entropy", "nll_loss")
"""Losses that raise what is given for the right class."""
LIKELIHOODS = "log_softmax"
"""A loss that is written by hand begins with it."""
SHAPED = ("_as", "_like")
"""Ends of names whose further tensors lend a shape or a type, and no values."""
MOST_LINES = 16
MOST_RENAMED = 8
LEAST_ROWS = 4
"""Of a tensor; fewer come in the same order by chance."""


@dataclass
class _Line:
    model: str
    how: str
    """`eq` or `ne` where it compares, else nothing."""
    times: int = 0
    answers: int = 0
    least: int = 0
    moved: int = 0
    noisy: int = 0
    late: int = 0
    """Those of them since the last step, at which the line was reached below, of a model in train mode as a whole."""
    late_step: int = 0
    names: ClassNames = field(default_factory=ClassNames)
    trained: "TrainedClasses | None" = None


@dataclass
class _Chosen:
    site: Site
    least: int = 0
    most: int = 0


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
        self._gathered: list[list[torch.Tensor]] = []
        """All since training paused: some programs compare them at the end, as arrays."""
        self._trained: tuple[weakref.ref[torch.nn.Module], list[torch.Tensor]] | None = None
        self._by_class: ByIdentity[bool] = ByIdentity()
        """Models that are trained by a loss which raises the answer for the right class."""
        self._raised: torch.Tensor | None = None
        """What such a loss was given last, inside a model or after it; and below how many classes such losses have."""
        self._counts: set[int] = set()
        self._lines: dict[Site, _Line] = {}
        self._choices: dict[str, _Chosen] = {}
        self._noisy = False
        """The model that is asked has dropout or batch norm at work, on an input that it was not given just before."""
        self._in_train = False
        """It is as a whole in train mode, and was given no input twice since training paused: nobody samples it."""
        self._sampled = False
        self._fed: set[str] = set()
        """Fingerprints of those inputs."""
        self._last_inputs: list[torch.Tensor] = []
        self._batch: list[torch.Tensor] = []
        """Classes that a loader gave last."""
        self._classes: ByIdentity[TrainedClasses] = ByIdentity()
        self._asked: TrainedClasses | None = None

    def batch_given(self, _loader: object, batch: object) -> None:
        self._batch = classes_in(batch)

    def given(self, inputs: list[torch.Tensor]) -> None:
        """To a model in training."""
        self._last_inputs = inputs

    def trained(self, call: "Call") -> None:
        self._trained = weakref.ref(call.module), _floats(call.output)

    def asked(self, call: "Call") -> None:
        """A model was evaluated; what comes of its answers is followed from here on."""
        self._noisy = is_noisy(call.module) and not _any_same(call.inputs, self._last_inputs)
        fed = reading.fingerprint(call.inputs)
        self._sampled = self._sampled or fed in self._fed
        self._fed.add(fed)
        self._in_train = call.module.training and not self._sampled
        self._inputs, self._outputs = call.question, _floats(call.output)
        self._last_inputs = call.inputs
        if sum(output.numel() for every in self._gathered for output in every) < MOST_ELEMENTS:
            self._gathered.append([output.detach() for output in self._outputs])
        if self._raised is not None and choose_alike(self._raised, self._outputs):
            self._by_class[call.module] = True  # its loss is a part of it
        shares = any(are_shares(output, self._counts) for output in self._outputs)
        self._model, self._likelier = type(call.module).__name__, shares or self._is_by_class(call.module)
        self._asked = self._classes.get(call.module, None)
        moved = self._marked(call.inputs) & MOVED
        for tensor in reading.tensors_in(call.output):  # places too: a model may tell in which order it answers
            self._marks[tensor] = ANSWER | moved

    def _is_by_class(self, module: torch.nn.Module) -> bool:
        """It, or the model that it is a copy of."""
        return module in self._by_class or any(is_copy(module, trained) for trained in self._by_class)

    def rest(self) -> None:
        """Training goes on."""
        self._inputs, self._outputs, self._gathered, self._trained, self._raised = [], [], [], None, None
        self._fed, self._sampled = set(), False

    def rests_on_answers(self, tensor: torch.Tensor) -> bool:
        return bool(self._marked([tensor]) & ANSWER)

    def heard(self, name: str, given: tuple[Any, ...], found: Any) -> None:
        tensors = list(reading.tensors_in(given))
        if name in CHOOSING and tensors:
            self._follow_rows(tensors[0], found)
        if name in CLASSES and len(tensors) > 1 and tensors[0].ndim > 1:
            self._raised = tensors[0].detach()
            self._counts.add(tensors[0].shape[1])
            if self._trained is not None:
                self._learn_names(tensors[1])
                self._trained = None if self._learn_sense(tensors[0]) else self._trained
        elif name == LIKELIHOODS and self._trained is not None and tensors and tensors[0].ndim > 1:
            self._learn_sense(tensors[0])
        if not self._outputs or not tensors:
            return
        overlap = name in OVERLAPS and len({tensor.shape for tensor in tensors[:2]}) == 1
        if (name in MEETINGS or overlap) and len(tensors) > 1:
            self._meet(name, *tensors[:2])
        mark = self._marked(tensors[:1] if name.endswith(SHAPED) else tensors)
        for made in reading.tensors_in(found):
            if own := self._after(name, tensors[0], made, mark):
                self._marks[made] = own

    def _follow_rows(self, source: torch.Tensor, rows: torch.Tensor) -> None:
        """Some of the answers, such as those of one part of a graph, are answers too."""
        for outputs in (self._outputs, self._trained[1] if self._trained is not None else []):
            if len(outputs) < MOST_LINES and any(source is output for output in outputs) and rows.ndim > 1:
                outputs.append(rows)

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

    def _learn_sense(self, prediction: torch.Tensor) -> bool:
        assert self._trained is not None
        module = self._trained[0]()
        if module is None or not choose_alike(prediction, self._trained[1]):
            return False
        self._by_class[module] = True
        return True

    def _after(self, name: str, source: torch.Tensor, made: torch.Tensor, mark: int) -> int:
        """The marks of a result: those of what it was made of, and what this operation adds or takes away."""
        if made.numel() > MOST_ELEMENTS or not reading.readable(made):
            return mark
        if (
            mark & ANSWER
            and made.dtype == torch.int64
            and not mark & (LEAST | MOST)
            and (kind := self._choice(made, self._outputs))
        ):
            return mark | kind
        if name in MOVING and self._is_moved(source, made):
            return mark ^ MOVED  # twice may be there and back
        return mark

    def arrays(self, *sides: Any) -> None:
        """They are compared with one another."""
        alike = [every for every in zip(*self._gathered, strict=False) if len({one.shape[1:] for one in every}) == 1]
        outputs = [torch.cat(every) for every in alike if every[0].ndim > 1]
        for side in sides:
            if side.dtype.kind == "i":
                self._choice(torch.from_numpy(side).long(), outputs)

    def _choice(self, chosen: torch.Tensor, outputs: list[torch.Tensor]) -> int:
        """Whether these are the most or the least likely classes."""
        flat = chosen.flatten()
        for best, worst in extremes(outputs, flat.numel()) if self._likelier else ():
            kinds = equal(flat, best), equal(flat, worst)
            site = sites.caller() if any(kinds) and not all(kinds) else None
            if site is not None:
                made = self._choices.setdefault(self._model, _Chosen(site))
                made.most += kinds[0] * flat.numel()
                made.least += kinds[1] * flat.numel()
                return MOST if kinds[0] else LEAST
        return 0

    def _is_moved(self, source: torch.Tensor, made: torch.Tensor) -> bool:
        if made.shape != source.shape or made.ndim < 1 or len(made) < LEAST_ROWS or not reading.readable(source):
            return False
        if any(one is source or _same(one, source) for one in self._inputs):
            return False
        rows, others = _row_sums(source), _row_sums(made)
        return not torch.equal(rows, others) and torch.equal(rows.sort().values, others.sort().values)

    def _meet(self, name: str, one: torch.Tensor, other: torch.Tensor) -> None:
        asked = ANSWER if name in OVERLAPS else ~0  # what overlaps may be a weight, in whatever order it comes
        marks = sorted((self._marked([side]) & asked for side in (one, other)), key=lambda mark: mark & ANSWER)
        site = sites.caller()
        if marks[0] & ANSWER or not marks[1] & ANSWER or site is None or one.ndim < 1:
            return
        if site not in self._lines and len(self._lines) >= MOST_LINES:
            return
        line = self._lines.setdefault(site, _Line(self._model, name.strip("_") if name in COMPARISONS else ""))
        line.times += 1
        line.answers += one.numel()
        line.least += one.numel() if marks[1] & LEAST else 0
        line.moved += one.numel() if marks[0] & MOVED and not marks[1] & MOVED else 0
        line.noisy += one.numel() if self._noisy else 0
        late = line.late if line.late_step == self.observer.step else 0
        line.late, line.late_step = late + (one.numel() if self._noisy and self._in_train else 0), self.observer.step
        line.trained = self._asked
        line.names.add(other if self._marked([one]) & ANSWER else one, self._batch)

    def seen(self, ended: bool = True) -> Iterator[AnswersScored]:
        """`ended`: the program came to its last line, so that no step will follow."""
        plain = {(site, line.how) for site, line in self._lines.items() if line.moved < line.answers}
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
                noisy=line.noisy,
                noisy_at_end=line.late if ended and line.late_step == self.observer.step else 0,
                elsewhere=any(how == line.how and other != site for other, how in plain),
                classes=len(trained.keys() & line.names.known.keys()),
                renamed=tuple(renamed(trained, line.names.known)[:MOST_RENAMED]),
                trained_at=line.trained.site if line.trained is not None else None,
                counted=min(count.total() for count in counts),
                apart=apart(*counts),
                offset=offset,
                offset_apart=left,
            )
        told = {line.model for line in self._lines.values() if line.least}
        for model, made in self._choices.items():
            if made.least and not made.most and model not in told:
                yield AnswersScored(
                    step=self.observer.step,
                    rank=rank(),
                    site=made.site,
                    model=model,
                    times=1,
                    answers=made.least,
                    least=made.least,
                    moved=0,
                    elsewhere=False,
                )


def _floats(tree: Any) -> list[torch.Tensor]:
    return [tensor for tensor in reading.tensors_in(tree) if tensor.is_floating_point() and reading.readable(tensor)]


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and equal(one, other)


def _any_same(some: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    first, second = (next((t for t in every if t.ndim and reading.readable(t)), None) for every in (some, others))
    return first is not None and second is not None and (first is second or _same(first, second))


def _row_sums(tensor: torch.Tensor) -> torch.Tensor:
    """One number for each row, different for rows that differ but by a rare chance."""
    rows = tensor.reshape(len(tensor), -1).double()
    return rows @ torch.sin(torch.arange(1, rows.shape[1] + 1, dtype=torch.float64, device=rows.device))
