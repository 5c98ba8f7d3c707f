"""Hand-written backwards against central differences, in double precision, a few coordinates each."""

import sys
from typing import Any

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.observe.inside import reading, sites
from firstlight.records.declared import GradientTried
from firstlight.records.places import Site

COORDINATES = 6
WIDTHS = (1e-4, 1e-5, 1e-6)
MOST_ROWS = 3
KINK = 0.1
"""Relative disagreement of the differences themselves, left against right, that means an edge."""


def derivatives(bench: Bench) -> None:
    for kind, (given, site) in _functions(bench).items():
        found = _tried(kind, given, site)
        if found is not None:
            bench.emit(found)


def _functions(bench: Bench) -> dict[type, tuple[tuple[Any, ...], Site | None]]:
    """The user's own subclasses of `autograd.Function`, with what they were given first."""
    met: dict[type, tuple[tuple[Any, ...], Site | None]] = {}
    function: Any = torch.autograd.Function
    kept = vars(function)["apply"]
    original = function.apply.__func__

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None) or _file_of(cls)
        if cls not in met and sites.is_users(file):
            code = getattr(cls, "backward", None)
            line = getattr(getattr(code, "__code__", None), "co_firstlineno", 1)
            met[cls] = (args, sites.site_of(file, line))
        return original(cls, *args, **kwargs)

    function.apply = classmethod(apply)
    try:
        model, batch = bench.model(), bench.batch()
        bench.loss(model, batch) if bench.has_loss else bench.output(model, batch)
    finally:
        function.apply = kept
    return met


def _file_of(cls: type) -> str:
    code = getattr(getattr(cls, "backward", None), "__code__", None)
    return str(getattr(code, "co_filename", "<unknown>"))


def _tried(kind: Any, args: tuple[Any, ...], site: Site | None) -> GradientTried | None:
    given = [_doubled(item) if isinstance(item, torch.Tensor) else item for item in args]
    leaves = [item for item in given if isinstance(item, torch.Tensor) and item.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_(True)
    if not leaves or not any(leaf.numel() for leaf in leaves):
        return None
    with torch.enable_grad():
        outputs = [t for t in reading.tensors_in(kind.apply(*given)) if t.requires_grad]
        generator = torch.Generator().manual_seed(0)
        weights = [torch.randn(t.shape, generator=generator, device="cpu", dtype=torch.float32).to(t) for t in outputs]
        found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
    worst: tuple[float, float, float, bool] = (0.0, 0.0, 0.0, False)
    for leaf, gradient in zip(leaves, found, strict=True):
        for place in torch.randperm(leaf.numel(), generator=generator, device="cpu")[:COORDINATES].tolist():
            analytic = 0.0 if gradient is None else float(gradient.flatten()[place])
            compared = _compared(kind, given, (leaf, place), weights, analytic)
            worst = max(worst, compared, key=lambda item: (not item[3], item[0]))
    error, analytic, numeric, kinks = worst
    return GradientTried(
        name=kind.__name__, relative_error=error, analytic=analytic, numeric=numeric, kinks=kinks, site=site
    )


def _doubled(tensor: torch.Tensor) -> torch.Tensor:
    """In double precision, a few rows alone."""
    found = tensor.detach().clone()
    return found[:MOST_ROWS].double() if found.is_floating_point() and found.ndim > 1 else _as_double(found)


def _as_double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _compared(
    kind: Any, given: list[Any], where: tuple[torch.Tensor, int], weights: list[torch.Tensor], analytic: float
) -> tuple[float, float, float, bool]:
    """Relative error, both values, and whether the differences settle; for the width that agrees best."""
    leaf, place = where
    flat = leaf.detach().view(-1)
    was = float(flat[place])

    def at(offset: float) -> float:
        with torch.no_grad():
            flat[place] = was + offset
            outputs = [t for t in reading.tensors_in(kind.apply(*given)) if t.is_floating_point()]
            flat[place] = was
            return sum(float((t * w).sum()) for t, w in zip(outputs, weights, strict=False))

    best = (float("inf"), analytic, 0.0, False)
    middle = at(0.0)
    for width in WIDTHS:
        left, right = (middle - at(-width)) / width, (at(width) - middle) / width
        numeric = (left + right) / 2
        scale = max(abs(analytic), abs(numeric))
        error = abs(analytic - numeric) / scale if scale > 1e-10 else 0.0
        if error < best[0]:
            best = (error, analytic, numeric, abs(left - right) > KINK * max(abs(left), abs(right), 1e-10))
    return best
