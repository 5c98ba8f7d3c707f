"""What the user says must hold, looked at on sampled steps of the real run, by the rules of a declared experiment."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from firstlight.experiments.declared.invariants import Invariant
from firstlight.experiments.declared.looking import _at, _path, measured
from firstlight.guard.naming import plain
from firstlight.records.declared import InvariantTried

OUTPUT, INPUT, LOSS = "output", "input", "loss"


class Invariants:
    """Of the first model. `arm` before a forward pass, `judge` after its backward began."""

    def __init__(self, declared: Iterable[Invariant]) -> None:
        self._declared = list(declared)
        self._seen: dict[str, Any] = {}
        self._handles: list[Any] = []
        self._armed = False
        self._looks: dict[str, int] = {}
        self._broken: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def arm(self, model: nn.Module | None) -> None:
        if model is None or not self._declared:
            return
        self._armed = True
        wanted = {_path(invariant.on) for invariant in self._declared}
        for path, module in model.named_modules():
            name = plain(path)
            if name in wanted or (name == "" and wanted & {OUTPUT, INPUT}):
                self._handles.append(module.register_forward_hook(self._hook(name)))

    def _hook(self, name: str) -> Any:
        def hook(_module: nn.Module, given: Any, made: Any) -> None:
            if torch.is_grad_enabled() and not torch.compiler.is_compiling():
                self._seen |= {name: made} if name else {OUTPUT: made, INPUT: list(given)}

        return hook

    def hears(self, loss: torch.Tensor) -> None:
        if self._armed:
            self._seen[LOSS] = loss

    def judge(self, model: nn.Module, step: int) -> list[InvariantTried]:
        """Once for each `arm`; lets go of what was held."""
        if not self._armed:
            return []
        for handle in self._handles:
            handle.remove()
        parameters = {plain(path): parameter for path, parameter in model.named_parameters()}
        seen, self._seen, self._handles, self._armed = parameters | self._seen, {}, [], False
        return [self._tried(invariant, seen, model, step) for invariant in self._declared]

    def _tried(self, invariant: Invariant, seen: dict[str, Any], model: nn.Module, step: int) -> InvariantTried:
        name, missing = invariant.name, ""
        try:
            values = measured(_at(seen, model, invariant.on), 0, step)
            self._looks[name] = self._looks.get(name, 0) + 1
            if not invariant.holds(values):
                self._broken[name] = self._broken.get(name, 0) + 1
                told = ", ".join(f"{word} {values[word]:.4g}" for word in ("min", "max", "mean", "std", "sum"))
                self._first.setdefault(name, f"at step {step} {told}")
        except (KeyError, IndexError, TypeError) as error:
            missing = f"there is no {error.args[0] if error.args else invariant.on}"
            if _path(invariant.on) in _compiled(model):
                missing = "it is inside a compiled model; `output`, `loss` and parameters can be looked at there"
        return InvariantTried(
            name=name,
            on=invariant.on,
            check=invariant.check,
            severity=invariant.severity,
            looks=self._looks.get(name, 0),
            broken=self._broken.get(name, 0),
            first=self._first.get(name, ""),
            missing=missing,
            step=step,
        )


def _compiled(model: nn.Module) -> set[str]:
    """Modules whose hooks do not run, since what holds them was compiled before the hooks were put on."""
    found = set()
    for outer, module in model.named_modules():
        if hasattr(module, "_orig_mod") or module._compiled_call_impl is not None:
            found |= {plain(f"{outer}.{inner}".strip(".")) for inner, _ in module.named_modules() if inner}
    return found
