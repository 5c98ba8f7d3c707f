import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.chronicle.gathering import PROGRAM, Gathering, gather, number

PHASES = st.sampled_from([*Gathering().phases, "unknown"])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["NaN", "Infinity"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = [
    "step", "loss", "lr", "observed", "components", "rows", "params", "modules", "bins", "counts", "name", "kind",
    "metrics", "epoch", "split", "message", "rank", "timeline",
]  # fmt: skip
LINES = st.builds(
    lambda phase, fields: {**fields, "phase": phase}, PHASES, st.dictionaries(st.sampled_from(FIELDS), JSON)
)


@given(st.lists(LINES, max_size=12))
def test_no_line_whatever_it_holds_is_an_error(lines: list[dict[str, Any]]) -> None:
    gather(lines)


def step(number: int, **fields: Any) -> dict[str, Any]:
    return {"phase": "step", "step": number, "rank": 0, "timeline": None, **fields}


def backward(value: float | str, timeline: str | None = None, site: str = "a") -> dict[str, Any]:
    return {"phase": "fact", "timeline": timeline, "observed": {"fact": "backward", "value": value, "site": site}}


def test_measures_become_curves_and_what_is_not_finite_stays() -> None:
    found = gather([step(0, loss=2.0, lr=0.1), step(1, loss="NaN", lr=0.1), step(2, loss="Infinity", grad_norm=3)])
    (loss,) = found.measures["loss"]
    assert [repr(value) for value in loss.y] == ["2.0", "nan", "inf"]
    assert found.measures["grad_norm"][0].x == (2,)


def test_two_optimizers_and_two_ranks_are_apart() -> None:
    seen = {"name": "Adam", "optimizer": 1}
    lines = [step(0, loss=1.0), step(0, loss=2.0, observed=seen), {**step(0, loss=3.0), "rank": 1}]
    assert [curve.name for curve in gather(lines).measures["loss"]] == ["", "Adam 1", "rank 1"]


def test_timelines_are_the_longest_line_of_backwards_with_the_program_first() -> None:
    lines = [backward(1.0, "lr-tenth"), backward(9.0, site="b"), backward(2.0), backward(1.0), backward(7.0, "probes")]
    found = gather(lines).timelines
    assert [(curve.name, curve.y) for curve in found] == [(PROGRAM, (2.0, 1.0)), ("lr-tenth", (1.0,))]


def test_steps_of_copies_are_no_steps_of_the_program() -> None:
    assert gather([{**step(0, loss=1.0), "timeline": "lr-tenth"}]).measures == {}


def test_a_program_without_steps_has_the_losses_of_its_backwards() -> None:
    assert gather([backward(2.0), backward(1.0)]).measures["loss"][0].y == (2.0, 1.0)


@pytest.mark.parametrize(
    ("row", "grid"),
    [
        ({"name": "a", "norm": 2.0}, "grad_norm"),
        ({"name": "a (weight)", "norm": 2.0}, "weight_norm"),
        ({"name": "a (weight)", "update": 2.0}, "update_ratio"),
        ({"name": "a", "update_ratio": 2.0}, "update_ratio"),
    ],
)
def test_rows_on_parameters_become_grids(row: dict[str, Any], grid: str) -> None:
    found = gather([{"phase": "gradient_stats", "step": 3, "params": [row]}]).layers[grid]
    assert (found.rows, found.steps, found.values) == (("a",), (3,), ((2.0,),))


def test_a_layer_not_measured_at_a_step_has_a_hole_there() -> None:
    lines = [
        {"phase": "activation_stats", "step": 0, "modules": [{"name": "a", "dead": 0.5}]},
        {"phase": "activation_stats", "step": 1, "modules": [{"name": "b", "dead": 0.25}]},
    ]
    assert gather(lines).layers["dead"].values == ((0.5, None), (None, 0.25))


def test_histograms_are_shares_and_new_bins_begin_anew() -> None:
    def look(step: int, bins: list[float], counts: list[int]) -> dict[str, Any]:
        return {"phase": "histogram", "step": step, "name": "w", "kind": "gradients", "bins": bins, "counts": counts}

    (found,) = gather([look(0, [0, 1], [7]), look(5, [0, 1, 2], [1, 3]), look(9, [0, 1, 2], [0, 0])]).spreads
    assert (found.steps, found.edges, found.shares) == ((5, 9), (0, 1, 2), ((0.25, 0.75), (0.0, 0.0)))


def test_predictions_follow_each_example_over_steps() -> None:
    lines = [
        {"phase": "prediction_table", "step": step, "rows": [[7, "cat", said, 0.5], ["bad"]]}
        for step, said in ((0, "dog"), (10, "cat"))
    ]
    found = gather(lines).predictions
    assert found.steps == (0, 10)
    assert [(a.example, a.truth, a.said, a.confidence) for a in found.answers] == [
        ("7", "cat", ("dog", "cat"), (0.5, 0.5))
    ]


def test_the_trace_is_that_of_the_first_model() -> None:
    layers = [{"name": "head", "kind": "Linear", "inputs": [[8, 4]], "outputs": [[8, 2]], "parameters": 10}]
    lines = [{"phase": "fact", "observed": {"fact": "shapes", "layers": layers}}] * 2
    (layer,) = gather(lines).trace
    assert (layer.name, layer.inputs, layer.outputs, layer.parameters) == ("head", ((8, 4),), ((8, 2),), 10)


def test_done_may_be_asked_for_while_lines_still_come() -> None:
    gathering = Gathering()
    gathering.take(step(0, loss=1.0))
    assert gathering.done().measures["loss"][0].y == (1.0,)
    gathering.take(step(1, loss=0.5))
    assert gathering.done().measures["loss"][0].y == (1.0, 0.5)


@pytest.mark.parametrize(("raw", "value"), [(1, 1.0), ("Infinity", math.inf), (True, None), ("x", None), ([1], None)])
def test_numbers(raw: object, value: float | None) -> None:
    assert number(raw) == value


def dependence(moved: list[list[float]], kind: str = "future") -> dict[str, Any]:
    seen = {"fact": "dependence", "step": 0, "kind": kind, "site": None, "own": True, "others": 0, "of": 1}
    return {
        "phase": "fact",
        "timeline": "probes",
        "observed": seen | {"map": {"places": [0, 3], "moved": moved}},
    }


def test_maps_of_influence_are_kept_as_they_are() -> None:
    (found,) = gather([dependence([[0.5, 0.0], [0.25, 1.0]])]).influence

    assert found.map is not None
    assert (found.kind, found.map.moved) == ("future", ((0.5, 0.0), (0.25, 1.0)))


@pytest.mark.parametrize("moved", [[[0.5, 0.0]], [[0.5], [0.5]], [["x", 0.0], [0.0, 0.0]]])
def test_a_map_of_another_form_is_passed_over(moved: list[list[float]]) -> None:
    assert gather([dependence(moved)]).influence == ()
