"""Looks at the tensors that invariants speak of: batch by batch, and, for those about time, step by step."""

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import step
from firstlight.experiments.declared.invariants import Invariant, Watch
from firstlight.observe.inside import reading
from firstlight.records.declared import InvariantTried

BATCHES = 4
STEPS = 24
"""Looks where an invariant compares them over time, a training step between two."""
PLACE = re.compile(r"(?P<path>[^\[]*)(?P<keys>(\[[^\]]*\])*)")
MOST_UNIQUE = 1 << 20


@dataclass
class _Looked:
    watch: Watch
    looks: int = 0
    broken: list[str] = field(default_factory=list)
    missing: str = ""

    def look(self, seen: dict[str, Any], model: torch.nn.Module, examples: int, number: int) -> None:
        invariant = self.watch.invariant
        try:
            found = {place: measured(_at(seen, model, place), examples, number) for place in invariant.places}
        except (KeyError, IndexError, TypeError) as error:
            self.missing = f"there is no {error.args[0] if error.args else invariant.on}"
            return
        self.looks += 1
        if not self.watch.holds(found):
            self.broken.append(_told(found[invariant.on], number if invariant.over_time else None))

    def tried(self) -> InvariantTried:
        invariant = self.watch.invariant
        return InvariantTried(
            name=invariant.name,
            on=invariant.on,
            check=invariant.check,
            severity=invariant.severity,
            looks=self.looks,
            broken=len(self.broken),
            first=self.broken[0] if self.broken else "",
            missing=self.missing,
        )


def looking(bench: Bench) -> None:
    model = bench.model()
    declared = [Invariant.of(given) for given in bench.experiment.invariants]
    looked = [_Looked(Watch(invariant)) for invariant in declared]
    trains = bench.has_loss and bench.experiment.optimizer is not None and any(one.over_time for one in declared)
    optimizer = bench.optimizer(model) if trains else None
    batches = itertools.islice(bench.forever(), STEPS) if trains else bench.batches(BATCHES)
    for number, batch in enumerate(batches):
        seen = _seen(bench, model, batch, {_path(place) for one in declared for place in one.places})
        for one in looked:
            one.look(seen, model, batch.examples or 0, number)
        if optimizer is not None:
            step(bench, model, optimizer, batch)
    for one in looked:
        bench.emit(one.tried())


def _seen(bench: Bench, model: torch.nn.Module, batch: Batch, wanted: set[str]) -> dict[str, Any]:
    """Outputs of the modules that are asked for, the output, the loss, and what went in."""
    seen: dict[str, Any] = {"input": list(batch.inputs), "target": batch.target}
    hooks = []
    for name, module in model.named_modules():
        if name in wanted and name:
            hooks.append(module.register_forward_hook(lambda _m, _g, made, name=name: seen.update({name: made})))
    try:
        with torch.no_grad():
            seen["output"] = None if bench.experiment.step is not None else bench.output(model, batch)
            if bench.has_loss:
                seen["loss"] = bench.loss(model, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return seen


def _path(on: str) -> str:
    found = PLACE.fullmatch(on)
    return found["path"] if found else on


def _at(seen: dict[str, Any], model: torch.nn.Module, on: str) -> Any:
    found = PLACE.fullmatch(on)
    path, keys = (found["path"], re.findall(r"\[([^\]]*)\]", found["keys"])) if found else (on, [])
    parameters = dict(model.named_parameters())
    value = seen[path] if path in seen else parameters[path]
    for key in keys:
        word = key.strip("'\"")
        value = value[int(word)] if word.lstrip("-").isdigit() else value[word]
    tensor = next(reading.tensors_in(value), None)
    if tensor is None:
        raise TypeError(f"tensor in `{on}`")
    return tensor


def measured(tensor: torch.Tensor, batch: int, step: int) -> dict[str, float]:
    found = reading.sample_of(tensor.detach()).double()
    finite = torch.isfinite(found)
    kept = found[finite] if found.numel() else found.flatten()
    rows = found.sum(-1) if found.ndim else found.reshape(1)
    shares = kept.abs() / kept.abs().sum() if kept.numel() and float(kept.abs().sum()) else kept
    return {
        "min": float(kept.min()) if kept.numel() else 0.0,
        "max": float(kept.max()) if kept.numel() else 0.0,
        "mean": float(kept.mean()) if kept.numel() else 0.0,
        "std": float(kept.std(unbiased=False)) if kept.numel() else 0.0,
        "sum": float(kept.sum()),
        "numel": float(tensor.numel()),
        "finite": float(bool(finite.all())),
        "unique": float(kept[:MOST_UNIQUE].unique().numel()),
        "entropy": float(-(shares * shares.clamp(min=1e-30).log()).sum()),
        "row_sum_low": float(rows.min()) if rows.numel() else 0.0,
        "row_sum_high": float(rows.max()) if rows.numel() else 0.0,
        "rows": float(tensor.shape[0]) if tensor.ndim else 1.0,
        "last": float(tensor.shape[-1]) if tensor.ndim else 1.0,
        "batch": float(batch),
        "value": float(kept.mean()) if kept.numel() else 0.0,
        "step": float(step),
    }


def _told(values: dict[str, float], step: int | None) -> str:
    told = ", ".join(f"{name} {values[name]:.4g}" for name in ("min", "max", "mean", "std", "sum"))
    return told if step is None else f"{told} at step {step}"
