"""Near copies of texts, and what a tokenizer makes of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from firstlight.data import texts
from firstlight.data.asking import check_data
from firstlight.data.judging import facts_of
from firstlight.data.objects import source_of
from firstlight.data.said import Said
from firstlight.errors import UsageError
from firstlight.records.tables import TextsSeen

DRAW = np.random.default_rng(3)
WORDS = np.array([f"word{place}" for place in range(200)])


def text() -> str:
    return " ".join(DRAW.choice(WORDS, 30))


def test_a_text_with_one_word_changed_is_a_near_copy() -> None:
    lines = [text() for _ in range(50)]
    changed = lines[7].split()
    changed[-1] = "another"
    lines[40] = " ".join(changed)

    assert texts.near_pairs(lines, range(50)) == [(7, 40)]
    assert texts.near_pairs([lines[40]], [0], lines[:20], range(20)) == [(7, 0)]


def test_equal_texts_and_unlike_ones_are_no_near_copies() -> None:
    same = text()

    assert texts.near_pairs([same, same, text()], range(3)) == []


def tokenizer(folder: Path, words: list[str]) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel(
        {word: place for place, word in enumerate(["[UNK]", *words])}, unk_token="[UNK]"
    )
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    return folder


def seen(folder: Path, words: list[str]) -> TextsSeen:
    source = source_of({"text": [text() for _ in range(100)]}, "train")
    facts, _ = facts_of({"train": source}, Said(tokenizer=tokenizer(folder, words)))
    return next(fact for fact in facts if isinstance(fact, TextsSeen))


def test_a_tokenizer_that_knows_the_words_brings_texts_back(folder: Path) -> None:
    found = seen(folder, WORDS.tolist())

    assert (found.rows, found.lossy, found.unknown_share) == (100, 0, 0.0)


def test_a_tokenizer_made_for_other_texts_does_not(folder: Path) -> None:
    found = seen(folder, WORDS[:100].tolist())

    assert found.lossy == 100
    assert found.unknown_share == pytest.approx(0.5, abs=0.1)


def test_what_is_no_tokenizer_is_told(folder: Path) -> None:
    Path("tokenizer.json").write_text("{}", encoding="utf-8")

    with pytest.raises(UsageError, match="is no tokenizer"):
        texts.tokenizer_at(Path("tokenizer.json"))
    with pytest.raises(UsageError, match="is not there"):
        texts.tokenizer_at(Path("elsewhere.json"))


def test_the_example_shows_the_damage() -> None:
    table = pa.table({"t": ["the plain words of a long sentence " * 5 + "caf\u00c3\u00a9 au lait"] * 9})

    (found,) = check_data(table, select=["texts-damaged"]).findings
    assert "caf\u00c3\u00a9" in found.saw
