from collections.abc import Callable

import pytest
import torch

from firstlight.observe.inside.relations.keeping import MOST_PAIRS, MOST_STEPS, AnswersKept
from firstlight.records.relations import AnswersFollowed, Drawn

BATCH, STEPS = 32, 12
Change = Callable[[torch.Tensor], torch.Tensor]


def unchanged(answers: torch.Tensor) -> torch.Tensor:
    return answers


def shuffled(answers: torch.Tensor) -> torch.Tensor:
    return answers[torch.randperm(len(answers))]


def rolled(answers: torch.Tensor) -> torch.Tensor:
    return answers.roll(1, 0)


def half_shuffled(answers: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.rand(answers.shape) < 0.5, shuffled(answers), answers)


def read(change: Change, answers: torch.Tensor, width: int = 6, loader: bool = False) -> dict[str, AnswersFollowed]:
    """Three passes over 128 examples, in another order each time."""
    torch.manual_seed(0)
    inputs = torch.randn(len(answers), width)
    kept = AnswersKept()
    for step in range(STEPS):
        if step % 4 == 0:
            order = torch.randperm(len(answers))
        rows = order[step % 4 * BATCH :][:BATCH]
        batch = [inputs[rows], answers[rows]] if loader else []
        kept.add([inputs[rows]], change(answers[rows]), batch, step)
    return {one.known: one for one in kept.seen()}


