"""Torch calls as rows of a graph that lives exactly as long as its tensors do.

A row is found through the tensor it made and holds what it was given, as autograd does, so nothing outlives the
program's own use of it. What carries no gradient leaves only its marks, and so does what a trained tensor enters,
unless the tape is to be read whole: behind it lies the network, which is never replayed. Nothing is computed when a row
is made; of numbers that are made whole a few are kept.
"""

import enum
import functools
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.nn.parameter import is_lazy

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.tape.kin import Kin, compared
from firstlight.observe.inside.tape.taken import Codes, RowsTaken, followed, rows_of
from firstlight.records.places import Site


class TorchCall(NamedTuple):
    function: Any
    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class Mark(enum.IntFlag):
    """Where values come from. Marks travel along the rows."""

    TRAINED = enum.auto()
    """From a tensor that training changes."""
    FROZEN = enum.auto()
    """From a parameter that takes no gradient."""
    DATA = enum.auto()
    CONSTANT = enum.auto()
    DRAWN = enum.auto()
    """From a random generator; what was drawn before training is data besides."""
    BUFFER = enum.auto()
    """From a module's buffer: a part of the network where it meets weights or inputs, and of the loss behind it."""


PARAMETER = Mark.TRAINED | Mark.FROZEN | Mark.BUFFER
WEIGHTS = Mark.TRAINED | Mark.FROZEN
NOT_OF_THE_NETWORK = Mark.DATA | Mark.CONSTANT | Mark.DRAWN
_CONSTANTS = """zeros ones full arange eye linspace empty zeros_like ones_like full_like empty_like new_zeros new_ones
new_full new_empty tril_indices triu_indices fill_ zero_"""
_DRAWS = """rand randn randint randperm normal bernoulli rand_like randn_like randint_like multinomial poisson uniform_
normal_ random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_ binomial _standard_gamma _sample_dirichlet
dropout alpha_dropout feature_dropout dropout1d dropout2d dropout3d"""
CONSTANTS, DRAWS = frozenset(_CONSTANTS.split()), frozenset(_DRAWS.split())
NOT_REPEATABLE = DRAWS | {"batch_norm", "instance_norm", "grad"}
"""A second call gives something else or leaves something behind, so a replay begins after them."""
WRITES = frozenset({"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"})
CASTS = frozenset({"tensor", "as_tensor", "to", "type", "long", "int", "short", "byte", "char"})
FLOORS = frozenset({"floor_divide", "__floordiv__"})
RELABELS = FLOORS | {"remainder", "fmod", "__mod__", "clamp", "clip", "clamp_min", "clamp_max"}
COARSE = CASTS | RELABELS
DRAWING = frozenset({"__getitem__", "index_select", "stack"})
MOST_SAMPLED = 1 << 12
MOST_KEPT = 64
"""Elements of a tensor, written to in place, whose earlier values are kept: enough for running sums of losses."""
MOST_ENTERED = 8
MOST_TRACED = 1 << 16
"""Elements of a tensor that is held although no gradient goes through it: to find where one was cut, and what answers
were made from."""


class Cast(NamedTuple):
    """A call that made whole numbers of others before the tape was read whole: some of them before and after it."""

    name: str
    line: Site | None
    before: torch.Tensor
    after: torch.Tensor


class Row:
    """One torch call. `arguments` is None where the row cannot be, and need not be, called again."""

    __slots__ = (
        "again",
        "arguments",
        "autocast",
        "before",
        "cast",
        "door",
        "drawn",
        "enters",
        "function",
        "inputs",
        "keywords",
        "kin",
        "likely",
        "line",
        "marks",
        "name",
        "number",
        "summed_up",
        "taken",
        "writes",
    )

    def __init__(self, number: int, name: str, marks: Mark) -> None:
        self.number = number
        self.name = name
        self.marks = marks
        self.function: Any = None
        self.arguments: tuple[Any, ...] | None = None
        self.keywords: dict[str, Any] = {}
        self.again: TorchCall | None = None
        """The call itself, where it carries no gradient and the tape is read whole: how answers were made."""
        self.inputs: list[Input] = []
        self.line: Site | None = None
        self.autocast: tuple[str, torch.dtype] | None = None
        self.door = False
        """A trained tensor enters here, or the call cannot be repeated; the tail begins behind it."""
        self.drawn: torch.Size | None = None
        """The shape of what it gave, where examples were drawn along its first axis, and kept place by place since."""
        self.enters = False
        """Trained tensors met what came of it, with its gradient: the network goes on."""
        self.likely = False
        """What it gave is the logarithm of a likelihood, by a distribution of torch's."""
        self.summed_up = False
        """All that came to it of the network's answers was one number for all examples: a loss, or several of them."""
        self.writes = False
        self.cast: Cast | None = None
        """The last one behind what it gave."""
        self.kin: tuple[Kin, ...] = ()
        """Comparisons of labels behind what it gave."""
        self.before: torch.Tensor | None = None
        """What a tensor that is written to in place was before, where it is small."""
        self.taken: RowsTaken | None = None
        """The stored examples that it was made of, once training has begun."""


