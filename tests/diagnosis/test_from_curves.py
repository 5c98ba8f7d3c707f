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


def resumed(at: int) -> float:
    return 2.3 * math.exp(-(at if at < 120 else at - 100) / 40) + 0.05


def hinted(loss: Curve) -> set[str]:
    return {hint.cause for hint in case_of_curves(Roles(loss=loss)).hints}


def test_a_jump_that_falls_again_is_a_resume_unless_the_rate_rose() -> None:
    assert seen(loss=drawn(resumed))["loss-jumps-after-resume"]
    assert not seen(loss=falling)["loss-jumps-after-resume"]
    restart = drawn(lambda at: 1e-3 if at < 120 else 1e-2)
    assert not seen(loss=drawn(resumed), lr=restart)["loss-jumps-after-resume"]


def test_a_loss_below_zero_is_odd_only_while_it_has_no_floor() -> None:
    assert seen(loss=drawn(lambda at: -0.1 * at))["loss-negative"]
    assert "loss-negative" not in seen(loss=drawn(lambda at: -3.0 * (1 - math.exp(-at / 40))))


def test_a_swing_is_one_wherever_it_ends() -> None:
    observed = seen(loss=drawn(lambda at: 3.0 if at % 2 == 0 else 0.5, points=199))
    assert observed["loss-oscillates"]
    assert not observed["loss-falls-steadily"]
    assert "hp-lr-high" in hinted(drawn(lambda at: 3.0 if at % 2 == 0 else 0.5))


def test_a_slow_fall_takes_more_than_a_few_points() -> None:
    assert not seen(loss=drawn(lambda at: 1.6 - 0.01 * at, points=8))["loss-falls-slowly"]
    assert seen(loss=drawn(lambda at: 1.6 - 0.005 * at, points=20))["loss-falls-slowly"]


def test_a_late_explosion_points_to_the_rate_and_away_from_what_is_there_from_the_start() -> None:
    assert "train-no-zero-grad" in hinted(drawn(lambda at: 2.0 - 0.01 * at if at < 150 else 1.2 ** (at - 150)))
    assert not hinted(falling)


def test_spikes_above_the_start_count_from_the_third_on() -> None:
    def spiking(times: int) -> Curve:
        return drawn(lambda at: 9.0 if at in range(50, 50 + 20 * times, 20) else 2.0 - 0.005 * at)

    assert "data-outlier" in hinted(spiking(3))
    assert "data-outlier" not in hinted(spiking(2))


def test_what_is_solved_before_training_is_not_at_chance() -> None:
    solved = seen(loss=drawn(lambda at: 0.0105 * 0.99**at), val_loss=drawn(lambda _: 0.01))
    assert solved["init-loss-far-below-chance"]
    assert not solved["validation-at-chance-while-training-improves"]
