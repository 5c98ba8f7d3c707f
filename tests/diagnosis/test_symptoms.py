"""What people say, and what it means. What nobody wrote a phrase for is handed back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.symptoms import normalise, parse

VALIDATION_BAD = "validation-at-chance-while-training-improves"
SAID = {
    "val loss stuck at 0.69": "plateau-at-constant-predictor",
    "loss stuck at 0.6931": "plateau-at-constant-predictor",
    "Loss stays at 2.30": "plateau-at-constant-predictor",
    "the loss is stuck around 4.605": "plateau-at-constant-predictor",
    "loss is at 1.0986": "plateau-at-constant-predictor",
    "training loss plateaus at 1.46": "plateau-at-double-activation-floor",
    "loss stuck at 0.4": "loss-flat-from-start",
    "loss stuck at 0.0": "loss-frozen",
    "accuracy stuck at 10%": "plateau-at-constant-predictor",
    "accuracy stays at 0.5": "plateau-at-constant-predictor",
    "the model is no better than random guessing": "plateau-at-constant-predictor",
    "loss is NaN": "nonfinite-values",
    "I get infs": "nonfinite-values",
    "loss becomes NaN after 500 steps": "nonfinite-later",
    "everything is fine, then suddenly nan": "nonfinite-later",
    "NaN on the first batch": "nonfinite-at-start",
    "Loss is nan immediately": "nonfinite-at-start",
    "nan at step 0": "nonfinite-at-start",
    "loss explodes": "loss-falls-then-explodes",
    "training diverges": "loss-falls-then-explodes",
    "loss goes down and then blows up": "loss-falls-then-explodes",
    "loss goes up from the start": "loss-rises-from-start",
    "loss doesn't decrease": "loss-flat-from-start",
    "the model won't learn": "loss-flat-from-start",
    "network learns nothing": "loss-flat-from-start",
    "loss decreases very slowly": "loss-falls-slowly",
    "slow convergence": "loss-falls-slowly",
    "loss oscillates": "loss-oscillates",
    "the loss bounces up and down": "loss-oscillates",
    "occasional spikes": "loss-spikes-and-recovers",
    "loss is negative": "loss-negative",
    "loss is exactly 0": "loss-frozen",
    "loss falls steadily": "loss-falls-steadily",
    "initial loss is very high": "init-loss-far-above-chance",
    "first loss is too low": "init-loss-far-below-chance",
    "can't overfit a single batch": "cannot-overfit-one-batch",
    "it overfits one batch fine": "overfits-one-batch",
    "train loss goes down but validation accuracy stays at chance": VALIDATION_BAD,
    "training looks fine, test accuracy is random": VALIDATION_BAD,
    "good training accuracy, bad validation accuracy": VALIDATION_BAD,
    "worse than chance on the test set": "validation-below-chance",
    "val accuracy is much better than train accuracy": "validation-far-better-than-training",
    "validation loss starts to increase": "gap-grows-late",
    "loss goes down but accuracy does not improve": "loss-falls-metric-does-not",
    "always predicts the same class": "predictions-constant",
    "outputs are all identical": "predictions-constant",
    "exploding gradients": "gradients-explode",
    "gradients vanish": "gradients-vanish-with-depth",
    "gradients are None": "gradients-missing",
    "all gradients are zero": "gradients-exactly-zero",
    "weights never change": "parameters-unchanged-by-step",
    "dead ReLUs": "units-dead",
    "different seeds give very different results": "seeds-differ-wildly",
    "results vary between seeds": "seeds-differ-wildly",
    "same seed gives different losses": "same-seed-differs",
    "training is not reproducible": "same-seed-differs",
    "loss jumps after resuming": "loss-jumps-after-resume",
    "memory keeps growing": "memory-grows",
    "GPU is idle": "step-waits-for-data",
    "the dataloader is slow": "step-waits-for-data",
    "lowering the learning rate helps": "lr-tenth-cures",
    "a higher learning rate fixes it": "lr-tenfold-cures",
    "works fine in fp32": "fp32-cures",
    "trains without AMP": "fp32-cures",
    "learns without dropout": "no-regularisation-cures",
    "works on a single GPU": "single-process-cures",
    "inputs are not normalized": "inputs-not-normalised",
    "the dataset is imbalanced": "classes-tenfold-imbalanced",
    "gradient overflow": "loss-scale-collapses",
    "the loss has the same pattern every epoch": "loss-repeats-each-epoch",
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_said_is_understood(text: str) -> None:
    understood = parse(text)
    assert understood.observations == {SAID[text]: True}
    assert understood.read


@pytest.mark.parametrize(
    "text",
    [
        "my cat sat on the keyboard",
        "it is broken",
        "help",
        "training is very slow",
        "accuracy stuck at 93%",
        "accuracy stuck at 0%",
        "val loss stuck at 0.4",
    ],
)
def test_what_is_not_known_is_handed_back(text: str) -> None:
    understood = parse(text)
    assert understood.observations == {}
    assert understood.not_understood == (normalise(text),)


def test_nothing_said_is_nothing_left() -> None:
    assert parse("  ").not_understood == ()


@pytest.mark.parametrize(
    ("text", "observations", "left"),
    [
        ("no NaN, but the loss is stuck", {"nonfinite-values": False, "loss-flat-from-start": True}, ()),
        ("loss does not explode", {"loss-falls-then-explodes": False}, ()),
        ("I am not sure why it is nan", {"nonfinite-values": True}, ()),
        ("loss falls nicely, but my dog is sad", {"loss-falls-steadily": True}, ("my dog is sad",)),
        ("dead relus; gradients vanish", {"units-dead": True, "gradients-vanish-with-depth": True}, ()),
        ("It is Tuesday. Loss is NaN.", {"nonfinite-values": True}, ("it is tuesday",)),
    ],
)
def test_several_clauses_are_read_one_by_one(text: str, observations: dict[str, bool], left: tuple[str, ...]) -> None:
    understood = parse(text)
    assert understood.observations == observations
    assert understood.not_understood == left


@pytest.mark.parametrize(
    ("value", "slug"),
    [
        ("2.296", "loss-flat-from-start"),
        ("2.297", "plateau-at-constant-predictor"),
        ("2.308", "plateau-at-constant-predictor"),
        ("2.309", "loss-flat-from-start"),
        ("1.456", "plateau-at-double-activation-floor"),
        ("1.467", "plateau-at-double-activation-floor"),
        ("1.468", "loss-flat-from-start"),
    ],
)
def test_the_band_around_a_value(value: str, slug: str) -> None:
    assert parse(f"loss stuck at {value}").observations == {slug: True}


@pytest.mark.parametrize(
    ("percent", "chance"), [("10.1", True), ("10.2", False), ("9.9", True), ("0.1", True), ("100", False)]
)
def test_the_band_around_chance(percent: str, chance: bool) -> None:
    assert bool(parse(f"accuracy stuck at {percent}%").observations) is chance


@given(text=st.text(max_size=80))
def test_any_text_is_taken(text: str) -> None:
    understood = parse(text)
    assert set(understood.observations) <= set(KNOWLEDGE.observation)
    if normalise(text) and not understood.observations and any(map(str.isalnum, text)):
        assert understood.not_understood