Made = tuple[Row, int]
"""A row and which of its outputs."""
Input = tuple[torch.Tensor, Mark, Made | None]
"""A tensor among the arguments, with its marks and its place on the tape when the call was made."""


class _Reference(weakref.ref[torch.Tensor]):
    __slots__ = ("key",)
    key: int


class Recorder:
    def __init__(self) -> None:
        self.rows = 0
        self.follows_examples = False
        """From where they are taken; what was made before training is where they are stored."""
        self.whole = False
        """Rows within the network are kept too."""
        self.entered: list[torch.Tensor] = []
        """Data that met trained tensors since the last backward: what the network was fed."""
        self.constants: list[torch.Tensor] = []
        """Computed of numbers in the program alone, and met by what the network computes; while the tape is whole."""
        self._made: dict[int, tuple[_Reference, Made]] = {}
        self._buried: list[object] = []

    @staticmethod
    def before(call: TorchCall) -> torch.Tensor | None:
        """A copy of a small tensor that is about to be written to."""
        if not call.arguments or not _writes(call.name) or torch._C._get_tracing_state() is not None:
            return None
        target = call.arguments[0]
        if not isinstance(target, torch.Tensor) or is_lazy(target) or target.numel() > MOST_KEPT:
            return None
        return target.detach().clone()

    def note(self, call: TorchCall, result: Any, before: torch.Tensor | None = None) -> None:
        """Adds the row of one call, after it was made; `before` is what it has overwritten."""
        self._bury()
        if reading.transformed():
            return
        writes = _writes(call.name)
        outputs = [call.arguments[0]] if call.name == "__setitem__" else _tensors(result)
        if not outputs or (not writes and call.arguments and outputs[0] is call.arguments[0]):
            return
        inputs = [(tensor, *self._origin(tensor)) for tensor in _given(call)]
        row = Row(self.rows, call.name, _united(call, inputs))
        self.rows += 1
        row.summed_up = _is_summed_up(inputs)
        row.door = _is_door(call.name, inputs, row.summed_up)
        if row.door:
            self._let_in(inputs)
            _mark_entering(call.name, inputs)
        if inputs and (self.whole or not row.door) and any(output.requires_grad for output in outputs):
            self.constants.extend(_constants(inputs) if self.whole and len(self.constants) < MOST_ENTERED else ())
            _keep(row, call, inputs)
            row.writes, row.before = writes, before
        elif self.whole and all(item[0].numel() <= MOST_TRACED for item in inputs):
            row.line, row.inputs, row.again = sites.caller(), inputs, call
            row.writes = writes
        earlier = (made[0].cast for _, _, made in inputs if made is not None)
        row.cast = (None if self.whole else _cast(row, call, outputs[0])) or next(filter(None, earlier), None)
        row.drawn = _drawn(call, outputs[0], inputs)
        row.kin = compared(call.name, call.arguments, outputs[0], inputs) if inputs else ()
        if self.follows_examples and inputs and not row.marks & PARAMETER:
            row.taken = _followed(call, inputs)
        for index, output in enumerate(outputs):
            self._bind(output, (row, index))

    def buffer(self, tensor: torch.Tensor) -> None:
        """A module's own, like a mask over its weights: not data."""
        self._bind(tensor, (Row(self.rows, "buffer", Mark.BUFFER), 0))
        self.rows += 1

    def likely(self, _distribution: object, likelihood: torch.Tensor) -> None:
        """A distribution gave the logarithm of a likelihood."""
        made = self.made(likelihood)
        if made is not None:
            made[0].likely = True

    def begin(self) -> None:
        """Training begins: what was drawn until now and is still there are examples, not noise."""
        for _, (row, _) in self._made.values():
            if row.marks & Mark.DRAWN and not row.marks & PARAMETER:
                row.marks |= Mark.DATA

    def made(self, tensor: torch.Tensor) -> Made | None:
        """The row that made this tensor or wrote to it last."""
        entry = self._made.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def rows_of(self, tensor: torch.Tensor) -> Codes | None:
        """The stored examples along the first axis of a tensor; None where they are not known."""
        made = self.made(tensor) if tensor.ndim else None
        return rows_of(made[0].taken, len(tensor)) if made is not None else None

    def step_over(self) -> None:
        """What entered belongs to one backward."""
        self.entered.clear()
        self.constants.clear()

    def clear(self) -> None:
        self.step_over()
        self._made.clear()
        self._bury()

    def _origin(self, tensor: torch.Tensor) -> tuple[Mark, Made | None]:
        """How a trained tensor was initialised is not part of what is computed from it."""
        made = self.made(tensor)
        if tensor.requires_grad and _is_leaf(tensor) and not (made is not None and _is_silent_view(tensor)):
            return Mark.TRAINED, None
        if isinstance(tensor, torch.nn.Parameter):
            return Mark.FROZEN, None
        if made is not None:
            return made[0].marks, made
        return Mark.TRAINED | Mark.DATA if tensor.requires_grad else Mark.DATA, None

    def _let_in(self, inputs: list[Input]) -> None:
        """What noise was drawn in the shape of, or what was dropped from inputs, has met no trained tensor yet."""
        if not any(marks & PARAMETER for _, marks, _ in inputs):
            return
        new = [tensor for tensor, marks, _ in inputs if not marks & PARAMETER and tensor.ndim and tensor.numel() > 1]
        self.entered.extend(new[: MOST_ENTERED - len(self.entered)])

    def _bind(self, tensor: torch.Tensor, made: Made) -> None:
        reference = _Reference(tensor, self._gone)
        reference.key = id(tensor)
        self._made[id(tensor)] = (reference, made)

    def _gone(self, reference: _Reference) -> None:
        """A tensor died. What its row holds is let go later, one by one: a long chain must not unwind in one call.

        Tensors die also while the interpreter ends, when no name of this module is left.
        """
        entry = self._made.get(reference.key)
        if entry is not None and entry[0] is reference:
            self._buried.append(self._made.pop(reference.key))

    def _bury(self) -> None:
        while self._buried:
            self._buried.pop()


