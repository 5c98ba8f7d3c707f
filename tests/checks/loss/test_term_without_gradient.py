from typing import Any

from msgspec.structs import replace

from firstlight.checks.loss.term_without_gradient import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.taped import TermSeen

TERM = TermSeen(
    operation="mul",
    site=Site(file="train.py", line=14),
    added=Site(file="train.py", line=20),
    times=3,
    looks=3,
    step=24,
    value=0.25,
    loss=1.5,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(TERM, **changes), CHECK.limits))


def test_tells_the_term_and_where_it_joins_the_loss() -> None:
    (evidence,) = found()

    assert "0.25 of 1.5, depends on trained tensors and has no gradient: `mul` passes none on;" in evidence.saw
    assert "joins the loss at train.py:20" in evidence.saw
    assert evidence.where.line == 14


def test_a_term_that_has_a_gradient_at_times_is_quiet() -> None:
    assert not found(times=2)


def test_tells_what_the_answers_do_not_train() -> None:
    (evidence,) = found(unfelt=4, value=1.25)

    assert "compared with the targets at train.py:20 depends on 4 trained tensors that get no gradient" in evidence.saw
    assert "the loss of 1.5 would be 1.25 if all examples were alike" in evidence.saw


def test_a_draw_is_to_be_made_so_that_a_gradient_goes_through() -> None:
    assert "rsample" in (found(unfelt=4, operation="normal")[0].do or "")
    assert found(unfelt=4, operation="detach")[0].do is None


def test_a_derivative_is_to_be_made_with_a_graph() -> None:
    (evidence,) = found(derivative=True, value=3.5, operation="grad")

    assert "a derivative of the network, 3.5 in size, is added to its outputs at train.py:20" in evidence.saw
    assert "create_graph=True" in (evidence.do or "")
    assert not found(derivative=True, times=2)
