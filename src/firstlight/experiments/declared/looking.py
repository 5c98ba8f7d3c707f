"""Looks at the tensors that invariants speak of, batch by batch."""

import re
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.invariants import Invariant
from firstlight.observe.inside import reading
from firstlight.records.declared import InvariantTried

BATCHES = 4
PLACE = re.compile(r"(?P<path>[^\[]*)(?P<keys>(\[[^\]]*\])*)")
MOST_UNIQUE = 1 << 20


def looking(bench: Bench) -> None:
    model = bench.model()
    declared = [Invariant.of(given) for given in bench.experiment.invariants]
    looks: dict[str, list[tuple[bool, str]]] = {invariant.name: [] for invariant in declared}
    missing: dict[str, str] = {}
    for step, batch in enumerate(bench.batches(BATCHES)):
        seen = _seen(bench, model, batch, declared)
        for invariant in declared:
            try:
                found = _at(seen, model, invariant.on)
            except (KeyError, IndexError, TypeError) as error:
                missing[invariant.name] = f"there is no {error.args[0] if error.args else invariant.on}"
                continue
            values = measured(found, batch.examples or 0, step)
            looks[invariant.name].append((invariant.holds(values), _told(values)))
    for invariant in declared:
        bench.emit(_tried(invariant, looks[invariant.name], missing.get(invariant.name, "")))


def _tried(invariant: Invariant, looks: list[tuple[bool, str]], missing: str) -> InvariantTried:
    broken = [told for held, told in looks if not held]
    return InvariantTried(
        name=invariant.name,
        on=invariant.on,
        check=invariant.check,
        severity=invariant.severity,
        looks=len(looks),
        broken=len(broken),
        first=broken[0] if broken else "",
        missing=missing,
    )


def _seen(bench: Bench, model: torch.nn.Module, batch: Batch, declared: list[Invariant]) -> dict[str, Any]:
    """Outputs of the modules that are asked for, the output, the loss, and what went in."""
    seen: dict[str, Any] = {"input": list(batch.inputs), "target": batch.target}
    wanted = {_path(invariant.on) for invariant in declared}
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
    found = reading.sample_of(tensor).double()
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


def _told(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {values[name]:.4g}" for name in ("min", "max", "mean", "std", "sum"))