def _followed(call: TorchCall, inputs: list[Input]) -> RowsTaken | None:
    """Of a tensor that nothing is known about: it is data, and stored somewhere."""
    earlier = [made[0].taken if made is not None else None for _, _, made in inputs]
    stored = bool(inputs[0][1] & Mark.DATA) and reading.readable(inputs[0][0]) and not inputs[0][0].is_sparse
    return followed(call.name, call.arguments, earlier, stored)


def _mark_entering(name: str, inputs: list[Input]) -> None:
    """On the way back to the last layer; each row once."""
    waiting = [inputs] if name not in NOT_REPEATABLE else []
    while waiting:
        for tensor, _, made in waiting.pop():
            if made is not None and tensor.requires_grad and not made[0].enters:
                made[0].enters = True
                waiting.append(made[0].inputs if not made[0].door else [])


def _constants(inputs: list[Input]) -> Iterator[torch.Tensor]:
    for tensor, marks, made in inputs:
        own = marks & (Mark.CONSTANT | Mark.BUFFER) and not marks & (WEIGHTS | Mark.DATA | Mark.DRAWN)
        if own and made is not None and made[0].inputs and tensor.is_floating_point() and not tensor.requires_grad:
            yield tensor


def _keep(row: Row, call: TorchCall, inputs: list[Input]) -> None:
    """So that the call can be made again. Lists are copied, because the program may go on filling them."""
    row.function = call.function
    row.arguments = tuple(list(item) if type(item) is list else item for item in call.arguments)
    row.keywords = call.keywords
    row.inputs = inputs
    row.line = sites.caller()
    device = inputs[0][0].device.type
    if torch.is_autocast_enabled(device):
        row.autocast = (device, torch.get_autocast_dtype(device))


def _cast(row: Row, call: TorchCall, made: torch.Tensor) -> Cast | None:
    given = call.arguments[0] if call.arguments and call.name in COARSE else None
    if given is None or getattr(given, "shape", None) != made.shape or row.marks & (PARAMETER | Mark.DRAWN):
        return None
    before = _some(given)
    after = _some(made) if before is not None else None
    if before is None or after is None:
        return None
    numbers = before.is_floating_point() and (call.name in FLOORS or not after.is_floating_point())
    classes = call.name in RELABELS and not before.is_floating_point()
    return Cast(call.name, sites.caller(), before, after) if numbers or classes else None


def _drawn(call: TorchCall, made: torch.Tensor, inputs: list[Input]) -> torch.Size | None:
    if call.name in DRAWING and _draws(call):
        return made.shape
    shapes = (origin[0].drawn for _, _, origin in inputs if origin is not None)
    return next((shape for shape in shapes if shape is not None and shape == made.shape), None)


