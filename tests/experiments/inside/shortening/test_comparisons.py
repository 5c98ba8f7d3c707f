"""Which comparisons choose what is kept, which way they run, and what they met."""

import ast
from typing import Any

import pytest
import torch

from firstlight.experiments.inside.shortening.comparisons import BETTER, Comparison, Comparisons, watched

LOOP = """best = START
kept = []
for number in numbers:
    TEST
"""


def run(test: str, numbers: list[float], start: str = "0.0", **names: Any) -> tuple[list[Comparison], dict[str, Any]]:
    seen = Comparisons()
    source = LOOP.replace("TEST", test).replace("START", start)
    tree = ast.fix_missing_locations(watched(ast.parse(source), seen.register("train.py")))
    found = {BETTER: seen.better, "numbers": numbers, "save": lambda _: None, **names}
    exec(compile(tree, "train.py", "exec"), found)
    return seen.found, found


@pytest.mark.parametrize(
    ("test", "larger"),
    [
        ("if number > best: best = number; save(1)", True),
        ("if number <= best: best = number; save(1)", False),
        ("if best < number: best = number; save(1)", True),
        ("if not number > best: best = number; save(1)", False),
        ("if number > 0 and number > best + 0.1: best = number; save(1)", True),
        ("if number < best: pass\n    else: best = number; save(1)", True),
        ("is_best = number > best", True),
        ("if number > best: kept = save(best)", True),
    ],
)
def test_the_way_it_runs_is_known(test: str, larger: bool) -> None:
    (one,), _ = run(test, [0.5, 0.3])

    assert (one.metric, one.larger, one.times, one.file, one.line) == ("number", larger, 2, "train.py", 4)
    assert one.met == [0.5, 0.3]
    assert one.noted is ("best = number" in test and "is_best" not in test)


@pytest.mark.parametrize(
    "test",
    [
        "if number > 0.5: save(1)",
        "if number > best: best = number",
        "if len(kept) > number: save(1)",
        "if number == best: best = number; save(1)",
        "if number < best: pass\n    elif number > 3: best = number; save(1)",
    ],
)
def test_what_keeps_nothing_or_knows_no_best_is_left_alone(test: str) -> None:
    assert run(test, [0.5, 0.3])[0] == []


def test_what_is_kept_is_counted_and_the_program_does_what_it_did() -> None:
    (one,), names = run("if number > best: best = number; save(1)", [0.5, 0.3, 0.7])

    assert (one.kept, one.against, names["best"]) == (2, [0.0, 0.5, 0.5], 0.7)


def test_what_is_not_a_number_is_compared_all_the_same() -> None:
    (one,), names = run("if number > best: best = number; save(1)", ["a", "b"], start="''")  # type: ignore[list-item]

    assert (one.times, names["best"]) == (0, "b")


def test_a_model_under_another_name_is_no_copy() -> None:
    test = "if number > best:\n        best = number\n        best_model = model"

    assert run(test, [0.5], model=torch.nn.Linear(1, 1))[0][0].itself == "model"
    assert run(test, [0.5], model=7)[0][0].itself == ""
