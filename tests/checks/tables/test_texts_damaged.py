from typing import Any

from firstlight.checks.tables.texts_damaged import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.tables import TextsSeen

BASE: dict[str, Any] = {"file": "f.csv", "split": "train", "column": "text", "rows": 1000, "median_length": 10.0}


def found(**fields: Any) -> list[Evidence]:
    return list(CHECK.find(TextsSeen(**(BASE | fields)), CHECK.limits))


def told(**fields: Any) -> list[str]:
    return [evidence.saw for evidence in found(**fields)]


def test_both_sides_of_each_limit() -> None:
    assert told(damaged=2, damaged_examples=("row 1: 'Ã©'",)) == ["2 of 1,000 texts were decoded wrongly: row 1: 'Ã©'"]
    assert told(damaged=1) == []
    assert told(empty=20) == ["20 of 1,000 texts are empty"]
    assert told(empty=19) == []
    assert told(longest=5001, longest_row=4) == ["row 4 has 5,001 characters, but half the texts have 10 or fewer"]
    assert told(longest=5000) == []
    assert told(cut=50, cut_at="200 characters") == [
        "50 of 1,000 texts end after exactly 200 characters, and none is longer"
    ]
    assert told(cut=49) == []


def test_a_tokenizer_that_loses_texts_or_does_not_know_them() -> None:
    assert told(tokenizer="t.json", lossy=20) == ["20 texts are changed by a round trip through t.json: "]
    assert told(tokenizer="t.json", lossy=19) == []
    assert told(tokenizer="t.json", lossy=0, unknown_share=0.02) == ["2.0% of the tokens are unknown to t.json"]
    assert told(tokenizer="t.json", lossy=0, unknown_share=0.019) == []
