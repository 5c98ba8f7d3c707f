"""The first step of a program, on the weights and the batch of another: what was computed, call by call.

The first program leaves its weights and its batch beside its log; the second takes them over in place when its training
begins. Both then draw the same random numbers.
"""

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.interventions import reseed
from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder, Row, TorchCall, walk
from firstlight.records.steered import CallsSeen, Fingerprint, NamedValues, TapedCall, ValuesSeen, WeightsTaken
from firstlight.store.event_log import leave_beside

START = "start.pt"
SEED = "0"
PART = 200
"""Rows of one record, so that it fits a line of the event log."""
MOST_ROWS = 4000
MOST_NAMED = 8
Tensors = list[tuple[str, torch.Tensor]]


class Taped(TorchFunctionMode):
    """Every call of torch becomes a row, until the first loss was read."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder, self.on = recorder, True

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        call = TorchCall(func, getattr(func, "__name__", ""), args, kwargs or {})
        before = self.recorder.before(call) if self.on else None
        result = func(*args, **call.keywords)
        if self.on:
            self.recorder.note(call, result, before)
        return result


def install_first(observer: Observer) -> None:
    def begin() -> dict[int, str]:
        named, batch = tensors_of(observer.entering), batch_of(observer)
        data = io.BytesIO()
        torch.save({"weights": [(name, p.detach()) for name, p in named], "batch": batch}, data)
        leave_beside(Path(observer.spec.events), START, data.getvalue())
        return {id(tensor): name for name, tensor in named}

    _install(observer, begin)


def install_second(observer: Observer) -> None:
    def begin() -> dict[int, str]:
        first = Path(observer.spec.run).parent / "mine" / START
        with first.open("rb") as file:
            start = torch.load(file, weights_only=True)
        return take_over(observer, start["weights"], start["batch"])

    _install(observer, begin)


def _install(observer: Observer, begin: Callable[[], dict[int, str]]) -> None:
    recorder = Recorder()
    recorder.whole = True
    mode = Taped(recorder)
    mode.__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the program
    names: dict[int, str] = {}

    def begins() -> None:
        mode.on = False  # what we do is no part of the program
        names.update(begin())
        reseed(observer, SEED)
        mode.on = True

    def loss_made(root: torch.Tensor, *_: Any) -> None:
        if mode.on:
            mode.on = False
            tell_values(observer, "fed", [(str(place), one) for place, one in enumerate(recorder.entered)])
            tell_calls(observer, recorder, root)

    def stepped(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"]]
        known = [(names[id(p)], p) for p in held if id(p) in names]
        gradients = [(name, p.grad) for name, p in known if p.grad is not None]
        tell_values(observer, "gradient", gradients)
        tell_values(observer, "stepped", known)

    observer.moments.training_begins.append(observer.shielded("likeness", begins))
    observer.moments.backward_begins.append(observer.shielded("likeness", loss_made))
    observer.moments.step_ended.append(observer.shielded("likeness", stepped))


def tensors_of(model: torch.nn.Module | None) -> Tensors:
    """Parameters first, in their order, then buffers that hold numbers."""
    if model is None:
        return []
    buffers = [(name, one) for name, one in model.named_buffers() if one.is_floating_point()]
    return [*model.named_parameters(), *buffers]


def batch_of(observer: Observer) -> list[torch.Tensor]:
    return [one.detach() for one in reading.tensors_in(observer.last_batch[1])]


def take_over(observer: Observer, weights: Tensors, batch: Sequence[torch.Tensor]) -> dict[int, str]:
    """Gives the model about to be called the weights of another, and returns what each tensor is called there."""
    own = tensors_of(observer.entering)
    by_name, by_shape = matched(weights, own)
    pairs = [*by_name, *by_shape]
    for there, here in pairs:
        own[here][1].copy_(weights[there][1])
    given = batch_of(observer)
    same = [(one.shape, one.dtype) for one in given] == [(one.shape, one.dtype) for one in batch]
    for mine, theirs in zip(given, batch, strict=True) if same else ():
        mine.copy_(theirs)
    observer.emit(
        WeightsTaken(
            step=0,
            by_name=len(by_name),
            by_shape=len(by_shape),
            missing=_others(weights, {there for there, _ in pairs}),
            extra=_others(own, {here for _, here in pairs}),
            batch=same and bool(batch),
        )
    )
    return {id(own[here][1]): weights[there][0] for there, here in pairs}


def _others(tensors: Tensors, known: set[int]) -> tuple[str, ...]:
    return tuple(name for place, (name, _) in enumerate(tensors) if place not in known)[:MOST_NAMED]


def matched(there: Tensors, here: Tensors) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Places of tensors that belong together: by name, and the rest by shape, in their order."""
    names = {name: place for place, (name, _) in enumerate(here)}
    by_name = [
        (place, names[name])
        for place, (name, tensor) in enumerate(there)
        if name in names and here[names[name]][1].shape == tensor.shape
    ]
    taken = {place for _, place in by_name}
    known = {place for place, _ in by_name}
    by_shape: list[tuple[int, int]] = []
    for place, (_, tensor) in enumerate(there):
        free = (at for at, (_, other) in enumerate(here) if at not in taken and other.shape == tensor.shape)
        if place not in known and (at := next(free, None)) is not None:
            by_shape.append((place, at))
            taken.add(at)
    return by_name, by_shape


def fingerprint(tensor: torch.Tensor) -> Fingerprint:
    found = reading.values_of(tensor).double() if reading.readable(tensor) else torch.zeros(0)
    if found.is_complex() or not found.numel():
        return Fingerprint(tensor.numel(), 0.0, 0.0, 0.0)
    return Fingerprint(
        tensor.numel(), float(found.mean()), float(found.square().mean().sqrt()), float(found.abs().max())
    )


def tell_values(observer: Observer, kind: str, tensors: Iterable[tuple[str, torch.Tensor]]) -> None:
    rows = [NamedValues(name, tuple(one.shape), fingerprint(one)) for name, one in tensors]
    for start in range(0, len(rows), PART):
        observer.emit(ValuesSeen(kind=kind, rows=tuple(rows[start : start + PART])))


def tell_calls(observer: Observer, recorder: Recorder, loss: torch.Tensor) -> None:
    made = recorder.made(loss)
    if made is None:
        return
    rows = sorted(walk(made[0], within=True), key=lambda row: row.number)[-MOST_ROWS:]
    outputs = {m[0].number: tensor for row in rows for tensor, _, m in row.inputs if m is not None and m[1] == 0}
    outputs[made[0].number] = loss
    calls = [_call(row, outputs[row.number]) for row in rows if row.number in outputs]
    for start in range(0, len(calls), PART):
        observer.emit(CallsSeen(rows=tuple(calls[start : start + PART])))


def _call(row: Row, output: torch.Tensor) -> TapedCall:
    sources = tuple(sorted({made[0].number for _, _, made in row.inputs if made is not None}))
    site = "" if row.line is None else f"{row.line.file}:{row.line.line}"
    return TapedCall(row.number, row.name, site, tuple(output.shape), sources, fingerprint(output))
