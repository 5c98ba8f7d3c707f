"""What the user says must hold, looked at on sampled steps of the real run, by the rules of a declared experiment."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from firstlight.experiments.declared.invariants import Invariant
from firstlight.experiments.declared.looking import _at, _path, measured
from firstlight.records.declared import InvariantTried

OUTPUT, INPUT, LOSS = "output", "input", "loss"


class Invariants:
    """Of the first model. `arm` before a forward pass, `judge` after its backward began."""

    def __init__(self, declared: Iterable[Any]) -> None:
        self._declared = [Invariant.of(given) for given in declared]
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
        for name, module in model.named_modules():
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
        seen, self._seen, self._handles, self._armed = self._seen, {}, [], False
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
