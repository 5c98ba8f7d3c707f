"""Two implementations compared by their values, on calls written by hand."""

import math

import pytest

from firstlight.lab.against import Side, alike, answer, first_break
from firstlight.records.steered import Fingerprint, NamedValues, TapedCall, WeightsTaken


def values(size: float, elements: int = 10) -> Fingerprint:
    return Fingerprint(elements, size / 2, size, 2 * size)


def call(number: int, size: float, *made_from: int, operation: str = "linear", elements: int = 10) -> TapedCall:
    return TapedCall(number, operation, f"m.py:{number}", (elements,), made_from, values(size, elements))


TAKEN = WeightsTaken(step=0, by_name=2, by_shape=0, missing=(), extra=(), batch=True)


def side(*calls: TapedCall, loss: float = 1.0, gradient: float = 1.0, stepped: float = 1.0) -> Side:
    named = {
        kind: [NamedValues("w", (10,), values(size))] for kind, size in (("gradient", gradient), ("stepped", stepped))
    }
    return Side(calls, {"fed": [], **named}, loss)


def test_the_first_value_without_a_counterpart_is_the_break() -> None:
    mine = (call(1, 1.0), call(2, 2.0, 1, operation="matmul"), call(3, 3.0, 2))
    other = (call(1, 1.0), call(2, 2.5, 1), call(3, 3.7, 2))
    found = first_break(mine, other)
    assert found is not None
    assert found.operation == "matmul"


def test_what_one_program_fuses_is_no_break() -> None:
    mine = (call(1, 1.0), call(2, 2.0, 1), call(3, 7.0, 2), call(4, 4.0, 3))
    fused = (call(1, 1.0), call(2, 4.0, 1, operation="scaled_dot_product_attention"))
    assert first_break(mine, fused) is None
    assert first_break(fused, mine) is None


def test_values_are_alike_up_to_rounding() -> None:
    assert alike(values(1.0), values(1.0 + 1e-5))
    assert not alike(values(1.0), values(1.0 + 1e-3))
    assert not alike(values(1.0, 10), values(1.0, 11))
    assert alike(values(math.nan), values(math.nan))
    assert not alike(values(math.nan), values(1.0))


def test_the_answer_names_loss_then_gradient_then_step() -> None:
    base = side(call(1, 1.0))
    assert "They agree" in answer(base, base, TAKEN, ("a", "b")).answer
    told = answer(side(call(1, 1.0)), side(call(1, 2.0), loss=2.0), TAKEN, ("a", "b"))
    assert "`linear` at m.py:1" in told.answer
    assert told.numbers["same"] is False
    assert "1 gradients do not" in answer(base, side(call(1, 1.0), gradient=3.0), TAKEN, ("a", "b")).answer
    assert "look at the optimizers" in answer(base, side(call(1, 1.0), stepped=3.0), TAKEN, ("a", "b")).answer


@pytest.mark.parametrize(("size", "agree"), [(1e-7, True), (1e-5, False)])
def test_a_gradient_that_is_zero_but_for_rounding_differs_in_nothing(size: float, agree: bool) -> None:
    """Nor does the step of an optimizer that divides by its size."""

    def with_bias(times: float) -> Side:
        base = side(call(1, 1.0))
        rows = {
            "gradient": NamedValues("b", (10,), values(times * size)),
            "stepped": NamedValues("b", (10,), values(times)),
        }
        return Side(
            base.calls,
            {kind: [*base.values[kind], *([rows[kind]] if kind in rows else [])] for kind in base.values},
            1.0,
        )

    assert answer(with_bias(1.0), with_bias(2.0), TAKEN, ("a", "b")).numbers["same"] is agree


def test_models_that_share_no_weight_are_said_to() -> None:
    taken = WeightsTaken(step=0, by_name=0, by_shape=0, missing=("w",), extra=(), batch=False)
    told = answer(side(call(1, 1.0)), side(call(1, 2.0), loss=2.0), taken, ("a", "b"))
    assert "No weights of one fit the other" in told.answer
    assert any("has no tensor for w" in limit for limit in told.limits)
