"""Both sides of what each curve says; what was not logged is never said."""

import math
import random
from collections.abc import Callable

import msgspec
import pytest

from firstlight.diagnosis.from_curves import case_of_curves
from firstlight.records.curves import Curve, Roles

N = 200


def drawn(function: Callable[[int], float], points: int = N) -> Curve:
    return Curve(name="any", steps=tuple(range(points)), values=tuple(function(at) for at in range(points)))


NOISE = random.Random(0)
falling = drawn(lambda at: 2.3 * math.exp(-at / 50) + 0.05 + NOISE.gauss(0, 0.01))
flat = drawn(lambda at: 2.302 + NOISE.gauss(0, 0.005))


def seen(**curves: Curve) -> dict[str, bool]:
    return dict(case_of_curves(msgspec.structs.replace(Roles(), **curves)).observed)


@pytest.mark.parametrize(
    ("slug", "ill"),
    [
        ("loss-flat-from-start", flat),
        ("plateau-at-constant-predictor", flat),
        ("loss-rises-from-start", drawn(lambda at: 1.0 + 0.01 * at)),
        ("loss-falls-then-explodes", drawn(lambda at: 2.0 - 0.01 * at if at < 100 else 1.05 ** (at - 100))),
        ("loss-falls-slowly", drawn(lambda at: 2.0 - 0.0005 * at)),
        ("loss-frozen", drawn(lambda _: 0.5)),
        ("loss-oscillates", drawn(lambda at: 1.0 + 0.8 * (-1) ** at)),
        ("loss-oscillates", drawn(lambda at: (0.2, 1.5, 3.0)[at % 3])),
        ("loss-negative", drawn(lambda at: -0.1 * at)),
        ("loss-jumps-after-resume", drawn(lambda at: 2.0 * math.exp(-(at % 100) / (40 if at < 100 else 20)))),
        ("loss-spikes-and-recovers", drawn(lambda at: 30.0 if at == 90 else 2.0 - 0.005 * at)),
        ("nonfinite-values", drawn(lambda at: math.nan if at > 100 else 1.0 / (at + 1))),
        ("nonfinite-later", drawn(lambda at: math.inf if at > 100 else 1.0 / (at + 1))),
        ("nonfinite-at-start", drawn(lambda _: math.nan if _ != 50 else 1.0)),
    ],
)
def test_the_loss(slug: str, ill: Curve) -> None:
    healthy = seen(loss=falling)
    assert healthy["loss-falls-steadily"]
    assert not healthy.get(slug, False)
    if math.isfinite(ill.values[2]):
        assert seen(loss=ill)[slug]
    else:
        assert seen(loss=ill)["nonfinite-at-start"]


@pytest.mark.parametrize(
    ("slug", "healthy"),
    [
        ("loss-negative", drawn(lambda at: 2.0 * math.exp(-at / 50) - 1.0)),
        ("loss-jumps-after-resume", drawn(lambda at: 9.0 if 100 <= at < 103 else 2.0 * math.exp(-at / 50))),
        ("loss-jumps-after-resume", drawn(lambda at: 1.0 + 0.8 * (-1) ** at)),
        ("loss-falls-slowly", drawn(lambda at: 1.6 - 0.01 * at, points=8)),
    ],
    ids=["a density that settles below zero", "a spike of three points", "swings", "eight points"],
)
def test_what_looks_almost_the_same_is_not_said(slug: str, healthy: Curve) -> None:
    assert not seen(loss=healthy).get(slug, False)


@pytest.mark.parametrize(
    ("slug", "ill", "healthy"),
    [
        ("gradients-exactly-zero", lambda _: 0.0, lambda _: 1.0),
        ("gradients-explode", lambda at: 1.05**at, lambda at: 1.0 + at / 100),
        ("gradient-norm-grows-every-step", lambda at: 1.0 + at, lambda at: 1.0 + at % 2),
        ("clipped-on-every-step", lambda _: 1.0, lambda at: 1.0 + math.sin(at)),
    ],
)
def test_the_gradient_norm(slug: str, ill: Callable[[int], float], healthy: Callable[[int], float]) -> None:
    assert seen(loss=falling, grad_norm=drawn(ill))[slug]
    assert not seen(loss=falling, grad_norm=drawn(healthy))[slug]


def test_a_gradient_norm_of_nan_tells_of_a_loss_that_the_trainer_smoothed_over() -> None:
    assert seen(loss=falling, grad_norm=drawn(lambda at: math.nan if at > 20 else 1.0))["nonfinite-values"]
    assert not seen(loss=falling, grad_norm=drawn(lambda at: math.nan if at < 3 else 1.0))["nonfinite-values"]


@pytest.mark.parametrize(
    ("slug", "ill"),
    [
        ("gap-grows-late", lambda at: 1.0 + abs(at - 60) / 100),
        ("validation-far-better-than-training", lambda _: 0.001),
        ("validation-at-chance-while-training-improves", lambda at: 2.3 + at / 1000),
    ],
)
def test_validation(slug: str, ill: Callable[[int], float]) -> None:
    assert seen(loss=falling, val_loss=drawn(ill))[slug]
    assert not seen(loss=falling, val_loss=falling)[slug]


def test_a_metric_that_does_not_follow() -> None:
    assert seen(loss=falling, val_accuracy=drawn(lambda _: 0.1))["loss-falls-metric-does-not"]
    assert not seen(loss=falling, val_accuracy=drawn(lambda at: at / N))["loss-falls-metric-does-not"]


def test_the_rate() -> None:
    claims = case_of_curves(Roles(loss=flat, lr=drawn(lambda _: 0.0))).claims
    assert [claim.cause for claim in claims] == ["train-schedule"]
    lost = case_of_curves(Roles(loss=flat, lr=drawn(lambda at: 1e-3 * 0.5**at))).claims
    assert [claim.cause for claim in lost] == ["train-schedule"]
    steady = case_of_curves(Roles(loss=flat, lr=drawn(lambda _: 1e-3)))
    assert not steady.claims
    assert "no-schedule" in steady.context
    cosine = case_of_curves(Roles(loss=flat, lr=drawn(lambda at: 1e-3 * (1 + math.cos(math.pi * at / N)))))
    assert not cosine.claims
    assert not cosine.context


def test_what_was_not_logged_is_not_said() -> None:
    assert case_of_curves(Roles()).empty
    assert not {slug for slug in seen(loss=falling) if "gradient" in slug or "validation" in slug}
    assert not seen(loss=drawn(lambda _: 1.0, points=4)).get("loss-frozen")
