"""What a timeline changes. Each intervention is one thing, done to the script's own objects in a throw-away process."""

import random
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from firstlight.experiments.inside import localising, loss_steering, probes, seclusion, steering
from firstlight.experiments.plan import Order

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

Apply = Callable[["Observer", str], None]


def begin(observer: "Observer", order: Order) -> None:
    """In a new child: from here on this process is the timeline `order` asks for."""
    seclusion.withdraw(observer, order.name)
    observer.timeline = order.name
    observer.spec = msgspec.structs.replace(observer.spec, steps=order.steps, seconds=order.seconds, full_steps=0)
    observer.light = True
    if order.eval_tail:
        steering.eval_tail(observer, order.steps - order.eval_tail)
    for word in order.interventions:
        name, _, value = word.partition("=")
        INTERVENTIONS[name](observer, value)


def scale_lr(observer: "Observer", value: str) -> None:
    factor = float(value)
    kept: dict[int, list[float]] = {}

    def raise_it(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        kept[id(optimizer)] = [group["lr"] for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] * factor

    def put_back(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group, lr in zip(optimizer.param_groups, kept.pop(id(optimizer)), strict=True):
            group["lr"] = lr

    observer.moments.step_begins.append(raise_it)
    observer.moments.step_ended.insert(0, put_back)


def constant_lr(observer: "Observer", _value: str) -> None:
    def hold(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])

    observer.moments.step_begins.append(hold)


def clear_gradients(observer: "Observer", _value: str) -> None:
    def clear(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        optimizer.zero_grad(set_to_none=True)

    observer.moments.step_ended.append(clear)


def no_decay(observer: "Observer", _value: str) -> None:
    def drop(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            if "weight_decay" in group:
                group["weight_decay"] = 0.0

    observer.moments.step_begins.append(drop)


def no_dropout(observer: "Observer", _value: str) -> None:
    """Modules and the functional form alike become the identity."""

    def skip(value: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        return value

    def pass_on(_module: torch.nn.Module, given: torch.Tensor) -> torch.Tensor:
        return given

    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
        setattr(torch.nn.functional, name, skip)
    setattr(torch, "dropout", skip)  # noqa: B010  # typed as a C function
    for kind in _with_subclasses(torch.nn.modules.dropout._DropoutNd):
        kind.forward = pass_on


def _with_subclasses(kind: Any) -> list[Any]:
    return [kind, *(child for direct in kind.__subclasses__() for child in _with_subclasses(direct))]


def reseed(_observer: "Observer", value: str) -> None:
    seed = int(value)
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def train_mode(observer: "Observer", _value: str) -> None:
    def set_mode(module: torch.nn.Module, _given: Any) -> None:
        if torch.is_grad_enabled() and not module.training:
            module.train()

    torch.nn.modules.module.register_module_forward_pre_hook(set_mode)


def fp32(_observer: "Observer", _value: str) -> None:
    original = torch.amp.autocast_mode.autocast.__init__

    def disabled(self: Any, *arguments: Any, **keywords: Any) -> None:
        keywords["enabled"] = False
        original(self, *arguments, **keywords)

    torch.amp.autocast_mode.autocast.__init__ = disabled  # type: ignore[method-assign]
    scaler: Any = torch.amp.GradScaler
    scaler.scale = lambda _self, outputs: outputs
    scaler.unscale_ = lambda _self, _optimizer: None
    scaler.step = lambda _self, optimizer, *a, **k: optimizer.step(*a, **k)
    scaler.update = lambda _self, *_: None


def no_clip(observer: "Observer", _value: str) -> None:
    observer.clips = False


def optimize_all(observer: "Observer", _value: str) -> None:
    """Every parameter behind the loss that no optimizer holds joins the first one that steps."""
    reached: list[torch.Tensor] = []

    def collect(root: torch.Tensor, *_: Any) -> None:
        from firstlight.observe.inside import graph

        if not reached:
            found = (getattr(node, "variable", None) for node in graph.nodes_behind(root))
            reached.extend(leaf for leaf in found if isinstance(leaf, torch.nn.Parameter) and leaf.requires_grad)

    def join(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = {id(p) for entry in observer.optimizers() for p in entry.parameters}
        missing = [p for p in reached if id(p) not in held]
        if missing:
            optimizer.add_param_group({"params": missing})

    observer.moments.backward_begins.append(collect)
    observer.moments.step_begins.insert(0, join)


def thaw(observer: "Observer", _value: str) -> None:
    def melt(call: Any) -> None:
        for parameter in call.module.parameters():
            parameter.requires_grad_(True)

    observer.moments.model_returned.append(melt)


INTERVENTIONS: dict[str, Apply] = {
    "repeat-batch": steering.repeat_batch,
    "noise-inputs": steering.noise_inputs,
    "zero-inputs": steering.zero_inputs,
    "permute-inputs": steering.permute_inputs,
    "standardise": steering.standardise_inputs,
    "lr": scale_lr,
    "lr-constant": constant_lr,
    "no-dropout": no_dropout,
    "no-decay": no_decay,
    "no-smoothing": loss_steering.no_smoothing,
    "no-clip": no_clip,
    "fp32": fp32,
    "seed": reseed,
    "train-mode": train_mode,
    "clear-gradients": clear_gradients,
    "undo-activation": loss_steering.undo_activation,
    "add-activation": loss_steering.add_activation,
    "match-target": loss_steering.match_target,
    "flip-sign": loss_steering.flip_sign,
    "optimize-all": optimize_all,
    "thaw": thaw,
    "sharpen": loss_steering.sharpen,
    "probe": probes.begin,
    "localise": localising.begin,
}
