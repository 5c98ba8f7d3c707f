"""Texts, the ids that are fed for them, and what is lost in between."""

import random
from collections.abc import Callable, Sequence

import pytest
import torch

from firstlight.observe.inside.relations.merging import merged
from firstlight.records.merged import Merged

ROWS, LENGTH = 600, 20
LETTERS = "AaBbCc"
WORTH = dict(zip(LETTERS, (-1.0, 0.7, 0.4, -0.9, 1.2, -0.2), strict=True))
Text = str


@pytest.fixture
def rng() -> random.Random:
    return random.Random(0)


def spelt(rng: random.Random, letters: Sequence[str] = LETTERS, between: str = "") -> list[Text]:
    return [between.join(rng.choices(letters, k=rng.randint(5, LENGTH))) for _ in range(ROWS)]


def fed(
    texts: Sequence[Text], symbol: Callable[[str], str], split: Callable[[Text], Sequence[str]] = list
) -> torch.Tensor:
    kinds = sorted({symbol(one) for text in texts for one in split(text)})
    rows = [[kinds.index(symbol(one)) + 1 for one in split(text)] for text in texts]
    return torch.tensor([row + [0] * (LENGTH - len(row)) for row in rows])


def worth(texts: Sequence[Text], by: Callable[[str], str] = str) -> torch.Tensor:
    return torch.tensor([sum(WORTH[by(one)] for one in text) for text in texts])


def asked(texts: Sequence[Text], ids: torch.Tensor, answer: torch.Tensor) -> Merged:
    return merged(texts, ids, answer)


def test_small_letters_that_are_worth_something_else(rng: random.Random) -> None:
    texts = spelt(rng)
    found = asked(texts, fed(texts, str.lower), worth(texts))

    assert found.level == "characters"
    assert {frozenset(group) for group in found.groups} == {frozenset(pair) for pair in ("Aa", "Bb", "Cc")}
    assert found.fed < 0.6 < 0.95 < found.apart


def test_letters_whose_size_says_nothing(rng: random.Random) -> None:
    texts = spelt(rng)
    found = asked(texts, fed(texts, str.lower), worth(texts, str.lower))

    assert found.count == 3
    assert found.apart - found.fed < 0.05


def test_nothing_is_lost_of_letters_that_are_fed_as_they_are(rng: random.Random) -> None:
    texts = spelt(rng)

    assert asked(texts, fed(texts, str), worth(texts)) == Merged()


def test_words_that_share_a_bucket(rng: random.Random) -> None:
    words = [chr(ord("a") + number) + "rst" for number in range(15)]
    texts = spelt(rng, words, " ")
    ids = fed(texts, lambda word: str(ord(word[0]) % 5), str.split)
    found = asked(texts, ids, torch.tensor([sum(word < "h" for word in text.split()) for text in texts]) * 1.0)

    assert found.level in ("words", "characters")
    assert found.count == 5
    assert found.apart - found.fed > 0.3


def test_values_of_which_one_is_meant(rng: random.Random) -> None:
    values = [f"{letter}{number}" for letter in LETTERS for number in range(3)]
    texts = rng.choices(values, k=ROWS)
    kinds = sorted({value.lower() for value in values})
    ids = torch.tensor([[kinds.index(text.lower())] for text in texts])
    found = asked(texts, ids, torch.tensor([WORTH[text[0]] for text in texts]))

    assert found.apart > 0.9 > found.fed + 0.3


def test_texts_of_other_rows_tell_nothing(rng: random.Random) -> None:
    texts = spelt(rng)

    assert asked(texts[::-1], fed(texts, str.lower), worth(texts)) == Merged()


@pytest.mark.parametrize("named", [("0", "1"), ("neg", "pos")])
def test_an_answer_beside_the_text_is_not_lost(rng: random.Random, named: tuple[str, str]) -> None:
    texts = spelt(rng)
    answer = torch.tensor([rng.randint(0, 1) for _ in texts])
    lines = [f"{text}\t{named[kind]}" for text, kind in zip(texts, answer.tolist(), strict=True)]

    found = asked(lines, fed(texts, str.lower), answer)
    assert found.apart - found.fed < 0.1


def test_too_few_rows_for_so_many_ids(rng: random.Random) -> None:
    texts = spelt(rng)

    assert asked(texts[:100], fed(texts[:100], str.lower), worth(texts[:100])) == Merged()
    assert asked(texts, torch.arange(ROWS)[:, None], worth(texts)) == Merged()


def test_columns_whose_codes_mean_something_else_in_each(rng: random.Random) -> None:
    names = ["Aurel", "Borga", "Cymo", "Daxon", "Eltra", "Ferno"]
    brands = torch.tensor([rng.randrange(6) for _ in range(ROWS)])
    others = torch.tensor([rng.randrange(4) for _ in range(ROWS)])
    price = torch.tensor([0.7, -0.3, 0.1, -0.7, 0.4, -0.1])[brands] + 0.2 * others
    texts = [names[one] for one in brands.tolist()]

    assert not asked(texts, torch.stack([brands, others], 1), price).groups
    assert asked(texts, torch.stack([brands // 2, others], 1), price).groups