def _draws(call: TorchCall) -> bool:
    """Chosen by number along the first axis, or put together one by one."""
    if call.name != "__getitem__":
        return bool((call.arguments[1] if len(call.arguments) > 1 else call.keywords.get("dim", 0)) == 0)
    index = call.arguments[1]
    first = index[0] if isinstance(index, tuple) and index else index
    return isinstance(first, list) or (getattr(first, "ndim", 0) == 1 and "int" in str(getattr(first, "dtype", "")))


def _some(values: Any) -> torch.Tensor | None:
    """A copy of a few, of a tensor or of an array of numpy's that holds fractions."""
    if type(values).__module__ == "numpy":
        array = type(values).__name__ == "ndarray" and values.dtype.kind == "f"
        return torch.from_numpy(values.flat[:: values.size // MOST_SAMPLED + 1].astype("f8")) if array else None
    if not isinstance(values, torch.Tensor) or values.is_complex() or not reading.readable(values) or values.is_sparse:
        return None
    return values.detach().reshape(-1)[:: values.numel() // MOST_SAMPLED + 1].clone()


def _given(call: TorchCall) -> list[torch.Tensor]:
    return [*_tensors(call.arguments), *_tensors(call.keywords)] if call.keywords else _tensors(call.arguments)


def _tensors(tree: Any) -> list[torch.Tensor]:
    """A parameter of a lazy module has no values before its first call, and answers no question until then."""
    if isinstance(tree, torch.Tensor):
        return [] if is_lazy(tree) else [tree]
    if isinstance(tree, list | tuple):
        return [tensor for item in tree for tensor in _tensors(item)]
    if isinstance(tree, dict):
        return [tensor for item in tree.values() for tensor in _tensors(item)]
    return []


def _is_leaf(tensor: torch.Tensor) -> bool:
    try:
        return tensor.is_leaf
    except RuntimeError:  # a view made without gradients and changed in place since; torch forbids the question
        return False


def _is_silent_view(tensor: torch.Tensor) -> bool:
    """Made without gradients, of something that has one: torch calls it a leaf that requires one."""
    return tensor._is_view() and not isinstance(tensor, torch.nn.Parameter)


@functools.cache
def _writes(name: str) -> bool:
    return name in WRITES or (name.endswith("_") and not name.endswith("__") and name != "requires_grad_")


def _united(call: TorchCall, inputs: list[Input]) -> Mark:
    if call.name in CONSTANTS:
        return Mark.CONSTANT
    found = inputs[0][1] if inputs else Mark(0)
    for _, marks, _ in inputs[1:]:
        if marks is not found:
            found |= marks
    if call.name in DRAWS:
        return found | Mark.DRAWN
    outside = not inputs or (call.name == "__setitem__" and not isinstance(call.arguments[-1], torch.Tensor))
    return found | Mark.DATA if outside else found


def _is_summed_up(inputs: list[Input]) -> bool:
    carrying = [item for item in inputs if item[0].requires_grad and item[1] & NOT_OF_THE_NETWORK]
    return bool(carrying) and all(
        item[0].ndim == 0 or (item[2] is not None and item[2][0].summed_up) for item in carrying
    )


def _is_door(name: str, inputs: list[Input], summed_up: bool = False) -> bool:
    """A trained tensor enters here, or the call cannot be repeated. Scalars (a temperature, a penalty) are no doors,
    and what weighs losses that are `summed_up` lets nothing into the network either.

    A buffer that meets what the network gave (how often one class is taken for another, in a loss that is a module)
    lets nothing of it in again.
    """
    if name in NOT_REPEATABLE:
        return True
    pure = [not marks & NOT_OF_THE_NETWORK for _, marks, _ in inputs]
    if all(pure) or not any(pure) or summed_up:
        return False
    predicted = any(item[0].requires_grad and not alone for alone, item in zip(pure, inputs, strict=True))
    entering = WEIGHTS if predicted else PARAMETER
    return any(a and item[0].numel() > 1 and item[1] & entering for a, item in zip(pure, inputs, strict=True))


def walk(top: Row, within: bool = False) -> Iterator[Row]:
    """The rows behind one, itself included, each once, in no order; up to the network, or with what lies `within`."""
    seen, waiting = set[int](), [top]
    while waiting:
        row = waiting.pop()
        if row.number in seen or row.arguments is None or (row.door and not within):
            continue
        seen.add(row.number)
        yield row
        waiting.extend(made[0] for _, _, made in row.inputs if made is not None)
