"""Finds the first operation that is given finite numbers and makes one that is not, forward and backward.

Every operation of one step passes through here, so this is for a step that is repeated on purpose, never for a healthy
one. Bad values are followed from tensor to tensor: a loss that is NaN is traced to the operation its NaN came from, not
to the first odd value anywhere; an infinity that was meant (a mask) or came to nothing is not blamed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.singularities import BACKWARD, Reason, explain, found_in
from firstlight.records.nonfinite import Argument, BadOperation
from firstlight.records.places import Site

MEANT = frozenset(
    {
        *("full", "full_like", "new_full", "fill", "fill_", "masked_fill", "masked_fill_", "where", "scalar_tensor"),
        *("triu", "tril", "constant_pad_nd", "lift_fresh", "empty", "empty_like", "new_empty", "empty_strided"),
    }
)
"""Operations that put an infinity there because they were told to, or hand out memory nobody has filled yet."""
MOST_ARGUMENTS = 8
MOST_KEPT_ELEMENTS = 1 << 28
"""Of the forward's arguments, held to explain the backward; beyond this they are let go and it is explained by name."""


@dataclass(frozen=True)
class Made:
    """One operation as it was carried out."""

    operation: str
    """As torch names it below its front end: `log`, `_softmax`, `mm`."""
    func: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    module: str | None
    site: Site | None


@dataclass(frozen=True)
class Birth:
    """Where non-finite values came into the step."""

    phase: str
    """`forward`, `backward`, or `given`: they were there before the step began."""
    made: Made
    reason: Reason | None
    forward: Made | None = None
    """For one in the backward: the operation whose slope it is."""
    name: str | None = None
    """For one that was given: what it is called."""


@dataclass(frozen=True, slots=True)
class Row:
    """One of the rows that make up a tensor, by its number from 0."""

    index: int
    rows: int


def bad_row(birth: Birth) -> Row | None:
    """The first row that is not finite, where others are: examples of a batch, most often."""
    made = next((t for t in reading.tensors_in(birth.made.result) if t.ndim and not reading.all_finite(t)), None)
    if made is None or len(made) < 2:
        return None
    bad = ~torch.isfinite(reading.values_of(made)).flatten(1).all(1) if made.ndim > 1 else ~torch.isfinite(made)
    return None if bool(bad.all()) else Row(int(bad.nonzero()[0]), len(made))


class Localiser(TorchDispatchMode):
    def __init__(self, called: Callable[[torch.Tensor], str | None], module: Callable[[], str | None]) -> None:
        """`called` names a tensor that was there before: a parameter, a leaf of the batch. `module` is running now."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._called, self._module = called, module
        self._births: dict[int, Birth | None] = {}
        """By storage; None where an infinity was meant."""
        self._kept: list[Any] = []
        """Bad tensors, held so that no later one gets their place in memory."""
        self._forward: dict[int, Made] = {}
        self._room = MOST_KEPT_ELEMENTS

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        before = _unchanged(func, args)
        result = func(*args, **kwargs)
        node: Any = torch._C._current_autograd_node()
        made = self._made(func, before, kwargs, result, node)
        if node is None and torch.is_grad_enabled():
            self._note_forward(made)
        with torch.no_grad():
            self._look(made, node)
        return result

    def origin(self, tensor: torch.Tensor) -> Birth | None:
        """Where the non-finite values of this tensor came from; None where it has none, or they were meant."""
        return None if reading.all_finite(tensor) else self._births.get(_place(tensor))

    def _made(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, node: Any) -> Made:
        operation = func._schema.name.partition("::")[2]
        site = sites.caller(3) if node is None else None
        return Made(operation, func, args, kwargs, result, self._module(), site)

    def _look(self, made: Made, node: Any) -> None:
        bad = [tensor for tensor in reading.tensors_in(made.result) if not reading.all_finite(tensor)]
        if not bad:
            self._clear(made)
            return
        birth = self._birth(made, node, bad)
        for tensor in bad:
            self._births[_place(tensor)] = birth
        self._kept.append(bad)

    def _note_forward(self, made: Made) -> None:
        """The node of an operation is numbered just before the operation runs."""
        number = torch._C._autograd._get_sequence_nr() - 1
        if number in self._forward:
            return
        size = sum(t.numel() for t in reading.tensors_in(list(made.args)))
        if size > self._room:
            made = Made(made.operation, made.func, (), {}, None, made.module, made.site)
        else:
            self._room -= size
        self._forward[number] = made

    def _clear(self, made: Made) -> None:
        """Overwritten throughout with finite values."""
        if made.func._schema.is_mutable:
            for tensor in reading.tensors_in(made.result):
                if tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
                    self._births.pop(_place(tensor), None)

    def _birth(self, made: Made, node: Any, bad: list[torch.Tensor]) -> Birth | None:
        given = [t for t in reading.tensors_in([list(made.args), made.kwargs]) if not reading.all_finite(t)]
        births = [self._births[_place(tensor)] for tensor in given if _place(tensor) in self._births]
        inherited = next((birth for birth in births if birth is not None), None)
        if inherited is not None:
            return inherited
        new_nan = any(bool(torch.isnan(t).any()) for t in bad) and not any(bool(torch.isnan(t).any()) for t in given)
        if given and not new_nan:
            return None if births else self._given(made, given[0])
        if not given and made.operation in MEANT:
            return None
        stranger = next((t for t in given if _place(t) not in self._births and self._called(t) is not None), None)
        return self._given(made, stranger) if stranger is not None else self._new(made, node)

    def _given(self, made: Made, tensor: torch.Tensor) -> Birth:
        return Birth(phase="given", made=made, reason=None, name=self._called(tensor))

    def _new(self, made: Made, node: Any) -> Birth:
        if node is None:
            return Birth(phase="forward", made=made, reason=explain(made.operation, made.args, made.result, made.func))
        forward = self._forward.get(node._sequence_nr())
        reason = found_in(BACKWARD, forward.operation, forward.args, forward.result) if forward is not None else None
        reason = reason or explain(made.operation, made.args, made.result, made.func)
        return Birth(phase="backward", made=made, reason=reason, forward=forward)


def _unchanged(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as they were, also where the operation works in place."""
    if not func._schema.is_mutable:
        return args
    written = [bool(a.alias_info and a.alias_info.is_write) for a in func._schema.arguments]
    return tuple(
        item.clone() if isinstance(item, torch.Tensor) and changes and reading.readable(item) else item
        for item, changes in zip(args, written, strict=False)
    )


