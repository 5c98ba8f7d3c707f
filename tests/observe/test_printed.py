import math

import pytest

from firstlight.observe.printed import MOST_NAMES, MOST_SCORES, numbers_in


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("epoch 3 train loss: 0.53, val_acc=91.2%", {"train loss": 0.53, "val_acc": 0.912}),
        ("loss 1.5e-3 | lr 1e-4", {"loss": 1.5e-3, "lr": 1e-4}),
        ("{'eval_loss': '0.7', \"rate\": 1.5}", {"eval_loss": 0.7, "rate": 1.5}),
        ("step: 100, seen 12 of 40", {}),
        ("val/loss = -0.25", {"val/loss": -0.25}),
        ("Accuracy: 91%", {"accuracy": 0.91}),
        ("3: 0.5", {}),
        ("nanometres infinite", {}),
        ("(Triggered internally at /pytorch/torch/csrc/variable_methods.cpp:822.) train.py:12.", {}),
    ],
)
def test_numbers_have_the_names_before_them(line: str, found: dict[str, float]) -> None:
    seen = numbers_in([line])

    assert list(seen) == list(found)
    assert [values[0] for values in seen.values()] == pytest.approx(list(found.values()))


def test_a_name_that_comes_again_makes_a_curve() -> None:
    assert numbers_in([f"loss: {value}" for value in (0.5, 0.25)]) == {"loss": (0.5, 0.25)}


def test_what_is_not_a_number_is_told_too() -> None:
    (value,) = numbers_in(["val loss: nan"])["val loss"]
    assert math.isnan(value)


def test_names_are_bounded() -> None:
    assert len(numbers_in(f"name{chr(97 + n % 26)}{chr(97 + n // 26)}: 0.5" for n in range(100))) == MOST_NAMES


def test_scores_have_room_of_their_own() -> None:
    """Frameworks print times and rates by the dozen before a program comes to its own last line."""
    times = [f"runtime_{chr(97 + n)}: 0.5" for n in range(MOST_NAMES)]
    scores = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}_loss: 0.5" for n in range(2 * MOST_SCORES)]

    assert "exact match" in numbers_in([*times, "exact match = 0.9"])
    assert "runtime" not in numbers_in([*times, "runtime: 0.9"])
    assert len(numbers_in(scores)) == MOST_SCORES
