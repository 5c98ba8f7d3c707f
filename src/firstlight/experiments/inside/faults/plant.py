"""Plants one fault in the program itself, before its first line that uses torch; its copies inherit it.

It is planted below the observers, so that they see what they would see of a program written that way: nothing here
uses a function mode, above which they would not look.
"""

from collections.abc import Callable

from firstlight.experiments.faults import BY_NAME
from firstlight.experiments.inside.faults import feed, losses, models, optimizers
from firstlight.observe.inside.observer import Observer
from firstlight.records.timelines import FaultPlanted

Applied = Callable[[], None]
PATIENCE_STEPS = 10
"""A fault that has not taken effect by then does not apply to this program, and nothing more is to be seen of it."""

PLANTS: dict[str, Callable[[Observer, Applied], None]] = {
    "inputs-zeroed": feed.zeroed,
    "inputs-unscaled": feed.unscaled,
    "inputs-half-blank": feed.half_blank,
    "input-nan": feed.nan_in_one,
    "weights-equal": models.weights_equal,
    "weights-large": models.weights_large,
    "units-dead": models.units_dead,
    "dropout-heavy": models.dropout_heavy,
    "layer-cut-off": models.layer_cut_off,
    "layers-frozen": models.layers_frozen,
    "clip-tiny": optimizers.clip_tiny,
    "examples-mixed": models.examples_mixed,
    "target-leaked": feed.target_leaked,
    "gradients-not-cleared": optimizers.gradients_not_cleared,
    "gradients-cleared-early": optimizers.gradients_cleared_early,
    "step-missing": optimizers.step_missing,
    "parameters-left-out": optimizers.parameters_left_out,
    "rate-hundredfold": optimizers.rate_hundredfold,
    "rate-thousandth": optimizers.rate_thousandth,
    "rate-runs-out": optimizers.rate_runs_out,
    "decay-huge": optimizers.decay_huge,
    "momentum-extreme": optimizers.momentum_extreme,
    "epsilon-huge": optimizers.epsilon_huge,
    "updates-rounded": optimizers.updates_rounded,
    "targets-permuted": losses.targets_permuted,
    "targets-shifted": losses.targets_shifted,
    "targets-stale": losses.targets_stale,
    "labels-noisy": losses.labels_noisy,
    "activation-twice": losses.activation_twice,
    "loss-sign-flipped": losses.sign_flipped,
    "loss-term-thousandfold": losses.term_thousandfold,
    "loss-term-dropped": losses.term_dropped,
    "loss-summed": losses.summed,
    "loss-broadcast": losses.broadcast,
    "examples-not-counted": losses.examples_not_counted,
    "eval-mode-in-training": models.eval_mode_in_training,
    "train-mode-in-evaluation": models.train_mode_in_evaluation,
    "batches-in-order": feed.batches_in_order,
    "batch-repeated": feed.batch_repeated,
}


def install(observer: Observer) -> None:
    fault = BY_NAME[observer.spec.fault]
    taken: list[int] = []

    def applied() -> None:
        if not taken and not observer.inert:
            taken.append(observer.step)
            observer.emit(FaultPlanted(name=fault.name))

    def give_up(*_: object) -> None:
        if not taken and not fault.late and observer.step >= PATIENCE_STEPS:
            observer.stop("steps")

    PLANTS[fault.name](observer, applied)
    observer.moments.next_step.append(give_up)