def _place(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


class ModulePath:
    """Which module is running, by its path in the model it is called in."""

    def __init__(self, entered: torch.nn.Module | None = None) -> None:
        """`entered` is a model whose call is already under way."""
        self._stack: list[torch.nn.Module] = []
        self._roots: list[torch.nn.Module] = []
        self._names: dict[int, str] = {}
        if entered is not None:
            self._enter(entered, ())

    def __call__(self) -> str | None:
        if not self._stack:
            return None
        return self._names.get(id(self._stack[-1])) or type(self._stack[-1]).__name__

    def called(self, tensor: torch.Tensor) -> str | None:
        """The name of a weight, or None where the tensor is none."""
        place = _place(tensor)
        named = (pair for root in self._roots for pair in (*root.named_parameters(), *root.named_buffers()))
        return next((name for name, weight in named if _place(weight) == place), None)

    def follow(self) -> tuple[Any, Any]:
        """From now on; the handles returned end it."""
        return (
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        )

    def _enter(self, module: torch.nn.Module, _given: Any) -> None:
        if not self._stack and not any(module is root for root in self._roots):
            self._roots.append(module)
            self._names |= {id(child): name for name, child in module.named_modules()}
        self._stack.append(module)

    def _leave(self, *_: Any) -> None:
        if self._stack:
            self._stack.pop()


def told(birth: Birth, step: int, rank: int) -> BadOperation:
    """The birth without its tensors."""
    shown = birth.forward if birth.forward is not None else birth.made
    made = next((t for t in reading.tensors_in(shown.result)), None)
    row = bad_row(birth)
    return BadOperation(
        step=step,
        rank=rank,
        phase=birth.phase,
        operation=shown.operation.strip("_"),
        module=shown.module,
        site=shown.site,
        inputs=tuple(
            Argument(name=name, tensor=reading.card(tensor))
            for name, tensor in _named(shown)
            if isinstance(tensor, torch.Tensor)
        )[:MOST_ARGUMENTS],
        output=reading.card(made) if made is not None else None,
        words=birth.reason.words if birth.reason is not None else "",
        remedy=birth.reason.remedy if birth.reason is not None else "",
        name=birth.name,
        row=row.index if row is not None else None,
        rows=row.rows if row is not None else 0,
    )


def _named(made: Made) -> Iterator[tuple[str, Any]]:
    names = [argument.name for argument in made.func._schema.arguments]
    yield from zip(names, made.args, strict=False)
    yield from made.kwargs.items()
