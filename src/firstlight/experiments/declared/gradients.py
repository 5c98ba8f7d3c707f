"""Gradients along the depth of the model: at the first step, and after a few."""

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import step
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading
from firstlight.records.declared import GradientProfile
from firstlight.records.declared.model import WeightGradient

LATER_STEPS = 3
MOST_WEIGHTS = 200
MOST_NAMES = 12
NORMS = (torch.nn.modules.batchnorm._NormBase, torch.nn.LayerNorm, torch.nn.GroupNorm)


def gradients(bench: Bench) -> None:
    model = bench.model()
    batch = bench.batch()
    order = _call_order(bench, model, batch)
    loss = _backward(bench, model, batch)
    named = [(name, p) for name, p in model.named_parameters() if p.grad is not None]
    found = [p.grad for _, p in named if p.grad is not None]
    sizes = reading.norms(found)
    weights = _weights(model, order)
    if not named:
        return
    most = max(range(len(sizes)), key=lambda i: sizes[i])
    bench.emit(
        GradientProfile(
            model=type(model).__name__,
            weights=weights,
            total_norm=reading.length(sizes),
            most_norm=sizes[most],
            most_name=named[most][0],
            zero_after_steps=tuple(_zero_later(bench))[:MOST_NAMES],
            tensors=len(named),
            loss=loss,
            site=line_of(type(model)),
        )
    )


def _backward(bench: Bench, model: torch.nn.Module, batch: Batch) -> float:
    """From the loss, or, where there is none, from the sum of the outputs."""
    if bench.has_loss:
        value = bench.loss(model, batch)
    else:
        outputs = [t for t in reading.tensors_in(bench.output(model, batch)) if t.requires_grad]
        value = torch.stack([output.float().mean() for output in outputs]).sum()
    value.backward()
    return float(value.detach())


def _call_order(bench: Bench, model: torch.nn.Module, batch: Batch) -> list[str]:
    """Names of the modules in the order in which they first return."""
    seen: dict[str, None] = {}
    names = {id(module): name for name, module in model.named_modules()}
    hooks = [
        module.register_forward_hook(lambda module, *_: seen.setdefault(names[id(module)]))
        for module in model.modules()
    ]
    with torch.no_grad():
        bench.passed(model, batch)
    for hook in hooks:
        hook.remove()
    return list(seen)


def _weights(model: torch.nn.Module, order: list[str]) -> tuple[WeightGradient, ...]:
    """Matrices and kernels alone: biases before a normalisation have gradients of nothing but rounding."""
    place = {name: index for index, name in enumerate(order)}
    found = []
    for path, module in model.named_modules():
        if path not in place or isinstance(module, (*NORMS, torch.nn.Embedding)):
            continue
        for name, p in module.named_parameters(recurse=False):
            if p.ndim > 1 and p.grad is not None and p.numel():
                found.append((place[path], f"{path}.{name}".removeprefix("."), p.detach(), p.grad))
    found.sort(key=lambda item: item[0])
    scales = reading.norms([item for _, _, p, g in found for item in (p, g)])
    return tuple(
        WeightGradient(
            name=name, weight=scales[2 * i] / p.numel() ** 0.5, gradient=scales[2 * i + 1] / p.numel() ** 0.5
        )
        for i, (_, name, p, _g) in enumerate(found)
    )[:MOST_WEIGHTS]


def _zero_later(bench: Bench) -> list[str]:
    """Exactly zero at each step after the first, where it is usual (zero-initialised heads, adapters)."""
    if bench.experiment.optimizer is None or not bench.has_loss:
        return []
    model = bench.model()
    optimizer = bench.optimizer(model)
    alive: set[str] = set()
    met: set[str] = set()
    for index, batch in zip(range(LATER_STEPS + 1), bench.forever(), strict=False):
        step(bench, model, optimizer, batch)
        if index:
            for name, p in model.named_parameters():
                if p.grad is not None:
                    met.add(name)
                    if bool((p.grad != 0).any()):
                        alive.add(name)
    return sorted(met - alive)
