"""Calls that compare, and which meetings of predictions with data are a part of the network still.

A network that adds its input to what it computed, scales its output by numbers from the data, or hides a part of it
brings predictions and data together too. What comes of that goes on, as the prediction, into the comparison with the
answer; what is done to a comparison afterwards (a mask, a weight, an advantage) is no comparison.
"""

import enum
from collections import defaultdict
from collections.abc import Collection, Iterable

from firstlight.observe.inside.tape.recorder import Row

_MEASURES = """mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div
soft_margin_loss poisson_nll_loss gaussian_nll_loss"""
MEASURES = frozenset(_MEASURES.split())
"""Losses of torch that are lower, the better values follow their answers."""
NAMED = frozenset({"cross_entropy", "nll_loss", "multi_margin_loss"})
"""Losses of torch that take classes by their number."""
_OTHER_LOSSES = """cosine_similarity cosine_embedding_loss hinge_embedding_loss margin_ranking_loss ctc_loss
multilabel_margin_loss multilabel_soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss"""
DISTANCES = frozenset({"dist", "pairwise_distance"})
LOSSES = MEASURES | NAMED | DISTANCES | frozenset(_OTHER_LOSSES.split())
DIFFERENCES = DISTANCES | {"sub", "__sub__", "__rsub__", "rsub", "subtract"}
COMPARES = DIFFERENCES | {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
"""Calls that compare values with answers, value by value."""
EVEN = frozenset({"square", "pow", "__pow__", "abs", "norm"})
"""What these make of a difference grows with it both ways."""
LIKELY = frozenset({"log_softmax", "softmax", "logsigmoid", "sigmoid"})
"""What these give is larger where the network holds something to be likelier."""
PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "multiply"})
SELECTS = frozenset({"__getitem__", "index_select", "gather", "take_along_dim"})
_SIZES = EVEN | {"mean", "sum", "__abs__", "vector_norm", "matrix_norm"}
"""What these give of a difference is how large it is, and no prediction any more."""


class _Ahead(enum.IntFlag):
    """What lies between the output of a row and the loss."""

    LOSS = enum.auto()
    """It is given to a loss of torch's together with data."""
    DIFFERENCE = enum.auto()
    """Data is taken from it, before its size is."""
    CHOICE = enum.auto()
    """Some of it are chosen by data; behind a likelihood that is a loss as well."""


def going_on(rows: Iterable[Row], meeting: Collection[int]) -> set[int]:
    """Numbers of the rows whose output is still a prediction: another of the `meeting` rows compares it with data.

    `rows` are in the order they were made. Losses and choices of a class are comparisons wherever they stand.
    """
    ahead: defaultdict[int, _Ahead] = defaultdict(lambda: _Ahead(0))
    for row in reversed(tuple(rows)):
        before = _before(row, ahead[row.number], row.number in meeting)
        for tensor, _, made in row.inputs if before else ():
            if made is not None and tensor.requires_grad:
                ahead[made[0].number] |= before
    compared = _Ahead.LOSS | _Ahead.DIFFERENCE
    return {number for number, found in ahead.items() if found & compared}


def _before(row: Row, after: _Ahead, meets: bool) -> _Ahead:
    found = after & _Ahead.LOSS
    if row.name not in _SIZES:
        found |= after & _Ahead.DIFFERENCE
    if after & _Ahead.CHOICE:
        found |= _Ahead.LOSS if row.name in LIKELY else _Ahead.CHOICE
    if meets and row.name in LOSSES:
        found |= _Ahead.LOSS
    elif meets and row.name in DIFFERENCES:
        found |= _Ahead.DIFFERENCE
    elif meets and row.name in SELECTS:
        found |= _Ahead.CHOICE
    return found


def is_comparison(row: Row) -> bool:
    """Whatever becomes of it: an answer was held against predictions, or chose among them."""
    return row.name in LOSSES or row.name in SELECTS
