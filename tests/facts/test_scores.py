import pytest
from msgspec.structs import replace

from firstlight.facts.scores import held_back_scores
from firstlight.records.held_out import Transfer
from firstlight.records.places import Site
from firstlight.records.relations import Relations, RelationsSeen, Skills

SITE = Site(file="train.py", line=9)
SEEN = RelationsSeen(step=60, site=SITE, meeting=SITE, examples=300, met=900, answers="classes", classes=4)
CLASSES = Skills(rows=640, own=0.9, plain=0.7, common=0.4, step=300)


@pytest.mark.parametrize(
    ("name", "values", "value"),
    [
        ("test accuracy", (0.5, 0.3), 0.3),
        ("held-out accuracy", (0.004,), 0.004),
        ("val_acc", (91.5, 12.5), 0.125),
        ("train acc", (0.9,), None),
        ("accuracy", (0.9,), None),
        ("test loss", (0.9,), None),
        ("latest acc", (0.9,), None),
    ],
)
def test_accuracies_of_held_back_examples_are_known_by_their_names(
    name: str, values: tuple[float, ...], value: float | None
) -> None:
    trained = Relations(seen=replace(SEEN, skills=Skills(rows=640, own=0.9, common=0.25, step=300)))

    assert [one.value for one in held_back_scores([trained], {name: values})] == ([] if value is None else [value])


def test_answers_that_are_values_have_no_guess_to_be_held_against() -> None:
    trained = Relations(seen=replace(SEEN, skills=Skills(rows=640, own=0.9, step=300)))

    assert list(held_back_scores([trained], {"test accuracy": (0.1,)})) == []
    assert list(held_back_scores([], {"test accuracy": (0.1,)})) == []


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("test auc", 0.5),
        ("val_roc_auc", 0.5),
        ("test pr_auc", None),
        ("val balanced_accuracy", 0.25),
        ("val mcc", 0.0),
        ("test kappa", 0.0),
        ("test r2", None),
        ("test f1", None),
        ("auc", None),
        ("train auc", None),
        ("test acc", 0.4),
        ("test acc_drop", None),
    ],
)
def test_what_chance_gets_of_each_score(name: str, guess: float | None) -> None:
    trained = Relations(seen=replace(SEEN, skills=CLASSES))

    assert [one.guess for one in held_back_scores([trained], {name: (0.1,)})] == ([] if guess is None else [guess])


@pytest.mark.parametrize(("name", "guess"), [("test r2", 0.0), ("val spearman", 0.0), ("test auc", None)])
def test_of_values(name: str, guess: float | None) -> None:
    trained = Relations(seen=replace(SEEN, skills=replace(CLASSES, common=0.0)))

    assert [one.guess for one in held_back_scores([trained], {name: (0.1,)})] == ([] if guess is None else [guess])


def test_a_metric_is_of_the_examples_that_it_was_given() -> None:
    seen = replace(SEEN, skills=CLASSES, transfer=Transfer(site=SITE, scores=(("roc_auc_score", 0.52), ("auc", 1.0))))

    found = next(held_back_scores([Relations(seen=seen)], {}))

    assert (found.name, found.value, found.guess, found.accuracy) == ("roc_auc_score", 0.52, 0.5, False)
    assert (found.own, found.foretold, found.site) == (0.9, 0.7, SITE)
