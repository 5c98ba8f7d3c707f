"""All checks, written by hand. Order is by id; a test compares this tuple with the files."""

from firstlight.checks.data import (
    batch_repeats,
    columns_dropped,
    input_nonfinite,
    labels_come_sorted,
    targets_ignored,
)
from firstlight.checks.declare import Check
from firstlight.checks.learning import (
    loss_explodes,
    metric_broadcast,
    pairing_is_lost,
    rate_too_high,
    rate_too_low,
    regularisation_drowns,
)
from firstlight.checks.loss import (
    activation_over_wrong_axis,
    gradient_ignores_output,
    loss_broadcast,
    loss_detached,
    loss_double_activation,
    loss_missing_activation,
    loss_sign_flipped,
    one_column_scores,
    scores_too_flat,
    targets_not_distribution,
)
from firstlight.checks.model import (
    attention_sees_future,
    eval_mode_in_training,
    examples_mix,
    future_leaks,
    modules_in_plain_container,
    modules_repeated,
    parameters_not_optimized,
    parameters_without_gradient,
    requires_grad_on_module,
    train_mode_in_evaluation,
)
from firstlight.checks.numerics import value_nonfinite
from firstlight.checks.ranks import ranks_see_same_data
from firstlight.checks.run import check_crashed, script_crashed
from firstlight.checks.step import (
    accumulation_not_averaged,
    clip_after_step,
    clip_before_unscale,
    clip_starves,
    gradients_gone,
    gradients_never_cleared,
    graph_grows,
    optimizer_rebuilt,
    rate_collapses,
    step_missing,
)

CATALOGUE: tuple[Check, ...] = (
    check_crashed.CHECK,
    script_crashed.CHECK,
    input_nonfinite.CHECK,
    batch_repeats.CHECK,
    targets_ignored.CHECK,
    labels_come_sorted.CHECK,
    columns_dropped.CHECK,
    loss_broadcast.CHECK,
    loss_missing_activation.CHECK,
    loss_double_activation.CHECK,
    loss_detached.CHECK,
    loss_sign_flipped.CHECK,
    targets_not_distribution.CHECK,
    gradient_ignores_output.CHECK,
    scores_too_flat.CHECK,
    activation_over_wrong_axis.CHECK,
    one_column_scores.CHECK,
    gradients_never_cleared.CHECK,
    step_missing.CHECK,
    gradients_gone.CHECK,
    clip_after_step.CHECK,
    clip_before_unscale.CHECK,
    graph_grows.CHECK,
    rate_collapses.CHECK,
    optimizer_rebuilt.CHECK,
    accumulation_not_averaged.CHECK,
    clip_starves.CHECK,
    parameters_not_optimized.CHECK,
    modules_in_plain_container.CHECK,
    parameters_without_gradient.CHECK,
    eval_mode_in_training.CHECK,
    requires_grad_on_module.CHECK,
    attention_sees_future.CHECK,
    examples_mix.CHECK,
    future_leaks.CHECK,
    train_mode_in_evaluation.CHECK,
    modules_repeated.CHECK,
    loss_explodes.CHECK,
    metric_broadcast.CHECK,
    regularisation_drowns.CHECK,
    rate_too_low.CHECK,
    rate_too_high.CHECK,
    pairing_is_lost.CHECK,
    value_nonfinite.CHECK,
    ranks_see_same_data.CHECK,
)

SECTIONS = {
    "0": "run",
    "1": "data",
    "2": "loss",
    "3": "step",
    "4": "model",
    "5": "learning",
    "6": "numerics",
    "9": "ranks",
}
"""The hundred of an id is its folder."""


def named(word: str, catalogue: tuple[Check, ...] = CATALOGUE) -> Check | None:
    """By id or name, in any case."""
    return next((check for check in catalogue if word.lower() in (check.id.lower(), check.name)), None)
