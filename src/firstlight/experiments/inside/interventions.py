"""What a timeline changes. Each intervention is one thing, done to the script's own objects in a throw-away process."""

import random
import sys
from collections.abc import Callable

import msgspec
import torch

from firstlight.experiments.inside import (
    capacity,
    curvature,
    data_kept,
    data_steering,
    loader_steering,
    localising,
    loss_steering,
    mismatched,
    model_steering,
    optimizer_steering,
    oracles,
    probes,
    rate_steering,
    steering,
    term_steering,
    walking,
)
from firstlight.experiments.plan import Order
from firstlight.observe.inside.observer import Observer

Apply = Callable[["Observer", str], None]
NOT_OF_COPIES = ("altered", "between steps", "comparisons", "feeding", "movement", "nonfinite", "relations")
"""Taps that tell of the program alone. A copy is made for its losses, and its steps are paid for by whoever waits."""


def begin(observer: Observer, order: Order) -> None:
    """From here on this process is the timeline `order` asks for."""
    observer.timeline = order.name
    observer.spec = msgspec.structs.replace(observer.spec, steps=order.steps, seconds=order.seconds, full_steps=0)
    observer.light = True
    observer.leave_out(*NOT_OF_COPIES)
    if order.eval_tail:
        steering.eval_tail(observer, order.steps - order.eval_tail)
    for word in order.interventions:
        name, _, value = word.partition("=")
        INTERVENTIONS[name](observer, value)


def reseed(_observer: Observer, value: str) -> None:
    seed = int(value)
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def no_clip(observer: Observer, _value: str) -> None:
    observer.clips = False


INTERVENTIONS: dict[str, Apply] = {
    "repeat-batch": steering.repeat_batch,
    "noise-inputs": steering.noise_inputs,
    "zero-inputs": steering.zero_inputs,
    "permute-inputs": steering.permute_inputs,
    "mismatch-inputs": mismatched.mismatch_inputs,
    "standardise": steering.standardise_inputs,
    "lr": optimizer_steering.scale_lr,
    "lr-constant": optimizer_steering.constant_lr,
    "even-rates": optimizer_steering.even_rates,
    "lr-ramp": rate_steering.ramp,
    "lr-held": rate_steering.held,
    "no-dropout": model_steering.no_dropout,
    "no-decay": optimizer_steering.no_decay,
    "no-smoothing": loss_steering.no_smoothing,
    "no-clip": no_clip,
    "fp32": model_steering.fp32,
    "seed": reseed,
    "train-mode": model_steering.train_mode,
    "clear-gradients": optimizer_steering.clear_gradients,
    "undo-activation": loss_steering.undo_activation,
    "add-activation": loss_steering.add_activation,
    "match-target": loss_steering.match_target,
    "flip-sign": loss_steering.flip_sign,
    "optimize-all": optimizer_steering.optimize_all,
    "thaw": model_steering.thaw,
    "sharpen": loss_steering.sharpen,
    "standardise-targets": loss_steering.standardise_targets,
    "average": loss_steering.average,
    "eval-mode": model_steering.eval_mode,
    "leaky-units": model_steering.leaky_units,
    "reinitialise": model_steering.reinitialise,
    "usual-settings": optimizer_steering.usual_settings,
    "warm-up": optimizer_steering.warm_up,
    "clip": optimizer_steering.clip,
    "finite-inputs": steering.finite_inputs,
    "smaller-batch": loader_steering.smaller_batch,
    "shuffle": loader_steering.shuffle,
    "skip-batches": loader_steering.skip_batches,
    "data-kept": data_kept.keep,
    "data-part": data_steering.train_on_part,
    "curvature": curvature.measure,
    "wider": capacity.wider,
    "deeper": capacity.deeper,
    "oracle": oracles.substitute,
    "walk-plane": walking.plane,
    "walk-line": walking.line,
    "term-off": term_steering.term_off,
    "term-aside": term_steering.term_aside,
    "probe": probes.begin,
    "localise": localising.begin,
}
