"""The same weights and batch in full and in the declared lower precision: the loss, the gradients, what is lost."""

from dataclasses import dataclass

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.fitting import unregularised
from firstlight.experiments.declared.stumbling import Stumbled, line_of, using
from firstlight.observe.inside import reading
from firstlight.records.declared import PrecisionTried

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass
class _Pass:
    loss: float
    gradients: list[torch.Tensor]
    largest: float
    """Of all outputs of layers."""
    where: str


def precision(bench: Bench) -> None:
    name = bench.experiment.precision
    assert name is not None
    full = _passed(bench, None)
    try:
        low = _passed(bench, DTYPES[name])
    except Stumbled as stumbled:
        if "not implemented for" in stumbled.fact.message:
            return  # this device cannot compute in it; the one of the long run may
        raise
    pairs = [(a, b) for a, b in zip(full.gradients, low.gradients, strict=True) if bool(torch.isfinite(a).all())]
    bad = sum(not bool(torch.isfinite(b).all()) for _, b in pairs)
    moved = sum(int((a != 0).sum()) for a, _ in pairs)
    gone = sum(int(((a != 0) & (b == 0)).sum()) for a, b in pairs)
    bench.emit(
        PrecisionTried(
            precision=name,
            full_loss=full.loss,
            low_loss=low.loss,
            cosine=_cosine(pairs) if not bad else None,
            nonfinite=bad,
            tensors=len(pairs),
            vanished=gone / moved if moved else 0.0,
            headroom=low.largest / float(torch.finfo(DTYPES[name]).max),
            largest=low.where,
            site=line_of(bench.experiment.loss or bench.experiment.step),
        )
    )


def _passed(bench: Bench, dtype: torch.dtype | None) -> _Pass:
    """Dropout off, so that all that differs is the precision."""
    model, batch = bench.model(), bench.batch()
    unregularised(model, None)
    names = {id(module): name for name, module in model.named_modules()}
    largest = {"": 0.0}

    def keep(module: torch.nn.Module, _given: object, made: object) -> None:
        for tensor in reading.tensors_in(made):
            if tensor.is_floating_point() and tensor.numel():
                largest[names[id(module)]] = max(
                    largest.get(names[id(module)], 0.0), float(tensor.detach().abs().max())
                )

    hooks = [module.register_forward_hook(keep) for module in model.modules() if next(module.children(), None) is None]
    device = next((p.device.type for p in model.parameters()), "cpu")
    bench.seed()
    with torch.autocast(device, dtype=dtype or torch.bfloat16, enabled=dtype is not None):
        loss = bench.loss(model, batch)
    for hook in hooks:
        hook.remove()
    with using("loss", "going backward from it", model):
        loss.backward()
    where = max(largest, key=lambda name: largest[name])
    gradients = [p.grad.detach().float() for p in model.parameters() if p.grad is not None]
    return _Pass(float(loss.detach()), gradients, largest[where], where)


def _cosine(pairs: list[tuple[torch.Tensor, torch.Tensor]]) -> float | None:
    inner = sum(float((a.double() * b.double()).sum()) for a, b in pairs)
    lengths = [sum(float(pair[side].double().square().sum()) for pair in pairs) ** 0.5 for side in (0, 1)]
    return inner / (lengths[0] * lengths[1]) if all(lengths) else None
