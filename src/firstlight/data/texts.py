"""Columns of texts: what damaged them, what a tokenizer makes of them, and which are nearly the same."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from firstlight.data.engine import require
from firstlight.data.split import Split
from firstlight.errors import UsageError
from firstlight.records.tables import TextsSeen

DAMAGE = re.compile("\ufffd|\u00c3[\u0080-\u00bf]|\u00e2\u20ac|\u00c2[\u00a0-\u00bf]")
"""The replacement character, and what UTF-8 read as Latin-1 or Windows-1252 looks like."""
EXAMPLES = 3
SHOWN = 60
HASHES = 64
BANDS = 16
ALIKE = 0.8
"""Share of their words, three at a time, that two texts have in common when they are told as nearly the same."""
SHINGLE = 3
MOST_TEXTS = 10_000
TOKENIZED = 2000
PILED = 10.0
"""Times more texts of the greatest length than of each length just below it."""
MOST_ALIKE = 0.95


def seen(split: Split, column: str, tokenizer: Any = None) -> TextsSeen:
    texts, rows = split.table[column].to_pylist(), split.rows
    known = [(int(row), str(text)) for row, text in zip(rows, texts, strict=True) if text is not None]
    damaged = [(row, text, sign.start()) for row, text in known if (sign := DAMAGE.search(text))]
    lengths = np.array([len(text) for _, text in known] or [0])
    cut = max((_at_the_end(lengths, "characters"), _at_the_end(_words(known), "words")), key=lambda each: each[0])
    found = TextsSeen(
        cut=cut[0],
        cut_at=cut[1],
        file=split.file,
        split=split.name,
        column=column,
        rows=len(known),
        empty=sum(not text.strip() for _, text in known),
        damaged=len(damaged),
        damaged_examples=tuple(_example(*each) for each in damaged[:EXAMPLES]),
        median_length=float(np.median(lengths)),
        longest=int(lengths.max()),
        longest_row=known[int(lengths.argmax())][0] if known else 0,
    )
    return found if tokenizer is None else _tokenized(found, known[:TOKENIZED], *tokenizer)


def _words(known: list[tuple[int, str]]) -> Any:
    return np.array([text.count(" ") + 1 for _, text in known] or [0])


def _at_the_end(lengths: Any, unit: str) -> tuple[int, str]:
    """Texts exactly as long as the longest, where far fewer are nearly so. Texts all of one length are made so."""
    longest = int(lengths.max())
    there = int((lengths == longest).sum())
    before = int(((lengths >= 0.9 * longest) & (lengths < longest)).sum())
    usual = before / max(1, longest - int(np.ceil(0.9 * longest)))
    piled = there > PILED * max(usual, 1.0) and there < MOST_ALIKE * len(lengths)
    return (there, f"{longest:,} {unit}") if piled else (0, "")


def tokenizer_at(path: Path) -> tuple[str, Any]:
    """A `tokenizer.json`, or a folder that holds one."""
    require("tokenizers", "`--tokenizer`")
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"{file} is not there. A tokenizer is a `tokenizer.json`, or a folder that holds one.")
    try:
        return str(path), Tokenizer.from_file(str(file))
    except Exception as problem:  # noqa: BLE001  # the library raises bare exceptions for every fault of a file
        raise UsageError(f"{file} is no tokenizer: {problem}") from None


def _tokenized(found: TextsSeen, texts: list[tuple[int, str]], name: str, tokenizer: Any) -> TextsSeen:
    import msgspec

    unknown_token = getattr(tokenizer.model, "unk_token", None)
    lossy, tokens, unknown = [], 0, 0
    for row, text in texts:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        tokens += len(encoding.tokens)
        unknown += sum(token == unknown_token for token in encoding.tokens) if unknown_token else 0
        if _bare(tokenizer.decode(encoding.ids), tokenizer) != _bare(text, tokenizer):
            lossy.append((row, text))
    return msgspec.structs.replace(
        found,
        tokenizer=name,
        lossy=len(lossy),
        lossy_examples=tuple(_example(row, text) for row, text in lossy[:EXAMPLES]),
        unknown_share=unknown / tokens if tokens else 0.0,
    )


def _bare(text: str, tokenizer: Any) -> str:
    """Without spaces, and in the case and form that the tokenizer itself chose to give up."""
    normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer is not None else text
    return "".join(normal.replace("\u2581", "").replace("\u0120", "").split())


def _example(row: int, text: str, around: int = 0) -> str:
    first = max(0, around - SHOWN // 2)
    return f"row {row}: {text[first : first + SHOWN]!r}"


def near_pairs(
    texts: Sequence[Any], rows: Any, of: Sequence[Any] | None = None, of_rows: Any = None
) -> list[tuple[int, int]]:
    """Rows whose texts are nearly but not quite the same, the earlier one first; with `of`, beside a row of that."""
    require("rensa", "finding near copies of texts")
    from rensa import RMinHash, RMinHashLSH

    own = _shingled(texts, rows)
    base = own if of is None else _shingled(of, of_rows)
    index = RMinHashLSH(threshold=ALIKE, num_perm=HASHES, num_bands=BANDS)
    hashed = RMinHash.from_token_sets([words for _, _, words in base], HASHES, 42)
    for place, each in enumerate(hashed):
        index.insert(place, each)
    asked = hashed if of is None else RMinHash.from_token_sets([words for _, _, words in own], HASHES, 42)
    pairs = []
    for place, (row, text, _) in enumerate(own):
        for other in index.query(asked[place]):
            if (
                (of is not None or other < place)
                and base[other][1] != text
                and asked[place].jaccard(hashed[other]) >= ALIKE
            ):
                pairs.append((base[other][0], row))
                break
    return pairs


def _shingled(texts: Sequence[Any], rows: Any) -> list[tuple[int, str, list[str]]]:
    found = []
    for row, text in list(zip(rows, texts, strict=True))[:MOST_TEXTS]:
        words = str(text or "").lower().split()
        if len(words) >= SHINGLE:
            pieces = [" ".join(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)]
            found.append((int(row), str(text), pieces))
    return found