@pytest.fixture
def classes() -> torch.Tensor:
    return torch.randint(0, 5, (128,), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def values() -> torch.Tensor:
    return torch.randn(128, 2, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("answers", ["classes", "values"])
@pytest.mark.parametrize(
    ("change", "least", "most"),
    [(unchanged, 0.0, 0.0), (shuffled, 0.85, 1.15), (rolled, 0.85, 1.15), (half_shuffled, 0.35, 0.85)],
)
@pytest.mark.parametrize("known", ["loaded", "before"])
def test_how_far_answers_were_moved(
    answers: str, change: Change, least: float, most: float, known: str, request: pytest.FixtureRequest
) -> None:
    found = read(change, request.getfixturevalue(answers), loader=known == "loaded")

    assert least <= found[known].moved <= most
    assert found["before"].compared == 256


def test_what_is_known_from_the_loader_is_known_at_the_first_step(classes: torch.Tensor) -> None:
    found = read(shuffled, classes, loader=True)["loaded"]

    assert found.compared == BATCH * STEPS
    assert found.first[0] == 0
    assert found.spread > 0.5


@pytest.mark.parametrize(
    "change",
    [
        lambda answers: (answers + 2) % 5,
        lambda answers: torch.where(torch.rand(answers.shape) < 0.5, -100, answers),
    ],
    ids=["numbered anew", "left out"],
)
def test_classes_by_another_name_and_answers_left_out_are_not_moved(change: Change, classes: torch.Tensor) -> None:
    found = read(change, classes, loader=True)

    assert all(one.moved == 0 for one in found.values())


def test_a_batch_put_in_another_order_with_its_answers_is_not_moved(classes: torch.Tensor) -> None:
    torch.manual_seed(0)
    inputs, kept = torch.randn(128, 6), AnswersKept()
    for step in range(4):
        rows, order = torch.arange(step * BATCH, (step + 1) * BATCH), torch.randperm(BATCH)
        batch = [inputs[rows], classes[rows]]
        kept.add([batch[0][order]], batch[1][order], batch, step)

    (found,) = kept.seen()
    assert (found.known, found.moved) == ("loaded", 0.0)


def test_ids_moved_along_their_own_row_are_the_next_place_and_not_another_answer() -> None:
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(4):
        ids = torch.randint(0, 50, (8, 12))
        kept.add([ids], ids.roll(-1, 1).reshape(-1), [ids], step)

    assert kept.seen() == ()


@pytest.mark.parametrize("of_another", [False, True], ids=["its own", "those of another row"])
def test_labels_that_are_a_copy_of_the_ids_are_the_same_text(of_another: bool) -> None:
    """As collators for language models give them; the last place of a row has no next one."""
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(4):
        ids, tags = torch.randint(0, 50, (2, 8, 12))
        ids[:, 9:] = 0
        labels = ids.masked_fill(ids == 0, -100)
        answers = torch.nn.functional.pad(labels, (0, 1), value=-100)[:, 1:]
        batch = [ids, torch.ones_like(ids), labels] if not of_another else [ids, tags]
        kept.add([ids, torch.ones_like(ids)], (tags.roll(1, 0) if of_another else answers).reshape(-1), batch, step)

    assert [one.moved > 0.5 for one in kept.seen() if one.known == "loaded"] == [True] * of_another


@pytest.mark.parametrize(
    ("labelled", "told"),
    [("moved once by the program", False), ("partly hidden from the model", False), ("tags of the tokens", True)],
)
def test_labels_that_a_model_moves_are_a_text_only_where_they_are_that_of_the_inputs(labelled: str, told: bool) -> None:
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(4):
        text = torch.randint(4, 50, (8, 12))
        ids, labels = text, text
        if labelled == "moved once by the program":
            labels = text.roll(-1, 1)
        elif labelled == "partly hidden from the model":
            ids = text.masked_fill(torch.rand(text.shape) < 0.15, 1)
        else:
            labels = torch.randint(0, 5, text.shape)
        answers = torch.nn.functional.pad(labels, (0, 1), value=-100)[:, 1:]
        kept.add([ids], answers.reshape(-1), [ids, labels], step)

    assert any(one.moved > 0.5 for one in kept.seen() if one.known == "loaded") is told


def test_places_of_a_sequence_are_compared_whatever_the_padding_of_the_batch() -> None:
    torch.manual_seed(0)
    kept = AnswersKept()
    words, tags = torch.randint(1, 99, (16, 10)), torch.randint(0, 5, (16, 10))
    for step, width in enumerate((10, 14, 18)):
        padded = torch.nn.functional.pad(words, (0, width - 10))
        answers = torch.nn.functional.pad(tags, (0, width - 10), value=-100)
        order = torch.randperm(16)
        kept.add([padded[order]], answers[order].reshape(-1), [], step)

    (found,) = kept.seen()
    assert (found.known, found.compared, found.moved) == ("before", 32, 0.0)


def test_answers_of_rows_and_not_of_examples_are_no_answers() -> None:
    torch.manual_seed(0)
    inputs, kept = torch.randn(64, 6), AnswersKept()
    for step in range(4):
        kept.add([inputs[torch.randperm(64)]], torch.arange(64), [], step)

    assert kept.seen() == ()


def test_examples_that_are_alike_by_chance_are_not_known_again() -> None:
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(8):
        kept.add([torch.randint(0, 3, (32, 2))], torch.randint(0, 5, (32,)), [], step)

    assert kept.seen() == ()


def test_rows_that_are_only_a_part_of_an_example_are_not_compared() -> None:
    """Offsets into a text: the first is 0 in every batch, whatever the text."""
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(8):
        kept.add([torch.arange(0, 64, 2), torch.randint(0, 99, (64,))], torch.randint(0, 5, (32,)), [], step)

    assert kept.seen() == ()


def test_answers_of_which_none_counts_twice_say_nothing() -> None:
    torch.manual_seed(0)
    inputs, kept = torch.randn(16, 6), AnswersKept()
    first, second = torch.full((16,), -100), torch.full((16,), -100)
    first[0], second[1] = 2, 3
    for step, answers in enumerate((first, second)):
        kept.add([inputs], answers, [], step)

    assert kept.seen() == ()


def test_values_that_come_in_another_number_are_passed_over() -> None:
    torch.manual_seed(0)
    inputs, kept = torch.randn(16, 6), AnswersKept()
    for step, width in enumerate((4, 5, 4)):
        kept.add([inputs], torch.randn(16, width), [], step)

    (found,) = kept.seen()
    assert found.compared == 16


def test_it_is_settled_once_enough_is_known_or_nothing_comes_again(classes: torch.Tensor) -> None:
    kept = AnswersKept()
    inputs = torch.randn(128, 6)
    assert not kept.settled(MOST_STEPS - 1)
    assert kept.settled(MOST_STEPS)

    for step in range(1 + MOST_PAIRS // 128):
        assert not kept.settled(step)
        kept.add([inputs], classes, [], step)
    assert kept.settled(0)


@pytest.mark.parametrize(("keep", "of_others"), [(0, 0.0), (1, 0.25)])
def test_the_shares_of_classes_that_are_drawn_from_what_was_loaded(keep: int, of_others: float) -> None:
    torch.manual_seed(0)
    kept = AnswersKept()
    for step in range(4):
        inputs, labels = torch.randn(20, 6), torch.arange(20) % 5
        chosen = torch.cat([torch.nonzero(labels == 2).reshape(-1), torch.arange(keep * 4)])
        kept.add([inputs[chosen]], labels[chosen], [inputs, labels], step)

    found = kept.drawn.seen()
    assert (found.loaded, found.classes, found.most) == (80, 5, 2)
    assert found.of_most >= 1.0
    assert found.of_others == pytest.approx(of_others, abs=0.07)


def test_whole_batches_are_not_drawn_from(classes: torch.Tensor) -> None:
    kept = AnswersKept()
    inputs = torch.randn(128, 6)
    kept.add([inputs], classes, [inputs, classes], 0)

    assert kept.drawn.seen() == Drawn()
